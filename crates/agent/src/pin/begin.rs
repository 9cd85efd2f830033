//! The first steps of a new thread: it places itself, and goes on to what its creator gave.
//!
//! It goes on by a jump and not by a call, where we know how: a thread that is cancelled or ends by pthread_exit unwinds
//! its whole stack, and a debugger shows it, and neither meets a frame of ours.

use core::ffi::{c_int, c_void};

use super::{choice, messages, plan, slot};

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
/// `place` must be the slot that the creator filled for this thread alone.
unsafe extern "C" fn place(place: *mut c_void) -> Next {
    // SAFETY: the caller's promise.
    match unsafe { slot::take(place) } {
        Some(thread) => {
            pin(&thread);
            Next { start: thread.start, argument: thread.argument }
        }
        // Slots are always filled; the thread would end at once.
        None => Next { start: nothing as *const c_void, argument: core::ptr::null_mut() },
    }
}

/// Pins the calling thread.
fn pin(thread: &slot::NewThread) {
    let Some(plan) = plan::active() else { return };
    let cpus = plan.thread(thread.place);
    choice::placed(thread.place);
    let pinned = plan.give(0, cpus);
    if plan::is_verbose() {
        messages::thread_pinned(thread.number, thread.owner.name(), cpus, pinned);
    }
}

extern "C" fn nothing(_: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
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
unsafe extern "C" fn begin(slot: *mut c_void) -> *mut c_void {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call {place}",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "mov rdi, rdx",
        "jmp rax",
        ".cfi_endproc",
        place = sym place,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn begin(slot: *mut c_void) -> *mut c_void {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_adjust_cfa_offset 16",
        ".cfi_rel_offset x29, 0",
        ".cfi_rel_offset x30, 8",
        "mov x29, sp",
        "bl {place}",
        "ldp x29, x30, [sp], #16",
        ".cfi_adjust_cfa_offset -16",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "mov x16, x0",
        "mov x0, x1",
        "br x16",
        ".cfi_endproc",
        place = sym place,
    )
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe extern "C" fn begin(slot: *mut c_void) -> *mut c_void {
    // SAFETY: the creator filled the slot for this thread alone, and gave a routine of this type.
    unsafe {
        let next = place(slot);
        let start: Start = core::mem::transmute(next.start);
        start(next.argument)
    }
}

const _: () = assert!(size_of::<c_int>() <= size_of::<*mut c_void>());
