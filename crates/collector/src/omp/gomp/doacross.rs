//! Loops whose iterations wait for others (`ordered(n)` with `depend`).

use core::ffi::{c_long, c_uint, c_void};

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::{ConstructKind, LoopSchedule};

use super::super::account::within;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::loops::{of_loop, told};
use super::worksharing::{begin, first};

/// Iterations of the outermost loop, over which chunks are handed out.
///
/// # Safety
/// `counts` must point to `number` of them.
unsafe fn outermost(number: c_uint, counts: *const i64) -> u64 {
    if number == 0 || counts.is_null() {
        return 0;
    }
    // SAFETY: the caller's promise.
    unsafe { *counts }.unsigned_abs()
}

/// Signed and unsigned counts have the same size, and the runtime's entry points for them the same arguments.
macro_rules! starts {
    ($($body:ident, $next:ident, $symbol:literal, $schedule:ident;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(c_uint, *mut i64, i64, *mut i64, *mut i64) -> bool,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            number: c_uint, counts: *mut i64, chunk: i64, first_begin: *mut i64, first_end: *mut i64,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next(number, counts, chunk, first_begin, first_end) };
            if $next.tells_itself(from) { return run(); }
            // SAFETY: as above.
            unsafe {
                let trips = outermost(number, counts);
                let more = begin(|me| of_loop(me, LoopSchedule::$schedule, from), 1, trips, chunk, run);
                first(more, first_begin, first_end)
            }
        }
    )* };
}

macro_rules! runtime_starts {
    ($($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(c_uint, *mut i64, *mut i64, *mut i64) -> bool,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            number: c_uint, counts: *mut i64, first_begin: *mut i64, first_end: *mut i64,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next(number, counts, first_begin, first_end) };
            if $next.tells_itself(from) { return run(); }
            // SAFETY: as above.
            unsafe {
                let trips = outermost(number, counts);
                let more = begin(|me| of_loop(me, LoopSchedule::Runtime, from), 1, trips, 0, run);
                first(more, first_begin, first_end)
            }
        }
    )* };
}

macro_rules! general_starts {
    ($($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(
                c_uint, *mut i64, c_long, i64, *mut i64, *mut i64, *mut usize, *mut *mut c_void,
            ) -> bool,
        > = Next::new($symbol);

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $body(
            number: c_uint, counts: *mut i64, schedule: c_long, chunk: i64,
            first_begin: *mut i64, first_end: *mut i64, reductions: *mut usize, memory: *mut *mut c_void,
        ) -> bool {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe {
                next(number, counts, schedule, chunk, first_begin, first_end, reductions, memory)
            };
            if $next.tells_itself(from) { return run(); }
            // SAFETY: as above.
            unsafe {
                let trips = outermost(number, counts);
                let more = begin(|me| of_loop(me, told(schedule), from), 1, trips, chunk, run);
                first(more && !first_begin.is_null() && !first_end.is_null(), first_begin, first_end);
                more
            }
        }
    )* };
}

starts! {
    static_start, STATIC, c"GOMP_loop_doacross_static_start", Static;
    dynamic_start, DYNAMIC, c"GOMP_loop_doacross_dynamic_start", Dynamic;
    guided_start, GUIDED, c"GOMP_loop_doacross_guided_start", Guided;
    ull_static_start, U_STATIC, c"GOMP_loop_ull_doacross_static_start", Static;
    ull_dynamic_start, U_DYNAMIC, c"GOMP_loop_ull_doacross_dynamic_start", Dynamic;
    ull_guided_start, U_GUIDED, c"GOMP_loop_ull_doacross_guided_start", Guided;
}
runtime_starts! {
    runtime_start, RUNTIME, c"GOMP_loop_doacross_runtime_start";
    ull_runtime_start, U_RUNTIME, c"GOMP_loop_ull_doacross_runtime_start";
}
general_starts! {
    general_start, GENERAL, c"GOMP_loop_doacross_start";
    ull_general_start, U_GENERAL, c"GOMP_loop_ull_doacross_start";
}

/// The entry points that wait take as many numbers as the loop has dimensions. Ours take 64 (GCC's own tests have 61) and hand all of them
/// on: those that the caller did not give are whatever lies in the frames above it, and are not looked at.
macro_rules! waits {
    ($($body:ident, $next:ident, $symbol:literal;)*) => {
        $( waits! { @one $body, $next, $symbol,
            n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12 n13 n14 n15 n16 n17 n18 n19 n20 n21 n22 n23 n24 n25 n26
            n27 n28 n29 n30 n31 n32 n33 n34 n35 n36 n37 n38 n39 n40 n41 n42 n43 n44 n45 n46 n47 n48 n49 n50 n51
            n52 n53 n54 n55 n56 n57 n58 n59 n60 n61 n62 n63
        } )*
    };
    (@one $body:ident, $next:ident, $symbol:literal, $($number:ident)*) => {
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<unsafe extern "C" fn($(waits!(@type $number)),*)> = Next::new($symbol);

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $body($($number: i64),*) {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next($($number),*) };
            if $next.tells_itself(from) { return run(); }
            within(ConstructKind::Ordered, ThreadState::OmpLock, from, run);
        }
    };
    (@type $number:ident) => { i64 };
}

waits! {
    wait, WAIT, c"GOMP_doacross_wait";
    ull_wait, U_WAIT, c"GOMP_doacross_ull_wait";
}

entry! {
    GOMP_loop_doacross_static_start => static_start;
    GOMP_loop_doacross_dynamic_start => dynamic_start;
    GOMP_loop_doacross_guided_start => guided_start;
    GOMP_loop_doacross_runtime_start => runtime_start;
    GOMP_loop_doacross_start => general_start;
    GOMP_loop_ull_doacross_static_start => ull_static_start;
    GOMP_loop_ull_doacross_dynamic_start => ull_dynamic_start;
    GOMP_loop_ull_doacross_guided_start => ull_guided_start;
    GOMP_loop_ull_doacross_runtime_start => ull_runtime_start;
    GOMP_loop_ull_doacross_start => ull_general_start;
    GOMP_doacross_wait => wait;
    GOMP_doacross_ull_wait => ull_wait;
}
