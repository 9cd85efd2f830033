//! The next chunk of a loop in LLVM's and Intel's runtime, whose event few versions have: stood before, as libgomp's.

use core::ffi::{c_int, c_void};

use super::super::chunks;
use super::super::local::{caller, entry};
use super::super::next::Next;

/// Iterations from `first` to `last`, both of them in, by `stride`.
fn iterations(first: i64, last: i64, stride: i64) -> i64 {
    if stride == 0 { 0 } else { last.wrapping_sub(first).wrapping_div(stride).wrapping_add(1) }
}

macro_rules! nexts {
    ($($body:ident, $next:ident, $symbol:literal, $bound:ty, $stride:ty;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<
            unsafe extern "C" fn(*mut c_void, i32, *mut i32, *mut $bound, *mut $bound, *mut $stride) -> c_int,
        > = Next::new($symbol);

        unsafe extern "C" fn $body(
            place: *mut c_void, thread: i32, is_last: *mut i32, first: *mut $bound, last: *mut $bound, stride: *mut $stride,
        ) -> c_int {
            let next = $next.get(caller());
            // SAFETY: the caller's own arguments; where there is a chunk, the runtime has written it.
            unsafe {
                chunks::fetch(
                    || next(place, thread, is_last, first, last, stride),
                    |more| (more != 0).then(|| iterations(*first as i64, *last as i64, i64::from(*stride))),
                )
            }
        }
    )* };
}

nexts! {
    next_4, NEXT_4, c"__kmpc_dispatch_next_4", i32, i32;
    next_4u, NEXT_4U, c"__kmpc_dispatch_next_4u", u32, i32;
    next_8, NEXT_8, c"__kmpc_dispatch_next_8", i64, i64;
    next_8u, NEXT_8U, c"__kmpc_dispatch_next_8u", u64, i64;
}

entry! {
    __kmpc_dispatch_next_4 => next_4;
    __kmpc_dispatch_next_4u => next_4u;
    __kmpc_dispatch_next_8 => next_8;
    __kmpc_dispatch_next_8u => next_8u;
}
