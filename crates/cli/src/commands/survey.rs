//! `numawise survey -- PROGRAM [ARGS]`: in which loops a program spends its time, and whether these work with vectors.
//!
//! The program is run once, unchanged, as by [`objects`](super::objects); it need not be compiled anew, and has lines with `-g`. With
//! `--rebuild` it is built before by the user's command, and its compilers say why they vectorized loops or not.

use numawise_facts::{Exit, Reading};
use numawise_session::objects::{Followed, ObjectsRequest};
use numawise_session::rebuild::{RanBuild, build};

use super::objects::{Followable, Outputs};
use super::run::environment;
use super::snapshot::{ChosenRanks, status};
use super::{Failure, Status};
use crate::streams;

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
    /// Build the program first with this line for the shell, and let gcc, gfortran and clang say why they did not vectorize its loops; it must compile
    /// anew: 'make clean && make'
    #[arg(long, value_name = "COMMAND")]
    rebuild: Option<String>,
    #[command(flatten)]
    ranks: ChosenRanks,
    #[command(flatten)]
    program: Followable,
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let Arguments { outputs, rebuild, ranks, program } = typed;
    let ranks = ranks.checked()?;
    outputs.check()?;
    let built = rebuild.map(|command| built(&command)).transpose()?;
    // Who ends the build ends all: a compiler that crashed is seen by the shell, whose status is a number.
    if let Some(ended @ Exit::Signal(_)) = built.as_ref().map(RanBuild::exit) {
        return Ok(status(ended));
    }
    let request = ObjectsRequest { ranks, ..program.request(Followed::Loops)? };
    let command = request.run.command.clone();
    let mut ended = outputs.follow(request)?;
    if let (Some(built), Reading::Measured(code)) = (&built, &ended.run.code) {
        let compiled = built.records(code, &ended.run.places, &command);
        if let Reading::Measured(code) = &mut ended.run.code {
            code.compiled = Some(compiled);
        }
    }
    outputs.write(&ended.run);
    Ok(status(ended.exit))
}

/// The program runs also where the build fails: what is there can be measured.
fn built(command: &str) -> Result<RanBuild, Failure> {
    streams::say(&format!("builds: {command}"));
    let built = build(command, &environment)?;
    match built.exit() {
        Exit::Code(0) => streams::say(&format!("the build took {}", built.wall())),
        Exit::Signal(signal) => {
            streams::say(&format!("signal {signal} ended the build; the program is not run"));
        }
        Exit::Code(code) => {
            streams::say(&format!(
                "warning: the build ended with exit status {code}; the program runs as it is. The end of what the build printed:"
            ));
            streams::say_text(&format!("{}\n", built.last_lines()));
        }
    }
    Ok(built)
}
