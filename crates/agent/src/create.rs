//! We stand before the functions that create threads.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::begin;
use crate::fork;
use crate::line::Line;
use crate::mask::{self, MOST_CPUS};
use crate::names::{self, Kind};
use crate::owner::{self, Owner};
use crate::plan::{self, Plan};
use crate::slot::{self, Orders};
use crate::system::{self, Found, KeptErrno, Symbol};

pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
pub type C11Start = unsafe extern "C" fn(*mut c_void) -> c_int;
type C11Create = unsafe extern "C" fn(*mut libc::pthread_t, C11Start, *mut c_void) -> c_int;

/// `thrd_error` of glibc's threads.h.
const THRD_ERROR: c_int = 2;

type GetCpus = unsafe extern "C" fn(*const libc::pthread_attr_t, usize, *mut u8) -> c_int;

static PTHREAD: Symbol = Symbol::new(c"pthread_create");
static C11: Symbol = Symbol::new(c"thrd_create");
static GET_CPUS: Symbol = Symbol::new(c"pthread_attr_getaffinity_np");
/// The number of the next thread; the main thread is 0.
static NEXT: AtomicUsize = AtomicUsize::new(1);
static MAIN_IS_DONE: AtomicBool = AtomicBool::new(false);

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
    let wanted = Wanted { attr, start: start as *const c_void, argument };
    // SAFETY: the caller keeps to pthread_create(3); the symbol is a function of this type, and gets the caller's own
    // arguments, or a routine that takes the slot and runs the caller's.
    unsafe {
        create(&wanted, |slot| {
            let real = PTHREAD.get();
            if real.is_null() {
                return libc::EAGAIN;
            }
            let real: Create = core::mem::transmute(real);
            match slot {
                None => real(thread, attr, start, argument),
                Some(slot) => real(thread, attr, begin::pthread(), slot),
            }
        })
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
    let wanted = Wanted { attr: core::ptr::null(), start: start as *const c_void, argument };
    // SAFETY: as in pthread_create.
    unsafe {
        create(&wanted, |slot| {
            let real = C11.get();
            if real.is_null() {
                return THRD_ERROR;
            }
            let real: C11Create = core::mem::transmute(real);
            match slot {
                None => real(thread, start, argument),
                Some(slot) => real(thread, begin::c11(), slot),
            }
        })
    }
}

/// What the program asks for.
struct Wanted {
    attr: *const libc::pthread_attr_t,
    start: *const c_void,
    argument: *mut c_void,
}

/// What becomes of it.
enum Fate {
    /// As the program asks.
    Plain,
    /// A helper; it inherits the task's CPUs.
    OnTheTask,
    /// It is counted and pinned.
    Numbered(usize),
}

/// Creates a thread by `make`, which is given the slot of its orders, if it has any.
///
/// A new thread inherits the CPUs of its creator, and begins where its creator runs if that is pinned: behind it, until
/// the creator rests. So the creator may run for a moment on the new thread's CPUs too, and the kernel chooses the idle one.
///
/// # Safety
/// What is wanted must be valid for pthread_create.
unsafe fn create(wanted: &Wanted, make: impl FnOnce(Option<*mut c_void>) -> c_int) -> c_int {
    let errno = KeptErrno::new();
    let Some(plan) = plan::active() else {
        plan::complain_once();
        drop(errno);
        return make(None);
    };
    // SAFETY: the caller's promise.
    let owner = unsafe { Owner::of_thread(wanted.start, wanted.argument) };
    let mut own = Found::new();
    // SAFETY: the caller's promise.
    let fate = unsafe { fate(plan, wanted, owner, &mut own) };
    let (slot, goal) = match fate {
        Fate::Plain => {
            drop(errno);
            return make(None);
        }
        Fate::OnTheTask => (None, plan.task()),
        Fate::Numbered(k) => {
            let &Wanted { start, argument, .. } = wanted;
            let slot = slot::put(Orders { start, argument, k, owner });
            // Without memory for the orders the thread is created as the program asks.
            ((!slot.is_null()).then_some(slot), plan.thread(k))
        }
    };
    let widen = !mask::is_subset(goal, own.words());
    if widen {
        system::set_affinity(0, Found::union(own.words(), goal).words());
    }
    drop(errno);
    let result = make(slot);
    let _errno = KeptErrno::new();
    if widen {
        system::set_affinity(0, own.words());
    }
    match (result, slot, &fate) {
        (0, _, Fate::Numbered(k)) if k + 1 >= plan.threads() => pin_main(plan),
        (0, ..) | (_, None, _) => {}
        // No thread came to be: its number and its slot are free again.
        (_, Some(slot), _) => {
            // SAFETY: no thread has it.
            if let Some(Orders { k, .. }) = unsafe { slot::take(slot) } {
                let _ = NEXT.compare_exchange(k + 1, k, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }
    result
}

/// Whether a thread is counted; `own` becomes the CPUs of its creator.
///
/// # Safety
/// What is wanted must be valid for pthread_create.
unsafe fn fate(plan: &Plan, wanted: &Wanted, owner: Owner, own: &mut Found) -> Fate {
    let leave = |reason: &[u8], fate| {
        if plan::is_verbose() {
            left_alone(owner.name(), reason);
        }
        fate
    };
    // SAFETY: the caller's promise.
    if unsafe { carries_cpus(wanted.attr) } {
        return leave(b"its attributes carry CPUs", Fate::Plain);
    }
    let kind = names::kind(owner.name(), plan.leave());
    if kind == Kind::OpenMp {
        return leave(b"OpenMP, which places it by OMP_PLACES", Fate::Plain);
    }
    if !system::affinity(0, own) || !plan.knows(own.words()) {
        return leave(b"the program chose the CPUs of its creator", Fate::Plain);
    }
    match kind {
        Kind::Helper(reason) => leave(reason, Fate::OnTheTask),
        _ => {
            fork::prepare();
            Fate::Numbered(NEXT.fetch_add(1, Ordering::Relaxed))
        }
    }
}

/// The new thread places itself.
pub fn follow(orders: &Orders) {
    let Some(plan) = plan::active() else { return };
    let cpus = plan.thread(orders.k);
    let pinned = system::set_affinity(0, cpus);
    if plan::is_verbose() {
        told(orders.k, orders.owner.name(), cpus, pinned);
    }
}

/// Whether a thread with these attributes is placed by them.
///
/// # Safety
/// `attr` must be null or valid.
unsafe fn carries_cpus(attr: *const libc::pthread_attr_t) -> bool {
    let get = GET_CPUS.get();
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

/// Pins the main thread, once, when the plan's threads are all there. A process of one thread keeps all CPUs of its task,
/// since it may be a shell that starts others; and one with a thread for its log may yet count the CPUs of its mask, to
/// make a pool of as many. Not where the program chose its CPUs, nor where an OpenMP runtime is loaded that will
/// take its CPUs for all there are.
fn pin_main(plan: &Plan) {
    if MAIN_IS_DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    let process = system::process();
    let mut own = Found::new();
    if !system::affinity(process, &mut own) || !mask::same(own.words(), plan.task()) {
        if plan::is_verbose() && !plan.knows(own.words()) {
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
    if pinned {
        line.write()
    } else {
        line.text(b" were refused by the kernel; it stays on those of its creator").write()
    }
}

fn left_alone(name: &[u8], reason: &[u8]) {
    let line = Line::new().text(b"a thread of process ").number(system::process() as usize);
    line.text(b" (").text(shown(name)).text(b") is left alone: ").text(reason).write();
}

fn shown(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"the program" } else { name }
}
