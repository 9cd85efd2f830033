//! The run of an experiment in which the memory objects of the program are followed: one, after the trials, as the operating system
//! places the program.
//!
//! It is a numawise of its own that starts the program: events of the kernel are opened by who forks the program, and what the program
//! prints goes where that of the trials goes. What it hands over is a record in a folder that is gone afterwards.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use numawise_facts::notice::ObjectsNotice;
use numawise_facts::{
    Argument, Event, Metric, ObjectRun, Outcome, RunSpec, Sink, StopReason, Study, StudyHeader,
};
use numawise_record::Record;
use numawise_study::{Engine, Standing, SystemClock};
use numawise_units::Nanoseconds;

use super::{ExperimentRequest, NotYet, trial_of};
use crate::Error;
use crate::snapshot::folder::CollectorFolder;

/// The words that follow the objects of the program behind them, and keep them in a file: the face knows them.
pub type ObjectsWords = fn(record: &Path) -> Vec<Argument>;

/// A run with objects takes 1 to 2 % more than another, and what is known of the code is read before and after it.
const LONGER: f64 = 1.2;

/// What is kept of the time given for the run; nothing where the trials would suffer by it.
pub fn reserve(request: &ExperimentRequest, study: &Study) -> Nanoseconds {
    let needs = needs(study);
    let is_wanted = request.objects.is_some() && study.objects.is_none();
    if is_wanted && needs.0 <= request.budget.0 / 3 { needs } else { Nanoseconds(0) }
}

fn needs(study: &Study) -> Nanoseconds {
    Nanoseconds((trial_of(study).0 as f64 * LONGER) as u64)
}

/// What carries the run out.
pub struct ObjectsStage<'a> {
    pub request: &'a ExperimentRequest,
    /// What this process may have taken when it ends.
    pub budget: Nanoseconds,
    pub sink: &'a mut dyn Sink,
    /// Time was kept for it: the trials may have taken a part of that, by one run at most.
    pub is_reserved: bool,
    pub stop: &'a AtomicBool,
}

impl ObjectsStage<'_> {
    /// Runs the program once and keeps its objects. What goes wrong is a notice: the trials stand.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn run(self, study: &mut Study, record: &mut Record) -> Result<StopReason, Error> {
        let Some(words) = self.request.objects.filter(|_| study.objects.is_none()) else {
            return Ok(StopReason::Decided);
        };
        let (needs, left) = (needs(study), self.budget.saturating_sub(self.request.begun.elapsed().into()));
        if needs > left && !self.is_reserved {
            self.sink.event(Event::Warning(ObjectsNotice::NoTimeForObjects { needs, left }.into()));
            return Ok(StopReason::BudgetSpent);
        }
        let warned = |notice: ObjectsNotice, sink: &mut dyn Sink| sink.event(Event::Warning(notice.into()));
        match follow(self.request, words, study, self.stop) {
            Ok(Some(mut run)) => {
                // What is kept is the program as it was typed for the check, not with the variables of a trial.
                run.header.command.clone_from(&study.header.command);
                record.set_objects(&run)?;
                study.objects = Some(run);
                Ok(StopReason::Decided)
            }
            Ok(None) => Ok(StopReason::Interrupted),
            Err(notice) => {
                warned(notice, self.sink);
                Ok(StopReason::Decided)
            }
        }
    }
}

/// The run itself; nothing where it was broken off.
fn follow(
    request: &ExperimentRequest,
    words: ObjectsWords,
    study: &Study,
    stop: &AtomicBool,
) -> Result<Option<ObjectRun>, ObjectsNotice> {
    let problem =
        |error: &dyn std::fmt::Display| ObjectsNotice::NoObjectsOfRun { problem: error.to_string() };
    let (folder, _) = CollectorFolder::make(&|name| std::env::var_os(name)).map_err(|e| problem(&e))?;
    let kept = folder.path().join("objects.nw");
    let mut points = study.header.points.clone();
    points.truncate(1);
    let mut runner = request.runner(&study.header.machine, &points);
    let command = words(&kept).into_iter().chain(request.command.command.iter().cloned());
    runner.spec = RunSpec { command: command.collect(), ..request.command.clone() };
    // The metric is taken from the trials: a run that is watched for something else is none of them.
    runner.metric_file = None;
    let header = StudyHeader {
        points,
        pairs: Vec::new(),
        metric: Metric::WallTime,
        grid: None,
        ..study.header.clone()
    };
    let mut once = Study { header, trials: Vec::new(), stopped: None, lines: None, objects: None };
    let mut engine = Engine {
        runner: &mut runner,
        clock: &SystemClock { begun: request.begun },
        keep: &mut NotYet,
        sink: &mut numawise_facts::Ignore,
        redactor: &request.redactor(),
        standing: &mut |_, _| Standing::Open { known: Vec::new() },
        repeats_first: false,
        first_block: 0,
        stop,
    };
    let point = once.header.points[0].clone();
    if !engine.run_one(&mut once, 0, &point).map_err(|e| problem(&e))? {
        return Ok(None);
    }
    match once.trials.pop().map(|trial| trial.outcome) {
        Some(Outcome::Failed { failure, .. }) => Err(ObjectsNotice::FailedWithObjects { failure }),
        _ => numawise_record::read_object_run(&kept).map(Some).map_err(|e| problem(&e)),
    }
}
