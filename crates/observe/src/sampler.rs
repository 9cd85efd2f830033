//! The thread that samples while the trial runs.

use numawise_linux::calls::{clock, process};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use numawise_facts::{Reading, TrialFrequency};
use numawise_linux::Roots;
use numawise_units::{Bytes, CpuId, Nanoseconds, Pid};

use crate::frequency::FrequencySampler;
use crate::plan::{SamplingPlan, StepKind};
use crate::residency::{EachProcess, KeptSample, ResidencySampler, SampleProgress};
use crate::table::Table;
use numawise_linux::file::read_path;

/// The most that is spent without a pause, so that the program is not kept off its CPU for long.
const SLICE: Nanoseconds = Nanoseconds(1_000_000);

/// The least that is worth waking up for.
const LEAST: Nanoseconds = Nanoseconds(50_000);

/// No sample of threads waits until more than this is to be had: with very many threads some are read at a time.
const ENOUGH: Nanoseconds = Nanoseconds(300_000);

/// What the sampler has found.
#[derive(Debug)]
pub(crate) struct SamplerResults {
    pub table: Table,
    pub pages: Reading<KeptSample>,
    pub peak: Option<Bytes>,
    /// The most of a process that was in swap.
    pub swapped: Option<Bytes>,
    /// The memory of each process by itself.
    pub each: EachProcess,
    pub frequency: Reading<TrialFrequency>,
    pub samples: u64,
    /// How long some thread was stopped, from sample to sample.
    pub stopped: Nanoseconds,
    /// When the last sample was taken, where it saw a stopped thread.
    stopped_at: Option<Nanoseconds>,
    pub cost: Nanoseconds,
    /// The sampling thread, while it lives.
    pub thread: Option<Pid>,
}

/// What the sampler and its owner share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub results: Mutex<SamplerResults>,
    stop: AtomicBool,
    stopped: Mutex<()>,
    wake: Condvar,
}

impl Shared {
    pub fn new(table: Table) -> Self {
        Shared {
            results: Mutex::new(SamplerResults {
                table,
                pages: Reading::unavailable("the trial ended before its pages were sampled"),
                peak: None,
                swapped: None,
                each: EachProcess::default(),
                frequency: Reading::unavailable("the trial ended before its threads were sampled"),
                samples: 0,
                stopped: Nanoseconds(0),
                stopped_at: None,
                cost: Nanoseconds(0),
                thread: None,
            }),
            stop: AtomicBool::new(false),
            stopped: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// What was found; still good when the sampler died over it.
    pub fn results(&self) -> MutexGuard<'_, SamplerResults> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the sampler to end; does not wait for it.
    pub fn stop(&self) {
        let _held = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// Waits until `until`. False when it is time to end.
    fn wait(&self, until: Instant) -> bool {
        let mut held = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stop.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            (held, _) = self.wake.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner);
        }
        false
    }
}

/// What is allowed for each unit of wall time, and what was spent before the thread began.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    pub rate: f64,
    /// It is never exceeded: not for a first sample, nor in a short trial, nor on a slow machine.
    pub is_strict: bool,
    /// Where a file of our own can be read, to see how fast this machine is.
    pub roots: Roots,
    pub spent: Nanoseconds,
}

/// Samples until told to stop.
pub(crate) fn run(shared: &Shared, mut residency: ResidencySampler, begun: Instant, budget: Budget) {
    shared.results().thread = Some(process::own_thread());
    // With one node a residency sample is one small file; else it may cost what all else does.
    let share = if residency.one_node() { 0.15 } else { 0.5 };
    let small = small_file(&budget.roots);
    let slowness = if budget.is_strict { 1.0 } else { slowness(small) };
    let mut frequency = FrequencySampler::new(budget.roots.clone(), budget.rate * slowness);
    let mut plan = if budget.is_strict {
        SamplingPlan::strict(budget.rate, budget.spent, Nanoseconds(FILES_OF_SAMPLE * small.0), share)
    } else {
        SamplingPlan::new(budget.rate * slowness, budget.spent, share)
    };
    let mut booked = clock::thread_cpu_time(); // what finding the slowness cost is in no account, but in the total
    let mut usual_cost = Nanoseconds(0);
    loop {
        let (kind, due) = plan.next();
        if !shared.wait(begun + Duration::from(due)) {
            break;
        }
        let now = Nanoseconds::from(begun.elapsed());
        let allowance = plan.allowance(kind, now).max(LEAST);
        match kind {
            StepKind::Threads => {
                let working = sample_threads(shared, now, allowance.min(SLICE));
                sample_frequency(shared, &mut frequency, &working, now);
                let cost = book(shared, &mut booked);
                let eased = Nanoseconds((usual_cost.0 * 3 + cost.0) / 4);
                usual_cost = eased.max(cost).min(ENOUGH);
                plan.sampled_threads(now, cost, usual_cost);
            }
            StepKind::Residency => {
                let step = sample_residency(shared, &mut residency, now, allowance);
                let cost = book(shared, &mut booked);
                match step {
                    SampleProgress::Complete => plan.sampled_residency(now, cost, LEAST),
                    SampleProgress::Needs(estimate) => {
                        plan.sampled_some_residency(now, cost, estimate.max(LEAST))
                    }
                }
            }
        }
    }
    let mut results = shared.results();
    results.cost = clock::thread_cpu_time();
    results.thread = None;
}

/// A first sample opens and reads about so many small files of `/proc`.
const FILES_OF_SAMPLE: u64 = 8;

/// How much slower than usual this machine reads a small file of `/proc`: 1 on real and virtual machines, more on emulated
/// ones, where time is stretched for the program and for us alike. There, half a percent would show nothing.
fn slowness(small: Nanoseconds) -> f64 {
    /// Reading `stat` takes 7 us on the development machine, cold caches 15.
    const USUAL: f64 = 20_000.0;
    const MOST: f64 = 10.0;
    (small.0 as f64 / USUAL).clamp(1.0, MOST)
}

/// What it takes here to read a small file of `/proc`; 0 where it cannot be read.
fn small_file(roots: &Roots) -> Nanoseconds {
    let path = roots.proc().join("self/stat");
    let mut buffer = Vec::with_capacity(1024);
    let mut fastest = Nanoseconds(u64::MAX);
    for _ in 0..3 {
        let begun = clock::thread_cpu_time();
        if read_path(&path, &mut buffer).is_err() {
            return Nanoseconds(0);
        }
        fastest = fastest.min(clock::thread_cpu_time().saturating_sub(begun));
    }
    fastest
}

/// Samples the threads, and tells on which CPUs they work.
fn sample_threads(shared: &Shared, now: Nanoseconds, allowance: Nanoseconds) -> BTreeSet<CpuId> {
    let begun = clock::thread_cpu_time();
    let mut results = shared.results();
    results.table.discover(allowance, &shared.stop);
    let spent = clock::thread_cpu_time().saturating_sub(begun);
    results.table.read(allowance.saturating_sub(spent), &shared.stop);
    results.samples += 1;
    let stopped_at = results.table.is_stopped().then_some(now);
    if let (Some(before), Some(now)) = (results.stopped_at, stopped_at) {
        results.stopped = results.stopped + now.saturating_sub(before);
    }
    results.stopped_at = stopped_at;
    results.table.working_on()
}

/// Reads frequencies; the results are held only to hand over what was read, since some kernels let us wait for it.
fn sample_frequency(
    shared: &Shared,
    frequency: &mut FrequencySampler,
    working: &BTreeSet<CpuId>,
    now: Nanoseconds,
) {
    if frequency.step(working, now, &shared.stop) || shared.results().frequency.measured().is_none() {
        shared.results().frequency = frequency.result();
    }
}

/// Goes on with the residency sample; the results are held only to hand over the result, since it may take long.
fn sample_residency(
    shared: &Shared,
    residency: &mut ResidencySampler,
    now: Nanoseconds,
    allowance: Nanoseconds,
) -> SampleProgress {
    let alive: Vec<Pid> = shared.results().table.processes.iter().map(|process| process.pid).collect();
    let step = residency.step(&alive, now, allowance, SLICE, &shared.stop);
    let mut results = shared.results();
    results.pages = residency.result();
    results.peak = residency.peak;
    results.swapped = residency.swapped;
    results.each.add(std::mem::take(&mut residency.each));
    step
}

/// What was spent since the last booking.
fn book(shared: &Shared, booked: &mut Nanoseconds) -> Nanoseconds {
    let total = clock::thread_cpu_time();
    shared.results().cost = total;
    let cost = total.saturating_sub(*booked);
    *booked = total;
    cost
}
