//! Where all wrappers jump to, in assembler, as those of MPI do: the functions are points where a thread may be cancelled, and some take
//! arguments that they do not name. The frame has no handler of exceptions, and says where it saved what.

use core::ffi::c_int;

use super::call;

/// Arguments that go in registers; none of the functions has more.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 6;
#[cfg(target_arch = "aarch64")]
const REGISTERS: usize = 8;

/// One call in progress. Its place and its order are those of the code below.
#[repr(C)]
pub struct Frame {
    /// Which function, in the table.
    pub number: u64,
    /// When the call began, in ticks.
    pub since: u64,
    /// What the function gave.
    pub result: usize,
    /// The descriptor that it is about.
    pub descriptor: c_int,
    /// 1: its time and bytes count.
    pub counts: u32,
    registers: [usize; REGISTERS],
}

impl Frame {
    pub fn address(&self) -> usize {
        (&raw const *self).addr()
    }

    pub fn argument(&self, number: u8) -> usize {
        self.registers.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// An argument that is an int: the upper half of its register may hold anything.
    pub fn int(&self, number: u8) -> c_int {
        self.argument(number) as c_int
    }
}

const FRAME_BYTES: usize = size_of::<Frame>();

#[cfg(target_arch = "x86_64")]
const _: () = assert!(FRAME_BYTES == 80);
#[cfg(target_arch = "aarch64")]
const _: () = assert!(FRAME_BYTES == 96);

// r11 holds the number. `before` gives the function, and 0 where it is to be jumped to.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".pushsection .text.numawise_collector_files,\"ax\",@progbits",
    ".balign 16",
    ".globl numawise_collector_file_call",
    ".hidden numawise_collector_file_call",
    ".type numawise_collector_file_call, @function",
    "numawise_collector_file_call:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "sub rsp, 80",
    "mov qword ptr [rbp - 48], rdi",
    "mov qword ptr [rbp - 40], rsi",
    "mov qword ptr [rbp - 32], rdx",
    "mov qword ptr [rbp - 24], rcx",
    "mov qword ptr [rbp - 16], r8",
    "mov qword ptr [rbp - 8], r9",
    "mov qword ptr [rbp - 80], r11",
    "lea rdi, [rbp - 80]",
    "call {before}",
    "mov rdi, qword ptr [rbp - 48]",
    "mov rsi, qword ptr [rbp - 40]",
    "mov r10, rdx",
    "mov rdx, qword ptr [rbp - 32]",
    "mov rcx, qword ptr [rbp - 24]",
    "mov r8, qword ptr [rbp - 16]",
    "mov r9, qword ptr [rbp - 8]",
    "mov r11, rax",
    // What a function with unnamed arguments is told: none of them is in a vector register.
    "xor eax, eax",
    "test r10, r10",
    "jz 3f",
    "call r11",
    "mov qword ptr [rbp - 64], rax",
    "lea rdi, [rbp - 80]",
    "call {after}",
    "mov rax, qword ptr [rbp - 64]",
    ".cfi_remember_state",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_restore_state",
    "3:",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "jmp r11",
    ".cfi_endproc",
    ".size numawise_collector_file_call, . - numawise_collector_file_call",
    ".popsection",
    before = sym call::before,
    after = sym call::after,
);

// The same; x16 holds the number.
#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".pushsection .text.numawise_collector_files,\"ax\",@progbits",
    ".balign 16",
    ".globl numawise_collector_file_call",
    ".hidden numawise_collector_file_call",
    ".type numawise_collector_file_call, @function",
    "numawise_collector_file_call:",
    ".cfi_startproc",
    "stp x29, x30, [sp, #-16]!",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset x29, -16",
    ".cfi_offset x30, -8",
    "mov x29, sp",
    ".cfi_def_cfa_register x29",
    "sub sp, sp, #96",
    "stp x0, x1, [x29, #-64]",
    "stp x2, x3, [x29, #-48]",
    "stp x4, x5, [x29, #-32]",
    "stp x6, x7, [x29, #-16]",
    "str x16, [x29, #-96]",
    "sub x0, x29, #96",
    "bl {before}",
    "mov x16, x0",
    "mov x17, x1",
    "ldp x0, x1, [x29, #-64]",
    "ldp x2, x3, [x29, #-48]",
    "ldp x4, x5, [x29, #-32]",
    "ldp x6, x7, [x29, #-16]",
    "cbz x17, 3f",
    "blr x16",
    "str x0, [x29, #-80]",
    "sub x0, x29, #96",
    "bl {after}",
    "ldr x0, [x29, #-80]",
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
    "br x16",
    ".cfi_endproc",
    ".size numawise_collector_file_call, . - numawise_collector_file_call",
    ".popsection",
    before = sym call::before,
    after = sym call::after,
);

/// Defines a function that hands its number to the entry, with all arguments where the caller put them.
macro_rules! wrapper {
    ($(#[$attribute:meta])* $name:ident, $number:expr) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                "mov r11d, {number}",
                "jmp numawise_collector_file_call",
                number = const $number,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "mov w16, #{number}",
                "b numawise_collector_file_call",
                number = const $number,
            );
        }
    };
}
pub(super) use wrapper;
