//! The first steps of a new thread, and where it goes on to what its creator gave.
//!
//! It goes on by a jump and not by a call: a thread that is cancelled or ends by pthread_exit unwinds its whole stack, and a
//! debugger shows it, and neither meets a frame of ours.

use core::ffi::{c_int, c_void};

/// The type of routine that pthread_create takes.
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// The type of routine that thrd_create takes.
pub type C11Start = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Where the thread goes on; returned in two registers.
#[repr(C)]
pub struct Next {
    pub start: *const c_void,
    pub argument: *mut c_void,
}

// What thrd_create runs is what pthread_create runs: an integer is returned in the register in which a pointer is.
const _: () = assert!(size_of::<c_int>() <= size_of::<*mut c_void>());

/// Makes a routine `begin` for new threads: it calls the function of this name, an `unsafe extern "C" fn(*mut c_void) -> Next` that is given what
/// the creator left, and jumps to what that gives.
#[macro_export]
macro_rules! first_steps {
    ($arrive:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        unsafe extern "C" fn begin(place: *mut core::ffi::c_void) -> *mut core::ffi::c_void {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                "call {arrive}",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "mov rdi, rdx",
                "jmp rax",
                ".cfi_endproc",
                arrive = sym $arrive,
            )
        }

        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        unsafe extern "C" fn begin(place: *mut core::ffi::c_void) -> *mut core::ffi::c_void {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-16]!",
                ".cfi_adjust_cfa_offset 16",
                ".cfi_rel_offset x29, 0",
                ".cfi_rel_offset x30, 8",
                "mov x29, sp",
                "bl {arrive}",
                "ldp x29, x30, [sp], #16",
                ".cfi_adjust_cfa_offset -16",
                ".cfi_restore x29",
                ".cfi_restore x30",
                "mov x16, x0",
                "mov x0, x1",
                "br x16",
                ".cfi_endproc",
                arrive = sym $arrive,
            )
        }
    };
}
