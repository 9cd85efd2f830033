//! Tasks as the view remembers them: their newest sample and what was before.

use std::collections::HashMap;

use numawise_tables::{Residency, ShareSpan, TaskResidency};
use numawise_units::Pid;

use crate::history::History;
use crate::table::RowId;

/// A task as it is, or as it was when it ended.
#[derive(Debug, Clone)]
pub struct WatchedTask {
    pub task: TaskResidency,
    /// Since how many samples it is gone.
    pub ended: Option<u32>,
    pub busy: History,
    pub local: History,
    /// The share of a CPU of each thread.
    pub threads: HashMap<Pid, History>,
    /// What of it was in the sums of the job before.
    pub counted: ReadableParts,
}

/// Whether the threads and the memory of a task could ever be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadableParts {
    pub threads: bool,
    pub memory: bool,
}

impl WatchedTask {
    pub fn new(task: TaskResidency) -> Self {
        WatchedTask {
            task,
            ended: None,
            busy: History::default(),
            local: History::default(),
            threads: HashMap::new(),
            counted: ReadableParts::default(),
        }
    }

    /// A number may be used again; with the time when it began it names the task for good.
    pub fn id(&self) -> RowId {
        row_id(&self.task)
    }

    /// `now` when shares are meant between two samples: those since the beginning are no part of the history.
    pub fn take(&mut self, task: TaskResidency, now: bool) {
        self.busy.push(task.busy.measured().filter(|_| now).map(|busy| busy.0));
        self.local.push(task.local.measured().map(|local| local.at_most.0));
        self.counted.threads |= task.threads.measured().is_some();
        self.counted.memory |= task.memory.measured().is_some();
        if let Some(threads) = task.threads.measured() {
            for thread in threads {
                let history = self.threads.entry(thread.tid).or_default();
                history.push(thread.share.measured().filter(|_| now).map(|share| share.0));
            }
            self.threads.retain(|tid, _| threads.binary_search_by_key(tid, |thread| thread.tid).is_ok());
        }
        self.task = task;
        self.ended = None;
    }
}

/// Shares of CPUs are those between two samples.
pub fn between(sample: &Residency) -> bool {
    matches!(sample.span, ShareSpan::BetweenSamples(_))
}

pub fn row_id(task: &TaskResidency) -> RowId {
    RowId(task.pid.0 as u64, task.started.0)
}
