//! The thread that looks while the trial runs.

use numawise_linux::calls::{clock, process};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use numawise_facts::{Reading, ResidencySample};
use numawise_linux::Roots;
use numawise_units::{Bytes, Nanoseconds, Pid};

use crate::census::{Census, Step};
use crate::plan::{Kind, Plan};
use crate::table::Table;
use numawise_linux::file::read_path;

/// The most that is spent without a pause, so that the program is not kept off its CPU for long.
const SLICE: Nanoseconds = Nanoseconds(1_000_000);

/// The least that is worth waking up for.
const LEAST: Nanoseconds = Nanoseconds(50_000);

/// No look waits until more than this is to be had: with very many threads some are read at a time.
const ENOUGH: Nanoseconds = Nanoseconds(300_000);

/// What the sampler tells.
#[derive(Debug)]
pub(crate) struct Seen {
    pub table: Table,
    pub pages: Reading<ResidencySample>,
    pub peak: Option<Bytes>,
    pub samples: u64,
    pub cost: Nanoseconds,
    /// The sampling thread, while it lives.
    pub thread: Option<Pid>,
}

/// What the sampler and its owner share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub seen: Mutex<Seen>,
    stop: AtomicBool,
    stopped: Mutex<()>,
    wake: Condvar,
}

impl Shared {
    pub fn new(table: Table) -> Self {
        Shared {
            seen: Mutex::new(Seen {
                table,
                pages: Reading::unavailable("the trial ended before its pages were looked at"),
                peak: None,
                samples: 0,
                cost: Nanoseconds(0),
                thread: None,
            }),
            stop: AtomicBool::new(false),
            stopped: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// What was seen; still good when the sampler died over it.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// Where a file of our own can be read, to see how fast this machine is.
    pub roots: Roots,
    pub spent: Nanoseconds,
}

/// Looks until told to stop.
pub(crate) fn run(shared: &Shared, mut census: Census, begun: Instant, budget: Budget) {
    shared.seen().thread = Some(process::own_thread());
    // With one node a census is one small file; else it may cost what all else does.
    let share = if census.one_node() { 0.15 } else { 0.5 };
    let slowness = slowness(&budget.roots);
    let mut plan = Plan::new(budget.rate * slowness, budget.spent, share);
    let mut booked = clock::thread_cpu_time(); // what finding the slowness cost is in no account, but in the total
    let mut usual_look = Nanoseconds(0);
    loop {
        let (kind, due) = plan.next();
        if !shared.wait(begun + Duration::from(due)) {
            break;
        }
        let now = Nanoseconds::from(begun.elapsed());
        let room = plan.room(kind, now).max(LEAST);
        match kind {
            Kind::Look => {
                look(shared, room.min(SLICE));
                let cost = book(shared, &mut booked);
                let eased = Nanoseconds((usual_look.0 * 3 + cost.0) / 4);
                usual_look = eased.max(cost).min(ENOUGH);
                plan.looked(now, cost, usual_look);
            }
            Kind::Census => {
                let step = take_census(shared, &mut census, now, room);
                let cost = book(shared, &mut booked);
                match step {
                    Step::Complete => plan.completed(now, cost, LEAST),
                    Step::Needs(estimate) => plan.counted(now, cost, estimate.max(LEAST)),
                }
            }
        }
    }
    let mut seen = shared.seen();
    seen.cost = clock::thread_cpu_time();
    seen.thread = None;
}

/// How much slower than usual this machine reads a small file of `/proc`: 1 on real and virtual machines, more on emulated
/// ones, where time is stretched for the program and for us alike. There, half a percent would show nothing.
fn slowness(roots: &Roots) -> f64 {
    /// Reading `stat` takes 7 us on the development machine, cold caches 15.
    const USUAL: f64 = 20_000.0;
    const MOST: f64 = 10.0;
    let path = roots.proc().join("self/stat");
    let mut buffer = Vec::with_capacity(1024);
    let mut fastest = Nanoseconds(u64::MAX);
    for _ in 0..3 {
        let begun = clock::thread_cpu_time();
        if read_path(&path, &mut buffer).is_err() {
            return 1.0;
        }
        fastest = fastest.min(clock::thread_cpu_time().saturating_sub(begun));
    }
    (fastest.0 as f64 / USUAL).clamp(1.0, MOST)
}

/// Looks at the threads.
fn look(shared: &Shared, room: Nanoseconds) {
    let begun = clock::thread_cpu_time();
    let mut seen = shared.seen();
    seen.table.discover(room, &shared.stop);
    let spent = clock::thread_cpu_time().saturating_sub(begun);
    seen.table.read(room.saturating_sub(spent), &shared.stop);
    seen.samples += 1;
}

/// Goes on with the census; what was seen is held only to hand over the result, since a census may take long.
fn take_census(shared: &Shared, census: &mut Census, now: Nanoseconds, room: Nanoseconds) -> Step {
    let alive: Vec<Pid> = shared.seen().table.processes.iter().map(|process| process.pid).collect();
    let step = census.step(&alive, now, room, SLICE, &shared.stop);
    let mut seen = shared.seen();
    seen.pages = census.result();
    seen.peak = census.peak;
    step
}

/// What was spent since the last booking.
fn book(shared: &Shared, booked: &mut Nanoseconds) -> Nanoseconds {
    let total = clock::thread_cpu_time();
    shared.seen().cost = total;
    let cost = total.saturating_sub(*booked);
    *booked = total;
    cost
}
