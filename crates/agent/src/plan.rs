//! The plan of this process, read once.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::line::Line;
use crate::mask::{self, MOST_CPUS};
use crate::protocol::{self, Bad, Shape};
use crate::{create, owner, system};

/// Room for a thread on each of 4,096 CPUs, at 64 words. Pages of it that no plan needs are never touched.
const POOL: usize = 1 << 16;
const LEAVE: usize = 512;

/// How far we are.
const UNREAD: u32 = 0;
const READING: u32 = 1;
const OFF: u32 = 2;
const ON: u32 = 3;
/// There is a plan that we cannot follow, and nobody has been told.
const OFF_UNTOLD: u32 = 4;

static STATE: AtomicU32 = AtomicU32::new(UNREAD);
static VERBOSE: AtomicBool = AtomicBool::new(false);
static PLAN: Shared = Shared(UnsafeCell::new(Plan {
    shape: Shape { words: 0, threads: 0 },
    bad: Bad::Version,
    pool: [0; POOL],
    leave: [0; LEAVE],
    by_first: [0; MOST_CPUS],
}));

struct Shared(UnsafeCell<Plan>);

// SAFETY: written by the one thread that turned STATE from UNREAD to READING, before any other reads it.
unsafe impl Sync for Shared {}

pub struct Plan {
    shape: Shape,
    bad: Bad,
    pool: [u64; POOL],
    /// Names that the user adds, parted by commas, ended by a zero.
    leave: [u8; LEAVE],
    /// For each CPU, 1 + the number of a thread whose set begins with it; 0 for none.
    by_first: [u16; MOST_CPUS],
}

/// The plan, where there is one that holds for this process. Reads it at the first call.
pub fn active() -> Option<&'static Plan> {
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
    (state == ON).then(|| unsafe { &*PLAN.0.get() })
}

/// Says once why threads are not pinned, if there is something to be said; to be called when a thread is created.
pub fn complain_once() {
    if STATE.load(Ordering::Acquire) == OFF_UNTOLD
        && STATE.compare_exchange(OFF_UNTOLD, OFF, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        // SAFETY: the plan is complete, and nobody writes to it any more.
        let bad = unsafe { (*PLAN.0.get()).bad };
        Line::new().text(b"threads are not pinned: NUMAWISE_PIN cannot be used: ").text(bad.text()).write();
    }
}

pub fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

fn read() -> u32 {
    create::prepare();
    let Some(text) = system::variable(c"NUMAWISE_PIN") else { return OFF };
    owner::prepare();
    VERBOSE.store(system::variable(c"NUMAWISE_PIN_VERBOSE") == Some(b"1"), Ordering::Relaxed);
    // SAFETY: STATE is READING, so no other thread looks at the plan.
    let plan = unsafe { &mut *PLAN.0.get() };
    match protocol::parse(text, &mut plan.pool) {
        Ok(shape) => plan.shape = shape,
        Err(bad) => {
            plan.bad = bad;
            return OFF_UNTOLD;
        }
    }
    if let Some(leave) = system::variable(c"NUMAWISE_PIN_LEAVE") {
        plan.leave.iter_mut().take(LEAVE - 1).zip(leave).for_each(|(place, byte)| *place = *byte);
    }
    plan.note_first_cpus();
    match plan.holds_here() {
        true => ON,
        false => OFF,
    }
}

impl Plan {
    /// The CPUs of the whole task.
    pub fn task(&self) -> &[u64] {
        self.pool.get(..self.shape.words).unwrap_or_default()
    }

    /// The CPUs of thread k; beyond the plan's threads it begins again.
    pub fn thread(&self, k: usize) -> &[u64] {
        let Shape { words, threads } = self.shape;
        let start = words * (1 + k.checked_rem(threads).unwrap_or(0));
        self.pool.get(start..start + words).unwrap_or_default()
    }

    pub fn leave(&self) -> &[u8] {
        self.leave.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    fn note_first_cpus(&mut self) {
        for k in 0..self.shape.threads.min(usize::from(u16::MAX) - 1) {
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
            || (k + 1..self.shape.threads).any(|k| mask::same(self.thread(k), cpus))
    }

    /// Whether this process runs where the plan says. One that was given other CPUs on the way (by `taskset`, by the binding
    /// of an MPI launcher) is left alone. One that a pinned thread started without fork's handlers (`posix_spawn`,
    /// `vfork`) has that thread's CPUs, and gets the whole task's back.
    fn holds_here(&self) -> bool {
        let Some(own) = system::affinity(0) else { return false };
        if mask::same(own.words(), self.task()) {
            return true;
        }
        let of_a_pinned_parent = self.is_of_a_thread(own.words())
            && system::affinity(system::parent())
                .is_some_and(|parents| mask::same(parents.words(), self.thread(0)));
        let restored = of_a_pinned_parent && system::set_affinity(0, self.task());
        if !restored && is_verbose() {
            Line::new()
                .text(b"threads of process ")
                .number(system::process() as usize)
                .text(b" are left alone: it was given CPUs ")
                .cpus(own.words())
                .text(b", not those of the task")
                .write();
        }
        restored
    }
}
