//! `numawise survey -- PROGRAM [ARGS]`: in which loops a program spends its time, and whether these work with vectors.
//!
//! The program is run once, unchanged, as by [`objects`](super::objects); it need not be compiled anew, and has lines with `-g`.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use numawise_record::Existing;
use numawise_report::notice;
use numawise_session::objects::{EndedObjects, Followed, ObjectsRequest, prepare};
use numawise_units::Nanoseconds;

use super::objects::Outputs;
use super::run::{TypedPlacement, environment, placed};
use super::snapshot::status;
use super::{Failure, Status};
use crate::faces::Faces;
use crate::streams;

/// Run a program once and find its hot loops: do they use the vector units, and what could that bring?
#[derive(clap::Args)]
#[command(override_usage = "numawise survey [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(
    after_help = "The report goes to the standard error: the standard output is the program's. Exit status: the program's own; \
                        125 numawise failed, 126 the program cannot be executed, 127 not found. Compile with -g for lines."
)]
pub struct Arguments {
    /// Keep what was seen in this file, for numawise report
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output where it holds a survey or objects already
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    faces: Faces,
    /// Print no report
    #[arg(long, short)]
    quiet: bool,
    /// Samples a second of CPU time of each thread; without it as many as cost about 1 %, 1000 at most
    #[arg(long, value_name = "HERTZ")]
    rate: Option<NonZeroU32>,

    #[command(flatten)]
    placement: TypedPlacement,

    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let run = placed(typed.placement.options, &typed.placement.numactl, typed.command)?;
    let period = typed.rate.map(|rate| Nanoseconds(1_000_000_000 / u64::from(rate.get())));
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let request = ObjectsRequest { run, followed: Followed::Loops, period, version };
    let outputs = Outputs {
        record: typed.output,
        existing: if typed.fresh { Existing::IsReplaced } else { Existing::Stays },
        faces: typed.faces,
        quiet: typed.quiet,
    };
    let plan = prepare(request, &environment)?;
    outputs.check()?;
    for warning in plan.warnings() {
        streams::say(&format!("warning: {}", notice::text(warning)));
    }
    let EndedObjects { exit, run } = plan.run(&environment)?;
    outputs.write(&run);
    Ok(status(exit))
}
