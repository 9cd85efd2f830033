//! We stand before the functions that create threads.

use core::ffi::c_int;

use numawise_guest::threads::{CreateRequest, FirstSteps};
use numawise_wire::mask::{self, MOST_CPUS};
use numawise_wire::roles::{self, ThreadRole};

use super::begin::BEGIN;
use super::owner::{self, Owner};
use super::plan::{self, PinPlan};
use super::process::NumberedThread;
use super::slot::{self, NewThread};
use super::{choice, messages, process, programs};
use crate::cpus::{self, CpuMask};
use crate::system::{self, SavedErrno, Symbol};

type GetCpus = unsafe extern "C" fn(*const libc::pthread_attr_t, usize, *mut u8) -> c_int;

static GET_CPUS: Symbol = Symbol::new(c"pthread_attr_getaffinity_np");

numawise_guest::stand_before_threads!(create);

/// What is done with a request.
enum Treatment {
    /// The thread is created as the program asks.
    Plain,
    /// A helper, which inherits the task's CPUs.
    OnTheTask,
    /// The thread is counted and pinned.
    Numbered(NumberedThread),
}

/// Creates a thread by `make`, which is given its first steps, if it has any.
///
/// A new thread inherits the CPUs of its creator, and begins where its creator runs if that is pinned: behind it, until
/// the creator rests. So the creator may run for a moment on the new thread's CPUs too, and the kernel chooses the idle one.
///
/// # Safety
/// The request must be valid for pthread_create.
unsafe fn create(request: &CreateRequest, make: impl FnOnce(Option<FirstSteps>) -> c_int) -> c_int {
    let errno = SavedErrno::new();
    programs::look_up();
    let Some(plan) = plan::active() else {
        plan::complain_once();
        drop(errno);
        return make(None);
    };
    // SAFETY: the caller's promise.
    let owner = unsafe { Owner::of_thread(request.start, request.argument) };
    let mut own = CpuMask::new();
    // SAFETY: the caller's promise.
    let treatment = unsafe { treatment(plan, request, owner, &mut own) };
    let (slot, goal) = match treatment {
        Treatment::Plain => {
            drop(errno);
            return make(None);
        }
        Treatment::OnTheTask => (None, plan.task()),
        Treatment::Numbered(thread) => {
            let &CreateRequest { start, argument, .. } = request;
            let NumberedThread { number, place } = thread;
            let slot = slot::put(NewThread { start, argument, number, place, owner });
            if slot.is_null() {
                // Without memory for it the thread is created as the program asks.
                process::give_back(thread);
            }
            ((!slot.is_null()).then_some(slot), plan.thread(place))
        }
    };
    let widen = !mask::is_subset(goal, own.words());
    if widen {
        plan.give(0, CpuMask::union(own.words(), goal).words());
    }
    drop(errno);
    let result = make(slot.map(|slot| (BEGIN, slot)));
    let _errno = SavedErrno::new();
    if widen {
        plan.give(0, own.words());
    }
    match (result, slot, &treatment) {
        (0, _, Treatment::Numbered(thread)) if thread.number + 1 >= plan.threads() => pin_main(plan),
        (0, ..) | (_, None, _) => {}
        // No thread came to be: its number and its slot are free again.
        (_, Some(slot), _) => {
            // SAFETY: no thread has it.
            if let Some(NewThread { number, place, .. }) = unsafe { slot::take(slot) } {
                process::give_back(NumberedThread { number, place });
            }
        }
    }
    result
}

/// Whether a thread is counted; `own` becomes the CPUs of its creator.
///
/// # Safety
/// The request must be valid for pthread_create.
unsafe fn treatment(plan: &PinPlan, request: &CreateRequest, owner: Owner, own: &mut CpuMask) -> Treatment {
    let leave = |reason: &[u8], treatment| {
        if plan::is_verbose() {
            messages::thread_left_alone(owner.name(), reason);
        }
        treatment
    };
    // SAFETY: the caller's promise.
    if unsafe { carries_cpus(request.attr) } {
        return leave(b"its attributes carry CPUs", Treatment::Plain);
    }
    let role = roles::role(owner.name(), plan.leave());
    if role == ThreadRole::OpenMp {
        process::open_mp_places();
        return leave(b"OpenMP, which places it by OMP_PLACES", Treatment::Plain);
    }
    if !cpus::affinity(0, own) || !inherits_the_plan(plan, own.words()) {
        return leave(b"the program chose the CPUs of its creator", Treatment::Plain);
    }
    match role {
        ThreadRole::Helper(reason) => leave(reason, Treatment::OnTheTask),
        _ => Treatment::Numbered(process::next_thread(plan)),
    }
}

/// Whether a creator has the CPUs of the task or some that we gave it: not those that the program chose.
fn inherits_the_plan(plan: &PinPlan, own: &[u64]) -> bool {
    mask::same(own, plan.task()) || choice::is_ours(plan, own)
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
fn pin_main(plan: &PinPlan) {
    if !process::main_is_due() {
        return;
    }
    // By its number only from another thread: a filter may let a thread place none but itself.
    let id = if system::thread() == system::process() { 0 } else { system::process() };
    let mut own = CpuMask::new();
    if !cpus::affinity(id, &mut own) || !mask::same(own.words(), plan.task()) {
        if plan::is_verbose() && !plan.is_of_a_thread(own.words()) {
            messages::thread_left_alone(b"main", b"the program chose its CPUs");
        }
        return;
    }
    if owner::is_loaded(roles::counts_cpus_late) {
        if plan::is_verbose() {
            messages::thread_left_alone(b"main", b"OpenMP, which places it by OMP_PLACES");
        }
        return;
    }
    let cpus = plan.thread(0);
    let pinned = plan.give(id, cpus);
    if pinned {
        choice::main_pinned();
    }
    if plan::is_verbose() {
        messages::thread_pinned(0, b"main", cpus, pinned);
    }
}
