//! Watching a trial: what the study engine calls.

use numawise_linux::calls::clock;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use numawise_facts::{Observation, Reading, SamplerCost};
use numawise_units::{Bytes, Nanoseconds, Pid};

use crate::census::{Census, Method};
use crate::noise::{HostCpu, noise};
use crate::sampler::{self, Budget, Shared};
use crate::table::Table;
use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::status::Status;

/// How to watch.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub roots: Roots,
    /// CPU time of sampling for each unit of wall time. A little below the promise of 0.005, for what the last step costs
    /// more than was foreseen.
    pub rate: f64,
    /// How pages are counted.
    pub method: Method,
    /// Pages asked for in one census by `move_pages`.
    pub pages: usize,
    /// Seed of the choice of pages.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { roots: Roots::default(), rate: 0.004, method: Method::Auto, pages: 2000, seed: 0 }
    }
}

/// What `wait4` gave for the processes of a trial, summed, with the largest of the peaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub user: Nanoseconds,
    pub system: Nanoseconds,
    /// `None` where the kernel's figure says nothing of the program.
    pub peak_memory: Option<Bytes>,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub wall: Nanoseconds,
}

/// A trial being watched.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    begun: Instant,
    /// CPU time of [`Watch::start`] itself.
    start_cost: Nanoseconds,
    before: Result<HostCpu, Error>,
    roots: Roots,
    /// Why there is no sampler.
    no_sampler: Option<String>,
}

impl Watch {
    /// Begins to watch processes with all their children and threads. Returns at once; a thread samples.
    pub fn start(pids: &[Pid], options: &Options) -> Watch {
        let begun = Instant::now();
        let cpu = clock::thread_cpu_time();
        let before = HostCpu::read(&options.roots);
        let shared = Arc::new(Shared::new(Table::new(options.roots.clone(), pids, options.seed)));
        let census = Census::new(options.roots.clone(), options.method, options.pages, options.seed);
        let theirs = Arc::clone(&shared);
        let budget = Budget {
            rate: options.rate,
            roots: options.roots.clone(),
            spent: clock::thread_cpu_time().saturating_sub(cpu),
        };
        let sampler = thread::Builder::new()
            .name("nw-observe".to_owned())
            .spawn(move || sampler::run(&theirs, census, begun, budget));
        Watch {
            shared,
            begun,
            start_cost: clock::thread_cpu_time().saturating_sub(cpu),
            before,
            roots: options.roots.clone(),
            no_sampler: sampler
                .err()
                .map(|error| format!("the sampling thread could not be started: {error}")),
        }
    }

    /// Ends watching and tells what was seen. Does not wait for a sample under way.
    pub fn finish(self, usage: &Usage) -> Observation {
        self.shared.stop();
        let span = Nanoseconds::from(self.begun.elapsed());
        let after = HostCpu::read(&self.roots);
        let seen = self.shared.seen();
        let table = &seen.table;
        let why = |what: &str| match (&self.no_sampler, &table.problem) {
            (Some(reason), _) | (None, Some(reason)) => reason.clone(),
            (None, None) => format!("the trial ended before {what}"),
        };
        let mut threads: Vec<_> = table.seen().map(|thread| thread.observation()).collect();
        threads.sort_by_key(|thread| (thread.pid, thread.tid));
        Observation {
            user: usage.user,
            system: usage.system,
            peak_memory: peak(usage.peak_memory, seen.peak, own_peak(&self.roots)),
            minor_faults: Reading::Measured(usage.minor_faults),
            major_faults: Reading::Measured(usage.major_faults),
            voluntary_switches: Reading::Measured(usage.voluntary_switches),
            involuntary_switches: Reading::Measured(usage.involuntary_switches),
            migrations: match table.migrations() {
                Some(migrations) => Reading::Measured(migrations),
                None => Reading::unavailable(why("any thread was seen twice")),
            },
            run_delay: match table.run_delay() {
                Some(delay) => Reading::Measured(delay),
                None if !threads.is_empty() => {
                    Reading::unavailable("this kernel does not count run delay (schedstat)")
                }
                None => Reading::unavailable(why("any thread was seen")),
            },
            threads: if !threads.is_empty() {
                Reading::Measured(threads)
            } else {
                Reading::unavailable(why("any thread was seen"))
            },
            pages: match &self.no_sampler {
                Some(reason) => Reading::unavailable(reason.clone()),
                None => seen.pages.clone(),
            },
            host: noise(&self.before, &after, usage.user + usage.system, usage.wall),
            sampler: SamplerCost {
                samples: seen.samples,
                // The clock of the thread itself, since a step may be under way.
                cpu_time: self.start_cost
                    + seen.thread.and_then(clock::cpu_time_of).unwrap_or(seen.cost).max(seen.cost),
                span,
            },
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

/// The peak of our own memory.
fn own_peak(roots: &Roots) -> Option<Bytes> {
    let mut buffer = Vec::with_capacity(4096);
    read_path(&roots.proc().join("self/status"), &mut buffer).ok()?;
    Status::parse(&buffer).ok()?.peak
}

/// The peak of the trial. `ru_maxrss` outlives `execve`: a small program shows that of the process that started it, so
/// a value that is not above our own peak may be ours. Then the largest that was sampled is taken.
fn peak(by_wait: Option<Bytes>, sampled: Option<Bytes>, ours: Option<Bytes>) -> Reading<Bytes> {
    let Some(by_wait) = by_wait else {
        return sampled.map_or_else(|| Reading::unavailable("wait4 gave no peak"), Reading::Measured);
    };
    match (sampled, ours) {
        (_, Some(ours)) if by_wait > ours => Reading::Measured(by_wait),
        (Some(sampled), Some(_)) => Reading::Measured(sampled),
        (None, Some(ours)) => Reading::unavailable(format!(
            "not above numawise's own peak ({ours}), which a program inherits, and it ended before it was sampled"
        )),
        (_, None) => Reading::Measured(by_wait),
    }
}
