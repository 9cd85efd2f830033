//! Watching a trial: what the study engine calls.

use numawise_linux::calls::clock::{self, ClockChanges};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use numawise_facts::{Observation, ObservedProcess, Reading, ResourceUsage, SamplerCost};
use numawise_units::{Bytes, Nanoseconds, Pid, Rank};

use crate::energy::EnergyMeter;
use crate::events::{MemoryCounters, events};
use crate::host;
use crate::noise::{HostCpu, noise};
use crate::processes;
use crate::rank::{NO_RANK, rank};
use crate::residency::{KeptSample, Method, ResidencySampler};
use crate::sampler::{self, Budget, Shared};
use crate::table::Table;
use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::environ::Environment;

/// How to watch.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub roots: Roots,
    /// CPU time of sampling for each unit of wall time. A little below the promise of 0.005, for what the last step costs
    /// more than was foreseen.
    pub rate: f64,
    /// The trial is compared with others: no more than the rate is taken, whatever is not seen then. Else a short trial and a slow machine may
    /// have more.
    pub is_compared: bool,
    /// How pages are counted.
    pub method: Method,
    /// Pages asked for for one residency sample by `move_pages`.
    pub pages: usize,
    /// Seed of the choice of pages.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            roots: Roots::default(),
            rate: 0.004,
            is_compared: false,
            method: Method::Auto,
            pages: 2000,
            seed: 0,
        }
    }
}

/// What happened to a trial beside the program's own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interruptions {
    /// How long some thread was seen stopped, from sample to sample: shorter stops are not seen.
    pub stopped: Nanoseconds,
    /// How long the system slept.
    pub suspended: Nanoseconds,
    /// By how much the time of day was set.
    pub clock_set: Nanoseconds,
}

/// What the host had done before a trial: read before its processes begin, so that it does not keep them off their CPUs.
#[derive(Debug)]
pub struct HostBefore {
    cpu: Result<HostCpu, Error>,
    memory: MemoryCounters,
    energy: EnergyMeter,
}

impl HostBefore {
    pub fn read(roots: &Roots) -> HostBefore {
        let energy = EnergyMeter::start(roots);
        let (cpu, memory) = (HostCpu::read(roots), MemoryCounters::read(roots));
        HostBefore { cpu, memory, energy }
    }
}

/// A trial being watched.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    begun: Instant,
    /// The same by the monotonic clock.
    begun_at: Nanoseconds,
    /// CPU time of [`Watch::start`] itself.
    start_cost: Nanoseconds,
    before: HostBefore,
    clocks: clock::Moment,
    rank: Reading<Rank>,
    roots: Roots,
    /// Why there is no sampler.
    no_sampler: Option<String>,
}

impl Watch {
    /// Begins to watch processes with all their children and threads. Returns at once; a thread samples.
    pub fn start(pids: &[Pid], options: &Options) -> Watch {
        Watch::start_after(HostBefore::read(&options.roots), pids, options)
    }

    /// The same with what was read before they began.
    pub fn start_after(before: HostBefore, pids: &[Pid], options: &Options) -> Watch {
        let begun = Instant::now();
        let begun_at = clock::monotonic();
        let cpu = clock::thread_cpu_time();
        let rank = rank_of(&options.roots, pids);
        let shared = Arc::new(Shared::new(Table::new(options.roots.clone(), pids, options.seed)));
        let residency =
            ResidencySampler::new(options.roots.clone(), options.method, options.pages, options.seed);
        let theirs = Arc::clone(&shared);
        let budget = Budget {
            rate: options.rate,
            is_strict: options.is_compared,
            roots: options.roots.clone(),
            spent: clock::thread_cpu_time().saturating_sub(cpu),
        };
        let sampler = thread::Builder::new()
            .name("nw-observe".to_owned())
            .spawn(move || sampler::run(&theirs, residency, begun, budget));
        Watch {
            shared,
            begun,
            begun_at,
            // What was read before the program began took nothing from it.
            start_cost: clock::thread_cpu_time().saturating_sub(cpu),
            before,
            clocks: clock::Moment::now(),
            rank,
            roots: options.roots.clone(),
            no_sampler: sampler
                .err()
                .map(|error| format!("the sampling thread could not be started: {error}")),
        }
    }

    /// Looks at what must be looked at now and then: to be called at least once a minute by who waits for the trial.
    pub fn go_on(&mut self) {
        self.before.energy.go_on();
    }

    /// What has happened until now that makes the time of the trial another's.
    pub fn interruptions(&self) -> Interruptions {
        let ClockChanges { suspended, set } = clock::Moment::now().changes_since(&self.clocks);
        Interruptions { stopped: self.shared.results().stopped, suspended, clock_set: set }
    }

    /// Ends watching and gives what was seen of each process. Does not wait for a sample under way.
    pub fn finish_by_process(self) -> Vec<ObservedProcess> {
        self.shared.stop();
        let seen = self.shared.results();
        let why = match (&self.no_sampler, &seen.pages) {
            (Some(reason), _) => reason.clone(),
            (None, Reading::Unavailable { unavailable }) => unavailable.0.to_string(),
            (None, Reading::Measured(_)) => "it ended before its memory was looked at".to_owned(),
        };
        processes::all(&seen, self.begun_at, &why)
    }

    /// Ends watching and gives what was seen, with what the kernel accounted to the processes: `usage` of all, and `wall`, the
    /// longest of their lives. Does not wait for a sample under way.
    pub fn finish(mut self, usage: ResourceUsage, wall: Nanoseconds) -> Observation {
        self.shared.stop();
        let used = usage.cpu_time();
        let energy = self.before.energy.taken();
        let after = HostCpu::read(&self.roots);
        let memory_after = MemoryCounters::read(&self.roots);
        let seen = self.shared.results();
        let table = &seen.table;
        let why = |what: &str| match (&self.no_sampler, &table.problem) {
            (Some(reason), _) | (None, Some(reason)) => reason.clone(),
            (None, None) => format!("the trial ended before {what}"),
        };
        let mut threads: Vec<_> = table.seen().map(|thread| thread.observation()).collect();
        threads.sort_by_key(|thread| (thread.pid, thread.tid));
        Observation {
            host: host::id(&self.roots),
            rank: self.rank.clone(),
            mpi_libraries: table.libraries.found(),
            usage: ResourceUsage { peak_memory: peak(usage.peak_memory, seen.peak), ..usage },
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
            several_ready: match threads.as_slice() {
                [] => Reading::unavailable(why("any thread was seen")),
                _ => Reading::Measured(table.several_ready),
            },
            threads: if !threads.is_empty() {
                Reading::Measured(threads)
            } else {
                Reading::unavailable(why("any thread was seen"))
            },
            pages: match &self.no_sampler {
                Some(reason) => Reading::unavailable(reason.clone()),
                None => seen.pages.as_ref().map(KeptSample::merged),
            },
            noise: noise(&self.before.cpu, &after, used, wall),
            memory_events: events(&self.roots, &self.before.memory, &memory_after, seen.swapped),
            frequency: match &self.no_sampler {
                Some(reason) => Reading::unavailable(reason.clone()),
                None => seen.frequency.clone(),
            },
            energy,
            sampler: SamplerCost {
                samples: seen.samples,
                // The clock of the thread itself, since a step may be under way.
                cpu_time: self.start_cost
                    + seen.thread.and_then(clock::cpu_time_of).unwrap_or(seen.cost).max(seen.cost),
                // Read after the CPU time: on a slow machine ending takes as long as a short program, and counts in both.
                span: Nanoseconds::from(self.begun.elapsed()),
            },
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

/// The rank that the processes are, if they are one.
fn rank_of(roots: &Roots, pids: &[Pid]) -> Reading<Rank> {
    let [pid] = pids else {
        return Reading::unavailable("several processes were started, which are not one rank");
    };
    let mut buffer = Vec::with_capacity(4096);
    match read_path(&roots.process(*pid).join("environ"), &mut buffer) {
        Ok(()) => rank(Environment(&buffer)).map_or_else(|| Reading::unavailable(NO_RANK), Reading::Measured),
        Err(error) => Reading::unavailable(error.to_string()),
    }
}

/// The peak of the trial: what the kernel accounted, and where that says nothing of the program the largest that was sampled.
fn peak(accounted: Reading<Bytes>, sampled: Option<Bytes>) -> Reading<Bytes> {
    match (accounted, sampled) {
        (Reading::Unavailable { .. }, Some(sampled)) => Reading::Measured(sampled),
        (Reading::Unavailable { unavailable: reason }, None) => {
            Reading::unavailable(format!("{reason}, and it ended before it was sampled"))
        }
        (measured, _) => measured,
    }
}
