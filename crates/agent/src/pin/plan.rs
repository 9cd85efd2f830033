//! The pin plan of this process, read once.

use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use numawise_wire::mask::{self, MOST_CPUS};
use numawise_wire::pin::{self, PinPlanError, PinPlanLayout, PlanEffect};

use super::messages;
use crate::cpus::{self, CpuMask};
use crate::system;
use crate::{sandbox, stream};

/// Enough for a thread on each of 4,096 CPUs, at 64 words. Pages of it that no plan needs are never touched.
const POOL: usize = 1 << 16;
const LEAVE: usize = 512;

// The values of STATE.
const UNREAD: u32 = 0;
const READING: u32 = 1;
const OFF: u32 = 2;
const ON: u32 = 3;
/// There is a plan that we cannot follow, and the user does not know yet.
const OFF_UNREPORTED: u32 = 4;

/// Why there is a plan that we do not follow.
#[derive(Debug, Clone, Copy)]
enum Problem {
    Text(PinPlanError),
    /// This process was given other CPUs than the task's.
    Elsewhere,
}

static STATE: AtomicU32 = AtomicU32::new(UNREAD);
static VERBOSE: AtomicBool = AtomicBool::new(false);
/// Beside the plan, which is all zeros at first and so takes no room in the file.
static PROBLEM: Shared<Problem> = Shared(UnsafeCell::new(Problem::Elsewhere));
static PLAN: Shared<PinPlan> = Shared(UnsafeCell::new(PinPlan {
    layout: PinPlanLayout { words: 0, threads: 0, effect: PlanEffect::Places },
    pool: [0; POOL],
    leave: [0; LEAVE],
    by_first: [0; MOST_CPUS],
}));

struct Shared<T>(UnsafeCell<T>);

// SAFETY: written by the one thread that turned STATE from UNREAD to READING, before any other reads it.
unsafe impl<T> Sync for Shared<T> {}

/// CPUs for the task and for each of its threads.
pub struct PinPlan {
    layout: PinPlanLayout,
    pool: [u64; POOL],
    /// Names that the user adds, separated by commas, ended by a zero.
    leave: [u8; LEAVE],
    /// For each CPU, 1 + the number of a thread whose set begins with it; 0 for none.
    by_first: [u16; MOST_CPUS],
}

/// The plan, where there is one that holds for this process, which may follow it. Reads it at the first call.
pub fn active() -> Option<&'static PinPlan> {
    let mut state = STATE.load(Ordering::Acquire);
    if state == UNREAD {
        match STATE.compare_exchange(UNREAD, READING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                state = read();
                STATE.store(state, Ordering::Release);
            }
            Err(other) => state = other,
        }
    }
    // Another thread reads: that takes microseconds.
    while state == READING {
        system::let_others_run();
        state = STATE.load(Ordering::Acquire);
    }
    // SAFETY: the plan is complete, and nobody writes to it any more.
    (state == ON && !sandbox::is_quiet()).then(|| unsafe { &*PLAN.0.get() })
}

/// The same, where it was read already.
pub fn known() -> Option<&'static PinPlan> {
    // SAFETY: as above.
    (STATE.load(Ordering::Acquire) == ON && !sandbox::is_quiet()).then(|| unsafe { &*PLAN.0.get() })
}

/// Says once why threads are not pinned, if there is something to be said; to be called when a thread is created.
pub fn complain_once() {
    if !sandbox::is_quiet()
        && STATE.load(Ordering::Acquire) == OFF_UNREPORTED
        && STATE.compare_exchange(OFF_UNREPORTED, OFF, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        // SAFETY: the plan is complete, and nobody writes to it any more.
        let problem = unsafe { *PROBLEM.0.get() };
        match problem {
            Problem::Text(error) => messages::plan_refused(error),
            Problem::Elsewhere if is_verbose() => messages::process_left_alone(),
            Problem::Elsewhere => {}
        }
    }
}

pub fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

fn read() -> u32 {
    let Some(text) = system::variable(pin::PLAN) else { return OFF };
    stream::remember();
    VERBOSE.store(system::variable(pin::VERBOSE) == Some(pin::VERBOSE_ON.as_bytes()), Ordering::Relaxed);
    // SAFETY: STATE is READING, so no other thread looks at the plan.
    let plan = unsafe { &mut *PLAN.0.get() };
    match pin::decode(text, &mut plan.pool) {
        Ok(layout) => plan.layout = layout,
        Err(error) => {
            // SAFETY: as above.
            unsafe { *PROBLEM.0.get() = Problem::Text(error) };
            return OFF_UNREPORTED;
        }
    }
    if let Some(leave) = system::variable(pin::LEAVE) {
        plan.leave.iter_mut().take(LEAVE - 1).zip(leave).for_each(|(place, byte)| *place = *byte);
    }
    plan.note_first_cpus();
    if plan.holds_here() { ON } else { OFF_UNREPORTED }
}

impl PinPlan {
    /// The CPUs of the whole task.
    pub fn task(&self) -> &[u64] {
        self.pool.get(..self.layout.words).unwrap_or_default()
    }

    /// The CPUs of thread k; beyond the plan's threads it begins again.
    pub fn thread(&self, k: usize) -> &[u64] {
        let PinPlanLayout { words, threads, .. } = self.layout;
        let start = words * (1 + k.checked_rem(threads).unwrap_or(0));
        self.pool.get(start..start + words).unwrap_or_default()
    }

    /// How many threads it is made for; at least 1.
    pub fn threads(&self) -> usize {
        self.layout.threads
    }

    /// Gives the thread `id` (0 is the calling one) these CPUs; false when the kernel refuses. An inert plan asks the kernel as
    /// often, and changes nothing.
    pub fn give(&self, id: c_int, cpus: &[u64]) -> bool {
        match self.layout.effect {
            PlanEffect::Places => cpus::set_affinity(id, cpus),
            PlanEffect::Inert => cpus::affinity(id, &mut CpuMask::new()),
        }
    }

    pub fn leave(&self) -> &[u8] {
        self.leave.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    fn note_first_cpus(&mut self) {
        for k in 0..self.layout.threads.min(usize::from(u16::MAX) - 1) {
            let first = mask::first(self.thread(k));
            if let Some(place) = first.and_then(|cpu| self.by_first.get_mut(cpu))
                && *place == 0
            {
                *place = k as u16 + 1;
            }
        }
    }

    /// Whether a mask is that of one of the plan's threads.
    pub fn is_of_a_thread(&self, cpus: &[u64]) -> bool {
        let number = mask::first(cpus).and_then(|cpu| self.by_first.get(cpu)).copied().unwrap_or(0);
        let Some(k) = usize::from(number).checked_sub(1) else { return false };
        // Sets that begin alike and go on differently are rare, and found one by one.
        mask::same(self.thread(k), cpus)
            || (k + 1..self.layout.threads).any(|k| mask::same(self.thread(k), cpus))
    }

    /// Whether this process runs where the plan says. One that was given other CPUs on the way (by `taskset`, by the binding
    /// of an MPI launcher, by the program that started it) is left alone, whatever they are; what a thread of ours
    /// starts has the whole task's.
    fn holds_here(&self) -> bool {
        let mut own = CpuMask::new();
        cpus::affinity(0, &mut own) && mask::same(own.words(), self.task())
    }
}
