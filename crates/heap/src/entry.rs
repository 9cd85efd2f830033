//! Where calls go that may have to be written down, in assembler: the registers of the caller are taken as they are, and an exception that
//! comes from the real function (operator new of an allocator) passes a frame without a handler.

use crate::call;
use crate::frame::Frame;

/// Bytes of [`Frame`] up to the saved frame pointer.
#[cfg(target_arch = "x86_64")]
const _: () = assert!(core::mem::offset_of!(Frame, bp) == 112);
#[cfg(target_arch = "aarch64")]
const _: () = assert!(core::mem::offset_of!(Frame, bp) == 112);

/// r11 holds the number of the function. `before` gives the function, and what is done with it: 0, it is jumped to; 1, it is called, and
/// `after` gets what it returned; 2, it is itself what is returned.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, 112",
        "mov qword ptr [rbp - 112], rdi",
        "mov qword ptr [rbp - 104], rsi",
        "mov qword ptr [rbp - 96], rdx",
        "mov qword ptr [rbp - 88], rcx",
        "mov qword ptr [rbp - 80], r8",
        "mov qword ptr [rbp - 72], r9",
        "mov qword ptr [rbp - 64], r11",
        "mov qword ptr [rbp - 48], rbx",
        "mov qword ptr [rbp - 40], r12",
        "mov qword ptr [rbp - 32], r13",
        "mov qword ptr [rbp - 24], r14",
        "mov qword ptr [rbp - 16], r15",
        "lea rdi, [rbp - 112]",
        "call {before}",
        "cmp edx, 1",
        "ja 4f",
        "mov rdi, qword ptr [rbp - 112]",
        "mov rsi, qword ptr [rbp - 104]",
        "mov r10d, edx",
        "mov rdx, qword ptr [rbp - 96]",
        "mov rcx, qword ptr [rbp - 88]",
        "mov r8, qword ptr [rbp - 80]",
        "mov r9, qword ptr [rbp - 72]",
        "test r10d, r10d",
        "jz 3f",
        "call rax",
        "lea rdi, [rbp - 112]",
        "mov rsi, rax",
        "call {after}",
        "4:",
        ".cfi_remember_state",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_restore_state",
        "3:",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "jmp rax",
        ".cfi_endproc",
        before = sym call::before,
        after = sym call::after,
    )
}

/// The same; x16 holds the number.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn entry() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "sub sp, sp, #112",
        "stp x0, x1, [sp]",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "str x16, [sp, #48]",
        "stp x19, x20, [sp, #64]",
        "stp x21, x22, [sp, #80]",
        "str x23, [sp, #96]",
        "mov x0, sp",
        "bl {before}",
        "cmp w1, #1",
        "b.hi 4f",
        "mov x16, x0",
        "mov w17, w1",
        "ldp x0, x1, [sp]",
        "ldp x2, x3, [sp, #16]",
        "ldp x4, x5, [sp, #32]",
        "cbz w17, 3f",
        "blr x16",
        "mov x1, x0",
        "mov x0, sp",
        "bl {after}",
        "4:",
        ".cfi_remember_state",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_restore_state",
        "3:",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "br x16",
        ".cfi_endproc",
        before = sym call::before,
        after = sym call::after,
    )
}
