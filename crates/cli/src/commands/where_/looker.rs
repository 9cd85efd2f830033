//! One look after another at the processes that were asked for.

use std::collections::HashMap;

use numawise_facts::{Machine, MemorySnapshot, Reading, Snapshot};
use numawise_observe::SnapshotOptions;
use numawise_record::Series;
use numawise_tables::Residency;
use numawise_tui::Sample;
use numawise_units::{Nanoseconds, Pid};

use super::clock::{boot_time, cpu_time};
use super::pace::Pace;
use super::targets::Targets;
use crate::commands::Failure;

/// What is needed to look.
pub struct Looker {
    targets: Targets,
    options: SnapshotOptions,
    machine: Machine,
    before: Option<Snapshot>,
    /// The memory of each process as it was seen last, for looks that leave it out.
    memory: HashMap<(Pid, Nanoseconds), Reading<MemorySnapshot>>,
    /// When that was.
    memory_at: Nanoseconds,
    pace: Pace,
    series: Option<Series>,
}

impl Looker {
    pub fn new(targets: Targets, machine: Machine, largest: usize, series: Option<Series>) -> Self {
        Looker {
            targets,
            options: SnapshotOptions { largest, ..SnapshotOptions::default() },
            machine,
            before: None,
            memory: HashMap::new(),
            memory_at: Nanoseconds(0),
            pace: Pace::default(),
            series,
        }
    }

    /// A look at everything.
    pub fn whole(&mut self) -> Result<Residency, Failure> {
        self.options.memory = true;
        let snapshot = self.snapshot()?;
        Ok(self.compare(snapshot))
    }

    /// A look that leaves memory out while that would cost too much; a record gets all of it.
    pub fn light(&mut self) -> Result<Sample, Failure> {
        let began = boot_time();
        let spent = cpu_time();
        self.options.memory = self.series.is_some() || self.pace.memory_is_due(began);
        let mut snapshot = self.snapshot()?;
        self.remember(&mut snapshot);
        let at = snapshot.at;
        let residency = self.compare(snapshot);
        self.pace.note(began, cpu_time().saturating_sub(spent), self.options.memory);
        Ok(Sample {
            residency,
            memory_age: at.saturating_sub(self.memory_at),
            least_interval: self.pace.least(),
        })
    }

    fn snapshot(&mut self) -> Result<Snapshot, Failure> {
        let snapshot = numawise_observe::snapshot(self.targets.now()?, &self.options);
        let snapshot = self.targets.keep(snapshot);
        if let Some(series) = &mut self.series {
            series.append(&snapshot)?;
        }
        Ok(snapshot)
    }

    fn remember(&mut self, snapshot: &mut Snapshot) {
        if self.options.memory {
            let memory =
                |task: &numawise_facts::TaskSnapshot| ((task.pid, task.started), task.memory.clone());
            self.memory = snapshot.tasks.iter().map(memory).collect();
            self.memory_at = snapshot.at;
            return;
        }
        for task in &mut snapshot.tasks {
            task.memory = match self.memory.get(&(task.pid, task.started)) {
                Some(memory) => memory.clone(),
                None => Reading::unavailable("it was not looked at yet: that takes long here"),
            };
        }
    }

    fn compare(&mut self, snapshot: Snapshot) -> Residency {
        let residency = numawise_analyse::residency(&snapshot, self.before.as_ref(), &self.machine);
        self.before = Some(snapshot);
        residency
    }
}
