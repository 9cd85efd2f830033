//! What belongs to one process: the numbers and places of its threads. A child of fork has one thread, counts from 1 again, and gets
//! the whole task's CPUs back where we had pinned the thread that forked.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::plan::{self, PinPlan};
use super::{choice, places, slot};
use crate::cpus::{self, CpuMask};
use crate::sandbox;
use crate::system::SavedErrno;

/// The number of the next thread; the main thread is 0.
static NEXT: AtomicUsize = AtomicUsize::new(1);
static MAIN_IS_DONE: AtomicBool = AtomicBool::new(false);

/// A thread that is to be created: it is the `number`-th of the process, and gets the CPUs of the plan's thread `place`.
#[derive(Debug, Clone, Copy)]
pub struct NumberedThread {
    pub number: usize,
    pub place: usize,
}

/// Gives a number and a place to a thread that the calling one creates.
pub fn next_thread(plan: &PinPlan) -> NumberedThread {
    restart_in_children();
    if choice::has_joined() {
        places::free_ended(plan.threads());
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    NumberedThread { number, place: places::take(plan.threads(), number) }
}

/// Takes back the place of a thread that was not created, and its number, unless the next has been given meanwhile.
pub fn give_back(thread: NumberedThread) {
    let NumberedThread { number, place } = thread;
    let _ = NEXT.compare_exchange(number + 1, number, Ordering::Relaxed, Ordering::Relaxed);
    places::give_back(place);
}

/// True at the first call of this process.
pub fn main_is_due() -> bool {
    !MAIN_IS_DONE.swap(true, Ordering::Relaxed)
}

static REGISTERED: AtomicBool = AtomicBool::new(false);

/// An OpenMP runtime is at work. It binds the thread that loads it, and what that forks is to have the whole task.
pub fn open_mp_places() {
    choice::open_mp_places();
    restart_in_children();
}

/// Registers the handler of fork, before the first thread is pinned. Does nothing the second time.
fn restart_in_children() {
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        numawise_guest::process::at_fork(in_child);
    }
}

unsafe extern "C" fn in_child() {
    let _errno = SavedErrno::new();
    let Some(plan) = plan::active() else { return };
    if !sandbox::is_quiet() {
        sandbox::begin_child();
    }
    let mut own = CpuMask::new();
    if cpus::affinity(0, &mut own) && choice::is_ours(plan, own.words()) {
        plan.give(0, plan.task());
    }
    choice::begin_child();
    slot::free_all();
    places::free_all(plan.threads());
    NEXT.store(1, Ordering::Relaxed);
    MAIN_IS_DONE.store(false, Ordering::Relaxed);
}
