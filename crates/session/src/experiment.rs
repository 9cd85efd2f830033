//! An experiment on a program: does its placement matter, and by how much?
//!
//! The first run tells how much memory the program takes, which decides what can be tried. Its study is recorded trial by trial;
//! the same request goes on from what is recorded.

mod lines;
mod objects;
mod places;
mod ranks;
mod resolved;
mod start;
pub(crate) mod watching;

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use numawise_analyse::BetterPlacement;
use numawise_facts::notice::{PlacementGroup, PreloadObstacle, StudyNotice};
use numawise_facts::{
    DeviceName, Event, Machine, Metric, Notice, Outcome, Point, PointId, Reading, Redactor, RunSpec, Sink,
    StopReason, Study, StudyHeader, ThreadBinding, Trial,
};
use numawise_launch::{EvenStart, Pinner, find_agent};
use numawise_record::{Record, RecordError};
use numawise_study::{
    Engine, FirstRunPages, FirstRunPlaces, LocalRunner, MetricReader, PlannedPoint, ProgramNeeds, Standing,
    StartNodes, StudyDesign, SystemClock, TrialStore,
};
use numawise_units::{Nanoseconds, Share};

use lines::LineStage;
pub use lines::LineWriter;
pub(crate) use lines::search_path;
use objects::ObjectsStage;
pub use objects::ObjectsWords;
use places::places;
use resolved::not_preloadable;
pub(crate) use resolved::{ResolvedDesign, resolve};

use crate::error::Settings;
use crate::launched::{self, RankWords};
use crate::metric::MetricClues;
use crate::{Error, here, near};

#[cfg(test)]
#[path = "experiment_tests.rs"]
mod tests;

/// The least number of repeats: below it no interval is worth its name.
pub const LEAST_REPEATS: u32 = 5;

/// Share of one CPU that observing the first run may take.
const FIRST_RUN: f64 = 0.1;

/// What is to be found out, and what it may cost.
#[derive(Debug, Clone)]
pub struct ExperimentRequest {
    pub command: RunSpec,
    /// Threads of the program; without it, one for every CPU that we may use.
    pub threads: Option<NonZeroU32>,
    /// What is tried on one node is tried near to this device, and far from it.
    pub near: Option<DeviceName>,
    pub metric: Metric,
    pub budget: Nanoseconds,
    /// When the check began: the budget counts from then on.
    pub begun: Instant,
    /// The least number of repeats of each placement, kept also where the budget is too small for it; without it
    /// [`LEAST_REPEATS`], and placements are left out where they do not fit.
    pub repeats: Option<u32>,
    /// Differences whose whole interval lies within this count as none.
    pub margin: Share,
    /// Share of one CPU that observing the program may take.
    pub sampling: Share,
    /// Decides the order of trials; drawn where it is not given, and recorded.
    pub seed: Option<u64>,
    pub record: PathBuf,
    /// Start over, whatever the record holds.
    pub fresh: bool,
    /// Where the program's memory objects are followed in a run after the trials: how numawise is called for that.
    pub objects: Option<ObjectsWords>,
    /// Our own version, for the record.
    pub version: String,
    /// How numawise is called in a rank that is placed so, where the command is a launcher.
    pub rank_words: RankWords,
}

impl ExperimentRequest {
    /// `app.nw` in the current folder: where the record is kept when no other file was named.
    pub fn usual_record(program: &Path) -> PathBuf {
        let mut name = program.file_name().unwrap_or(program.as_os_str()).to_owned();
        name.push(".nw");
        PathBuf::from(name)
    }

    fn least_repeats(&self) -> u32 {
        self.repeats.unwrap_or(LEAST_REPEATS)
    }

    fn check(&self) -> Result<(), Error> {
        if let Some(asked) = self.repeats.filter(|asked| *asked < LEAST_REPEATS) {
            return Err(Error::TooFewRepeats { asked, least: LEAST_REPEATS });
        }
        MetricReader::new(&self.metric)?;
        Ok(())
    }

    /// What is known of the program before it has run: not how much memory it takes.
    fn needs(&self) -> ProgramNeeds {
        let threads = self.threads.map(NonZeroU32::get);
        let memory = Reading::unavailable("the program has not run yet");
        let one_metric_file = self.metric.is_one_file();
        let pinning_library = pinning_library().is_some();
        let (seen, pages) = (FirstRunPlaces::default(), FirstRunPages::unknown());
        ProgramNeeds { threads, memory, one_metric_file, pinning_library, seen, pages, near: None }
    }

    /// The same on a machine, whose devices we know.
    fn needs_on(&self, machine: &Machine) -> Result<ProgramNeeds, Error> {
        let near = self.near.as_ref().map(|name| near::device(machine, name)).transpose()?;
        let needs = self.needs();
        // Those of all ranks, which the machine has to have room for.
        let threads = self.ranks().map(|ranks| {
            let each =
                self.threads.map_or_else(|| machine.allowed_cpus.len() as u32 / ranks, NonZeroU32::get);
            each.max(1).saturating_mul(ranks.get())
        });
        Ok(ProgramNeeds { near, threads: threads.or(needs.threads), ..needs })
    }

    /// What runs the program at these points, which start alike.
    fn runner(&self, machine: &Machine, points: &[Point]) -> LocalRunner {
        let pinner = pinner_of(&self.command).and_then(Result::ok);
        let even = EvenStart::of(points.iter().map(|point| &point.placement), pinner.as_ref());
        let metric_file = self.metric.file().cloned();
        let start_nodes = StartNodes::of(machine);
        LocalRunner {
            spec: self.command.clone(),
            watch: self.watch(machine),
            pinner,
            even,
            start_nodes,
            metric_file,
            limit: None,
            commands: Vec::new(),
            of_points: points.iter().filter_map(|point| self.of_point(point)).collect(),
        }
    }

    /// What runs the program for the first time. That run is in no comparison, and what is tried rests on what it shows: it is
    /// watched more closely.
    fn first_runner(&self, machine: &Machine, points: &[Point]) -> LocalRunner {
        let mut runner = self.runner(machine, points);
        runner.watch = self.closely();
        if self.sampling.value() > 0.0 {
            runner.watch.rate = runner.watch.rate.max(FIRST_RUN);
        }
        runner
    }

    /// The design without what the time given is too short for when each trial takes `one`; says beforehand what will not fit.
    fn within_budget(&self, design: StudyDesign, one: Nanoseconds, sink: &mut dyn Sink) -> StudyDesign {
        let (repeats, kept) = (self.least_repeats(), self.repeats.is_some());
        let left = self.budget.saturating_sub(self.begun.elapsed().into());
        let left = left.saturating_sub(lines::reserve(one, left));
        let tried = design.not_tried.len();
        let design = if kept { design } else { numawise_study::fitting(design, one, repeats, left) };
        let mut warn = |notice: Notice| sink.event(Event::Warning(notice));
        design.not_tried[tried..].iter().cloned().for_each(&mut warn);
        let trials = u64::from(repeats) * design.points.len() as u64;
        let needs = Nanoseconds(one.0.saturating_mul(trials)) + self.begun.elapsed().into();
        if needs > self.budget && design.points.len() > 1 {
            warn(StudyNotice::RepeatsTakeLonger { repeats, needs, budget: self.budget, kept }.into());
        }
        design
    }

    /// What this process may take: the time given without what other processes took for the `earlier` trials, and for lines.
    fn left_by_others(&self, study: &Study, earlier: usize) -> Nanoseconds {
        let lines = study.lines.iter().flat_map(|lines| &lines.trials);
        let took = study.trials.iter().take(earlier).chain(lines).map(Trial::running);
        self.budget.saturating_sub(took.fold(Nanoseconds(0), |sum, took| sum + took))
    }

    /// Runs the trials of placements that are missing, while this process has taken less than `budget`.
    fn trials(
        &self,
        study: &mut Study,
        record: &mut Record,
        budget: Nanoseconds,
        (sink, stop): (&mut dyn Sink, &AtomicBool),
    ) -> Result<StopReason, Error> {
        let whole = std::mem::replace(&mut study.header.budget, budget);
        let mut engine = Engine {
            runner: &mut self.runner(&study.header.machine, &study.header.points),
            clock: &SystemClock { begun: self.begun },
            keep: &mut RecordKeeper(record),
            sink,
            redactor: &self.redactor(),
            standing: &mut by_contrasts,
            repeats_first: self.repeats.is_some(),
            first_block: 0,
            stop,
        };
        let reason = engine.run(study, 0);
        study.header.budget = whole;
        Ok(reason?)
    }

    fn redactor(&self) -> Redactor {
        redactor_of(&self.command)
    }

    /// The header of a study: every point resolved to a placement. A point that cannot be placed is not tried, and says why.
    fn header(&self, machine: Machine, design: StudyDesign) -> Result<StudyHeader, Error> {
        let obstacle = pinner_of(&self.command).and_then(Result::err);
        let (design, ranks) = self.with_ranks(design);
        let ResolvedDesign { points, pairs, not_tried } = resolve(&machine, design, obstacle.as_ref())?;
        let points = launched::all(points, &machine, ranks);
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
            min_repeats: self.least_repeats(),
            margin: self.margin.value(),
            budget: self.budget,
            start_cost: Reading::unavailable(
                "the metric is the program's own, which can leave the start out",
            ),
            grid: None,
        })
    }
}

/// What keeps threads of the program from being placed, for who waits for the first run.
pub fn obstacles(request: &ExperimentRequest, machine: &Machine) -> Vec<Notice> {
    let about_threads = |notice: &Notice| {
        matches!(notice, Notice::Study(StudyNotice::NotTried { placements: PlacementGroup::Pinned, .. }))
    };
    let mut notices = numawise_study::plan(machine, &request.needs()).not_tried;
    notices.retain(about_threads);
    notices.extend(pinner_of(&request.command).and_then(Result::err).map(not_preloadable));
    notices
}

pub(crate) fn pinning_library() -> Option<PathBuf> {
    find_agent(&std::env::current_exe().ok()?)
}

/// What would be tried on this machine, as far as is known before the program has run.
///
/// # Errors
/// When the request makes no sense, or not even the baseline can be placed.
pub fn design(request: &ExperimentRequest, machine: Machine) -> Result<StudyHeader, Error> {
    request.check()?;
    let (machine, _) = here::with_newest_profile(machine);
    let design = numawise_study::plan(&machine, &request.needs_on(&machine)?);
    request.header(machine, design)
}

/// An experiment whose first run is done and recorded.
pub struct Experiment {
    request: ExperimentRequest,
    study: Study,
    record: Record,
    /// Trials that another process ran.
    earlier: usize,
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
                let earlier = study.trials.len();
                return Ok(Experiment { request, study, record, earlier });
            }
            begun => begun.map(|(record, _)| record),
        };
        let (mut study, one) = first_run(&request, machine, sink, stop)?;
        let needs = needs_of_first_run(&study, request.needs_on(&study.header.machine)?);
        let design = numawise_study::plan(&study.header.machine, &needs);
        let design = request.within_budget(design, one, sink);
        let StudyHeader { begun: since, start_cost, machine, .. } = study.header;
        study.header = StudyHeader { begun: since, start_cost, ..request.header(machine, design)? };
        let replace = request.fresh || begun.is_some();
        drop(begun);
        let make = if replace { Record::replace_with } else { Record::create_with };
        let record = make(&request.record, &study.header, &study.trials)?;
        Ok(Experiment { request, study, record, earlier: 0 })
    }

    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Runs the trials that are missing, and then, where a placement is better, the lines for it, which `write` writes; records why
    /// both stopped.
    ///
    /// # Errors
    /// When the program cannot be started, or a trial cannot be recorded; what was recorded before is whole.
    pub fn run(
        self,
        write: &LineWriter<'_>,
        sink: &mut dyn Sink,
        stop: &AtomicBool,
    ) -> Result<StoppedExperiment, Error> {
        let Experiment { request, mut study, mut record, earlier } = self;
        if earlier > 1 {
            sink.event(Event::Resumed { trials: earlier as u32 });
        }
        let of_objects = objects::reserve(&request, &study);
        let whole = request.left_by_others(&study, earlier).saturating_sub(of_objects);
        let missing = (study.header.points.len() as u64 * u64::from(study.header.min_repeats))
            .saturating_sub(study.trials_beyond_warm_up() as u64);
        let left = whole.saturating_sub(request.begun.elapsed().into());
        let of_lines = lines::reserve_beside(missing, trial_of(&study), left);
        let mut reason = match request.watch_apart(&mut study, &mut record, (&mut *sink, stop))? {
            Some(reason) => reason,
            None => request.trials(&mut study, &mut record, whole.saturating_sub(of_lines), (sink, stop))?,
        };
        let mut better = numawise_analyse::better_placement(&study);
        let clear = better.as_ref().is_some_and(|better| better.is_clear);
        if reason == StopReason::BudgetSpent && !clear && of_lines > Nanoseconds(0) {
            // There is no line that is sure to be worth a run: what was kept for it is theirs.
            let whole = whole + stopped_in(&study.trials[earlier..]);
            reason = request.trials(&mut study, &mut record, whole, (sink, stop))?;
            better = numawise_analyse::better_placement(&study);
        }
        record.set_stopped(Some(reason))?;
        study.stopped = Some(reason);
        let whole = whole + of_objects;
        if reason != StopReason::Interrupted {
            let stage =
                ObjectsStage { request: &request, budget: whole, sink, is_reserved: of_objects.0 > 0, stop };
            if stage.run(&mut study, &mut record)? == StopReason::Interrupted {
                reason = StopReason::Interrupted;
            }
        }
        if let Some(BetterPlacement { point, .. }) = better.filter(|_| reason != StopReason::Interrupted) {
            let budget = whole + stopped_in(&study.trials[earlier..]);
            let stage = LineStage { request: &request, budget, write, sink, stop };
            if stage.run(&mut study, &mut record, &point)? == StopReason::Interrupted {
                reason = StopReason::Interrupted;
            }
        }
        Ok(StoppedExperiment { study, record: request.record, reason })
    }
}

/// What a trial takes, as far as is known.
fn trial_of(study: &Study) -> Nanoseconds {
    study.trials.first().map(Trial::running).unwrap_or_default()
}

fn stopped_in(trials: &[Trial]) -> Nanoseconds {
    trials.iter().fold(Nanoseconds(0), |sum, trial| sum + trial.stopped())
}

pub(crate) struct RecordKeeper<'a>(pub &'a mut Record);

impl TrialStore for RecordKeeper<'_> {
    fn keep(&mut self, trial: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.append(trial)?)
    }
}

/// What is recorded already; nothing where there is no file, or an empty one.
pub(crate) fn recorded(path: &Path) -> Result<Option<(Record, Study)>, RecordError> {
    if !path.exists() {
        return Ok(None);
    }
    match Record::open(path) {
        Ok(record) => record.study().map(|study| Some((record, study))),
        Err(RecordError::Empty(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What pins the threads of every runtime, or why this program does not let itself be pinned; nothing where the library is missing.
pub(crate) fn pinner_of(command: &RunSpec) -> Option<Result<Pinner, PreloadObstacle>> {
    let pinner = Pinner { library: pinning_library()?, verbose: false };
    let program = Path::new(command.command.first()?.as_os_str());
    Some(pinner.obstacle(program).map_or(Ok(pinner), Err))
}

/// Leaves credentials out of what is kept, also those of our environment where they come up again.
pub(crate) fn redactor_of(command: &RunSpec) -> Redactor {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let environment = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    Redactor::of_run(&command.command, environment)
}

/// As the verdict will judge.
pub(crate) fn by_contrasts(study: &Study, dropped: &[PointId]) -> Standing {
    if numawise_analyse::decided(study, dropped) {
        return Standing::Decided;
    }
    Standing::Open { known: numawise_analyse::finished(study, dropped) }
}

/// Keeps trials in the study alone: the first run is recorded together with the header, once that is known, and the trial of a job where
/// the study is.
pub(crate) struct NotYet;

impl TrialStore for NotYet {
    fn keep(&mut self, _: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// Runs the baseline once, before there is a record; gives what the run took with all that belongs to it.
fn first_run(
    request: &ExperimentRequest,
    machine: Machine,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<(Study, Nanoseconds), Error> {
    let (machine, _) = here::with_newest_profile(machine);
    // What cannot be near to the device is said before the program has run.
    let points = baseline(&machine, &request.needs_on(&machine)?);
    let header = request.header(machine, StudyDesign { points, pairs: Vec::new(), not_tried: Vec::new() })?;
    let mut study = Study { header, trials: Vec::new(), stopped: None, lines: None, objects: None };
    let mut engine = Engine {
        runner: &mut request.first_runner(&study.header.machine, &study.header.points),
        clock: &SystemClock { begun: request.begun },
        keep: &mut NotYet,
        sink,
        redactor: &request.redactor(),
        standing: &mut |_, _| Standing::Open { known: Vec::new() },
        repeats_first: false,
        first_block: 0,
        stop,
    };
    let begun = Instant::now();
    if engine.warm_up(&mut study)? == Some(StopReason::Interrupted) {
        return Err(Error::InterruptedInFirstRun);
    }
    let one = Nanoseconds::from(begun.elapsed());
    if let Some(error) = no_metric(&request.command, &request.record, &study) {
        return Err(error);
    }
    match study.trials.first().map(|trial| &trial.outcome) {
        Some(Outcome::Failed { failure, output_tail }) => Err(Error::FirstRunFailed {
            failure: failure.clone().into(),
            record: request.record.clone(),
            output: output_tail.clone(),
        }),
        Some(Outcome::Measured { .. } | Outcome::NoMetric { .. }) | None => {
            // The first run finds nothing in memory yet: how long it took does not say that the others will not be short.
            if request.metric == Metric::WallTime {
                study.header.start_cost = start::cost(request, &study.header, sink, stop);
            }
            Ok((study, one))
        }
    }
}

/// That the first run gave no metric, where that is so.
pub(crate) fn no_metric(command: &RunSpec, record: &Path, study: &Study) -> Option<Error> {
    let (first, metric) = (study.trials.first()?, &study.header.metric);
    let Outcome::NoMetric { problem, output_tail } = &first.outcome else { return None };
    Some(Error::NoMetricInFirstRun {
        metric: metric.clone().into(),
        problem: problem.clone(),
        output: output_tail.clone(),
        clues: MetricClues::of(command, record, metric, first).into(),
    })
}

fn baseline(machine: &Machine, needs: &ProgramNeeds) -> Vec<PlannedPoint> {
    let mut points = numawise_study::plan(machine, needs).points;
    points.truncate(1);
    points
}

/// What is known of the program once it has run.
fn needs_of_first_run(study: &Study, before: ProgramNeeds) -> ProgramNeeds {
    let observation = study.trials.first().and_then(|trial| trial.observation.measured());
    let host = &study.header.host;
    let not_observed = || Reading::unavailable(NOT_OBSERVED);
    let events = observation.map(|observation| &observation.memory_events);
    let pages = FirstRunPages {
        given_to: host.transparent_huge_pages.clone(),
        huge: events.map_or_else(not_observed, |events| events.huge_pages.clone()),
        balancing: host.numa_balancing.clone(),
        moved: events.map_or_else(not_observed, |events| events.moved.clone()),
    };
    let memory = observation.map_or_else(not_observed, |seen| seen.usage.peak_memory.clone());
    ProgramNeeds { memory, seen: places(study), pages, ..before }
}

const NOT_OBSERVED: &str = "the first run was not observed";

/// The device that points of a study are near to, also of those that there was no time for.
fn near_device(header: &StudyHeader) -> Option<&DeviceName> {
    let left_out = header.not_tried.iter().filter_map(|notice| match notice {
        Notice::Study(StudyNotice::NoTimeFor { levels, .. } | StudyNotice::CannotBePlaced { levels, .. }) => {
            Some(levels)
        }
        _ => None,
    });
    let mut all = header.points.iter().map(|point| &point.levels).chain(left_out);
    all.find_map(|levels| levels.placement.near.as_ref())
}

/// The recorded study with the budget of this request, where both are of the same experiment. Commands are compared without
/// their credentials: a record holds none.
fn resumed(request: &ExperimentRequest, machine: Machine, mut study: Study) -> Result<Study, Error> {
    request.redactor().header(&mut study.header);
    let recorded = &study.header;
    // With the figures that the study was begun with, it is the same machine; newer ones are for what is said of it.
    let (newest, _) = here::with_newest_profile(machine.clone());
    let machine = numawise_machine::with_measured_of(machine, &recorded.machine);
    let needs = needs_of_first_run(&study, request.needs_on(&machine)?);
    if let Err(reason) = numawise_study::can_place(&machine, &needs)
        && recorded.points.iter().any(|point| point.placement.binding == ThreadBinding::Pinned)
    {
        return Err(Error::CannotPlaceAnyMore { record: request.record.clone(), reason });
    }
    let threads = |planned: &[PlannedPoint]| planned.first().and_then(|point| point.request.threads);
    let mut now = request.header(machine, numawise_study::plan(&recorded.machine, &needs))?;
    let same_threads = recorded.points.first().and_then(|point| point.request.threads)
        == threads(&baseline(&now.machine, &needs));
    let same_device = near_device(recorded) == near_device(&now);
    if same_threads && same_device {
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
