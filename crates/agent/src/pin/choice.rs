//! Who gave a thread its CPUs: we, or the program and whoever runs it. Known by what was done, never guessed from the CPUs: those
//! that a program chooses may be those of a thread of the plan.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering};

use numawise_wire::mask::{self, MOST_CPUS};

use super::places;
use super::plan::PinPlan;
use crate::system;

/// 1 + the key under which each thread has what became of it: 1 + its place in the plan or nothing, with [`CHOSEN`] and [`JOINED`].
/// Made before the program begins, so that it is one of the first keys, for which the C library allocates nothing.
static KEY: AtomicU32 = AtomicU32::new(0);
/// The program chose the thread's CPUs.
const CHOSEN: usize = 1 << 31;
/// The thread has joined others since it last created one.
const JOINED: usize = 1 << 30;
const PLACE: usize = JOINED - 1;

/// The process that this state is of. A child of vfork has its parent's memory, and another number.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// A child of vfork that chose its CPUs.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// The main thread, as pthread_self has it, and whether we pinned it: another thread may do that.
static MAIN: AtomicUsize = AtomicUsize::new(0);
static MAIN_IS_PINNED: AtomicBool = AtomicBool::new(false);
/// 1 + the place of the main thread when it was told that it has the CPUs of the task; 0 where it was not.
static TOLD: AtomicUsize = AtomicUsize::new(0);
/// The program chose CPUs for the main thread.
static MAIN_IS_CHOSEN: AtomicBool = AtomicBool::new(false);
/// The program chose CPUs for a thread other than the one that asked: what we gave to which thread is no longer known.
static OTHERS_CHOSEN: AtomicBool = AtomicBool::new(false);
/// An OpenMP runtime places threads by `OMP_PLACES`, which numawise wrote: on the CPUs of the plan's threads.
static OPEN_MP: AtomicBool = AtomicBool::new(false);

/// To be called in the only thread, before the program begins.
pub fn begin() {
    let mut key = 0;
    // SAFETY: the key is written by the call; what is called at the end of a thread is never unloaded.
    if unsafe { libc::pthread_key_create(&mut key, Some(at_end)) } == 0 {
        KEY.store(key.wrapping_add(1), Ordering::Relaxed);
    }
    enter_process();
}

/// At the end of a thread, with its mark. It has none any more, so that this comes once.
unsafe extern "C" fn at_end(mark: *mut c_void) {
    if let Some(place) = place_of(mark.addr()) {
        places::end(place);
    }
}

/// In a child of fork, whose thread keeps what it chose.
pub fn begin_child() {
    set_mark(mark() & CHOSEN);
    MAIN_IS_PINNED.store(false, Ordering::Relaxed);
    MAIN_IS_CHOSEN.store(mark() & CHOSEN != 0, Ordering::Relaxed);
    TOLD.store(0, Ordering::Relaxed);
    enter_process();
}

fn enter_process() {
    PROCESS.store(system::process(), Ordering::Relaxed);
    // SAFETY: no preconditions.
    MAIN.store(unsafe { libc::pthread_self() } as usize, Ordering::Relaxed);
}

fn key() -> Option<libc::pthread_key_t> {
    KEY.load(Ordering::Relaxed).checked_sub(1)
}

fn mark() -> usize {
    // SAFETY: the key was made.
    key().map_or(0, |key| unsafe { libc::pthread_getspecific(key) }.addr())
}

fn set_mark(mark: usize) {
    if let Some(key) = key() {
        // SAFETY: the key was made; the value is a number.
        unsafe { libc::pthread_setspecific(key, core::ptr::without_provenance::<c_void>(mark)) };
    }
}

fn is_main() -> bool {
    // SAFETY: no preconditions.
    unsafe { libc::pthread_self() as usize == MAIN.load(Ordering::Relaxed) }
}

fn place_of(mark: usize) -> Option<usize> {
    (mark & PLACE).checked_sub(1)
}

/// The calling thread, which is new, has this place in the plan.
pub fn placed(place: usize) {
    set_mark(place.wrapping_add(1) & PLACE);
}

/// The calling thread waits for the end of another one.
pub fn joins() {
    let mark = mark();
    if mark & JOINED == 0 {
        set_mark(mark | JOINED);
    }
}

/// Whether the calling thread has joined others since this was last asked.
pub fn has_joined() -> bool {
    let mark = mark();
    if mark & JOINED != 0 {
        set_mark(mark & !JOINED);
    }
    mark & JOINED != 0
}

/// The main thread was pinned.
pub fn main_pinned() {
    MAIN_IS_PINNED.store(true, Ordering::Relaxed);
}

/// An OpenMP runtime is at work.
pub fn open_mp_places() {
    OPEN_MP.store(true, Ordering::Relaxed);
}

pub fn is_open_mp_at_work() -> bool {
    OPEN_MP.load(Ordering::Relaxed)
}

/// The program chose the CPUs of a thread: 0 is the calling one.
pub fn chosen(thread: c_int) {
    let process = system::process();
    if process != PROCESS.load(Ordering::Relaxed) {
        CHILD.store(process, Ordering::Relaxed);
    } else if thread == 0 || thread == system::thread() {
        set_mark(mark() | CHOSEN);
        if is_main() {
            MAIN_IS_CHOSEN.store(true, Ordering::Relaxed);
        }
    } else {
        OTHERS_CHOSEN.store(true, Ordering::Relaxed);
    }
}

/// Whether a call that names a thread by its number names the main thread.
pub fn is_mains_number(thread: c_int) -> bool {
    if thread == 0 { is_main() } else { thread == PROCESS.load(Ordering::Relaxed) }
}

/// The same of pthread_self's handle.
pub fn is_mains_handle(thread: libc::pthread_t) -> bool {
    thread as usize == MAIN.load(Ordering::Relaxed)
}

/// Whether the main thread has the CPUs of this mask from us or from OpenMP by the plan: then it is told those of the task.
pub fn main_is_told_the_task(plan: &PinPlan, mask: &[u8]) -> bool {
    // A child of vfork is on its way to another program.
    if MAIN_IS_CHOSEN.load(Ordering::Relaxed)
        || OTHERS_CHOSEN.load(Ordering::Relaxed)
        || PROCESS.load(Ordering::Relaxed) != system::process()
    {
        return false;
    }
    let places = match (MAIN_IS_PINNED.load(Ordering::Relaxed), OPEN_MP.load(Ordering::Relaxed)) {
        (_, true) => plan.threads(),
        (true, false) => 1,
        (false, false) => 0,
    };
    let place = (0..places).find(|place| are_same(plan.thread(*place), mask));
    if let Some(place) = place {
        TOLD.store(place + 1, Ordering::Relaxed);
    }
    place.is_some()
}

/// The place to which the calling thread goes back, where it is the main one, was told that it has the CPUs of the task, and has just set those
/// of this mask. It has chosen nothing then: who saves and restores the CPUs of a thread does so.
pub fn goes_back(plan: &PinPlan, mask: &[u8]) -> Option<usize> {
    let place = TOLD.load(Ordering::Relaxed).checked_sub(1)?;
    let is_own = is_main() && PROCESS.load(Ordering::Relaxed) == system::process();
    if !is_own || mark() & CHOSEN == 0 || !are_same(plan.task(), mask) {
        return None;
    }
    set_mark(mark() & !CHOSEN);
    MAIN_IS_CHOSEN.store(false, Ordering::Relaxed);
    Some(place)
}

/// Whether a mask of the C library has these CPUs and no others; either may be the longer one.
fn are_same(cpus: &[u64], mask: &[u8]) -> bool {
    let cpus = cpus.iter().flat_map(|word| word.to_le_bytes()).chain(core::iter::repeat(0));
    let mask = mask.iter().copied().chain(core::iter::repeat(0));
    cpus.zip(mask).take(MOST_CPUS / 8).all(|(one, other)| one == other)
}

/// Whether the calling thread has `own` CPUs from us, or from OpenMP by the plan.
pub fn is_ours(plan: &PinPlan, own: &[u64]) -> bool {
    let chosen_in_child = CHILD.load(Ordering::Relaxed) == system::process();
    if chosen_in_child || OTHERS_CHOSEN.load(Ordering::Relaxed) {
        return false;
    }
    let mark = mark();
    match place_of(mark) {
        _ if mark & CHOSEN != 0 => false,
        None if is_main() && MAIN_IS_PINNED.load(Ordering::Relaxed) => mask::same(own, plan.thread(0)),
        None => OPEN_MP.load(Ordering::Relaxed) && plan.is_of_a_thread(own),
        Some(place) => mask::same(own, plan.thread(place)),
    }
}
