//! Loops that ask the runtime for their chunks: begins, and the next chunk.

use core::ffi::{c_long, c_void};

use numawise_wire::snapshot::openmp::{ConstructKind, LoopSchedule};

use super::super::account::Me;
use super::super::chunks;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::table::Place;
use super::parallel::{WholeLoop, iterations};
use super::worksharing::{begin, first};

/// C's `unsigned long long`, in which the runtime counts loops over unsigned variables; 64 bits wide.
pub type Ull = u64;

/// A loop that begins at `from`.
pub fn of_loop(me: &Me<'_>, schedule: LoopSchedule, from: usize) -> Place {
    Place { schedule, ..me.place(ConstructKind::Loop, from) }
}

/// Iterations of an unsigned loop, whose increment downwards is a negative number's bits.
fn unsigned(up: bool, start: Ull, end: Ull, increment: Ull) -> u64 {
    let step = if up { i128::from(increment) } else { i128::from(increment.cast_signed()) };
    iterations(i128::from(start), i128::from(end), step)
}

/// `GOMP_loop_start`: bits of its schedule.
pub fn told(schedule: c_long) -> LoopSchedule {
    const MONOTONIC: u32 = 1 << 31;
    match (schedule as u32) & !MONOTONIC {
        0 => LoopSchedule::Runtime,
        1 => LoopSchedule::Static,
        2 => LoopSchedule::Dynamic,
        3 => LoopSchedule::Guided,
        // auto
        4 => LoopSchedule::Static,
        _ => LoopSchedule::Unknown,
    }
}

macro_rules! starts {
    ($($body:ident, $next:ident, $symbol:literal, $schedule:ident;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            start: c_long, end: c_long, increment: c_long, chunk: c_long, first_begin: *mut c_long, first_end: *mut c_long,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next(start, end, increment, chunk, first_begin, first_end) };
            if $next.tells_itself(from) { return run(); }
            let whole = WholeLoop { schedule: LoopSchedule::$schedule, start, end, increment, chunk };
            let more = begin(|me| of_loop(me, whole.schedule, from), increment, whole.iterations(), chunk, run);
            // SAFETY: as above.
            unsafe { first(more, first_begin, first_end) }
        }
    )* };
}

macro_rules! runtime_starts {
    ($($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            start: c_long, end: c_long, increment: c_long, first_begin: *mut c_long, first_end: *mut c_long,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next(start, end, increment, first_begin, first_end) };
            if $next.tells_itself(from) { return run(); }
            let whole = WholeLoop { schedule: LoopSchedule::Runtime, start, end, increment, chunk: 0 };
            let more = begin(|me| of_loop(me, whole.schedule, from), increment, whole.iterations(), 0, run);
            // SAFETY: as above.
            unsafe { first(more, first_begin, first_end) }
        }
    )* };
}

macro_rules! unsigned_starts {
    ($($body:ident, $next:ident, $symbol:literal, $schedule:ident;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(bool, Ull, Ull, Ull, Ull, *mut Ull, *mut Ull) -> bool,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            up: bool, start: Ull, end: Ull, increment: Ull, chunk: Ull, first_begin: *mut Ull, first_end: *mut Ull,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next(up, start, end, increment, chunk, first_begin, first_end) };
            if $next.tells_itself(from) { return run(); }
            let (trips, step) = (unsigned(up, start, end, increment), increment.cast_signed());
            let more = begin(|me| of_loop(me, LoopSchedule::$schedule, from), step, trips, chunk.cast_signed(), run);
            // SAFETY: as above.
            unsafe { first(more, first_begin.cast(), first_end.cast()) }
        }
    )* };
}

macro_rules! unsigned_runtime_starts {
    ($($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(bool, Ull, Ull, Ull, *mut Ull, *mut Ull) -> bool,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            up: bool, start: Ull, end: Ull, increment: Ull, first_begin: *mut Ull, first_end: *mut Ull,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next(up, start, end, increment, first_begin, first_end) };
            if $next.tells_itself(from) { return run(); }
            let (trips, step) = (unsigned(up, start, end, increment), increment.cast_signed());
            let more = begin(|me| of_loop(me, LoopSchedule::Runtime, from), step, trips, 0, run);
            // SAFETY: as above.
            unsafe { first(more, first_begin.cast(), first_end.cast()) }
        }
    )* };
}

/// Loops with reductions over tasks or memory of the construct; the schedule is an argument.
macro_rules! general_starts {
    ($($body:ident, $next:ident, $symbol:literal, $unsigned_body:ident, $unsigned_next:ident, $unsigned_symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(
                c_long, c_long, c_long, c_long, c_long, *mut c_long, *mut c_long, *mut usize, *mut *mut c_void,
            ) -> bool,
        > = Next::new($symbol);
        #[unsafe(link_section = "numawise_next")]
        static $unsigned_next: Next<
            unsafe extern "C" fn(
                bool, Ull, Ull, Ull, c_long, Ull, *mut Ull, *mut Ull, *mut usize, *mut *mut c_void,
            ) -> bool,
        > = Next::new($unsigned_symbol);

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $body(
            start: c_long, end: c_long, increment: c_long, schedule: c_long, chunk: c_long,
            first_begin: *mut c_long, first_end: *mut c_long, reductions: *mut usize, memory: *mut *mut c_void,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe {
                next(start, end, increment, schedule, chunk, first_begin, first_end, reductions, memory)
            };
            if $next.tells_itself(from) { return run(); }
            let whole = WholeLoop { schedule: told(schedule), start, end, increment, chunk };
            let more = begin(|me| of_loop(me, whole.schedule, from), increment, whole.iterations(), chunk, run);
            // A loop with a static schedule fetches nothing: it may leave out where to write a chunk.
            // SAFETY: as above.
            unsafe { first(more && !first_begin.is_null() && !first_end.is_null(), first_begin, first_end) };
            more
        }

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $unsigned_body(
            up: bool, start: Ull, end: Ull, increment: Ull, schedule: c_long, chunk: Ull,
            first_begin: *mut Ull, first_end: *mut Ull, reductions: *mut usize, memory: *mut *mut c_void,
        ) -> bool {
            let from = caller();
            let next = $unsigned_next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe {
                next(up, start, end, increment, schedule, chunk, first_begin, first_end, reductions, memory)
            };
            if $unsigned_next.tells_itself(from) { return run(); }
            let (trips, step) = (unsigned(up, start, end, increment), increment.cast_signed());
            let more = begin(|me| of_loop(me, told(schedule), from), step, trips, chunk.cast_signed(), run);
            let written = more && !first_begin.is_null() && !first_end.is_null();
            // SAFETY: as above.
            unsafe { first(written, first_begin.cast(), first_end.cast()) };
            more
        }
    )* };
}

/// The next chunk.
macro_rules! nexts {
    ($($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<unsafe extern "C" fn(*mut i64, *mut i64) -> bool> = Next::new($symbol);

        unsafe extern "C" fn $body(begin: *mut i64, end: *mut i64) -> bool {
            let next = $next.get(caller());
            // SAFETY: the caller's own arguments; where there is a chunk, the runtime has written it.
            unsafe { chunks::fetch(move || next(begin, end), move |more| more.then(|| (*end).wrapping_sub(*begin))) }
        }
    )* };
}

starts! {
    static_start, STATIC, c"GOMP_loop_static_start", Static;
    dynamic_start, DYNAMIC, c"GOMP_loop_dynamic_start", Dynamic;
    guided_start, GUIDED, c"GOMP_loop_guided_start", Guided;
    nonmonotonic_dynamic_start, NM_DYNAMIC, c"GOMP_loop_nonmonotonic_dynamic_start", Dynamic;
    nonmonotonic_guided_start, NM_GUIDED, c"GOMP_loop_nonmonotonic_guided_start", Guided;
    ordered_static_start, O_STATIC, c"GOMP_loop_ordered_static_start", Static;
    ordered_dynamic_start, O_DYNAMIC, c"GOMP_loop_ordered_dynamic_start", Dynamic;
    ordered_guided_start, O_GUIDED, c"GOMP_loop_ordered_guided_start", Guided;
}
runtime_starts! {
    runtime_start, RUNTIME, c"GOMP_loop_runtime_start";
    nonmonotonic_runtime_start, NM_RUNTIME, c"GOMP_loop_nonmonotonic_runtime_start";
    maybe_runtime_start, MAYBE_RUNTIME, c"GOMP_loop_maybe_nonmonotonic_runtime_start";
    ordered_runtime_start, O_RUNTIME, c"GOMP_loop_ordered_runtime_start";
}
unsigned_starts! {
    ull_static_start, U_STATIC, c"GOMP_loop_ull_static_start", Static;
    ull_dynamic_start, U_DYNAMIC, c"GOMP_loop_ull_dynamic_start", Dynamic;
    ull_guided_start, U_GUIDED, c"GOMP_loop_ull_guided_start", Guided;
    ull_nonmonotonic_dynamic_start, U_NM_DYNAMIC, c"GOMP_loop_ull_nonmonotonic_dynamic_start", Dynamic;
    ull_nonmonotonic_guided_start, U_NM_GUIDED, c"GOMP_loop_ull_nonmonotonic_guided_start", Guided;
    ull_ordered_static_start, U_O_STATIC, c"GOMP_loop_ull_ordered_static_start", Static;
    ull_ordered_dynamic_start, U_O_DYNAMIC, c"GOMP_loop_ull_ordered_dynamic_start", Dynamic;
    ull_ordered_guided_start, U_O_GUIDED, c"GOMP_loop_ull_ordered_guided_start", Guided;
}
unsigned_runtime_starts! {
    ull_runtime_start, U_RUNTIME, c"GOMP_loop_ull_runtime_start";
    ull_nonmonotonic_runtime_start, U_NM_RUNTIME, c"GOMP_loop_ull_nonmonotonic_runtime_start";
    ull_maybe_runtime_start, U_MAYBE_RUNTIME, c"GOMP_loop_ull_maybe_nonmonotonic_runtime_start";
    ull_ordered_runtime_start, U_O_RUNTIME, c"GOMP_loop_ull_ordered_runtime_start";
}
general_starts! {
    general_start, GENERAL, c"GOMP_loop_start", ull_general_start, U_GENERAL, c"GOMP_loop_ull_start";
    general_ordered_start, O_GENERAL, c"GOMP_loop_ordered_start",
        ull_general_ordered_start, U_O_GENERAL, c"GOMP_loop_ull_ordered_start";
}
nexts! {
    static_next, NEXT_STATIC, c"GOMP_loop_static_next";
    dynamic_next, NEXT_DYNAMIC, c"GOMP_loop_dynamic_next";
    guided_next, NEXT_GUIDED, c"GOMP_loop_guided_next";
    runtime_next, NEXT_RUNTIME, c"GOMP_loop_runtime_next";
    nonmonotonic_dynamic_next, NEXT_NM_DYNAMIC, c"GOMP_loop_nonmonotonic_dynamic_next";
    nonmonotonic_guided_next, NEXT_NM_GUIDED, c"GOMP_loop_nonmonotonic_guided_next";
    nonmonotonic_runtime_next, NEXT_NM_RUNTIME, c"GOMP_loop_nonmonotonic_runtime_next";
    maybe_runtime_next, NEXT_MAYBE_RUNTIME, c"GOMP_loop_maybe_nonmonotonic_runtime_next";
    ordered_static_next, NEXT_O_STATIC, c"GOMP_loop_ordered_static_next";
    ordered_dynamic_next, NEXT_O_DYNAMIC, c"GOMP_loop_ordered_dynamic_next";
    ordered_guided_next, NEXT_O_GUIDED, c"GOMP_loop_ordered_guided_next";
    ordered_runtime_next, NEXT_O_RUNTIME, c"GOMP_loop_ordered_runtime_next";
    ull_static_next, NEXT_U_STATIC, c"GOMP_loop_ull_static_next";
    ull_dynamic_next, NEXT_U_DYNAMIC, c"GOMP_loop_ull_dynamic_next";
    ull_guided_next, NEXT_U_GUIDED, c"GOMP_loop_ull_guided_next";
    ull_runtime_next, NEXT_U_RUNTIME, c"GOMP_loop_ull_runtime_next";
    ull_nonmonotonic_dynamic_next, NEXT_U_NM_DYNAMIC, c"GOMP_loop_ull_nonmonotonic_dynamic_next";
    ull_nonmonotonic_guided_next, NEXT_U_NM_GUIDED, c"GOMP_loop_ull_nonmonotonic_guided_next";
    ull_nonmonotonic_runtime_next, NEXT_U_NM_RUNTIME, c"GOMP_loop_ull_nonmonotonic_runtime_next";
    ull_maybe_runtime_next, NEXT_U_MAYBE_RUNTIME, c"GOMP_loop_ull_maybe_nonmonotonic_runtime_next";
    ull_ordered_static_next, NEXT_U_O_STATIC, c"GOMP_loop_ull_ordered_static_next";
    ull_ordered_dynamic_next, NEXT_U_O_DYNAMIC, c"GOMP_loop_ull_ordered_dynamic_next";
    ull_ordered_guided_next, NEXT_U_O_GUIDED, c"GOMP_loop_ull_ordered_guided_next";
    ull_ordered_runtime_next, NEXT_U_O_RUNTIME, c"GOMP_loop_ull_ordered_runtime_next";
}

entry! {
    GOMP_loop_static_start => static_start;
    GOMP_loop_dynamic_start => dynamic_start;
    GOMP_loop_guided_start => guided_start;
    GOMP_loop_nonmonotonic_dynamic_start => nonmonotonic_dynamic_start;
    GOMP_loop_nonmonotonic_guided_start => nonmonotonic_guided_start;
    GOMP_loop_ordered_static_start => ordered_static_start;
    GOMP_loop_ordered_dynamic_start => ordered_dynamic_start;
    GOMP_loop_ordered_guided_start => ordered_guided_start;
    GOMP_loop_runtime_start => runtime_start;
    GOMP_loop_nonmonotonic_runtime_start => nonmonotonic_runtime_start;
    GOMP_loop_maybe_nonmonotonic_runtime_start => maybe_runtime_start;
    GOMP_loop_ordered_runtime_start => ordered_runtime_start;
    GOMP_loop_ull_static_start => ull_static_start;
    GOMP_loop_ull_dynamic_start => ull_dynamic_start;
    GOMP_loop_ull_guided_start => ull_guided_start;
    GOMP_loop_ull_nonmonotonic_dynamic_start => ull_nonmonotonic_dynamic_start;
    GOMP_loop_ull_nonmonotonic_guided_start => ull_nonmonotonic_guided_start;
    GOMP_loop_ull_ordered_static_start => ull_ordered_static_start;
    GOMP_loop_ull_ordered_dynamic_start => ull_ordered_dynamic_start;
    GOMP_loop_ull_ordered_guided_start => ull_ordered_guided_start;
    GOMP_loop_ull_runtime_start => ull_runtime_start;
    GOMP_loop_ull_nonmonotonic_runtime_start => ull_nonmonotonic_runtime_start;
    GOMP_loop_ull_maybe_nonmonotonic_runtime_start => ull_maybe_runtime_start;
    GOMP_loop_ull_ordered_runtime_start => ull_ordered_runtime_start;
    GOMP_loop_ull_ordered_start => ull_general_ordered_start;
    GOMP_loop_static_next => static_next;
    GOMP_loop_dynamic_next => dynamic_next;
    GOMP_loop_guided_next => guided_next;
    GOMP_loop_runtime_next => runtime_next;
    GOMP_loop_nonmonotonic_dynamic_next => nonmonotonic_dynamic_next;
    GOMP_loop_nonmonotonic_guided_next => nonmonotonic_guided_next;
    GOMP_loop_nonmonotonic_runtime_next => nonmonotonic_runtime_next;
    GOMP_loop_maybe_nonmonotonic_runtime_next => maybe_runtime_next;
    GOMP_loop_ordered_static_next => ordered_static_next;
    GOMP_loop_ordered_dynamic_next => ordered_dynamic_next;
    GOMP_loop_ordered_guided_next => ordered_guided_next;
    GOMP_loop_ordered_runtime_next => ordered_runtime_next;
    GOMP_loop_ull_static_next => ull_static_next;
    GOMP_loop_ull_dynamic_next => ull_dynamic_next;
    GOMP_loop_ull_guided_next => ull_guided_next;
    GOMP_loop_ull_runtime_next => ull_runtime_next;
    GOMP_loop_ull_nonmonotonic_dynamic_next => ull_nonmonotonic_dynamic_next;
    GOMP_loop_ull_nonmonotonic_guided_next => ull_nonmonotonic_guided_next;
    GOMP_loop_ull_nonmonotonic_runtime_next => ull_nonmonotonic_runtime_next;
    GOMP_loop_ull_maybe_nonmonotonic_runtime_next => ull_maybe_runtime_next;
    GOMP_loop_ull_ordered_static_next => ull_ordered_static_next;
    GOMP_loop_ull_ordered_dynamic_next => ull_ordered_dynamic_next;
    GOMP_loop_ull_ordered_guided_next => ull_ordered_guided_next;
    GOMP_loop_ull_ordered_runtime_next => ull_ordered_runtime_next;
    GOMP_loop_start => general_start;
    GOMP_loop_ull_start => ull_general_start;
    GOMP_loop_ordered_start => general_ordered_start;
}
