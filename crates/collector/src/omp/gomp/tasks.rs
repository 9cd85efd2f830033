//! Tasks: where they are made, where they are waited for, and their own time, wherever they run.
//!
//! The runtime copies a task's data into a block of its own, by the program's function or byte by byte. We have it copied by a
//! function of ours, into a block with room before the data for what a task must know of itself.

use core::ffi::{c_int, c_long, c_uint, c_ulong, c_void};
use core::mem::offset_of;

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::ConstructKind;

use super::super::account::{Me, within};
use super::super::fork::Body;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::position::{Before, OpenLoop};
use super::super::table::Place;
use crate::time;

type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// Bits of a task's flags: its data begin with the handle of an event that completes it, and a taskloop's data have a pointer to
/// reductions in the third word.
const DETACH: c_uint = 1 << 13;
const REDUCTION: c_uint = 1 << 12;

/// What a task knows of itself: before its data in the runtime's block, and in the source that the block is copied from.
#[repr(C)]
struct Task {
    /// The first and the last iteration of a taskloop's task, which the runtime writes into the block; a detached task's event, into
    /// the first of them of the source.
    words: [usize; 2],
    /// For the runtime, of the source of a taskloop.
    reductions: usize,
    body: Body,
    /// From the begin of the block to the program's data.
    offset: usize,
    place: Place,
}

/// What a task is copied from.
#[repr(C)]
struct Source {
    task: Task,
    data: *mut c_void,
    copy: Option<Copy>,
    bytes: usize,
    flags: c_uint,
}

const _: () = assert!(offset_of!(Source, task) == 0 && offset_of!(Task, reductions) == 16);

impl Source {
    fn new(
        me: &Me<'_>,
        body: Body,
        data: *mut c_void,
        copy: Option<Copy>,
        size: c_long,
        align: c_long,
        flags: c_uint,
    ) -> Source {
        let offset = size_of::<Task>().next_multiple_of(usize::try_from(align).unwrap_or(1).max(1));
        let at = me.local.position.get();
        // A task is part of its region, not of the task that made it: tasks make tasks without end.
        let place = Place::inside(at.region, at.region_depth, ConstructKind::Task, body as usize);
        let task = Task { words: [0; 2], reductions: 0, body, offset, place };
        Source { task, data, copy, bytes: usize::try_from(size).unwrap_or(0), flags }
    }

    fn size(&self) -> c_long {
        (self.task.offset + self.bytes) as c_long
    }
}

/// Made by the runtime in place of the program's copy.
unsafe extern "C" fn copy(block: *mut c_void, source: *mut c_void) {
    // SAFETY: the runtime was given the source, and makes blocks of the size that it was told.
    unsafe {
        let source = &*source.cast::<Source>();
        if source.flags & DETACH != 0 && !source.data.is_null() && source.task.words[0] != 0 {
            *source.data.cast::<usize>() = source.task.words[0];
        }
        let inner = block.byte_add(source.task.offset);
        core::ptr::copy_nonoverlapping(&raw const source.task, block.cast::<Task>(), 1);
        match source.copy {
            Some(copy) => copy(inner, source.data),
            None if source.data.is_null() => {}
            None => {
                core::ptr::copy_nonoverlapping(source.data.cast::<u8>(), inner.cast::<u8>(), source.bytes)
            }
        }
    }
}

/// Runs a task, wherever a thread takes it up.
unsafe extern "C" fn run(block: *mut c_void) {
    // SAFETY: the block was filled by `copy`, and lives as long as the task.
    unsafe { run_with(block, block.byte_add((*block.cast::<Task>()).offset)) }
}

/// As `run`, for a part of a taskloop: what the runtime wrote into the block is the program's.
unsafe extern "C" fn run_part(block: *mut c_void) {
    // SAFETY: as above; the data of a taskloop's task begin with its bounds.
    unsafe {
        let task = &*block.cast::<Task>();
        let data = block.byte_add(task.offset);
        *data.cast::<[usize; 2]>() = task.words;
        run_with(block, data);
    }
}

unsafe fn run_with(block: *mut c_void, data: *mut c_void) {
    // SAFETY: the caller's promise: a block that was filled by `copy`.
    let (body, place) = unsafe {
        let task = &*block.cast::<Task>();
        (task.body, task.place)
    };
    let before = Me::here().map(|me| begin(&me, &place));
    // SAFETY: the program's own function with its own data.
    unsafe { body(data) };
    if let Some((before, open_loop)) = before
        && let Some(me) = Me::here()
    {
        me.back(time::now(), &before);
        me.local.open_loop.set(open_loop);
    }
}

fn begin(me: &Me<'_>, place: &Place) -> (Before, OpenLoop) {
    let before = me.enter(place, ThreadState::Useful);
    (before, me.local.open_loop.replace(OpenLoop::NONE))
}

type Create = unsafe extern "C" fn(
    Body,
    *mut c_void,
    Option<Copy>,
    c_long,
    c_long,
    bool,
    c_uint,
    *mut *mut c_void,
    c_int,
    *mut c_void,
);
#[unsafe(link_section = "numawise_next")]
static TASK: Next<Create> = Next::new(c"GOMP_task");

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn task(
    body: Body,
    data: *mut c_void,
    copier: Option<Copy>,
    size: c_long,
    align: c_long,
    deferred: bool,
    flags: c_uint,
    depend: *mut *mut c_void,
    priority: c_int,
    detach: *mut c_void,
) {
    let from = caller();
    let next = TASK.get(from);
    let me = if TASK.tells_itself(from) { None } else { Me::here() };
    let Some(me) = me else {
        // SAFETY: the caller's own arguments; compilers that know fewer of them set no flag by which the others are looked at.
        return unsafe { next(body, data, copier, size, align, deferred, flags, depend, priority, detach) };
    };
    let mut source = Source::new(&me, body, data, copier, size, align, flags);
    let block = align.max(align_of::<Task>() as c_long);
    within(ConstructKind::TaskCreation, ThreadState::OmpScheduling, from, || {
        // SAFETY: as above, with a function and a copy that go back to the caller's.
        unsafe {
            let data = (&raw mut source).cast();
            next(run, data, Some(copy), source.size(), block, deferred, flags, depend, priority, detach);
        }
    });
}

type Loop = unsafe extern "C" fn(
    Body,
    *mut c_void,
    Option<Copy>,
    c_long,
    c_long,
    c_uint,
    c_ulong,
    c_int,
    i64,
    i64,
    i64,
);
#[unsafe(link_section = "numawise_next")]
static TASKLOOP: Next<Loop> = Next::new(c"GOMP_taskloop");
#[unsafe(link_section = "numawise_next")]
static TASKLOOP_ULL: Next<Loop> = Next::new(c"GOMP_taskloop_ull");

macro_rules! taskloops {
    ($($body:ident, $next:ident;)*) => { $(
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $body(
            body: Body, data: *mut c_void, copier: Option<Copy>, size: c_long, align: c_long,
            flags: c_uint, tasks: c_ulong, priority: c_int, start: i64, end: i64, step: i64,
        ) {
            let from = caller();
            let next = $next.get(from);
            let me = if $next.tells_itself(from) { None } else { Me::here() };
            let Some(me) = me else {
                // SAFETY: the caller's own arguments.
                return unsafe {
                    next(body, data, copier, size, align, flags, tasks, priority, start, end, step)
                };
            };
            let mut source = Source::new(&me, body, data, copier, size, align, flags);
            if flags & REDUCTION != 0 && !data.is_null() {
                // SAFETY: the flag says that there is a third word.
                source.task.reductions = unsafe { *data.cast::<usize>().add(2) };
            }
            let block = align.max(align_of::<Task>() as c_long);
            // The runtime waits for the tasks, unless it is told not to.
            within(ConstructKind::Taskloop, ThreadState::OmpScheduling, from, || {
                // SAFETY: as in `task`.
                unsafe {
                    let data = (&raw mut source).cast();
                    next(run_part, data, Some(copy), source.size(), block, flags, tasks, priority, start, end, step);
                }
            });
        }
    )* };
}

taskloops! {
    taskloop, TASKLOOP;
    taskloop_ull, TASKLOOP_ULL;
}

/// Where a thread waits for tasks, and meanwhile runs some.
macro_rules! waits {
    ($($body:ident, $next:ident, $symbol:literal, $kind:ident, $state:ident, ($($argument:ident: $type:ty)?);)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<unsafe extern "C" fn($($type)?)> = Next::new($symbol);

        unsafe extern "C" fn $body($($argument: $type)?) {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next($($argument)?) };
            if $next.tells_itself(from) { return run(); }
            within(ConstructKind::$kind, ThreadState::$state, from, run)
        }
    )* };
}

waits! {
    taskwait, TASKWAIT, c"GOMP_taskwait", Taskwait, OmpBarrier, ();
    taskwait_depend, TASKWAIT_DEPEND, c"GOMP_taskwait_depend", Taskwait, OmpBarrier, (depend: *mut *mut c_void);
    taskyield, TASKYIELD, c"GOMP_taskyield", TaskCreation, OmpScheduling, ();
    taskgroup_end, TASKGROUP_END, c"GOMP_taskgroup_end", Taskgroup, OmpBarrier, ();
}

entry! {
    GOMP_task => task;
    GOMP_taskloop => taskloop;
    GOMP_taskloop_ull => taskloop_ull;
    GOMP_taskwait => taskwait;
    GOMP_taskwait_depend => taskwait_depend;
    GOMP_taskyield => taskyield;
    GOMP_taskgroup_end => taskgroup_end;
}
