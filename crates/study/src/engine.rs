//! Carries a study out: blocks of trials until the intervals decide, the budget is spent or somebody stops it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use numawise_facts::notice::StudyNotice;
use numawise_facts::{
    Disturbance, Event, LeftProcesses, MetricProblem, Observation, Outcome, Point, PointId, PointPair,
    PointRole, Reading, Redactor, Sink, StopReason, Study, Trial, TrialFailure,
};
use numawise_units::Nanoseconds;

use crate::clock::Clock;
use crate::disturb::{disturbances, watching};
use crate::error::StudyError;
use crate::metric::MetricReaders;
use crate::order::block_order;
use crate::spending::{Spending, least_worth};
use crate::task::TaskRun;

#[cfg(test)]
#[path = "engine_tests.rs"]
pub(crate) mod tests;

/// How much of the end of a failed program's output is kept.
const TAIL: usize = 4096;

/// What came of one run, before it is judged.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramRun {
    /// From the start of the first task to the end of the last.
    pub wall: Nanoseconds,
    pub tasks: Vec<TaskRun>,
    pub observation: Reading<Observation>,
    /// What was stopped or set meanwhile.
    pub interruptions: Vec<Disturbance>,
    pub left_behind: Option<LeftProcesses>,
}

/// What a run may need of the study that it is part of.
pub struct RunContext<'a> {
    /// Becomes true when somebody wants the run broken off.
    pub stop: &'a AtomicBool,
    /// How long the program ran at first; none in its first run.
    pub first: Option<Nanoseconds>,
    /// Takes what a person who waits should know.
    pub sink: &'a mut dyn Sink,
}

/// Runs a program at a point.
pub trait Runner {
    /// Runs it once, to the end. `None` when it was broken off, as `context.stop` asked.
    ///
    /// # Errors
    /// When the program cannot be started.
    fn run(&mut self, point: &Point, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError>;
}

/// Takes each trial as soon as it is over.
pub trait TrialStore {
    /// # Errors
    /// When it cannot be kept; the study stops then.
    fn keep(&mut self, trial: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// What comes next in a study that is not run block by block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextTrial {
    Run(PointId),
    End(StopReason),
}

/// What the trials so far say of further blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The intervals decide.
    Decided,
    /// They do not yet. What is left of the budget is not for these points, which are known well enough: they are run no more.
    Open { known: Vec<PointId> },
}

/// What carries a study out. All that touches the world comes in through traits.
pub struct Engine<'a> {
    pub runner: &'a mut dyn Runner,
    pub clock: &'a dyn Clock,
    pub keep: &'a mut dyn TrialStore,
    pub sink: &'a mut dyn Sink,
    /// What leaves credentials out of a trial before it is kept.
    pub redactor: &'a Redactor,
    /// Asked after each complete block once there are enough, with the points that are run no more.
    pub standing: &'a mut dyn FnMut(&Study, &[PointId]) -> Standing,
    /// The least number of repeats was asked for: it is run whatever time it takes.
    pub repeats_first: bool,
    /// The block that a study without trials begins with: 0 is the warm-up.
    pub first_block: u32,
    /// Becomes true when somebody presses Ctrl-C.
    pub stop: &'a AtomicBool,
}

impl Engine<'_> {
    /// Goes on with `study` from the trials that it has, of which another process ran the first `earlier`, and says why it stopped.
    /// The budget is kept: what does not fit into it is left out, the points of least worth first.
    ///
    /// # Errors
    /// When the program cannot be started or a trial cannot be kept. Trials kept before stay in `study`.
    pub fn run(&mut self, study: &mut Study, earlier: usize) -> Result<StopReason, StudyError> {
        let extractor = MetricReaders::of(&study.header)?;
        // Who asks for repeats gets them at all points.
        let of_grid = study.header.grid.is_some();
        let mut dropped = if self.repeats_first || of_grid { Vec::new() } else { dropped_before(study) };
        if !study.trials.is_empty() && enough(study, &dropped) {
            match (self.standing)(study, &dropped) {
                Standing::Decided => return Ok(StopReason::Decided),
                Standing::Open { known } if of_grid => dropped = known,
                Standing::Open { .. } => {}
            }
        }
        let mut spending = Spending::new(self.clock, study, earlier);
        let mut block = first_open_block(study).unwrap_or_else(|| last_block(study)).max(self.first_block);
        if !study.trials.is_empty() {
            self.foretell(study, &spending);
        }
        loop {
            if let Some(reason) = self.block(study, block, &extractor, &mut spending, &dropped)? {
                return Ok(reason);
            }
            if block == 0 {
                self.foretell(study, &spending);
            }
            if nothing_left_to_compare(study) {
                return Ok(StopReason::TooManyFailures);
            }
            let begun = spending.now();
            if block >= study.header.min_repeats {
                match (self.standing)(study, &dropped) {
                    Standing::Decided => return Ok(StopReason::Decided),
                    // A point may be known no more: trials of it that count may come to count no more, as others turn out to be quiet.
                    Standing::Open { known } if of_grid => dropped = known,
                    Standing::Open { known } => dropped.extend(known),
                }
            }
            spending.between(begun);
            block += 1;
            if self.repeats_first && block <= study.header.min_repeats {
                continue;
            }
            self.drop_points(study, block, &spending, &mut dropped);
            if spending.of_blocks(running(study, &dropped), 1) > spending.left(&study.header) {
                return Ok(StopReason::BudgetSpent);
            }
        }
    }

    /// Runs one trial after the other as `choose` says by those before, while the budget lasts. The k-th trial of a point is of block k.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn run_chosen(
        &mut self,
        study: &mut Study,
        choose: &mut dyn FnMut(&Study) -> NextTrial,
    ) -> Result<StopReason, StudyError> {
        let extractor = MetricReaders::of(&study.header)?;
        let mut spending = Spending::new(self.clock, study, 0);
        if study.trials.is_empty()
            && let Some(reason) = self.block(study, 0, &extractor, &mut spending, &[])?
        {
            return Ok(reason);
        }
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(StopReason::Interrupted);
            }
            if spending.left(&study.header) == Nanoseconds(0) || trials_spent(study, 0) {
                return Ok(StopReason::BudgetSpent);
            }
            let id = match choose(study) {
                NextTrial::Run(id) => id,
                NextTrial::End(reason) => return Ok(reason),
            };
            let Some(point) = study.header.point(&id).cloned() else {
                return Ok(StopReason::TooManyFailures);
            };
            let block = next_block(study, &id);
            if !self.timed_trial(study, block, &point, &extractor, &mut spending)? {
                return Ok(StopReason::Interrupted);
            }
        }
    }

    /// Runs the baseline once, as the study's warm-up, unless it has one; says why when that was broken off.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn warm_up(&mut self, study: &mut Study) -> Result<Option<StopReason>, StudyError> {
        let extractor = MetricReaders::of(&study.header)?;
        let mut spending = Spending::new(self.clock, study, 0);
        self.block(study, 0, &extractor, &mut spending, &[])
    }

    /// Runs one trial of a study and keeps it; false when it was broken off.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn run_one(&mut self, study: &mut Study, block: u32, point: &Point) -> Result<bool, StudyError> {
        let extractor = MetricReaders::of(&study.header)?;
        let left = study.header.budget;
        self.trial(study, block, point, &extractor, left)
    }

    /// Says that a grid will not fit into what is left of the time given, as soon as one trial tells how long they take.
    fn foretell(&mut self, study: &Study, spending: &Spending<'_>) {
        if study.header.grid.is_none() {
            return;
        }
        let done = Study::done(study.trials.iter());
        let blocks = 1..=study.header.min_repeats;
        let (mut trials, mut needs) = (0, Nanoseconds(0));
        let unknown = spending.slowest();
        for id in running(study, &[]) {
            let missing = blocks.clone().filter(|block| !done.contains(&(id, *block))).count() as u64;
            trials += missing;
            needs = needs + Nanoseconds(spending.known(id).unwrap_or(unknown).0.saturating_mul(missing));
        }
        let left = spending.left(&study.header);
        if needs > left {
            self.sink.event(Event::Warning(StudyNotice::GridTakesLonger { trials, needs, left }.into()));
        }
    }

    /// Leaves points out, from `block` on, until the least number of repeats of the others fits into what is left.
    fn drop_points(
        &mut self,
        study: &Study,
        block: u32,
        spending: &Spending<'_>,
        dropped: &mut Vec<PointId>,
    ) {
        let header = &study.header;
        let missing = (header.min_repeats + 1).saturating_sub(block);
        let left = spending.left(header);
        if missing == 0 {
            return;
        }
        loop {
            let needs = spending.of_blocks(running(study, dropped), missing);
            let points = running(study, dropped).filter_map(|id| Some((id, header.point(id)?.role)));
            if needs <= left {
                return;
            }
            let Some(point) = least_worth(points, &header.pairs) else { return };
            let notice =
                StudyNotice::PointDropped { point: point.clone(), repeats: header.min_repeats, needs, left };
            self.sink.event(Event::Warning(notice.into()));
            dropped.push(point);
        }
    }

    /// Runs what is missing of a block; says why when the study ends in it.
    fn block(
        &mut self,
        study: &mut Study,
        block: u32,
        extractor: &MetricReaders,
        spending: &mut Spending<'_>,
        dropped: &[PointId],
    ) -> Result<Option<StopReason>, StudyError> {
        let needed = needed(study, block, dropped);
        for index in order_of(study, block).into_iter().filter(|index| needed[*index]) {
            let point = study.header.points[index].clone();
            // A trial that was interrupted is run again.
            loop {
                if nothing_left_to_compare(study) {
                    return Ok(Some(StopReason::TooManyFailures));
                }
                if study.is_done(block, &point.id) || study.given_up(&point.id) {
                    break;
                }
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(Some(StopReason::Interrupted));
                }
                let left = spending.left(&study.header);
                let must = block == 0 || (self.repeats_first && block <= study.header.min_repeats);
                if (left == Nanoseconds(0) && !must) || (block > 0 && trials_spent(study, 0)) {
                    return Ok(Some(StopReason::BudgetSpent));
                }
                if !self.timed_trial(study, block, &point, extractor, spending)? {
                    return Ok(Some(StopReason::Interrupted));
                }
            }
        }
        Ok(None)
    }

    /// Runs a trial, keeps it, and counts what it took; false when it was broken off.
    fn timed_trial(
        &mut self,
        study: &mut Study,
        block: u32,
        point: &Point,
        extractor: &MetricReaders,
        spending: &mut Spending<'_>,
    ) -> Result<bool, StudyError> {
        let begun = spending.now();
        let left = spending.left(&study.header);
        if !self.trial(study, block, point, extractor, left)? {
            return Ok(false);
        }
        let stopped = study.trials.last().map(Trial::stopped).unwrap_or_default();
        spending.trial(&point.id, begun, stopped);
        Ok(true)
    }

    /// Runs a trial and keeps it; false when it was broken off.
    fn trial(
        &mut self,
        study: &mut Study,
        block: u32,
        point: &Point,
        extractor: &MetricReaders,
        left: Nanoseconds,
    ) -> Result<bool, StudyError> {
        let number = study.trials.last().map_or(0, |trial| trial.number + 1);
        self.sink.event(Event::TrialBegins { number, block, point: point.id.clone(), left });
        let started = self.clock.now();
        let mut context = RunContext { stop: self.stop, first: first(study), sink: &mut *self.sink };
        let Some(raw) = self.runner.run(point, &mut context)? else {
            return Ok(false);
        };
        let outcome = outcome(&raw.tasks, extractor, self.redactor);
        let is_measured = matches!(outcome, Outcome::Measured { .. });
        let others = is_measured.then(|| extractor.others(&raw.tasks, self.redactor));
        let mut trial = judge(raw, number, block, &point.id, started, outcome);
        // A warm-up is watched as closely as it takes: it is compared with nothing.
        if block > 0 {
            let cost = trial.observation.measured().map(|observation| &observation.sampler);
            let is_rehearsed = study.header.machine.rehearsal().is_some();
            let disturbed = cost.and_then(|cost| watching(cost, study.header.margin, is_rehearsed));
            trial.disturbances.extend(disturbed);
        }
        trial.other_values = others.unwrap_or_default();
        self.redactor.trial(&mut trial);
        self.keep.keep(&trial).map_err(StudyError::Store)?;
        study.trials.push(trial);
        self.tell(study);
        Ok(true)
    }

    /// Reports what came of the last trial.
    pub(crate) fn tell(&mut self, study: &Study) {
        let Some((trial, earlier)) = study.trials.split_last() else { return };
        let (number, point, outcome) = (trial.number, trial.point.clone(), trial.outcome.clone());
        self.sink.event(Event::TrialEnded { number, point, outcome });
        let mut warn = |notice: StudyNotice| self.sink.event(Event::Warning(notice.into()));
        let point = || trial.point.clone();
        if let Some(disturbance) = trial.disturbances.iter().find(|disturbance| disturbance.interrupts()) {
            let (repeated, disturbance) = (!study.is_done(trial.block, &trial.point), disturbance.clone());
            warn(StudyNotice::TrialInterrupted { point: point(), disturbance, repeated });
        }
        if let Some(left) =
            trial.left_behind.clone().filter(|_| earlier.iter().all(|t| t.left_behind.is_none()))
        {
            let LeftProcesses { processes, names } = left;
            warn(StudyNotice::ProcessesLeft { trials: 1, processes, names });
        }
        if study.given_up(&trial.point) {
            warn(StudyNotice::PointGivenUp { point: point(), failures: Study::FAILURES as u32 });
        }
    }
}

/// Of the points, in their order, which a block lacks: in one pass over the trials, and not one for each of thousands of points.
fn needed(study: &Study, block: u32, dropped: &[PointId]) -> Vec<bool> {
    let done = Study::done(study.trials.iter().filter(|trial| trial.block == block));
    let running: HashSet<&PointId> = running(study, dropped).collect();
    let points = study.header.points.iter().map(|point| &point.id);
    points.map(|id| running.contains(id) && !done.contains(&(id, block))).collect()
}

/// The first block of a grid that lacks a trial: a grid that was widened has old blocks without the new points.
fn first_open_block(study: &Study) -> Option<u32> {
    if study.header.grid.is_none() || study.trials.is_empty() {
        return None;
    }
    let done = Study::done(study.trials.iter());
    let running: Vec<&PointId> = running(study, &[]).collect();
    let is_open = |block: &u32| running.iter().any(|id| !done.contains(&(*id, *block)));
    (1..=study.header.min_repeats).find(is_open)
}

/// True when the last block is complete and there are enough of them to ask whether they decide.
fn enough(study: &Study, dropped: &[PointId]) -> bool {
    if study.header.grid.is_some() {
        return first_open_block(study).is_none();
    }
    let last = last_block(study);
    last >= study.header.min_repeats && running(study, dropped).all(|id| study.is_done(last, id))
}

/// As many trials as were asked for are kept or under way.
pub(crate) fn trials_spent(study: &Study, under_way: usize) -> bool {
    let most = study.header.grid.as_ref().and_then(|grid| grid.most_trials);
    most.is_some_and(|most| study.trials_beyond_warm_up() + under_way >= most as usize)
}

/// The block of the next trial of a point that is not run block by block: its k-th is of block k.
pub(crate) fn next_block(study: &Study, point: &PointId) -> u32 {
    let done = Study::done(study.trials.iter().filter(|trial| trial.point == *point));
    let mut block = 1;
    while done.contains(&(point, block)) {
        block += 1;
    }
    block
}

pub(crate) fn last_block(study: &Study) -> u32 {
    study.trials.iter().map(|trial| trial.block).max().unwrap_or(0)
}

/// The points that were dropped or finished before this process took the study up: a block was gone on from without them. The last block
/// tells that only when the study was decided with it; else it may have been broken off.
fn dropped_before(study: &Study) -> Vec<PointId> {
    let last = last_block(study);
    let complete = if study.stopped == Some(StopReason::Decided) { 1..last + 1 } else { 1..last };
    let ran = |block: u32, id: &PointId| study.trials.iter().any(|t| t.block == block && t.point == *id);
    let gone_on_without = |id: &&PointId| complete.clone().any(|block| !ran(block, id));
    running(study, &[]).filter(gone_on_without).cloned().collect()
}

/// The points of a block in their order. Block 0 is the warm-up: the baseline alone.
pub(crate) fn order_of(study: &Study, block: u32) -> Vec<usize> {
    match block {
        0 => study.header.points.iter().position(|p| p.role == PointRole::Baseline).into_iter().collect(),
        _ => block_order(study.header.seed, block, study.header.points.len()),
    }
}

/// True when the baseline, or one point of every pair, is given up.
pub(crate) fn nothing_left_to_compare(study: &Study) -> bool {
    let header = &study.header;
    if header.grid.is_some() {
        // Whoever lays a grid out wants to know of each of its points.
        let has_failed = |trial: &Trial| !matches!(trial.outcome, Outcome::Measured { .. });
        return study.trials.last().is_some_and(has_failed)
            && study.all_given_up().len() == header.points.len();
    }
    let lost = |pair: &PointPair| study.given_up(&pair.from) || study.given_up(&pair.to);
    header.baseline().is_some_and(|point| study.given_up(&point.id))
        || (!header.pairs.is_empty() && header.pairs.iter().all(lost))
}

/// How long the program ran at first: its first trial that nothing interrupted.
fn first(study: &Study) -> Option<Nanoseconds> {
    study.trials.iter().find(|trial| !trial.is_interrupted()).map(|trial| trial.wall)
}

/// The points that are run on.
fn running<'a>(study: &'a Study, dropped: &'a [PointId]) -> impl Iterator<Item = &'a PointId> {
    let ids = study.header.points.iter().map(|point| &point.id);
    let mut no_more = study.all_given_up();
    no_more.extend(dropped);
    ids.filter(move |id| !no_more.contains(id))
}

/// Makes a trial of a raw run.
fn judge(
    raw: ProgramRun,
    number: u32,
    block: u32,
    point: &PointId,
    started: Nanoseconds,
    outcome: Outcome,
) -> Trial {
    let mut disturbances = raw.observation.measured().map(|o| disturbances(&o.noise)).unwrap_or_default();
    disturbances.extend(raw.interruptions);
    Trial {
        number,
        block,
        point: point.clone(),
        started,
        wall: raw.wall,
        outcome,
        observation: raw.observation,
        disturbances,
        left_behind: raw.left_behind,
        other_values: Vec::new(),
    }
}

fn outcome(tasks: &[TaskRun], extractor: &MetricReaders, redactor: &Redactor) -> Outcome {
    let tail = |output: &str| redactor.end_of_output(output, TAIL);
    if let Some(failed) = tasks.iter().find(|task| !task.exit.success()) {
        let failure = TrialFailure { exit: failed.exit, ended_by: failed.ended_by.clone() };
        return Outcome::Failed { failure, output_tail: tail(&failed.output) };
    }
    let mut per_task = Vec::with_capacity(tasks.len());
    for task in tasks {
        match extractor.compared(task) {
            Ok(value) => per_task.push(value),
            Err(problem) => {
                let problem = redactor.metric_problem(problem, task.searched());
                // What a file holds that is not what it should be says nothing.
                let of_file = matches!(problem, MetricProblem::File(_));
                let text = if of_file { &task.output } else { task.searched() };
                return Outcome::NoMetric { problem, output_tail: tail(text) };
            }
        }
    }
    Outcome::Measured { per_task }
}
