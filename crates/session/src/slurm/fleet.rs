//! The trials of a study as jobs of Slurm: which are submitted, which of them are waited for, and what becomes of those that end otherwise
//! than with a result.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use numawise_facts::notice::StudyNotice;
use numawise_facts::{
    EndedBy, Event, Exit, FactorKind, GridStudy, Notice, Outcome, Point, PointId, RanksByThreads, Reading,
    Sink, Study, Trial, TrialFailure,
};
use numawise_study::{Fleet, StudyError, TrialPlace};
use numawise_units::Nanoseconds;

use super::client::{self, EndedJob, JobNumber, JobState, QueuedJob, Submission};
use super::error::{JobProblem, SlurmError};
use super::folder::{JobFolder, JobResult, NodeDescription, Order, TrialOrder, now};
use super::nodes::NodeTurns;
use super::probe::{Asking, GoneJob, LOOK, missing};
use super::{SlurmEngine, SlurmOptions};

/// A trial whose job somebody cancelled so many times is not submitted again.
const CANCELLED: u32 = 3;
/// How long nothing is submitted after Slurm has refused a job.
const REFUSED: Duration = Duration::from_secs(10);
/// What Slurm sends where a job has used up its time, and where it takes too much memory.
const SIGTERM: i32 = 15;
const SIGKILL: i32 = 9;
/// Stands for the state of a job of which Slurm does not tell how it ended.
const FORGOTTEN: &str = "FORGOTTEN";
/// What `sbatch` says where a node does not fit what else was asked for.
const NOT_FOR_NODE: &str = "Requested node configuration is not available";

/// A trial that was submitted.
#[derive(Debug)]
struct FleetJob {
    name: String,
    order: TrialOrder,
    number: Option<JobNumber>,
    state: JobState,
    gone: Option<GoneJob>,
}

impl FleetJob {
    fn place(&self) -> TrialPlace {
        TrialPlace { block: self.order.block, point: self.order.point.id.clone() }
    }
}

/// Jobs of a study.
pub struct SlurmFleet {
    options: SlurmOptions,
    folder: JobFolder,
    /// When the study was begun, and the node that it was laid out for.
    study: Nanoseconds,
    description: NodeDescription,
    /// How many ranks the command of a point starts.
    ranks: HashMap<PointId, u32>,
    jobs: Vec<FleetJob>,
    turns: NodeTurns,
    cancelled: HashMap<TrialPlace, u32>,
    asking: Asking,
    /// Until when nothing is submitted.
    refused: Option<Instant>,
    complained: bool,
}

impl SlurmFleet {
    /// With the jobs of whoever ran this study before; those of another study in this record are cancelled.
    ///
    /// # Errors
    /// When Slurm does not answer, or has no such partition.
    pub fn new(engine: &SlurmEngine, record: &Path, study: &Study) -> Result<SlurmFleet, SlurmError> {
        let header = &study.header;
        let mut fleet = SlurmFleet {
            options: engine.options.clone(),
            study: header.begun,
            description: NodeDescription {
                machine: header.machine.clone(),
                host: header.host.clone(),
                saturating_cores: engine.saturating_cores,
            },
            ranks: header.grid.as_ref().map(ranks).unwrap_or_default(),
            jobs: Vec::new(),
            turns: NodeTurns::default(),
            cancelled: HashMap::new(),
            asking: Asking::soon(),
            refused: None,
            complained: false,
            folder: JobFolder::beside(record),
        };
        fleet.turns.seen(client::nodes(fleet.options.partition.as_deref())?);
        for trial in &study.trials {
            let host = trial.observation.measured().and_then(|seen| seen.host.measured());
            if let Some(host) = host {
                fleet.turns.begun(trial.block, host.as_str());
            }
        }
        let (ours, others): (Vec<_>, Vec<_>) = fleet.folder.trials().into_iter().partition(|(_, order)| {
            order
                .as_ref()
                .is_some_and(|order| order.study == header.begun && header.point(&order.point.id).is_some())
        });
        let queue = if ours.is_empty() && others.is_empty() { Vec::new() } else { client::queue()? };
        let of_others = others.iter().filter_map(|(name, _)| number(&queue, name));
        client::cancel(&of_others.collect::<Vec<_>>())?;
        others.iter().for_each(|(name, _)| fleet.folder.remove(name));
        for (name, order) in ours.into_iter().filter_map(|(name, order)| Some((name, order?))) {
            fleet.turns.begun(order.block, &order.node);
            let number = number(&queue, &name);
            fleet.jobs.push(FleetJob { name, order, number, state: JobState::Waiting, gone: None });
        }
        Ok(fleet)
    }

    /// Nodes with trials of ours.
    fn busy(&self) -> Vec<String> {
        self.jobs.iter().map(|job| job.order.node.clone()).collect()
    }

    fn remove(&mut self, index: usize) -> FleetJob {
        let job = self.jobs.remove(index);
        self.folder.remove(&job.name);
        job
    }

    /// What is there of a job whose result is there.
    fn result(&mut self, sink: &mut dyn Sink) -> Result<Option<Trial>, SlurmError> {
        let found =
            (0..self.jobs.len()).find_map(|index| Some((index, self.folder.result(&self.jobs[index].name)?)));
        let Some((index, result)) = found else { return Ok(None) };
        let node = self.jobs[index].order.node.clone();
        match result {
            Ok(JobResult::Trial(trial)) => Ok(Some(*trial)),
            Ok(JobResult::OtherMachine { difference }) => {
                self.remove(index);
                self.leave_out(&node, JobProblem::OtherMachine(difference), sink)?;
                Ok(None)
            }
            Ok(JobResult::Failed { problem, failure }) => {
                self.remove(index);
                Err(SlurmError::Trial { node: Some(node), problem, failure })
            }
            Ok(JobResult::Described(_)) | Err(_) => {
                let job = self.remove(index);
                again(&job, "a result that cannot be read", sink);
                Ok(None)
            }
        }
    }

    /// No more trials on a node; those that wait for it are taken back.
    fn leave_out(&mut self, node: &str, problem: JobProblem, sink: &mut dyn Sink) -> Result<(), SlurmError> {
        if !self.turns.is_left_out(node) {
            warn(
                sink,
                StudyNotice::ClusterNodeLeftOut { node: node.to_owned(), problem: problem.to_string() },
            );
            self.turns.leave_out(node, problem);
        }
        self.take_back(&|job| job.order.node == node && job.state == JobState::Waiting)
    }

    /// Cancels jobs; their trials are missing again.
    fn take_back(&mut self, which: &dyn Fn(&FleetJob) -> bool) -> Result<(), SlurmError> {
        let numbers: Vec<JobNumber> =
            self.jobs.iter().filter(|job| which(job)).filter_map(|job| job.number).collect();
        client::cancel(&numbers)?;
        let mut index = 0;
        while index < self.jobs.len() {
            if which(&self.jobs[index]) {
                self.remove(index);
            } else {
                index += 1;
            }
        }
        Ok(())
    }

    /// Asks Slurm for the state of the jobs and of the nodes.
    fn look(&mut self, sink: &mut dyn Sink) -> Result<(), SlurmError> {
        let partition = self.options.partition.clone();
        let asked = self.asking.ask(|| Ok((client::queue()?, client::nodes(partition.as_deref())?)));
        let (queue, nodes) = match asked {
            Ok(answers) => answers,
            // Its daemon may be started anew just now; the jobs go on.
            Err(SlurmError::Refused { program, said }) => {
                if !std::mem::replace(&mut self.complained, true) {
                    let problem = SlurmError::Refused { program, said }.to_string();
                    warn(sink, StudyNotice::QueueUnknown { problem });
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.complained = false;
        self.turns.seen(nodes);
        for job in &mut self.jobs {
            let found = queue.iter().find(|queued| queued.name == job.name);
            job.number = job.number.or(found.map(|queued| queued.number));
            job.state = found.map_or(JobState::Ended, |queued| queued.state);
            if job.state == JobState::Ended && job.gone.is_none() {
                let end = job.number.map(client::ended).transpose()?.flatten();
                job.gone = Some(GoneJob::now(end));
            }
        }
        let count = |state| self.jobs.iter().filter(|job| job.state == state).count() as u32;
        sink.event(Event::Jobs { waiting: count(JobState::Waiting), running: count(JobState::Running) });
        let gone: Vec<String> = self.busy().into_iter().filter(|node| !self.turns.takes_jobs(node)).collect();
        self.take_back(&|job| job.state == JobState::Waiting && gone.contains(&job.order.node))?;
        self.folder.look_again();
        Ok(())
    }

    /// What becomes of a job that has ended without a result.
    fn ended(&mut self, sink: &mut dyn Sink) -> Result<Option<Trial>, SlurmError> {
        let is_over = |job: &FleetJob| job.gone.as_ref().is_some_and(|gone| !gone.is_waited_for());
        let Some(index) = self.jobs.iter().position(is_over) else { return Ok(None) };
        // It may have come between the last look and its end.
        if self.folder.result(&self.jobs[index].name).is_some() {
            return Ok(None);
        }
        let output = self.folder.output(&self.jobs[index].name);
        let mut job = self.remove(index);
        let Some(ended) = job.gone.take().and_then(|gone| gone.end) else {
            again(&job, FORGOTTEN, sink);
            return Ok(None);
        };
        if let Some(problem) = missing(&ended, &self.options, &self.folder) {
            self.leave_out(&job.order.node, problem, sink)?;
            return Ok(None);
        }
        let is_cancelled = ended.state == "CANCELLED";
        let times = self.cancelled.entry(job.place()).or_default();
        *times += u32::from(is_cancelled);
        match ended.state.as_str() {
            "PREEMPTED" | "NODE_FAIL" | "BOOT_FAIL" | "REVOKED" => {}
            "CANCELLED" if *times < CANCELLED => {}
            _ => return Ok(Some(failed(&job.order, &ended, &output))),
        }
        again(&job, &ended.state, sink);
        Ok(None)
    }

    fn submit(&mut self, order: TrialOrder, sink: &mut dyn Sink) -> Result<bool, SlurmError> {
        let ranks = self.ranks.get(&order.point.id).copied();
        let name = self.folder.order(&Order::Trial(Box::new(order.clone())))?;
        let (file, output) = (self.folder.order_file(&name), self.folder.output_file(&name));
        let submission =
            Submission { name: &name, node: Some(&order.node), ranks, order: &file, output: &output };
        let number = match client::submit(&self.options, &submission) {
            Ok(number) => number,
            Err(error) => {
                // It may have been taken all the same, when only the answer was lost.
                let taken = client::queue().ok().and_then(|queue| {
                    let job = queue.iter().find(|job| job.name == name)?;
                    (job.state != JobState::Ended).then_some(job.number)
                });
                match taken {
                    Some(number) => number,
                    None => {
                        self.folder.remove(&name);
                        return self.refused(&order.node, error, sink);
                    }
                }
            }
        };
        self.jobs.push(FleetJob { name, order, number: Some(number), state: JobState::Waiting, gone: None });
        Ok(true)
    }

    /// Slurm has not taken a job. While others are under way there may just be too many of them.
    fn refused(&mut self, node: &str, error: SlurmError, sink: &mut dyn Sink) -> Result<bool, SlurmError> {
        let SlurmError::Refused { said, .. } = &error else { return Err(error) };
        if said.contains(NOT_FOR_NODE) {
            self.leave_out(node, JobProblem::Refused(NOT_FOR_NODE.to_owned()), sink)?;
            return Ok(false);
        }
        if self.jobs.is_empty() {
            return Err(error);
        }
        if self.refused.is_none() {
            warn(sink, StudyNotice::JobRefused { problem: error.to_string(), jobs: self.jobs.len() as u32 });
        }
        self.refused = Some(Instant::now() + REFUSED);
        Ok(false)
    }
}

impl Fleet for SlurmFleet {
    fn under_way(&self) -> Vec<TrialPlace> {
        self.jobs.iter().map(FleetJob::place).collect()
    }

    fn room(&self) -> usize {
        let waits = self.refused.is_some_and(|until| Instant::now() < until);
        if waits { 0 } else { (self.options.jobs as usize).saturating_sub(self.jobs.len()) }
    }

    fn nodes(&self) -> usize {
        self.turns.side_by_side(&self.busy())
    }

    fn begin(
        &mut self,
        study: &Study,
        block: u32,
        point: &Point,
        sink: &mut dyn Sink,
    ) -> Result<bool, StudyError> {
        let Some((node, before)) = self.turns.of_block(block, &self.busy())? else {
            self.asking = Asking::soon();
            return Ok(false);
        };
        if let Some(from) = before
            && study.trials.iter().any(|trial| trial.block == block)
        {
            warn(sink, StudyNotice::BlockMoved { block, from, to: node.clone() });
        }
        let (study, submitted) = (self.study, now());
        let description = self.description.clone();
        let order = TrialOrder { study, block, point: point.clone(), node, submitted, description };
        Ok(self.submit(order, sink)?)
    }

    fn wait(&mut self, sink: &mut dyn Sink) -> Result<Option<Trial>, StudyError> {
        if let Some(trial) = self.result(sink)? {
            return Ok(Some(trial));
        }
        if let Some(trial) = self.ended(sink)? {
            return Ok(Some(trial));
        }
        if self.asking.is_due() {
            self.look(sink)?;
        } else {
            std::thread::sleep(LOOK);
        }
        Ok(None)
    }

    fn kept(&mut self, trial: &Trial) {
        let place = TrialPlace::of(trial);
        if let Some(index) = self.jobs.iter().position(|job| job.place() == place) {
            self.remove(index);
            self.refused = None;
        }
    }

    fn cancel(&mut self, sink: &mut dyn Sink) {
        // Of those that were taken over the numbers may not be known yet.
        let queue = client::queue();
        for job in self.jobs.iter_mut().filter(|job| job.number.is_none()) {
            job.number = queue.as_ref().ok().and_then(|queue| number(queue, &job.name));
        }
        let jobs = self.jobs.len() as u32;
        if let Err(problem) = self.take_back(&|_| true) {
            warn(sink, StudyNotice::JobsNotCancelled { jobs, problem: problem.to_string() });
        }
    }
}

impl From<SlurmError> for StudyError {
    fn from(error: SlurmError) -> Self {
        StudyError::Fleet(Box::new(error))
    }
}

fn number(queue: &[QueuedJob], name: &str) -> Option<JobNumber> {
    queue.iter().find(|job| job.name == name).map(|job| job.number)
}

fn warn(sink: &mut dyn Sink, notice: StudyNotice) {
    sink.event(Event::Warning(Notice::from(notice)));
}

fn again(job: &FleetJob, state: &str, sink: &mut dyn Sink) {
    let TrialOrder { block, point, node, .. } = &job.order;
    let (state, node, point) = (state.to_owned(), node.clone(), point.id.clone());
    let job = job.number.map(|number| number.0);
    warn(sink, StudyNotice::TrialOfJobLost { job, node, state, block: *block, point });
}

/// A trial whose job Slurm ended, or which could not even say what went wrong.
fn failed(order: &TrialOrder, ended: &EndedJob, output: &str) -> Trial {
    let exit = match (ended.state.as_str(), ended.signal, ended.code) {
        ("TIMEOUT" | "DEADLINE" | "CANCELLED", ..) => Exit::Signal(SIGTERM),
        ("OUT_OF_MEMORY", ..) => Exit::Signal(SIGKILL),
        (_, signal @ 1..=64, _) => Exit::Signal(signal),
        (_, _, code) if code != 0 => Exit::Code(code),
        _ => Exit::Signal(SIGKILL),
    };
    let EndedJob { state, reason, .. } = ended.clone();
    let ended_by = Some(EndedBy::Slurm { node: order.node.clone(), state, reason });
    Trial {
        number: 0,
        block: order.block,
        point: order.point.id.clone(),
        started: order.submitted,
        wall: ended.ran,
        outcome: Outcome::Failed { failure: TrialFailure { exit, ended_by }, output_tail: output.to_owned() },
        observation: Reading::unavailable("the job ended before it could say what it had seen"),
        disturbances: Vec::new(),
        left_behind: None,
        other_values: Vec::new(),
    }
}

/// Ranks that commands start, by the levels of their points.
fn ranks(grid: &GridStudy) -> HashMap<PointId, u32> {
    let of = |run: &numawise_facts::GridRun| {
        let levels = grid.factors.iter().zip(grid.levels(run));
        let mut ranks = levels.filter_map(|(factor, level)| match factor.kind {
            FactorKind::Ranks => level.parse().ok(),
            FactorKind::RanksTimesThreads => level.parse().ok().map(|of: RanksByThreads| of.ranks),
            _ => None,
        });
        Some((run.point.clone(), ranks.next()?))
    };
    grid.runs.iter().filter_map(of).collect()
}
