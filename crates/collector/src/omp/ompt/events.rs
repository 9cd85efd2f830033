//! What is noted at each event.

use core::ffi::{c_int, c_uint, c_void};

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::{ConstructKind, LoopSchedule, TOLD_BY_OMPT};

use super::super::account::Me;
use super::super::fork::{self, Fork, at_barrier};
use super::super::position::{Before, OpenLoop, Wait};
use super::super::store::{self, OpenRegion};
use super::super::table::{self, Place, add};
use super::types::{
    Event, LEAGUE, OmptData, SCOPE_BEGIN, SCOPE_END, TASK_EXPLICIT, TASK_INITIAL, mutex, status, sync,
    work as works,
};
use super::{Registration, plain};
use crate::time;

/// All that are asked for.
pub fn callbacks() -> [Registration; 11] {
    [
        (Event::ParallelBegin, plain(parallel_begin as *const c_void)),
        (Event::ParallelEnd, plain(parallel_end as *const c_void)),
        (Event::ImplicitTask, plain(implicit_task as *const c_void)),
        (Event::SyncRegionWait, plain(sync_region_wait as *const c_void)),
        (Event::Work, plain(work as *const c_void)),
        (Event::MutexAcquire, plain(mutex_acquire as *const c_void)),
        (Event::MutexAcquired, plain(mutex_acquired as *const c_void)),
        (Event::NestLock, plain(nest_lock as *const c_void)),
        (Event::TaskCreate, plain(task_create as *const c_void)),
        (Event::TaskSchedule, plain(task_schedule as *const c_void)),
        (Event::Target, plain(target as *const c_void)),
    ]
}

/// A construct that the runtime tells by the address behind the call, or does not tell: then it is its region's.
fn place(me: &Me<'_>, kind: ConstructKind, address: *const c_void) -> Place {
    let mut address = address.addr();
    if address == 0 {
        address =
            me.row(me.local.position.get()).address.load(core::sync::atomic::Ordering::Relaxed) as usize;
    }
    Place { marks: TOLD_BY_OMPT, ..me.place(kind, address) }
}

/// The function of a region, which the runtime does not tell and nobody here calls.
unsafe extern "C" fn no_body(_: *mut c_void) {}

unsafe extern "C" fn parallel_begin(
    _task: *mut OmptData,
    _frame: *const c_void,
    region: *mut OmptData,
    _threads: c_uint,
    flags: c_int,
    from: *const c_void,
) {
    let Some(me) = Me::here() else { return };
    let is_league = flags & LEAGUE != 0;
    let kind = if is_league { ConstructKind::Teams } else { ConstructKind::Parallel };
    let function = me.local.function.replace(0);
    let opened = store::open(&me, |me| {
        let place = if function == 0 { place(me, kind, from) } else { me.place(kind, function) };
        Fork::begin(me, place, no_body, core::ptr::null_mut())
    });
    if let Some(opened) = opened {
        // SAFETY: this thread has just filled it.
        unsafe { (*opened.content()).site = from.addr() };
    }
    if is_league {
        // Its teams begin as initial tasks, of which nothing is noted.
        me.go(time::now(), ThreadState::Useful as u32, me.local.position.get());
    }
    let pointer = opened.map_or(core::ptr::null(), |opened| (&raw const *opened).cast());
    // SAFETY: the runtime gives a word for each region.
    unsafe { (*region).pointer = pointer };
}

unsafe extern "C" fn parallel_end(
    _region: *mut OmptData,
    _task: *mut OmptData,
    _flags: c_int,
    _from: *const c_void,
) {
    let Some(me) = Me::here() else { return };
    let Some(region) = store::ends(&me) else { return };
    // SAFETY: the region was filled when it was opened, by this thread.
    let team = unsafe { (*region.content()).team };
    store::close(region, team);
}

/// A thread begins to work in a region, or leaves it.
unsafe extern "C" fn implicit_task(
    end: c_int,
    region: *mut OmptData,
    _task: *mut OmptData,
    threads: c_uint,
    _index: c_uint,
    flags: c_int,
) {
    if end != SCOPE_BEGIN || flags & TASK_INITIAL != 0 || region.is_null() {
        return;
    }
    // SAFETY: the word was set when the region was opened; no thread of it begins after its end.
    let Some(region) = (unsafe { (*region).pointer.cast::<OpenRegion>().as_ref() }) else { return };
    let content = region.content();
    // SAFETY: the region was filled before its threads began.
    let master = unsafe { (*content).fork.master };
    let Some(me) = Me::in_region_of(Some(master)) else { return };
    // SAFETY: the region was filled before its threads began; the count is written by its master only.
    let arrived = unsafe {
        let arrived = (*content).fork.arrive(&me);
        if arrived.is_master {
            (*content).team = threads;
        }
        arrived
    };
    me.local.works.set(u32::from(!arrived.is_master));
}

/// A thread begins to wait for others, or has waited.
unsafe extern "C" fn sync_region_wait(
    kind: c_int,
    end: c_int,
    region: *mut OmptData,
    _task: *mut OmptData,
    from: *const c_void,
) {
    let Some(me) = Me::here() else { return };
    // Versions before 5.1 have one number for both implicit barriers. At the end of a region a worker comes from nowhere, and the
    // master from where it opened the region.
    let opened_here = || me.local.works.get() == 0 && from.addr() == store::site(&me);
    let at_end = kind == sync::END_OF_PARALLEL || kind == sync::IMPLICIT && (from.is_null() || opened_here());
    let construct = match kind {
        sync::REDUCTION => return,
        sync::TASKWAIT => ConstructKind::Taskwait,
        sync::TASKGROUP => ConstructKind::Taskgroup,
        _ => ConstructKind::Barrier,
    };
    match end {
        SCOPE_BEGIN if at_end => {
            me.go(time::now(), at_barrier(team(&me, region)) as u32, me.local.position.get());
            if me.local.works.get() != 0 {
                fork::dock(&me);
            } else {
                me.local.open_loop.set(OpenLoop::NONE);
            }
        }
        // The master goes on to the region's end; a worker is told only when it is called again.
        SCOPE_END if at_end => {}
        SCOPE_BEGIN => {
            let state = match construct {
                ConstructKind::Barrier => at_barrier(team(&me, region)),
                _ => ThreadState::OmpBarrier,
            };
            let before = me.enter(&place(&me, construct, from), state);
            push(&me, before, 0);
        }
        SCOPE_END => {
            if let Some(wait) = pop(&me) {
                me.leave(&wait.before);
            }
        }
        _ => {}
    }
}

/// Threads of a region that the calling thread opened; 0: another one did, or it is not known.
fn team(me: &Me<'_>, region: *const OmptData) -> u32 {
    if me.local.works.get() != 0 || region.is_null() {
        return 0;
    }
    // SAFETY: the word was set when the region was opened, and this thread, which is in it, has not closed it.
    let opened = unsafe { (*region).pointer.cast::<OpenRegion>().as_ref() };
    // SAFETY: the region was filled by this thread.
    opened.map_or(0, |opened| unsafe { (*opened.content()).team })
}

fn push(me: &Me<'_>, before: Before, lock: u64) {
    let depth = me.local.depth.get();
    if let Some(place) = me.local.waits.get(depth as usize) {
        place.set(Wait { before, lock });
    }
    me.local.depth.set(depth.wrapping_add(1));
}

fn pop(me: &Me<'_>) -> Option<Wait> {
    let depth = me.local.depth.get().checked_sub(1)?;
    me.local.depth.set(depth);
    me.local.waits.get(depth as usize).map(core::cell::Cell::get)
}

/// The schedule of a loop, where the event tells it.
fn schedule(kind: c_int) -> LoopSchedule {
    match kind {
        works::LOOP_STATIC => LoopSchedule::Static,
        works::LOOP_DYNAMIC => LoopSchedule::Dynamic,
        works::LOOP_GUIDED => LoopSchedule::Guided,
        works::DISTRIBUTE => LoopSchedule::Distribute,
        _ => LoopSchedule::Unknown,
    }
}

/// A thread begins its part of a worksharing construct, or has done it.
unsafe extern "C" fn work(
    kind: c_int,
    end: c_int,
    _region: *mut OmptData,
    _task: *mut OmptData,
    count: u64,
    from: *const c_void,
) {
    let Some(me) = Me::here() else { return };
    let construct = match kind {
        works::LOOP | works::WORKSHARE | works::DISTRIBUTE => ConstructKind::Loop,
        works::LOOP_STATIC..=works::LOOP_OTHER => ConstructKind::Loop,
        works::SECTIONS => ConstructKind::Sections,
        works::SINGLE_EXECUTOR | works::SINGLE_OTHER => return single(&me, kind, end, from),
        works::TASKLOOP => return taskloop(&me, end, count, from),
        _ => return,
    };
    match end {
        SCOPE_BEGIN => {
            let outside = me.local.position.get();
            let place = Place { schedule: schedule(kind), ..place(&me, construct, from) };
            me.enter(&place, ThreadState::Useful);
            add(&me.row(me.local.position.get()).trips, count);
            me.local.open_loop.set(OpenLoop { outside, increment: 1 });
        }
        SCOPE_END => {
            let OpenLoop { outside, .. } = me.local.open_loop.replace(OpenLoop::NONE);
            if outside.key != 0 {
                // With the loop's increment, for its chunks.
                me.local.open_loop.set(OpenLoop { increment: 1, ..OpenLoop::NONE });
                me.go(time::now(), ThreadState::Useful as u32, me.valid(outside));
                me.local.open_loop.set(OpenLoop::NONE);
            }
        }
        _ => {}
    }
}

fn single(me: &Me<'_>, kind: c_int, end: c_int, from: *const c_void) {
    if end == SCOPE_END {
        return;
    }
    let place = place(me, ConstructKind::Single, from);
    let row = table::row(me.part(), table::find(me.part(), &place));
    add(&row.calls, 1);
    add(&row.opened, u64::from(kind == works::SINGLE_EXECUTOR));
}

fn taskloop(me: &Me<'_>, end: c_int, count: u64, from: *const c_void) {
    if end != SCOPE_BEGIN {
        return;
    }
    let place = place(me, ConstructKind::Taskloop, from);
    let row = table::row(me.part(), table::find(me.part(), &place));
    add(&row.calls, 1);
    add(&row.trips, count);
}

fn locked(kind: c_int) -> Option<ConstructKind> {
    match kind {
        mutex::LOCK | mutex::NEST_LOCK => Some(ConstructKind::Lock),
        mutex::CRITICAL => Some(ConstructKind::Critical),
        mutex::ATOMIC => Some(ConstructKind::Atomic),
        mutex::ORDERED => Some(ConstructKind::Ordered),
        // A test does not wait.
        _ => None,
    }
}

unsafe extern "C" fn mutex_acquire(
    kind: c_int,
    _hint: c_uint,
    _implementation: c_uint,
    lock: u64,
    from: *const c_void,
) {
    let Some(construct) = locked(kind) else { return };
    let Some(me) = Me::here() else { return };
    let before = me.enter(&place(&me, construct, from), ThreadState::OmpLock);
    push(&me, before, lock);
}

unsafe extern "C" fn mutex_acquired(kind: c_int, lock: u64, _from: *const c_void) {
    if locked(kind).is_some() {
        acquired(lock);
    }
}

/// A nestable lock is taken again by its owner.
unsafe extern "C" fn nest_lock(end: c_int, lock: u64, _from: *const c_void) {
    if end == SCOPE_BEGIN {
        acquired(lock);
    }
}

fn acquired(lock: u64) {
    let Some(me) = Me::here() else { return };
    // Taken by a test: nobody waited for it.
    let innermost = me.local.depth.get().checked_sub(1).and_then(|depth| me.local.waits.get(depth as usize));
    if innermost.is_none_or(|wait| wait.get().lock == lock)
        && let Some(wait) = pop(&me)
    {
        me.leave(&wait.before);
    }
}

unsafe extern "C" fn task_create(
    _creator: *mut OmptData,
    _frame: *const c_void,
    task: *mut OmptData,
    flags: c_int,
    _dependences: c_int,
    from: *const c_void,
) {
    if flags & TASK_EXPLICIT == 0 || task.is_null() {
        return;
    }
    // SAFETY: the runtime gives a word for each task.
    unsafe { (*task).value = from.addr() as u64 };
    let Some(me) = Me::here() else { return };
    let place = place(&me, ConstructKind::TaskCreation, from);
    add(&table::row(me.part(), table::find(me.part(), &place)).calls, 1);
}

/// A thread leaves one task for another: it begins one within what it does, or goes back.
unsafe extern "C" fn task_schedule(_prior: *mut OmptData, prior_status: c_int, next: *mut OmptData) {
    let Some(me) = Me::here() else { return };
    match prior_status {
        status::SWITCH | status::YIELD if !next.is_null() => {
            // SAFETY: the word of an explicit task was set when it was made; that of an implicit one is zero.
            let address = unsafe { (*next).value } as usize;
            let at = me.local.position.get();
            let place = Place::inside(at.region, at.region_depth, ConstructKind::Task, address);
            let before = me.enter(&Place { marks: TOLD_BY_OMPT, ..place }, ThreadState::Useful);
            push(&me, before, 0);
        }
        status::COMPLETE | status::CANCEL | status::DETACH if !next.is_null() => {
            if let Some(wait) = pop(&me) {
                me.back(time::now(), &wait.before);
            }
        }
        _ => {}
    }
}

/// Offloading: counted only.
unsafe extern "C" fn target(
    _kind: c_int,
    end: c_int,
    _device: c_int,
    _task: *mut OmptData,
    _id: u64,
    from: *const c_void,
) {
    if end == SCOPE_END {
        return;
    }
    let Some(me) = Me::here() else { return };
    let place = place(&me, ConstructKind::Target, from);
    add(&table::row(me.part(), table::find(me.part(), &place)).calls, 1);
}
