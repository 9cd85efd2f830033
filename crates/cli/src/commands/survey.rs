//! `numawise survey -- PROGRAM [ARGS]`: in which loops a program spends its time, and whether these work with vectors.
//!
//! The program is run once, unchanged, as by [`objects`](super::objects); it need not be compiled anew, and has lines with `-g`.

use numawise_session::objects::Followed;

use super::objects::{Followable, Outputs};
use super::snapshot::status;
use super::{Failure, Status};

/// Run a program once and find its hot loops: do they use the vector units, and what could that bring?
#[derive(clap::Args)]
#[command(override_usage = "numawise survey [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(
    after_help = "The report goes to the standard error: the standard output is the program's. Exit status: the program's own; \
                        125 numawise failed, 126 the program cannot be executed, 127 not found. Compile with -g for lines."
)]
pub struct Arguments {
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    program: Followable,
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let ended = typed.outputs.follow(typed.program.request(Followed::Loops)?)?;
    typed.outputs.write(&ended.run);
    Ok(status(ended.exit))
}
