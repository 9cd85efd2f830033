//! Parallel regions, alone or in one with their loop or sections, and teams on the host.

use core::ffi::{c_long, c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::{ConstructKind, LoopSchedule};

use super::super::account::Me;
use super::super::fork::{Body, Fork};
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::table::{Place, add};
use crate::time;

/// The loop of a region that is one with its loop.
#[derive(Clone, Copy)]
pub struct WholeLoop {
    pub schedule: LoopSchedule,
    pub start: i64,
    pub end: i64,
    pub increment: i64,
    pub chunk: i64,
}

impl WholeLoop {
    pub fn iterations(&self) -> u64 {
        iterations(i128::from(self.start), i128::from(self.end), i128::from(self.increment))
    }
}

/// Iterations from `start` up or down to `end`, which is not one of them.
pub fn iterations(start: i128, end: i128, increment: i128) -> u64 {
    if increment == 0 || (end > start) != (increment > 0) {
        return 0;
    }
    let count = (end - start).unsigned_abs().div_ceil(increment.unsigned_abs());
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Opens a region with the program's function: what is handed to the runtime instead, and goes back to it when the region is over.
pub fn open(me: &Me<'_>, body: Body, data: *mut c_void, of_loop: Option<&WholeLoop>) -> Fork {
    let place = me.place(ConstructKind::Parallel, body as usize);
    let schedule = of_loop.map_or(LoopSchedule::Unknown, |of| of.schedule);
    let mut fork = Fork::begin(me, Place { schedule, ..place }, body, data);
    if let Some(of) = of_loop {
        fork.is_loop = 1;
        fork.increment = of.increment;
        let row = me.row(me.local.position.get());
        add(&row.trips, of.iterations());
        row.chunk.store(of.chunk.cast_unsigned(), Relaxed);
    }
    fork
}

#[unsafe(link_section = "numawise_next")]
static NUM_THREADS: Next<unsafe extern "C" fn() -> i32> = Next::new(c"omp_get_num_threads");

/// Threads of the region in which the calling thread is; `from` is in the program.
#[inline(always)]
pub fn team(from: usize) -> u32 {
    // SAFETY: a function of this type, without preconditions.
    unsafe { NUM_THREADS.get(from)() }.unsigned_abs()
}

/// Run by each thread of a region, in place of the program's function.
///
/// # Safety
/// `fork` must be what [`open`] gave, and live until all threads of the region have run this.
pub unsafe extern "C" fn work(fork: *mut c_void) {
    // SAFETY: the caller's promise.
    let fork = unsafe { &*fork.cast::<Fork>() };
    let arrived = Me::in_region_of(Some(fork.master)).map(|me| fork.arrive(&me));
    // SAFETY: the program's own function with its own argument.
    unsafe { (fork.body)(fork.data) };
    if let Some(arrived) = arrived
        && let Some(me) = Me::here()
    {
        if arrived.is_master {
            me.local.team.set(team(fork.body as usize));
        }
        Fork::depart(&me, &arrived);
    }
}

/// A region that the runtime runs from its begin to its end in `run`, which is given the function and its argument.
#[inline(always)]
unsafe fn region<R>(
    body: Body,
    data: *mut c_void,
    of_loop: Option<&WholeLoop>,
    tells_itself: bool,
    run: impl FnOnce(Body, *mut c_void) -> R,
) -> R {
    let me = if tells_itself { None } else { Me::here() };
    let Some(me) = me else { return run(body, data) };
    let fork = open(&me, body, data, of_loop);
    let result = run(work, (&raw const fork).cast_mut().cast());
    let team = Me::here().map_or(0, |me| me.local.team.get());
    fork.end(team);
    result
}

type Parallel = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint);
#[unsafe(link_section = "numawise_next")]
static PARALLEL: Next<Parallel> = Next::new(c"GOMP_parallel");

unsafe extern "C" fn parallel(body: Body, data: *mut c_void, threads: c_uint, flags: c_uint) {
    let from = caller();
    let next = PARALLEL.get(from);
    // SAFETY: the runtime is given the caller's arguments, or a function that runs the caller's.
    unsafe {
        region(body, data, None, PARALLEL.tells_itself(from), |body, data| next(body, data, threads, flags));
    }
}

type Reductions = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint) -> c_uint;
#[unsafe(link_section = "numawise_next")]
static REDUCTIONS: Next<Reductions> = Next::new(c"GOMP_parallel_reductions");

unsafe extern "C" fn parallel_reductions(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    flags: c_uint,
) -> c_uint {
    let from = caller();
    let next = REDUCTIONS.get(from);
    let me = if REDUCTIONS.tells_itself(from) { None } else { Me::here() };
    // SAFETY: as above; the first word of the argument is a pointer that the runtime reads.
    unsafe {
        let Some(me) = me else { return next(body, data, threads, flags) };
        let mut fork = open(&me, body, data, None);
        fork.head = *data.cast::<usize>();
        let result = next(work, (&raw mut fork).cast(), threads, flags);
        fork.end(Me::here().map_or(0, |me| me.local.team.get()));
        result
    }
}

type Sections = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint, c_uint);
#[unsafe(link_section = "numawise_next")]
static SECTIONS: Next<Sections> = Next::new(c"GOMP_parallel_sections");

unsafe extern "C" fn parallel_sections(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    count: c_uint,
    flags: c_uint,
) {
    let from = caller();
    let next = SECTIONS.get(from);
    // SAFETY: as above.
    unsafe {
        region(body, data, None, SECTIONS.tells_itself(from), |body, data| {
            next(body, data, threads, count, flags);
        });
    }
}

type Chunked = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_long, c_long, c_long, c_long, c_uint);
type Unchunked = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_long, c_long, c_long, c_uint);

/// Regions that are one with a loop, by schedule.
macro_rules! with_loop {
    (chunked: $($body:ident, $next:ident, $symbol:literal, $schedule:ident;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<Chunked> = Next::new($symbol);

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $body(
            body: Body, data: *mut c_void, threads: c_uint,
            start: c_long, end: c_long, increment: c_long, chunk: c_long, flags: c_uint,
        ) {
            let from = caller();
            let next = $next.get(from);
            let of_loop = WholeLoop { schedule: LoopSchedule::$schedule, start, end, increment, chunk };
            // SAFETY: the runtime is given the caller's arguments, or a function that runs the caller's.
            unsafe {
                region(body, data, Some(&of_loop), $next.tells_itself(from), |body, data| {
                    next(body, data, threads, start, end, increment, chunk, flags);
                });
            }
        }
    )* };
    (unchunked: $($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<Unchunked> = Next::new($symbol);

        unsafe extern "C" fn $body(
            body: Body, data: *mut c_void, threads: c_uint,
            start: c_long, end: c_long, increment: c_long, flags: c_uint,
        ) {
            let from = caller();
            let next = $next.get(from);
            let of_loop =
                WholeLoop { schedule: LoopSchedule::Runtime, start, end, increment, chunk: 0 };
            // SAFETY: as above.
            unsafe {
                region(body, data, Some(&of_loop), $next.tells_itself(from), |body, data| {
                    next(body, data, threads, start, end, increment, flags);
                });
            }
        }
    )* };
}

with_loop! { chunked:
    loop_static, LOOP_STATIC, c"GOMP_parallel_loop_static", Static;
    loop_dynamic, LOOP_DYNAMIC, c"GOMP_parallel_loop_dynamic", Dynamic;
    loop_guided, LOOP_GUIDED, c"GOMP_parallel_loop_guided", Guided;
    loop_nonmonotonic_dynamic, LOOP_NONMONOTONIC_DYNAMIC, c"GOMP_parallel_loop_nonmonotonic_dynamic", Dynamic;
    loop_nonmonotonic_guided, LOOP_NONMONOTONIC_GUIDED, c"GOMP_parallel_loop_nonmonotonic_guided", Guided;
}
with_loop! { unchunked:
    loop_runtime, LOOP_RUNTIME, c"GOMP_parallel_loop_runtime";
    loop_nonmonotonic_runtime, LOOP_NONMONOTONIC_RUNTIME, c"GOMP_parallel_loop_nonmonotonic_runtime";
    loop_maybe_runtime, LOOP_MAYBE_RUNTIME, c"GOMP_parallel_loop_maybe_nonmonotonic_runtime";
}

type Teams = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint, c_uint);
#[unsafe(link_section = "numawise_next")]
static TEAMS: Next<Teams> = Next::new(c"GOMP_teams_reg");

/// A league on the host: the calling thread runs the function for one team after the other.
unsafe extern "C" fn teams(body: Body, data: *mut c_void, count: c_uint, limit: c_uint, flags: c_uint) {
    let from = caller();
    let next = TEAMS.get(from);
    let me = if TEAMS.tells_itself(from) { None } else { Me::here() };
    let before = me.map(|me| me.enter(&me.place(ConstructKind::Teams, body as usize), ThreadState::Useful));
    // SAFETY: the caller's own arguments.
    unsafe { next(body, data, count, limit, flags) };
    if let Some(before) = before
        && let Some(me) = Me::here()
    {
        me.back(time::now(), &before);
    }
}

entry! {
    GOMP_parallel => parallel;
    GOMP_parallel_reductions => parallel_reductions;
    GOMP_parallel_sections => parallel_sections;
    GOMP_parallel_loop_static => loop_static;
    GOMP_parallel_loop_dynamic => loop_dynamic;
    GOMP_parallel_loop_guided => loop_guided;
    GOMP_parallel_loop_runtime => loop_runtime;
    GOMP_parallel_loop_nonmonotonic_dynamic => loop_nonmonotonic_dynamic;
    GOMP_parallel_loop_nonmonotonic_guided => loop_nonmonotonic_guided;
    GOMP_parallel_loop_nonmonotonic_runtime => loop_nonmonotonic_runtime;
    GOMP_parallel_loop_maybe_nonmonotonic_runtime => loop_maybe_runtime;
    GOMP_teams_reg => teams;
}

#[cfg(test)]
mod tests {
    use super::iterations;

    #[test]
    fn iterations_are_counted_upwards_and_downwards() {
        let cases = [
            ((0, 41, 1), 41),
            ((0, 41, 12), 4),
            ((-1000, 1000, 3), 667),
            ((1000, 0, -2), 500),
            ((999, 0, -2), 500),
            ((0, 0, 1), 0),
            ((5, 0, 1), 0),
            ((0, 5, -1), 0),
            ((0, 5, 0), 0),
            ((i128::from(i64::MIN), i128::from(i64::MAX), 1), u64::MAX),
            ((0, i128::from(u64::MAX), 1), u64::MAX),
        ];
        for ((start, end, increment), expected) in cases {
            assert_eq!(iterations(start, end, increment), expected, "{start} {end} {increment}");
        }
    }
}
