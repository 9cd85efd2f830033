//! An experiment on a program: does its placement matter, and by how much?
//!
//! The first run tells how much memory the program takes, which decides what can be tried. Its study is recorded trial by trial;
//! the same request goes on from what is recorded.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::notice::{LaunchNotice, PlacementGroup, PreloadObstacle, StudyNotice};
use numawise_facts::{
    Machine, Metric, Notice, Outcome, Point, PointId, Reading, Redactor, RunSpec, Sink, StopReason, Study,
    StudyHeader, ThreadBinding, Trial,
};
use numawise_launch::{Pinner, find_agent};
use numawise_record::{Record, RecordError};
use numawise_study::{
    Engine, LocalRunner, MetricReader, PlannedPoint, ProgramNeeds, StudyDesign, SystemClock, TrialStore,
};
use numawise_units::{Bytes, Nanoseconds, Share};

use crate::error::Settings;
use crate::{Error, here};

#[cfg(test)]
#[path = "experiment_tests.rs"]
mod tests;

/// The least number of repeats: below it no interval is worth its name.
pub const LEAST_REPEATS: u32 = 5;

/// Sampling aims at this part of its share, for what the last sample costs more than was foreseen.
const CAUTION: f64 = 0.8;

/// What is to be found out, and what it may cost.
#[derive(Debug, Clone)]
pub struct ExperimentRequest {
    pub command: RunSpec,
    /// Threads of the program; without it, one for every CPU that we may use.
    pub threads: Option<NonZeroU32>,
    pub metric: Metric,
    pub budget: Nanoseconds,
    /// The least number of repeats of each placement.
    pub repeats: u32,
    /// Differences whose whole interval lies within this count as none.
    pub margin: Share,
    /// Share of one CPU that observing the program may take.
    pub sampling: Share,
    /// Decides the order of trials; drawn where it is not given, and recorded.
    pub seed: Option<u64>,
    pub record: PathBuf,
    /// Start over, whatever the record holds.
    pub fresh: bool,
    /// Our own version, for the record.
    pub version: String,
}

impl ExperimentRequest {
    /// `app.nw` in the current folder: where the record is kept when no other file was named.
    pub fn usual_record(program: &Path) -> PathBuf {
        let mut name = program.file_name().unwrap_or(program.as_os_str()).to_owned();
        name.push(".nw");
        PathBuf::from(name)
    }

    fn check(&self) -> Result<(), Error> {
        if self.repeats < LEAST_REPEATS {
            return Err(Error::TooFewRepeats { asked: self.repeats, least: LEAST_REPEATS });
        }
        MetricReader::new(&self.metric)?;
        Ok(())
    }

    /// What is known of the program before it has run: not how much memory it takes.
    fn needs(&self) -> ProgramNeeds {
        let threads = self.threads.map(NonZeroU32::get);
        let memory = Reading::unavailable("the program has not run yet");
        ProgramNeeds { threads, memory, pinning_library: pinning_library().is_some() }
    }

    fn runner(&self) -> LocalRunner {
        let rate = CAUTION * self.sampling.value();
        let watch = numawise_observe::Options { rate, ..numawise_observe::Options::default() };
        LocalRunner { spec: self.command.clone(), watch, pinner: self.pinner().and_then(Result::ok) }
    }

    /// What pins the threads of every runtime, or why this program does not let itself be pinned; nothing where the library
    /// is missing.
    fn pinner(&self) -> Option<Result<Pinner, PreloadObstacle>> {
        let pinner = Pinner { library: pinning_library()?, verbose: false };
        let program = Path::new(self.command.command.first()?.as_os_str());
        Some(pinner.obstacle(program).map_or(Ok(pinner), Err))
    }

    /// Leaves credentials out of what is kept, also those of our environment where they come up again.
    fn redactor(&self) -> Redactor {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let environment = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        Redactor::of_run(&self.command.command, environment)
    }

    /// The header of a study: every point resolved to a placement. A point that cannot be placed is not tried, and says why.
    fn header(&self, machine: Machine, design: StudyDesign) -> Result<StudyHeader, Error> {
        let StudyDesign { points: planned, mut pairs, mut not_tried } = design;
        let mut points: Vec<Point> = Vec::new();
        let obstacle = self.pinner().and_then(Result::err);
        for PlannedPoint { id, levels, role, request } in planned {
            match numawise_placement::place(&machine, &request) {
                Ok(mut placement) => {
                    let obstacle = obstacle.clone().filter(|_| placement.binding == ThreadBinding::Pinned);
                    placement.warnings.extend(obstacle.map(not_preloadable));
                    points.push(Point { id, levels, role, request, placement });
                }
                Err(error) if points.is_empty() => return Err(error.into()),
                Err(error) => {
                    let (problem, limits) = (error.to_string(), error.limits().to_vec());
                    not_tried.push(StudyNotice::CannotBePlaced { point: id, levels, problem, limits }.into());
                }
            }
        }
        let known = |id: &PointId| points.iter().any(|point| point.id == *id);
        pairs.retain(|pair| known(&pair.from) && known(&pair.to));
        let begun: Nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
        Ok(StudyHeader {
            tool_version: self.version.clone(),
            // The low digits of the clock are as good as drawn, and the seed is recorded.
            seed: self.seed.unwrap_or(begun.0 % 1_000_000_007),
            begun,
            // What is kept and shown; the program gets what was asked for.
            command: self.redactor().command(&self.command),
            machine,
            host: numawise_observe::host::facts(&numawise_observe::Roots::default()),
            metric: self.metric.clone(),
            points,
            pairs,
            not_tried,
            min_repeats: self.repeats,
            margin: self.margin.value(),
            budget: self.budget,
        })
    }
}

fn not_preloadable(obstacle: PreloadObstacle) -> Notice {
    LaunchNotice::NotPreloadable { obstacle }.into()
}

/// What keeps threads of the program from being placed, for who waits for the first run.
pub fn obstacles(request: &ExperimentRequest, machine: &Machine) -> Vec<Notice> {
    let about_threads = |notice: &Notice| {
        matches!(notice, Notice::Study(StudyNotice::NotTried { placements: PlacementGroup::Pinned, .. }))
    };
    let mut notices = numawise_study::plan(machine, &request.needs()).not_tried;
    notices.retain(about_threads);
    notices.extend(request.pinner().and_then(Result::err).map(not_preloadable));
    notices
}

fn pinning_library() -> Option<PathBuf> {
    find_agent(&std::env::current_exe().ok()?)
}

/// What would be tried on this machine, as far as is known before the program has run.
///
/// # Errors
/// When the request makes no sense, or not even the baseline can be placed.
pub fn design(request: &ExperimentRequest, machine: Machine) -> Result<StudyHeader, Error> {
    request.check()?;
    let (machine, _) = here::with_newest_profile(machine);
    let design = numawise_study::plan(&machine, &request.needs());
    request.header(machine, design)
}

/// An experiment whose first run is done and recorded.
pub struct Experiment {
    request: ExperimentRequest,
    study: Study,
    record: Record,
}

/// An experiment that has stopped: what was recorded, and where. Why it stopped is in the study.
pub struct StoppedExperiment {
    pub study: Study,
    pub record: PathBuf,
    pub reason: StopReason,
}

impl Experiment {
    /// Goes on with what is recorded of the same experiment, or makes a new record after a first run on `machine`.
    ///
    /// # Errors
    /// When the request makes no sense; [`Error::FirstRunFailed`], [`Error::NoMetricInFirstRun`] and
    /// [`Error::InterruptedInFirstRun`]; [`Error::OtherStudy`] and [`Error::OtherSettings`] when the record holds another
    /// experiment; what is wrong with the record or the program.
    pub fn open(
        request: ExperimentRequest,
        machine: Machine,
        sink: &mut dyn Sink,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        request.check()?;
        let recorded = if request.fresh { None } else { recorded(&request.record)? };
        // A record without trials was begun, and no more: nothing is lost when it is begun again. It is held while the first run
        // lasts, so that nobody else begins in the same file.
        let begun = match recorded {
            Some((record, study)) if !study.trials.is_empty() => {
                let study = resumed(&request, machine, study)?;
                return Ok(Experiment { request, study, record });
            }
            begun => begun.map(|(record, _)| record),
        };
        let mut study = first_run(&request, machine, sink, stop)?;
        let needs = ProgramNeeds { memory: peak_memory(&study), ..request.needs() };
        let design = numawise_study::plan(&study.header.machine, &needs);
        study.header =
            StudyHeader { begun: study.header.begun, ..request.header(study.header.machine, design)? };
        let replace = request.fresh || begun.is_some();
        drop(begun);
        let make = if replace { Record::replace_with } else { Record::create_with };
        let record = make(&request.record, &study.header, &study.trials)?;
        Ok(Experiment { request, study, record })
    }

    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Runs the trials that are missing, and records why it stopped.
    ///
    /// # Errors
    /// When the program cannot be started, or a trial cannot be recorded; what was recorded before is whole.
    pub fn run(self, sink: &mut dyn Sink, stop: &AtomicBool) -> Result<StoppedExperiment, Error> {
        let Experiment { request, mut study, record } = self;
        let mut keeper = RecordKeeper(record);
        let mut engine = Engine {
            runner: &mut request.runner(),
            clock: &SystemClock,
            keep: &mut keeper,
            sink,
            redactor: &request.redactor(),
            decided: &mut numawise_analyse::decided,
            stop,
        };
        let reason = engine.run(&mut study)?;
        keeper.0.set_stopped(Some(reason))?;
        study.stopped = Some(reason);
        Ok(StoppedExperiment { study, record: request.record, reason })
    }
}

struct RecordKeeper(Record);

impl TrialStore for RecordKeeper {
    fn keep(&mut self, trial: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.append(trial)?)
    }
}

/// What is recorded already; nothing where there is no file, or an empty one.
fn recorded(path: &Path) -> Result<Option<(Record, Study)>, RecordError> {
    if !path.exists() {
        return Ok(None);
    }
    match Record::open(path) {
        Ok(record) => record.study().map(|study| Some((record, study))),
        Err(RecordError::Empty(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Keeps the first run in the study alone: it is recorded together with the header, once that is known.
struct NotYet;

impl TrialStore for NotYet {
    fn keep(&mut self, _: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// Runs the baseline once, before there is a record.
fn first_run(
    request: &ExperimentRequest,
    machine: Machine,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Study, Error> {
    let (machine, _) = here::with_newest_profile(machine);
    let points = baseline(&machine, &request.needs());
    let header = request.header(machine, StudyDesign { points, pairs: Vec::new(), not_tried: Vec::new() })?;
    let mut study = Study { header, trials: Vec::new(), stopped: None };
    let mut engine = Engine {
        runner: &mut request.runner(),
        clock: &SystemClock,
        keep: &mut NotYet,
        sink,
        redactor: &request.redactor(),
        decided: &mut |_| false,
        stop,
    };
    if engine.warm_up(&mut study)? == Some(StopReason::Interrupted) {
        return Err(Error::InterruptedInFirstRun);
    }
    match study.trials.first().map(|trial| &trial.outcome) {
        Some(Outcome::Failed { exit, output_tail }) => Err(Error::FirstRunFailed {
            exit: *exit,
            record: request.record.clone(),
            output: output_tail.clone(),
        }),
        Some(Outcome::NoMetric { problem, output_tail }) => Err(Error::NoMetricInFirstRun {
            metric: request.metric.clone(),
            problem: problem.clone(),
            output: output_tail.clone(),
        }),
        Some(Outcome::Measured { .. }) | None => Ok(study),
    }
}

fn baseline(machine: &Machine, needs: &ProgramNeeds) -> Vec<PlannedPoint> {
    let mut points = numawise_study::plan(machine, needs).points;
    points.truncate(1);
    points
}

fn peak_memory(study: &Study) -> Reading<Bytes> {
    match study.trials.first().and_then(|trial| trial.observation.measured()) {
        Some(observation) => observation.usage.peak_memory.clone(),
        None => Reading::unavailable("the first run was not observed"),
    }
}

/// The recorded study with the budget of this request, where both are of the same experiment. Commands are compared without
/// their credentials: a record holds none.
fn resumed(request: &ExperimentRequest, machine: Machine, mut study: Study) -> Result<Study, Error> {
    request.redactor().header(&mut study.header);
    let recorded = &study.header;
    // With the figures that the study was begun with, it is the same machine; newer ones are for what is said of it.
    let (newest, _) = here::with_newest_profile(machine.clone());
    let machine = numawise_machine::with_measured_of(machine, &recorded.machine);
    let needs = ProgramNeeds { memory: peak_memory(&study), ..request.needs() };
    if let Err(reason) = numawise_study::can_place(&machine, &needs)
        && recorded.points.iter().any(|point| point.placement.binding == ThreadBinding::Pinned)
    {
        return Err(Error::CannotPlaceAnyMore { record: request.record.clone(), reason });
    }
    let threads = |planned: &[PlannedPoint]| planned.first().and_then(|point| point.request.threads);
    let mut now = request.header(machine, numawise_study::plan(&recorded.machine, &needs))?;
    if recorded.points.first().and_then(|point| point.request.threads)
        == threads(&baseline(&now.machine, &needs))
    {
        now.points.clone_from(&recorded.points);
        now.pairs.clone_from(&recorded.pairs);
    }
    if let Err(difference) = Record::same_study(recorded, &now) {
        return Err(Error::OtherStudy { record: request.record.clone(), difference });
    }
    let settings = |header: &StudyHeader| Settings { margin: header.margin, repeats: header.min_repeats };
    if settings(recorded) != settings(&now) {
        let (recorded, now) = (settings(recorded), settings(&now));
        return Err(Error::OtherSettings { record: request.record.clone(), recorded, now });
    }
    let mut header = StudyHeader { budget: request.budget, ..study.header };
    if newest.is_measured() {
        header.machine.attributes = newest.attributes;
    }
    Ok(Study { header, ..study })
}
