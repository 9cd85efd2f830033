//! `numawise snapshot -- PROGRAM [ARGS]`: where the time of a program goes, seen from inside: MPI, OpenMP, and what is useful.
//!
//! The program is run once, unchanged, with our streams and our terminal; what it prints and how it ends is as without us, so that
//! the report goes to the standard error. The same line may stand around a launcher (`-- mpirun -n 4 ./app`), for all ranks of this
//! computer and, where it names other computers, of those, or inside (`mpirun -n 4 numawise snapshot --output run.nw -- ./app`), where
//! one rank reports for all.
//! Exit status: the program's own, 128 + n for signal n, 125 to 127 as everywhere.

mod divisions;
mod launched;

use std::ffi::OsString;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use numawise_facts::{Exit, RankSet, RanksByThreadsList, WatchedRun};
use numawise_linux::calls::inherited;
use numawise_record::{Existing, RecordError};
use numawise_report::document::Style;
use numawise_report::notice;
use numawise_session::objects::LEAST_OBJECT;
use numawise_session::snapshot::{SnapshotPlan, SnapshotReport, SnapshotRequest, TraceRequest, prepare};

use super::run::{TypedPlacement, environment, placed};
use super::{Failure, Status};
use crate::faces::Faces;
use crate::files::{self, OutputFile};
use crate::show::{self, SnapshotDetail};
use crate::streams;
use divisions::Divisions;
pub(super) use launched::{HandedOn, handing_over, placing};

/// Run a program once and see inside: MPI, OpenMP, where its time goes
#[derive(clap::Args)]
#[command(override_usage = "numawise snapshot [OPTIONS] -- PROGRAM [ARGS]...")]
#[command(
    after_help = "The report goes to the standard error: the standard output is the program's. Exit status: the program's own; \
                        125 numawise failed, 126 the program cannot be executed, 127 not found."
)]
pub struct Arguments {
    /// Keep what was measured in this file, for numawise report
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output where it holds a snapshot already
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    asked: Asked,

    /// Follow memory objects too, as numawise objects does, rank by rank
    #[arg(long)]
    objects: bool,
    /// Run with each division of so many CPUs into ranks and threads (24: 24x1, 12x2, ...), or with those listed (24x1,2x12), side by
    /// side; {ranks} and {threads} in the command stand for their numbers
    #[arg(long, value_name = "CPUS|LIST", conflicts_with_all = ["threads", "ranks", "full"])]
    ranks_x_threads: Option<RanksByThreadsList>,
    /// With --ranks-x-threads: run each division so often, and take the run with the median time
    #[arg(long, value_name = "N", requires = "ranks_x_threads")]
    repeats: Option<NonZeroU32>,

    /// Hand over what is measured, through this folder, to a numawise around the launcher of this rank
    #[arg(long, value_name = "FOLDER", hide = true, conflicts_with_all = ["html", "json", "ranks_x_threads"])]
    hand_over_to: Option<PathBuf>,
    /// With calls of MPI, as numawise trace around the launcher was asked
    #[arg(long, value_name = "REQUEST", hide = true, requires = "hand_over_to")]
    trace: Option<TraceRequest>,

    #[command(flatten)]
    placement: TypedPlacement,

    /// The program and its arguments; {threads} stands for the number of threads
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// Of what a report is wanted, and how, also of a run that is traced.
#[derive(clap::Args)]
pub(super) struct Asked {
    #[command(flatten)]
    faces: Faces,
    /// Print all tables, not one screen of them
    #[arg(long, conflicts_with = "quiet")]
    full: bool,
    /// Print no report
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    pub ranks: ChosenRanks,
}

/// The ranks that are looked at.
#[derive(Clone, clap::Args)]
pub(super) struct ChosenRanks {
    /// Only these ranks of MPI_COMM_WORLD, e.g. 0,3-5
    #[arg(long, value_name = "LIST")]
    ranks: Option<RankSet>,
}

impl ChosenRanks {
    pub fn checked(&self) -> Result<Option<RankSet>, Failure> {
        check_ranks(self.ranks.as_ref())?;
        Ok(self.ranks.clone())
    }
}

/// Refuses a list without ranks.
pub(super) fn check_ranks(typed: Option<&RankSet>) -> Result<(), Failure> {
    match typed {
        Some(ranks) if ranks.is_empty() => Err(Failure::new("--ranks '': expected ranks, such as 0,3-5")),
        _ => Ok(()),
    }
}

/// What is written when the program has ended.
pub(super) struct Outputs {
    pub record: Option<PathBuf>,
    pub existing: Existing,
    pub faces: Faces,
    pub quiet: bool,
    pub detail: SnapshotDetail,
}

pub fn run(typed: Arguments) -> Result<Status, Failure> {
    let ranks = typed.asked.ranks.checked()?;
    let run = placed(typed.placement.options, &typed.placement.numactl, typed.command)?;
    let words = &typed.placement.words;
    let request = SnapshotRequest {
        placing: placing(&run, words),
        handing_over: handing_over(
            &run,
            words,
            &HandedOn {
                ranks: ranks.as_ref(),
                record: typed.output.as_deref(),
                is_fresh: typed.fresh,
                objects: typed.objects,
                trace: typed.trace,
            },
        ),
        hand_over_to: typed.hand_over_to,
        run,
        ranks,
        objects: typed.objects.then_some(LEAST_OBJECT),
        trace: typed.trace,
        record: typed.output.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let existing = if typed.fresh { Existing::IsReplaced } else { Existing::Stays };
    let outputs = Outputs::of(typed.asked, typed.output, existing);
    if let Some(list) = typed.ranks_x_threads {
        let runs = typed.repeats.unwrap_or(NonZeroU32::MIN);
        let divisions = Divisions { list, runs, words: typed.placement.words };
        return divisions::run(&divisions, &request, &outputs);
    }
    if request.hand_over_to.is_some() {
        return launched::run(request, &outputs);
    }
    watch(request, &outputs)
}

/// Runs the program, and writes what was measured.
pub(super) fn watch(request: SnapshotRequest, outputs: &Outputs) -> Result<Status, Failure> {
    let plan = prepare(request, &environment)?;
    if plan.is_left_out() {
        inherited::take_signals_to_wait();
        let Err(error) = plan.become_program(&environment);
        return Err(error.into());
    }
    outputs.may_be_written()?;
    // One of the ranks makes a file: all would do so at the same time, in the same folder. All end where it may not be made, since a
    // launcher may not hear of the end of one, for which the others then wait in MPI_Init.
    match plan.rank() {
        None | Some(0) => outputs.check()?,
        Some(_) => files::check_permissions(&outputs.files())?,
    }
    warn(&plan);
    let ended = plan.run(&environment, &|report| outputs.when_killed().write(report))?;
    if let Some(report) = &ended.report {
        outputs.write(report);
    }
    Ok(status(ended.exit))
}

/// What is to be known before the program prints. Of several ranks one speaks.
fn warn(plan: &SnapshotPlan) {
    if plan.rank().is_some_and(|rank| rank != 0) {
        return;
    }
    for warning in plan.warnings() {
        streams::say(&format!("warning: {}", notice::text(warning)));
    }
}

/// That of a shell.
pub fn status(exit: Exit) -> Status {
    exit.shell_status().clamp(0, 255) as Status
}

impl Outputs {
    pub fn of(asked: Asked, record: Option<PathBuf>, existing: Existing) -> Outputs {
        let Asked { faces, full, quiet, .. } = asked;
        Outputs { record, existing, faces, quiet, detail: SnapshotDetail::of(full) }
    }

    /// Finds now what could not be written in the end.
    fn check(&self) -> Result<(), Failure> {
        files::check(&self.files(), &[])
    }

    /// The files that are written in the end.
    fn files(&self) -> Vec<OutputFile<'_>> {
        let record = self.record.as_deref().map(OutputFile::record);
        record.into_iter().chain(self.faces.outputs()).collect()
    }

    /// Finds a record that is to stay.
    fn may_be_written(&self) -> Result<(), Failure> {
        match &self.record {
            Some(path) => Ok(numawise_record::watched_run_may_be_saved(path, self.existing)?),
            None => Ok(()),
        }
    }

    /// The same where the launcher has killed us, so that nobody reads the standard error: what no file was asked for is kept in one
    /// of the current folder.
    fn when_killed(&self) -> Outputs {
        let has_file = !self.files().is_empty();
        let own = || PathBuf::from(format!("numawise-killed-{}.nw", std::process::id()));
        Outputs {
            record: if has_file { self.record.clone() } else { Some(own()) },
            existing: self.existing,
            faces: self.faces.clone(),
            quiet: true,
            detail: self.detail,
        }
    }

    /// What cannot be written is told, and the rest is written all the same: the program's own result stands.
    fn write(&self, report: &SnapshotReport) {
        // Of several computers that do not share a folder, each has files of its own.
        let own =
            |path: &Path| report.first_rank.map_or_else(|| path.to_owned(), |rank| numbered(path, rank));
        let (record, faces) = (self.record.as_deref().map(own), self.faces.moved(own));
        // Of ranks of which one died, a report was made before the others ended.
        let existing = if report.is_again { Existing::IsReplaced } else { self.existing };
        let Kept { path: kept, problem } =
            record.map_or_else(Kept::default, |path| Kept::of(&path, &report.run, existing));
        let shown = kept.as_ref().map_or_else(String::new, |path| path.display().to_string());
        let snapshot = show::Snapshot::of(&report.run, &shown);
        let mut pages = faces.write(|| snapshot.json(), || snapshot.html());
        // What was to be in files alone is printed where none could be written.
        let is_nowhere = kept.is_none() && !pages.iter().any(Result::is_ok);
        let is_lost = is_nowhere && (problem.is_some() || !pages.is_empty());
        if faces.json.is_printed() && !report.is_again {
            pages.push(streams::print(snapshot.json()).map_err(Failure::from));
        } else if (!self.quiet || is_lost) && !report.is_again {
            streams::say_text(&format!("\n{}", snapshot.text(self.detail, style())));
        }
        let of_pages = pages.into_iter().filter_map(Result::err);
        for failure in problem.into_iter().chain(of_pages) {
            // The status is the program's.
            let _ = failure.report();
        }
    }
}

/// Where a run is kept, and what is to be said of that.
#[derive(Default)]
struct Kept {
    path: Option<PathBuf>,
    problem: Option<Failure>,
}

impl Kept {
    /// In this file; where another run was kept there while this one ran, in one beside it.
    fn of(path: &Path, run: &WatchedRun, existing: Existing) -> Kept {
        match numawise_record::save_watched_run(path, run, existing) {
            Err(RecordError::RunExists(_)) => Kept::beside(path, run),
            saved => Kept::saved(saved, path.to_owned(), None),
        }
    }

    fn beside(path: &Path, run: &WatchedRun) -> Kept {
        let beside = numbered(path, std::process::id());
        let said = format!(
            "{}: another run was kept there while this one ran, which is in {} now; choose another file for each",
            path.display(),
            beside.display()
        );
        let saved = numawise_record::save_watched_run(&beside, run, Existing::Stays);
        Kept::saved(saved, beside, Some(Failure::new(said)))
    }

    /// In this file, which is to be said, where it could be written.
    fn saved(saved: Result<(), RecordError>, path: PathBuf, said: Option<Failure>) -> Kept {
        match saved {
            Ok(()) => Kept { path: Some(path), problem: said },
            Err(error) => Kept { path: None, problem: Some(error.into()) },
        }
    }
}

/// `run.nw` as `run.3.nw`.
fn numbered(path: &Path, rank: u32) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{rank}.{}", extension.to_string_lossy())),
        None => path.with_extension(rank.to_string()),
    }
}

/// For whoever reads the standard error.
fn style() -> Style {
    streams::style_of(&io::stderr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computer_alone_has_a_file_of_its_own() {
        for (path, expected) in [("run.nw", "run.3.nw"), ("a/run", "a/run.3"), ("a.b/run.nw", "a.b/run.3.nw")]
        {
            assert_eq!(numbered(Path::new(path), 3), Path::new(expected));
        }
    }

    #[test]
    fn a_programs_status_is_passed_on() {
        assert_eq!(status(Exit::Code(7)), 7);
        assert_eq!(status(Exit::Signal(9)), 137);
    }
}
