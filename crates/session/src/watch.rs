//! Residency of running processes, sampled once or again and again, at a cost that stays small.

mod cost;
mod targets;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use numawise_facts::{Machine, MemorySnapshot, Reading, Snapshot, TaskSnapshot};
use numawise_linux::calls::clock;
use numawise_observe::{FindError, SnapshotOptions};
use numawise_record::Series;
use numawise_tables::{Residency, TaskResidency};
use numawise_units::{Nanoseconds, Pid, Schedule};

use crate::{Error, here};
use cost::SamplingCost;
pub use targets::TargetRequest;
pub(crate) use targets::Targets;

/// The shortest sampling interval: below it, sampling is all that a CPU does.
pub const SHORTEST_INTERVAL: Nanoseconds = Nanoseconds(50_000_000);

/// What is to be sampled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchRequest {
    pub targets: TargetRequest,
    /// As many of the largest mappings of each task are listed.
    pub mappings: usize,
    /// An SQLite file that keeps every sample too, after those that it holds.
    pub record: Option<PathBuf>,
}

/// Takes one sample after another of the processes that were asked for.
pub struct ResidencySampler {
    targets: Targets,
    options: SnapshotOptions,
    machine: Machine,
    before: Option<Snapshot>,
    /// The memory of each process as it was sampled last, for samples that leave it out.
    memory: HashMap<(Pid, Nanoseconds), Reading<MemorySnapshot>>,
    memory_at: Nanoseconds,
    cost: SamplingCost,
    series: Option<Series>,
}

/// Residency at one moment, with what the next sample depends on.
#[derive(Debug, Clone)]
pub struct Sample {
    pub residency: Residency,
    /// How much older than the rest its memory is.
    pub memory_age: Nanoseconds,
    /// The least sampling interval that costs no more than sampling may.
    pub least_interval: Nanoseconds,
}

impl ResidencySampler {
    /// Finds the processes, reads the machine and opens the record. What was asked for and is not there is given beside, as
    /// long as anything is.
    ///
    /// # Errors
    /// When no process is found, the request makes no sense, or the machine or the record cannot be opened.
    pub fn open(request: &WatchRequest) -> Result<(Self, Vec<FindError>), Error> {
        let mut targets = Targets::new(&request.targets)?;
        let missing = targets.search()?;
        let machine = here::for_sampling()?;
        let series = request.record.as_deref().map(|path| Series::open(path, &machine)).transpose()?;
        let sampler = ResidencySampler {
            targets,
            options: SnapshotOptions { largest: request.mappings, ..SnapshotOptions::default() },
            machine,
            before: None,
            memory: HashMap::new(),
            memory_at: Nanoseconds(0),
            cost: SamplingCost::default(),
            series,
        };
        Ok((sampler, missing))
    }

    /// A sample of everything. Shares of CPUs are those since the sample before; in the first, since the threads began.
    ///
    /// # Errors
    /// When the first sample can read nothing of any process, or a sample cannot be kept in the record.
    pub fn whole(&mut self) -> Result<Residency, Error> {
        self.options.memory = true;
        let snapshot = self.snapshot()?;
        self.compare(snapshot)
    }

    /// A sample that leaves memory out while that would cost too much. A record gets all of it.
    ///
    /// # Errors
    /// As [`whole`](Self::whole).
    pub fn light(&mut self) -> Result<Sample, Error> {
        let began = clock::since_boot();
        let spent = clock::process_cpu_time();
        self.options.memory = self.series.is_some() || self.cost.memory_is_due(began);
        let mut snapshot = self.snapshot()?;
        self.remember(&mut snapshot);
        let at = snapshot.at;
        let residency = self.compare(snapshot)?;
        self.cost.note(began, clock::process_cpu_time().saturating_sub(spent), self.options.memory);
        Ok(Sample {
            residency,
            memory_age: at.saturating_sub(self.memory_at),
            least_interval: self.cost.least_interval(),
        })
    }

    /// Takes `count` samples, one interval apart, each compared with the one before, and hands them out with their number. Ends
    /// early when `show` gives false, or when all processes have ended.
    ///
    /// # Errors
    /// Those of [`whole`](Self::whole) and of `show`; [`Error::EndedWithin`] when there is not even one sample to show.
    pub fn repeat<E: From<Error>>(
        &mut self,
        interval: Nanoseconds,
        count: u64,
        mut show: impl FnMut(u64, &Residency) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut schedule = Schedule::new(clock::since_boot(), interval);
        self.whole()?;
        for number in 0..count {
            std::thread::sleep(Duration::from(schedule.left(clock::since_boot())));
            schedule.begin(clock::since_boot());
            let residency = self.whole()?;
            if residency.tasks.is_empty() {
                return if number == 0 { Err(Error::EndedWithin { interval }.into()) } else { Ok(()) };
            }
            if !show(number, &residency)? {
                break;
            }
        }
        Ok(())
    }

    fn snapshot(&mut self) -> Result<Snapshot, Error> {
        let snapshot = numawise_observe::snapshot(self.targets.now()?, &self.options);
        let snapshot = self.targets.keep(snapshot);
        if let Some(series) = &mut self.series {
            series.append(&snapshot)?;
        }
        Ok(snapshot)
    }

    fn remember(&mut self, snapshot: &mut Snapshot) {
        if self.options.memory {
            let memory = |task: &TaskSnapshot| ((task.pid, task.started), task.memory.clone());
            self.memory = snapshot.tasks.iter().map(memory).collect();
            self.memory_at = snapshot.at;
            return;
        }
        for task in &mut snapshot.tasks {
            task.memory = match self.memory.get(&(task.pid, task.started)) {
                Some(memory) => memory.clone(),
                None => Reading::unavailable("it was not sampled yet: that takes long here"),
            };
        }
    }

    fn compare(&mut self, snapshot: Snapshot) -> Result<Residency, Error> {
        let residency = numawise_analyse::residency(&snapshot, self.before.as_ref(), &self.machine);
        if self.before.replace(snapshot).is_none() {
            something_readable(&residency)?;
        }
        Ok(residency)
    }
}

/// Fails when nothing at all may be read of any process.
fn something_readable(residency: &Residency) -> Result<(), Error> {
    let unreadable =
        |task: &TaskResidency| task.threads.measured().is_none() && task.memory.measured().is_none();
    let Some(first) = residency.tasks.first() else { return Err(Error::Ended) };
    match first.threads.reason().or(first.memory.reason()) {
        Some(reason) if residency.tasks.iter().all(unreadable) => {
            Err(Error::NothingReadable { processes: residency.tasks.len(), reason: reason.clone() })
        }
        _ => Ok(()),
    }
}
