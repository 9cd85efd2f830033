//! The first steps of a new thread: it is noted, and goes on to what its creator gave.
//!
//! It goes on by a jump and not by a call: a thread that is cancelled or ends by pthread_exit unwinds its whole stack, and a
//! debugger shows it, and neither meets a frame of ours.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::new::Handover;
use crate::system::SavedErrno;

/// What is done in a new thread, before its own work; it is given the address of what the program wants it to run.
pub type Arrived = fn(usize);

/// Null: nobody wants to know.
static ARRIVED: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// Has threads that are created from now on call `arrived` first.
pub fn watch(arrived: Arrived) {
    ARRIVED.store(arrived as *mut c_void, Relaxed);
}

pub(super) fn is_watched() -> bool {
    !ARRIVED.load(Relaxed).is_null()
}

/// The type of routine that pthread_create takes.
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// The type of routine that thrd_create takes.
pub type C11Start = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Where the thread goes on; returned in two registers.
#[repr(C)]
struct Next {
    start: *const c_void,
    argument: *mut c_void,
}

/// # Safety
/// `place` must be the one that the creator filled for this thread alone.
unsafe extern "C" fn arrive(place: *mut c_void) -> Next {
    let _errno = SavedErrno::new();
    // SAFETY: the caller's promise; places are never unmapped.
    let thread = unsafe { &*place.cast::<Handover>() }.take();
    let arrived = ARRIVED.load(Relaxed);
    if !arrived.is_null() {
        // SAFETY: a function of this type was stored.
        let arrived: Arrived = unsafe { core::mem::transmute(arrived) };
        arrived(thread.start.expose_provenance());
    }
    Next { start: thread.start, argument: thread.argument }
}

/// What pthread_create runs.
pub fn pthread() -> Start {
    // SAFETY: both types are functions with one pointer as argument, and what it returns is what it jumps to returns.
    unsafe { core::mem::transmute(begin as *const c_void) }
}

/// What thrd_create runs.
pub fn c11() -> C11Start {
    // SAFETY: as above; an integer is returned in the register in which a pointer is.
    unsafe { core::mem::transmute(begin as *const c_void) }
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn begin(place: *mut c_void) -> *mut c_void {
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
        arrive = sym arrive,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn begin(place: *mut c_void) -> *mut c_void {
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
        arrive = sym arrive,
    )
}

const _: () = assert!(size_of::<c_int>() <= size_of::<*mut c_void>());
