//! `numawise objects -- PROGRAM [ARGS]`: which arrays a program has, where each was allocated, which thread touched it first, who uses it
//! from which node, and where its pages lie.
//!
//! The program is run once, unchanged, with our streams and our terminal; what it prints and how it ends is as without us, so that the
//! report goes to the standard error. It need not be compiled anew; with `-g` objects have lines and the names of variables.
//! Exit status: the program's own, 128 + n for signal n, 125 to 127 as everywhere.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;

use numawise_facts::{Exit, ObjectRun, RunSpec};
use numawise_record::Existing;
use numawise_report::notice;
use numawise_session::objects::tried::{CureLine, CuresRequest, try_cures};
use numawise_session::objects::{EndedObjects, Followed, LEAST_OBJECT, ObjectsRequest, prepare};
use numawise_units::{Bytes, Nanoseconds};

use super::run::{TypedPlacement, environment, placed};
use super::snapshot::status;
use super::{Failure, Status};
use crate::exit::interruptible;
use crate::faces::Faces;
use crate::files::{self, OutputFile};
use crate::show::ObjectsReport;
use crate::streams;

/// Run a program once and follow its arrays: allocated where, first touched by whom, used from which node
#[derive(clap::Args)]
#[command(override_usage = "numawise objects [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(
    after_help = "The report goes to the standard error: the standard output is the program's. Exit status: the program's own; \
                        125 numawise failed, 126 the program cannot be executed, 127 not found."
)]
pub struct Arguments {
    #[command(flatten)]
    outputs: Outputs,
    /// After the run, test the advice that needs no change of the program against the program as it is, for this time in all (60s, 5m); the program's
    /// output in these runs is not shown
    #[arg(long = "try", value_name = "TIME", requires = "output")]
    try_for: Option<Nanoseconds>,

    /// Allocations from this size on are an object each; smaller ones are sampled and grouped by where they were allocated
    #[arg(long, value_name = "BYTES", default_value_t = LEAST_OBJECT)]
    least: Bytes,
    #[command(flatten)]
    program: Followable,
}

/// What is written when the program has ended.
#[derive(clap::Args)]
pub struct Outputs {
    /// Keep what was seen in this file, for numawise report
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output where it holds objects or a survey already
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    faces: Faces,
    /// Print no report
    #[arg(long, short)]
    quiet: bool,
}

/// A program that is run once and followed.
#[derive(clap::Args)]
pub struct Followable {
    /// Samples a second of CPU time of each thread; without it as many as cost about 1 %, 1000 at most
    #[arg(long, value_name = "HERTZ")]
    rate: Option<NonZeroU32>,

    #[command(flatten)]
    placement: TypedPlacement,

    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

impl Followable {
    pub fn request(self, followed: Followed) -> Result<ObjectsRequest, Failure> {
        let run = placed(self.placement.options, &self.placement.numactl, self.command)?;
        let period = self.rate.map(|rate| Nanoseconds(1_000_000_000 / u64::from(rate.get())));
        Ok(ObjectsRequest {
            run,
            followed,
            period,
            ranks: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let Arguments { mut outputs, try_for, least, program } = typed;
    let request = program.request(Followed::Objects { least })?;
    let run = &request.run;
    if try_for.is_some() && (run.is_placed() || run.objects_to.is_some()) {
        return Err(Failure::new(
            "--try compares with the program as the system places it; expected it without options that place the program",
        ));
    }
    let command = run.command.clone();
    let EndedObjects { exit, mut run } = outputs.follow(request)?;
    if let Some(budget) = try_for {
        if exit == Exit::Code(0) {
            run = outputs.tried(run, &command, budget)?;
        } else {
            streams::say("warning: nothing is tried for a program that fails");
        }
    }
    outputs.write(&run);
    Ok(status(exit))
}

impl Outputs {
    fn existing(&self) -> Existing {
        if self.fresh { Existing::IsReplaced } else { Existing::Stays }
    }

    /// Runs a program, once it is known that what is seen of it can be written.
    pub fn follow(&self, request: ObjectsRequest) -> Result<EndedObjects, Failure> {
        let plan = prepare(request, &environment)?;
        self.check()?;
        for warning in plan.warnings() {
            streams::say(&format!("warning: {}", notice::text(warning)));
        }
        Ok(plan.run(&environment)?)
    }

    /// Finds now what could not be written in the end.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            numawise_record::object_run_may_be_saved(path, self.existing())?;
        }
        let record = self.output.as_deref().map(OutputFile::record);
        files::check(&record.into_iter().chain(self.faces.outputs()).collect::<Vec<_>>(), &[])
    }

    /// The run with what its cures bring. It is kept before, since lines that try them read it.
    fn tried(
        &mut self,
        mut run: ObjectRun,
        command: &RunSpec,
        budget: Nanoseconds,
    ) -> Result<ObjectRun, Failure> {
        let Some(path) = self.output.clone() else { return Ok(run) };
        numawise_record::save_object_run(&path, &run, self.existing())?;
        self.fresh = true;
        let name = path.display().to_string();
        let cures = ObjectsReport::of(&run, Some(&name)).to_try();
        if cures.is_empty() {
            streams::say("no finding has a cure that a line can try");
            return Ok(run);
        }
        let stop = interruptible()?;
        streams::say(&format!(
            "tries {}, against the program as it is typed, for {budget} at most",
            match cures.len() {
                1 => "a line".to_owned(),
                lines => format!("{lines} lines"),
            }
        ));
        let cures = cures.iter().map(|cure| CureLine {
            object: cure.object,
            cure: cure.cure,
            shown: cure.line(&run.header.command),
            typed: cure.line(command),
        });
        let line = command.shell_line();
        // A number of threads is filled in alike for all.
        let without = if command.takes_threads() { format!("numawise run -- {line}") } else { line };
        let request = CuresRequest { run: &run, command, without, cures: cures.collect(), budget };
        run.trials = try_cures(&request, &stop)?;
        Ok(run)
    }

    /// What cannot be written is told, and the rest is written all the same: the program's own result stands.
    pub fn write(&self, run: &ObjectRun) {
        let kept = self.output.as_deref().map(|path| {
            numawise_record::save_object_run(path, run, self.existing()).map(|()| path).map_err(Failure::from)
        });
        let name = kept.as_ref().and_then(|kept| kept.as_ref().ok()).map(|path| path.display().to_string());
        let report = ObjectsReport::of(run, name.as_deref());
        let pages = self.faces.write(|| report.json(), || report.html());
        let mut failures: Vec<Failure> =
            kept.and_then(Result::err).into_iter().chain(pages.into_iter().filter_map(Result::err)).collect();
        // What was to be in files alone is printed where one could not be written.
        if self.faces.json.is_printed() {
            failures.extend(streams::print(report.json()).map_err(Failure::from).err());
        } else if !self.quiet || !failures.is_empty() {
            streams::say_text(&format!("\n{}", report.text(streams::style_of(&io::stderr()))));
        }
        for failure in failures {
            // The status is the program's.
            let _ = failure.report();
        }
    }
}
