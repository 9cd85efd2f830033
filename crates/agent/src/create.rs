//! We stand before the functions that create threads.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use crate::begin;
use crate::fork;
use crate::line::Line;
use crate::mask::{self, MOST_CPUS};
use crate::names::{self, Kind};
use crate::owner::{self, Owner};
use crate::plan::{self, Plan};
use crate::slot::{self, Orders, Place};
use crate::system::{self, KeptErrno};

pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
pub type C11Start = unsafe extern "C" fn(*mut c_void) -> c_int;
type C11Create = unsafe extern "C" fn(*mut libc::pthread_t, C11Start, *mut c_void) -> c_int;

/// `thrd_error` of glibc's threads.h.
const THRD_ERROR: c_int = 2;

type GetCpus = unsafe extern "C" fn(*const libc::pthread_attr_t, usize, *mut u8) -> c_int;

static PTHREAD: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
static C11: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
static GET_CPUS: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
/// The number of the next thread; the main thread is 0.
static NEXT: AtomicUsize = AtomicUsize::new(1);
static MAIN_IS_DONE: AtomicBool = AtomicBool::new(false);

/// Finds the functions that we stand before; to be called once.
pub fn prepare() {
    PTHREAD.store(system::next_symbol(c"pthread_create"), Ordering::Relaxed);
    C11.store(system::next_symbol(c"thrd_create"), Ordering::Relaxed);
    GET_CPUS.store(system::next_symbol(c"pthread_attr_getaffinity_np"), Ordering::Relaxed);
}

/// For a child of fork.
pub fn count_anew() {
    NEXT.store(1, Ordering::Relaxed);
    MAIN_IS_DONE.store(false, Ordering::Relaxed);
}

/// # Safety
/// As pthread_create(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attr: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the caller keeps to pthread_create(3).
    let orders = unsafe { orders(attr, start as *const c_void, argument) };
    let real = PTHREAD.load(Ordering::Relaxed);
    if real.is_null() {
        return libc::EAGAIN;
    }
    // SAFETY: the symbol is a function of this type.
    let real: Create = unsafe { core::mem::transmute(real) };
    match orders {
        // SAFETY: the caller's own arguments.
        None => unsafe { real(thread, attr, start, argument) },
        // SAFETY: the caller's own arguments, but for the routine, which takes the slot and runs the caller's.
        Some(place) => unsafe { undone(real(thread, attr, begin::pthread(), place), place) },
    }
}

/// # Safety
/// As thrd_create(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_create(
    thread: *mut libc::pthread_t,
    start: C11Start,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: there are no attributes.
    let orders = unsafe { orders(core::ptr::null(), start as *const c_void, argument) };
    let real = C11.load(Ordering::Relaxed);
    if real.is_null() {
        return THRD_ERROR;
    }
    // SAFETY: the symbol is a function of this type.
    let real: C11Create = unsafe { core::mem::transmute(real) };
    match orders {
        // SAFETY: the caller's own arguments.
        None => unsafe { real(thread, start, argument) },
        // SAFETY: as in pthread_create.
        Some(place) => unsafe { undone(real(thread, begin::c11(), place), place) },
    }
}

/// Where no thread came to be, its number and its slot are free again.
unsafe fn undone(result: c_int, place: *mut c_void) -> c_int {
    if result != 0
        // SAFETY: no thread has it.
        && let Some(Orders { place: Place::Thread(k), .. }) = unsafe { slot::take(place) }
    {
        let _ = NEXT.compare_exchange(k + 1, k, Ordering::Relaxed, Ordering::Relaxed);
    }
    result
}

/// The new thread places itself.
pub fn follow(orders: &Orders) {
    let Some(plan) = plan::active() else { return };
    match orders.place {
        Place::Thread(k) => {
            let cpus = plan.thread(k);
            let pinned = system::set_affinity(0, cpus);
            if plan::is_verbose() {
                told(k, orders.owner.name(), cpus, pinned);
            }
        }
        Place::Task(reason) => {
            system::set_affinity(0, plan.task());
            if plan::is_verbose() {
                left_alone(orders.owner.name(), reason);
            }
        }
    }
}

/// What the new thread is to do first, in a slot; `None` when it is to be created as the program says.
///
/// # Safety
/// `attr` must be null or valid, and `start` and `argument` belong together.
unsafe fn orders(
    attr: *const libc::pthread_attr_t,
    start: *const c_void,
    argument: *mut c_void,
) -> Option<*mut c_void> {
    let _errno = KeptErrno::new();
    let Some(plan) = plan::active() else {
        plan::complain_once();
        return None;
    };
    let owner = Owner::of_thread(start, argument);
    let leave = |reason: &[u8]| {
        if plan::is_verbose() {
            left_alone(owner.name(), reason);
        }
        None
    };
    // SAFETY: the caller's promise.
    if unsafe { carries_cpus(attr) } {
        return leave(b"its attributes carry CPUs");
    }
    let kind = names::kind(owner.name(), plan.leave());
    if kind == Kind::OpenMp {
        return leave(b"OpenMP, which places it by OMP_PLACES");
    }
    let creators = system::affinity(0)?;
    let from_the_task = mask::same(creators.words(), plan.task());
    if !from_the_task && !plan.is_of_a_thread(creators.words()) {
        return leave(b"its creator has CPUs that the program chose");
    }
    let place = match kind {
        Kind::Helper(reason) if from_the_task => return leave(reason),
        Kind::Helper(reason) => Place::Task(reason),
        _ => {
            fork::prepare();
            pin_main(plan);
            Place::Thread(NEXT.fetch_add(1, Ordering::Relaxed))
        }
    };
    let slot = slot::put(Orders { start, argument, place, owner });
    (!slot.is_null()).then_some(slot)
}

/// Whether a thread with these attributes is placed by them.
///
/// # Safety
/// `attr` must be null or valid.
unsafe fn carries_cpus(attr: *const libc::pthread_attr_t) -> bool {
    let get = GET_CPUS.load(Ordering::Relaxed);
    if attr.is_null() || get.is_null() {
        return false;
    }
    // SAFETY: the symbol is a function of this type.
    let get: GetCpus = unsafe { core::mem::transmute(get) };
    let mut cpus = [0u8; MOST_CPUS / 8];
    // SAFETY: the attributes are valid, and the C library writes at most the given number of bytes.
    let result = unsafe { get(attr, cpus.len(), cpus.as_mut_ptr()) };
    // All bits are set where there are none; a set that is too large for our buffer is an error.
    result != 0 || cpus.iter().any(|byte| *byte != 0xff)
}

/// Pins the main thread, once, when there is a second: a process of one thread keeps all CPUs of its task, since it may
/// be a shell that starts others. Not where the program chose its CPUs, nor where an OpenMP runtime is loaded that will
/// take its CPUs for all there are.
fn pin_main(plan: &Plan) {
    if MAIN_IS_DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    let process = system::process();
    let Some(own) = system::affinity(process) else { return };
    if !mask::same(own.words(), plan.task()) {
        if plan::is_verbose() && !plan.is_of_a_thread(own.words()) {
            left_alone(b"main", b"the program chose its CPUs");
        }
        return;
    }
    if owner::is_loaded(names::counts_cpus_late) {
        if plan::is_verbose() {
            left_alone(b"main", b"OpenMP, which places it by OMP_PLACES");
        }
        return;
    }
    let cpus = plan.thread(0);
    let pinned = system::set_affinity(process, cpus);
    if plan::is_verbose() {
        told(0, b"main", cpus, pinned);
    }
}

fn told(k: usize, name: &[u8], cpus: &[u64], pinned: bool) {
    let line =
        Line::new().text(b"thread ").number(k).text(b" of process ").number(system::process() as usize);
    let line = line.text(b" (").text(shown(name)).text(b"): CPUs ").cpus(cpus);
    match pinned {
        true => line.write(),
        false => line.text(b" were refused by the kernel; it stays on those of its creator").write(),
    }
}

fn left_alone(name: &[u8], reason: &[u8]) {
    let line = Line::new().text(b"a thread of process ").number(system::process() as usize);
    line.text(b" (").text(shown(name)).text(b") is left alone: ").text(reason).write();
}

fn shown(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"the program" } else { name }
}
