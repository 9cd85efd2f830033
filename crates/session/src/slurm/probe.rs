//! A job that describes the machine which it runs on: a study is laid out for the nodes, not for the computer that submits.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numawise_facts::{Event, Sink};

use super::SlurmOptions;
use super::client::{self, EndedJob, JobState, NO_DIRECTORY, NO_FOLDER, NO_NUMAWISE, Submission};
use super::error::{JobProblem, SlurmError};
use super::folder::{JobFolder, JobResult, NodeDescription, Order};

/// How often we look for what a job has left.
pub const LOOK: Duration = Duration::from_millis(50);
/// What a job has left may come so much later than its end, over a network.
const LATE: Duration = Duration::from_secs(20);
/// How often Slurm is asked at most; less often where it takes long to answer.
const ASK: Duration = Duration::from_secs(2);
const ASK_SHARE: u32 = 20;

/// When Slurm is asked next.
#[derive(Debug)]
pub struct Asking {
    next: Instant,
}

impl Asking {
    pub fn soon() -> Asking {
        Asking { next: Instant::now() }
    }

    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Asks, and says how long to wait then.
    pub fn ask<T>(&mut self, question: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let answer = question();
        let now = Instant::now();
        self.next = now + ASK.max(now.duration_since(begun) * ASK_SHARE);
        answer
    }
}

/// A job that Slurm has in its queue no more.
#[derive(Debug, Clone)]
pub struct GoneJob {
    since: Instant,
    /// How it ended, where Slurm tells.
    pub end: Option<EndedJob>,
}

impl GoneJob {
    pub fn now(end: Option<EndedJob>) -> GoneJob {
        GoneJob { since: Instant::now(), end }
    }

    /// Whether what it has left may still come.
    pub fn is_waited_for(&self) -> bool {
        let is_completed = self.end.as_ref().is_some_and(|end| end.state == "COMPLETED");
        is_completed && self.since.elapsed() < LATE
    }
}

/// Has a node of the partition described.
///
/// # Errors
/// When Slurm does not take the job, or the job does not do it: then the folder is not shared, or something is missing on the node.
pub fn describe(
    record: &Path,
    options: &SlurmOptions,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<NodeDescription, SlurmError> {
    let partition = || options.partition.clone().unwrap_or_else(|| "the default one".to_owned());
    if client::nodes(options.partition.as_deref())?.is_empty() {
        return Err(SlurmError::NoNodes { partition: partition() });
    }
    let folder = JobFolder::beside(record);
    let name = folder.order(&Order::Describe)?;
    let described = described(&folder, &name, options, sink, stop);
    folder.remove(&name);
    described
}

fn described(
    folder: &JobFolder,
    name: &str,
    options: &SlurmOptions,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<NodeDescription, SlurmError> {
    let (order, output) = (folder.order_file(name), folder.output_file(name));
    let submission = Submission { name, node: None, ranks: None, order: &order, output: &output };
    let number = client::submit(options, &submission)?;
    let mut asking = Asking::soon();
    let mut gone: Option<GoneJob> = None;
    loop {
        match folder.result(name) {
            Some(Ok(JobResult::Described(node))) => return Ok(*node),
            Some(Err(error)) => return Err(error),
            Some(Ok(JobResult::Failed { problem, failure })) => {
                return Err(SlurmError::Trial { node: None, problem, failure });
            }
            Some(Ok(JobResult::Trial(_) | JobResult::OtherMachine { .. })) | None => {}
        }
        if stop.load(Ordering::Relaxed) {
            client::cancel(&[number])?;
            return Err(SlurmError::Interrupted);
        }
        if let Some(gone) = &gone {
            if !gone.is_waited_for() {
                let node = gone.end.as_ref().and_then(|end| end.node.clone());
                let problem = problem_of(gone.end.as_ref(), options, folder, name);
                return Err(SlurmError::NotDescribed { node, problem });
            }
            folder.look_again();
        } else if asking.is_due() {
            let queue = asking.ask(client::queue)?;
            let state = queue.iter().find(|job| job.number == number).map(|job| job.state);
            let waiting = u32::from(state == Some(JobState::Waiting));
            sink.event(Event::Jobs { waiting, running: 1 - waiting });
            if matches!(state, None | Some(JobState::Ended)) {
                folder.look_again();
                gone = Some(GoneJob::now(client::ended(number)?));
                continue;
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// What is missing on a node, where the script of a job found that.
pub fn missing(ended: &EndedJob, options: &SlurmOptions, folder: &JobFolder) -> Option<JobProblem> {
    let not_shared = || JobProblem::NotShared(folder.path().to_owned());
    match ended.code {
        // Nobody handed over what came of it, though all went well.
        0 if ended.state == "COMPLETED" => Some(not_shared()),
        NO_FOLDER => Some(not_shared()),
        NO_DIRECTORY => Some(JobProblem::NoDirectory(options.directory.clone())),
        NO_NUMAWISE => Some(JobProblem::NoNumawise(options.numawise.clone())),
        _ => None,
    }
}

fn problem_of(
    ended: Option<&EndedJob>,
    options: &SlurmOptions,
    folder: &JobFolder,
    name: &str,
) -> JobProblem {
    let Some(ended) = ended else { return JobProblem::Forgotten { output: folder.output(name) } };
    missing(ended, options, folder).unwrap_or_else(|| JobProblem::Ended {
        state: ended.state.clone(),
        reason: ended.reason.clone(),
        output: folder.output(name),
    })
}
