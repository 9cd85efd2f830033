//! The functions that the program finds in place of the real ones. Each decides by itself whether a call may have to be written down: the
//! bytes that are asked for, those to the next small one that is drawn, and the counter of the block's class. Else it jumps to the real
//! one, and adds no frame.
//!
//! On aarch64 all calls go through the common entry, which decides the same.

#[cfg(target_arch = "x86_64")]
use crate::budget::{HUGE, MIX, SITE_SHIFT};
#[cfg(target_arch = "x86_64")]
use crate::call::LEAST;
use crate::entry::entry;
#[cfg(target_arch = "x86_64")]
use crate::function::{PASSED, REAL};
#[cfg(target_arch = "x86_64")]
use crate::local::{COUNTDOWNS_AT, COUNTED_AT, OPERATOR_FROM_AT};
#[cfg(target_arch = "x86_64")]
use crate::member::{CLASS_SHIFT, CLASSES, COUNTERS};

/// A function that is always looked at.
macro_rules! looked_at {
    ($($name:ident = $number:literal,)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r11d, {number}",
                "jmp {entry}",
                ".cfi_endproc",
                number = const $number,
                entry = sym entry,
            )
        }
        common!($name = $number);
    )*};
}

macro_rules! common {
    ($name:ident = $number:literal) => {
        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov x16, #{number}",
                "b {entry}",
                ".cfi_endproc",
                number = const $number,
                entry = sym entry,
            )
        }
    };
}

/// An allocation of a size that is written down, unless those of this place are many: it is counted down, and all goes on at `passes` where
/// it is not its turn. The place is [`crate::budget::site`], by where the call returns to.
#[cfg(target_arch = "x86_64")]
macro_rules! large {
    ($size:literal, $passes:literal) => {
        concat!(
            "6:\n",
            "cmp ",
            $size,
            ", {huge}\n",
            "jae 2f\n",
            "bsr r10, ",
            $size,
            "\n",
            "shl r10d, 24\n",
            "xor r10d, dword ptr [rsp]\n",
            "mov r11, qword ptr [rip + numawise_heap_local@GOTTPOFF]\n",
            "xor r10d, dword ptr fs:[r11 + {operator_from}]\n",
            "mov dword ptr fs:[r11 + {operator_from}], 0\n",
            "imul r10d, r10d, {mix}\n",
            "shr r10d, {site_shift}\n",
            "sub dword ptr fs:[r11 + 4 * r10 + {countdowns}], 1\n",
            "jns ",
            $passes,
            "\n",
            "add r10d, 1\n",
            "mov dword ptr fs:[r11 + {counted}], r10d\n",
        )
    };
}

/// The instructions of a function that has [`large!`] in it, with what these name.
#[cfg(target_arch = "x86_64")]
macro_rules! naked_asm_of_sized {
    ($($instructions_and_names:tt)*) => {
        core::arch::naked_asm!(
            $($instructions_and_names)*
            entry = sym entry,
            real = sym REAL,
            least = sym LEAST,
            huge = const HUGE,
            mix = const MIX,
            site_shift = const SITE_SHIFT,
            counted = const COUNTED_AT,
            operator_from = const OPERATOR_FROM_AT,
            countdowns = const COUNTDOWNS_AT,
        )
    };
}

/// A function that is asked for the bytes in a register; `first` comes before.
macro_rules! sized {
    ($($name:ident = $number:literal by $size:literal, first $($first:literal)*;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            naked_asm_of_sized!(
                ".cfi_startproc",
                $($first,)*
                concat!("cmp ", $size, ", qword ptr [rip + {least}]"),
                "jae 6f",
                "mov r11, qword ptr [rip + numawise_heap_local@GOTTPOFF]",
                concat!("sub qword ptr fs:[r11], ", $size),
                "js 2f",
                // An operator of a C++ library that was loaded later is not known at first.
                "8:",
                "mov r11, qword ptr [rip + {real} + 8 * {number}]",
                "test r11, r11",
                "jz 2f",
                "jmp r11",
                large!($size, "8b"),
                "2:",
                "mov r11d, {number}",
                "jmp {entry}",
                // What the operator calls counts as called from here.
                "5:",
                concat!("cmp ", $size, ", qword ptr [rip + {least}]"),
                "jb 7f",
                "mov r11, qword ptr [rip + numawise_heap_local@GOTTPOFF]",
                "mov r10d, dword ptr [rsp]",
                "mov dword ptr fs:[r11 + {operator_from}], r10d",
                "7:",
                "jmp qword ptr [rip + {passed} + 8 * {number}]",
                ".cfi_endproc",
                number = const $number,
                passed = sym PASSED,
            )
        }
        common!($name = $number);
    )*};
}

/// A function that frees its first argument.
macro_rules! releasing {
    ($($name:ident = $number:literal, first $($first:literal)*;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                $($first,)*
                "mov rax, rdi",
                "shr rax, {shift}",
                "and eax, {mask}",
                "lea r11, [rip + {counters}]",
                "cmp byte ptr [r11 + rax], 0",
                "jne 2f",
                "mov rax, qword ptr [rip + {real} + 8 * {number}]",
                "test rax, rax",
                "jz 2f",
                "jmp rax",
                "2:",
                "mov r11d, {number}",
                "jmp {entry}",
                "5:",
                "jmp qword ptr [rip + {passed} + 8 * {number}]",
                ".cfi_endproc",
                number = const $number,
                entry = sym entry,
                real = sym REAL,
                passed = sym PASSED,
                counters = sym COUNTERS,
                shift = const CLASS_SHIFT,
                mask = const CLASSES - 1,
            )
        }
        common!($name = $number);
    )*};
}

/// Operators, which jump on to those of the C++ library where the allocator has none.
macro_rules! operators {
    ($kind:ident $($name:ident = $number:literal $(by $size:literal)?;)*) => {
        $kind! {$(
            $name = $number $(by $size)?, first "cmp qword ptr [rip + {passed} + 8 * {number}], 0" "jne 5f";
        )*}
    };
}

sized! {
    malloc = 0 by "rdi", first;
    posix_memalign = 4 by "rdx", first;
    aligned_alloc = 5 by "rsi", first;
    memalign = 6 by "rsi", first;
    valloc = 7 by "rdi", first;
    pvalloc = 8 by "rdi", first;
    // A product that does not fit is not looked at twice: the real one refuses it.
    calloc = 1 by "rax", first "mov rax, rdi" "mul rsi" "jo 2f";
}

releasing! {
    free = 3, first;
    free_sized = 9, first;
    free_aligned_sized = 10, first;
}

/// The block that is made larger may be one that was written down.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn realloc() {
    naked_asm_of_sized!(
        ".cfi_startproc",
        "mov rax, rdi",
        "shr rax, {shift}",
        "and eax, {mask}",
        "lea r11, [rip + {counters}]",
        "cmp byte ptr [r11 + rax], 0",
        "jne 2f",
        "cmp rsi, qword ptr [rip + {least}]",
        "jae 6f",
        "mov r11, qword ptr [rip + numawise_heap_local@GOTTPOFF]",
        "sub qword ptr fs:[r11], rsi",
        "js 2f",
        "8:",
        "jmp qword ptr [rip + {real} + 8 * 2]",
        large!("rsi", "8b"),
        "2:",
        "mov r11d, 2",
        "jmp {entry}",
        ".cfi_endproc",
        counters = sym COUNTERS,
        shift = const CLASS_SHIFT,
        mask = const CLASSES - 1,
    )
}
common!(realloc = 2);

looked_at! {
    mmap = 11,
    mmap64 = 12,
    munmap = 13,
    mremap = 14,
    shmat = 15,
    shmdt = 16,
    sigaction = 37,
    signal = 38,
}

operators! { sized
    _Znwm = 17 by "rdi";
    _Znam = 18 by "rdi";
    _ZnwmRKSt9nothrow_t = 19 by "rdi";
    _ZnamRKSt9nothrow_t = 20 by "rdi";
    _ZnwmSt11align_val_t = 21 by "rdi";
    _ZnamSt11align_val_t = 22 by "rdi";
    _ZnwmSt11align_val_tRKSt9nothrow_t = 23 by "rdi";
    _ZnamSt11align_val_tRKSt9nothrow_t = 24 by "rdi";
}

operators! { releasing
    _ZdlPv = 25;
    _ZdaPv = 26;
    _ZdlPvm = 27;
    _ZdaPvm = 28;
    _ZdlPvSt11align_val_t = 29;
    _ZdaPvSt11align_val_t = 30;
    _ZdlPvmSt11align_val_t = 31;
    _ZdaPvmSt11align_val_t = 32;
    _ZdlPvRKSt9nothrow_t = 33;
    _ZdaPvRKSt9nothrow_t = 34;
    _ZdlPvSt11align_val_tRKSt9nothrow_t = 35;
    _ZdaPvSt11align_val_tRKSt9nothrow_t = 36;
}
