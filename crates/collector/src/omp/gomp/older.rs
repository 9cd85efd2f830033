//! Regions of programs that GCC before 4.9 compiled: the master opens a region, runs its function itself, and closes it.

use core::ffi::{c_long, c_uint, c_void};

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::LoopSchedule;

use super::super::account::Me;
use super::super::fork::{Body, at_barrier};
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::position::OpenLoop;
use super::super::store;
use super::parallel::{self, WholeLoop};
use crate::time;

/// Opens a region by `run`, which is given the function and its argument.
fn open(
    body: Body,
    data: *mut c_void,
    of_loop: Option<&WholeLoop>,
    tells_itself: bool,
    run: impl FnOnce(Body, *mut c_void),
) {
    let me = if tells_itself { None } else { Me::here() };
    let Some(me) = me else { return run(body, data) };
    let Some(region) = store::open(&me, |me| parallel::open(me, body, data, of_loop)) else {
        return run(body, data);
    };
    me.local.open_loop.set(OpenLoop { increment: of_loop.map_or(0, |of| of.increment), ..OpenLoop::NONE });
    run(parallel::work, region.content().cast());
    if let Some(me) = Me::here() {
        me.go(time::now(), ThreadState::Useful as u32, me.local.position.get());
    }
}

type End = unsafe extern "C" fn();
#[unsafe(link_section = "numawise_next")]
static END: Next<End> = Next::new(c"GOMP_parallel_end");

unsafe extern "C" fn end() {
    let from = caller();
    let next = END.get(from);
    let me = if END.tells_itself(from) { None } else { Me::here() };
    let Some((me, region)) = me.and_then(|me| Some((me, store::ends(&me)?))) else {
        // SAFETY: the caller's own call.
        return unsafe { next() };
    };
    let team = parallel::team(from);
    me.go(time::now(), at_barrier(team) as u32, me.local.position.get());
    // SAFETY: the caller's own call.
    unsafe { next() };
    store::close(region, team);
}

type Start = unsafe extern "C" fn(Body, *mut c_void, c_uint);
#[unsafe(link_section = "numawise_next")]
static START: Next<Start> = Next::new(c"GOMP_parallel_start");

unsafe extern "C" fn start(body: Body, data: *mut c_void, threads: c_uint) {
    let from = caller();
    let next = START.get(from);
    open(body, data, None, START.tells_itself(from), |body, data| {
        // SAFETY: the runtime is given the caller's arguments, or a function that runs the caller's.
        unsafe { next(body, data, threads) };
    });
}

type Sections = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint);
#[unsafe(link_section = "numawise_next")]
static SECTIONS: Next<Sections> = Next::new(c"GOMP_parallel_sections_start");

unsafe extern "C" fn sections(body: Body, data: *mut c_void, threads: c_uint, count: c_uint) {
    let from = caller();
    let next = SECTIONS.get(from);
    open(body, data, None, SECTIONS.tells_itself(from), |body, data| {
        // SAFETY: as above.
        unsafe { next(body, data, threads, count) };
    });
}

type Chunked = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_long, c_long, c_long, c_long);

macro_rules! with_loop {
    ($($body:ident, $next:ident, $symbol:literal, $schedule:ident;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<Chunked> = Next::new($symbol);

        unsafe extern "C" fn $body(
            body: Body, data: *mut c_void, threads: c_uint,
            start: c_long, end: c_long, increment: c_long, chunk: c_long,
        ) {
            let from = caller();
            let next = $next.get(from);
            let of_loop = WholeLoop { schedule: LoopSchedule::$schedule, start, end, increment, chunk };
            open(body, data, Some(&of_loop), $next.tells_itself(from), |body, data| {
                // SAFETY: as above. The one without a chunk does not look at it.
                unsafe { next(body, data, threads, start, end, increment, chunk) };
            });
        }
    )* };
}

with_loop! {
    loop_static, LOOP_STATIC, c"GOMP_parallel_loop_static_start", Static;
    loop_dynamic, LOOP_DYNAMIC, c"GOMP_parallel_loop_dynamic_start", Dynamic;
    loop_guided, LOOP_GUIDED, c"GOMP_parallel_loop_guided_start", Guided;
    loop_runtime, LOOP_RUNTIME, c"GOMP_parallel_loop_runtime_start", Runtime;
}

entry! {
    GOMP_parallel_start => start;
    GOMP_parallel_end => end;
    GOMP_parallel_sections_start => sections;
    GOMP_parallel_loop_static_start => loop_static;
    GOMP_parallel_loop_dynamic_start => loop_dynamic;
    GOMP_parallel_loop_guided_start => loop_guided;
    GOMP_parallel_loop_runtime_start => loop_runtime;
}
