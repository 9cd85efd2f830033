//! The next chunk of a loop in LLVM's and Intel's runtime, whose event few versions have: stood before, as libgomp's.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::super::chunks;
use super::super::local::caller;
use super::super::next::Next;
use crate::system;

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

macro_rules! entries {
    ($($name:ident => $body:path, $direct:ident, $symbol:literal;)*) => {
        $(
            /// Where calls go that are none of our business; 0: all are.
            static $direct: AtomicUsize = AtomicUsize::new(0);

            /// Stands before the runtime's entry point of this name.
            ///
            /// # Safety
            /// As the entry point that it stands before.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name() {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!(
                    "mov r11, qword ptr [rip + {direct}]",
                    "test r11, r11",
                    "jnz 2f",
                    "mov r11, qword ptr [rsp]",
                    "mov r10, qword ptr [rip + numawise_collector_omp@GOTTPOFF]",
                    "mov qword ptr fs:[r10], r11",
                    "jmp {body}",
                    "2:",
                    "jmp r11",
                    body = sym $body,
                    direct = sym $direct,
                );
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!(
                    "adrp x17, {direct}",
                    "ldr x17, [x17, :lo12:{direct}]",
                    "cbnz x17, 2f",
                    "mrs x16, tpidr_el0",
                    "adrp x17, :gottprel:numawise_collector_omp",
                    "ldr x17, [x17, :gottprel_lo12:numawise_collector_omp]",
                    "str x30, [x16, x17]",
                    "b {body}",
                    "2:",
                    "br x17",
                    body = sym $body,
                    direct = sym $direct,
                );
            }
        )*

        /// Leaves the calls to the runtime, as another tool is told of what they do: it gets the place of a call from their return
        /// address, which would be one of ours. A runtime that only some libraries have keeps us in between.
        pub fn step_aside() {
            $( $direct.store(system::next_symbol($symbol).expose_provenance(), Relaxed); )*
        }
    };
}

entries! {
    __kmpc_dispatch_next_4 => next_4, DIRECT_4, c"__kmpc_dispatch_next_4";
    __kmpc_dispatch_next_4u => next_4u, DIRECT_4U, c"__kmpc_dispatch_next_4u";
    __kmpc_dispatch_next_8 => next_8, DIRECT_8, c"__kmpc_dispatch_next_8";
    __kmpc_dispatch_next_8u => next_8u, DIRECT_8U, c"__kmpc_dispatch_next_8u";
}
