//! The functions of regions, which OMPT does not tell: it has the place of the call, of which there are several where a compiler has
//! unrolled a loop around it. We stand before the entry points that open regions, note their third argument, and go on to
//! them with the caller's arguments in place: how many there are, only the caller knows.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::super::local;
use super::super::next::Next;

/// Looks an entry point up, the first time that it is called.
macro_rules! opens {
    ($($name:ident, $found:ident, $look_up:ident, $symbol:literal;)*) => { $(
        static $found: AtomicUsize = AtomicUsize::new(0);

        extern "C" fn $look_up() -> usize {
            #[unsafe(link_section = "numawise_next")]
            static NEXT: Next<usize> = Next::new($symbol);
            let address = NEXT.get(local::caller());
            super::look_for_another_tool();
            // Where each caller has a runtime of its own, it is looked up each time.
            if NEXT.is_global() {
                $found.store(address, Relaxed);
            }
            address
        }

        /// Stands before the runtime's entry point of this name.
        ///
        /// # Safety
        /// As the entry point that it stands before.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                "mov r11, qword ptr [rsp]",
                "mov r10, qword ptr [rip + numawise_collector_omp@GOTTPOFF]",
                "mov qword ptr fs:[r10], r11",
                "mov qword ptr fs:[r10 + 8], rdx",
                "mov r11, qword ptr [rip + {found}]",
                "test r11, r11",
                "jz 2f",
                "jmp r11",
                "2:",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "push rax",
                "call {look_up}",
                "mov r11, rax",
                "pop rax",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp r11",
                found = sym $found,
                look_up = sym $look_up,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "mrs x16, tpidr_el0",
                "adrp x17, :gottprel:numawise_collector_omp",
                "ldr x17, [x17, :gottprel_lo12:numawise_collector_omp]",
                "add x16, x16, x17",
                "str x30, [x16]",
                "str x2, [x16, #8]",
                "adrp x17, {found}",
                "ldr x17, [x17, :lo12:{found}]",
                "cbz x17, 2f",
                "br x17",
                "2:",
                "stp x29, x30, [sp, #-80]!",
                "stp x0, x1, [sp, #16]",
                "stp x2, x3, [sp, #32]",
                "stp x4, x5, [sp, #48]",
                "stp x6, x7, [sp, #64]",
                "bl {look_up}",
                "mov x17, x0",
                "ldp x0, x1, [sp, #16]",
                "ldp x2, x3, [sp, #32]",
                "ldp x4, x5, [sp, #48]",
                "ldp x6, x7, [sp, #64]",
                "ldp x29, x30, [sp], #80",
                "br x17",
                found = sym $found,
                look_up = sym $look_up,
            );
        }
    )* };
}

opens! {
    __kmpc_fork_call, FORK, look_up_fork, c"__kmpc_fork_call";
    __kmpc_fork_teams, TEAMS, look_up_teams, c"__kmpc_fork_teams";
}
