//! `numawise survey -- PROGRAM [ARGS]`: in which loops a program spends its time, and whether these work with vectors.
//!
//! The program is run once, unchanged, as by [`objects`](super::objects); it need not be compiled anew, and has lines with `-g`. With
//! `--rebuild` it is built before by the user's command, and its compilers say why they vectorized loops or not.

use numawise_facts::objects::{BuildFlags, TriedFlags};
use numawise_facts::{Exit, ObjectRun, Reading, RunSpec};
use numawise_session::objects::tried::no_line;
use numawise_session::objects::{Followed, ObjectsRequest};
use numawise_session::rebuild::tried::FlagTrials;
use numawise_session::rebuild::{RanBuild, build};
use numawise_units::Nanoseconds;

use super::objects::{Followable, Outputs};
use super::run::environment;
use super::snapshot::{ChosenRanks, status};
use super::{Failure, Status};
use crate::exit::interruptible;
use crate::show::ObjectsReport;
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
    /// Then build it with the options that findings advise, one more each time, and run each in turn with the program as it was built, for this time in
    /// all (60s, 5m): the program's files are replaced meanwhile, and in the end are as built without them
    #[arg(long = "try", value_name = "TIME", requires = "rebuild")]
    try_for: Option<Nanoseconds>,
    #[command(flatten)]
    ranks: ChosenRanks,
    #[command(flatten)]
    program: Followable,
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let Arguments { outputs, rebuild, try_for, ranks, program } = typed;
    let ranks = ranks.checked()?;
    outputs.check()?;
    let request = ObjectsRequest { ranks, ..program.request(Followed::Loops)? };
    if try_for.is_some() && (request.run.is_placed() || request.run.command.takes_threads()) {
        return Err(Failure::new(
            "--try runs the line as it is typed; expected it without options that place the program and without {threads}: they may stand \
             behind --, as 'numawise run OPTIONS -- PROGRAM'",
        ));
    }
    let built = rebuild.map(|command| built(&command)).transpose()?;
    // Who ends the build ends all: a compiler that crashed is seen by the shell, whose status is a number.
    if let Some(ended @ Exit::Signal(_)) = built.as_ref().map(RanBuild::exit) {
        return Ok(status(ended));
    }
    let command = request.run.command.clone();
    let mut ended = outputs.follow(request)?;
    if let (Some(built), Reading::Measured(code)) = (&built, &ended.run.code) {
        let compiled = built.records(code, &ended.run.places, &command);
        if let Reading::Measured(code) = &mut ended.run.code {
            code.compiled = Some(compiled);
        }
    }
    let mut exit = ended.exit;
    if let (Some(budget), Some(built)) = (try_for, &built) {
        match tried(built, &ended.run, exit, &command, budget) {
            Ok(Trials::Tried(tried)) => {
                if let Reading::Measured(code) = &mut ended.run.code {
                    code.tried = tried;
                }
            }
            Ok(Trials::None(why)) => streams::say(&format!("no options are tried: {why}")),
            Ok(Trials::Ended(by)) => exit = by,
            // What was seen of the program stands.
            Err(failure) => {
                let _ = failure.report();
            }
        }
    }
    outputs.write(&ended.run);
    Ok(status(exit))
}

enum Trials {
    Tried(Vec<TriedFlags>),
    None(String),
    /// Somebody ended a build.
    Ended(Exit),
}

/// Builds with what the findings advise, and runs each build.
fn tried(
    built: &RanBuild,
    run: &ObjectRun,
    exit: Exit,
    command: &RunSpec,
    budget: Nanoseconds,
) -> Result<Trials, Failure> {
    let none = |why: &str| Ok(Trials::None(why.to_owned()));
    if exit != Exit::Code(0) {
        return none("the program failed");
    }
    if let Some(why) = no_line(command) {
        return none(why);
    }
    let records = match &run.code {
        Reading::Measured(code) => code.compiled.as_ref(),
        Reading::Unavailable { unavailable } => return Ok(Trials::None(unavailable.to_string())),
    };
    let files = match records {
        Some(Reading::Measured(records)) => &records.written,
        Some(Reading::Unavailable { unavailable }) => return Ok(Trials::None(unavailable.to_string())),
        None => return none("nothing is known of the build"),
    };
    if files.is_empty() {
        return none("the build wrote no file with hot loops");
    }
    let flags = match ObjectsReport::of(run, None).flags_to_try() {
        Reading::Measured(flags) => flags,
        Reading::Unavailable { unavailable } => return Ok(Trials::None(unavailable.to_string())),
    };
    if flags.is_empty() {
        return none("no finding advises options that are not there");
    }
    let mut trials = FlagTrials::of(built, files, &environment)?;
    for count in 1..=flags.len() {
        let flags = &flags[..count];
        streams::say(&format!("builds with {}", BuildFlags::line(flags)));
        let (exit, wall) = trials.build(flags.to_vec(), &environment)?;
        if let Some(ended) = ended_by_signal(exit, wall) {
            return Ok(ended);
        }
    }
    streams::say("builds as it was");
    let (exit, wall) = trials.build_as_it_was(&environment)?;
    if let Some(ended) = ended_by_signal(exit, wall) {
        return Ok(ended);
    }
    let replaced: Vec<String> = trials.files().iter().map(|file| file.display().to_string()).collect();
    streams::say(&format!("runs the builds in turn for {budget} at most, each as {}", replaced.join(", ")));
    let stop = interruptible()?;
    Ok(Trials::Tried(trials.run(run, command, budget, &stop)?))
}

/// Says how a build ended; who ends one ends all.
fn ended_by_signal(exit: Exit, wall: Nanoseconds) -> Option<Trials> {
    streams::say(&match exit {
        Exit::Code(0) => format!("the build took {wall}"),
        Exit::Code(code) => format!("warning: the build ended with exit status {code}"),
        Exit::Signal(_) => {
            "the build was ended: the program is as it was, but what it is built of is not; build it again"
                .to_owned()
        }
    });
    matches!(exit, Exit::Signal(_)).then_some(Trials::Ended(exit))
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
