//! We stand before the functions that wait for the end of a thread, to know who has waited: places of threads that have ended are
//! free for what such a thread creates. The wait itself meets no frame of ours: it may be cancelled.

use core::ffi::{c_int, c_void};

use super::choice;
use crate::system::{SavedErrno, Symbol};

/// Notes that the calling thread joins, and gives the function behind us.
fn note(real: &Symbol, missing: unsafe extern "C" fn() -> c_int) -> *const c_void {
    let _errno = SavedErrno::new();
    choice::joins();
    let real = real.get();
    if real.is_null() { missing as *const c_void } else { real }
}

unsafe extern "C" fn missing() -> c_int {
    libc::ENOSYS
}

/// `thrd_error` of glibc's threads.h.
unsafe extern "C" fn missing_c11() -> c_int {
    2
}

/// Defines a function that goes on in the one behind us with the arguments that it was given.
macro_rules! before_join {
    ($name:ident, $to:ident, $symbol:literal, $missing:ident, ($($argument:ident),*)) => {
        extern "C" fn $to() -> *const c_void {
            static REAL: Symbol = Symbol::new($symbol);
            note(&REAL, $missing)
        }

        /// # Safety
        /// As the function of this name.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 40",
                "call {to}",
                "add rsp, 8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                ".cfi_adjust_cfa_offset -40",
                "jmp rax",
                ".cfi_endproc",
                to = sym $to,
            )
        }

        /// # Safety
        /// As the function of this name.
        #[cfg(target_arch = "aarch64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-48]!",
                ".cfi_adjust_cfa_offset 48",
                ".cfi_rel_offset x29, 0",
                ".cfi_rel_offset x30, 8",
                "stp x0, x1, [sp, #16]",
                "stp x2, x3, [sp, #32]",
                "mov x29, sp",
                "bl {to}",
                "mov x16, x0",
                "ldp x0, x1, [sp, #16]",
                "ldp x2, x3, [sp, #32]",
                "ldp x29, x30, [sp], #48",
                ".cfi_adjust_cfa_offset -48",
                ".cfi_restore x29",
                ".cfi_restore x30",
                "br x16",
                ".cfi_endproc",
                to = sym $to,
            )
        }

        /// # Safety
        /// As the function of this name.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
            // SAFETY: the function takes these arguments, each an integer or a pointer, which go in registers.
            unsafe {
                let real: unsafe extern "C" fn($(before_join!(@word $argument)),*) -> c_int = core::mem::transmute($to());
                real($($argument),*)
            }
        }
    };
    (@word $argument:ident) => { usize };
}

before_join!(pthread_join, before_pthread_join, c"pthread_join", missing, (_thread, _result));
before_join!(pthread_tryjoin_np, before_try, c"pthread_tryjoin_np", missing, (_thread, _result));
before_join!(pthread_timedjoin_np, before_timed, c"pthread_timedjoin_np", missing, (_thread, _result, _end));
before_join!(
    pthread_clockjoin_np,
    before_clock,
    c"pthread_clockjoin_np",
    missing,
    (_thread, _result, _clock, _end)
);
before_join!(thrd_join, before_thrd_join, c"thrd_join", missing_c11, (_thread, _result));
