//! Per-thread words that are found without a call: thread-local storage of the initial-exec model, which the loader has room for
//! since the library is there from the start. `docs/decisions/0013-collector.md` has what the other ways cost.

use core::cell::Cell;

use numawise_guest::python::Remembered;
use numawise_guest::{process, system};

use crate::budget::{Budget, SITES};

/// All zeros when a thread begins. A child of fork keeps its parent's: see `generation`.
#[repr(C, align(64))]
pub struct Local {
    /// Bytes of small allocations until one is drawn; the entries count it down.
    pub countdown: Cell<i64>,
    /// The state of the random numbers; 0: not begun.
    pub random: Cell<u64>,
    /// The generation of the process in which `thread` was asked for; 0: never.
    generation: Cell<u64>,
    /// The kernel's number of the thread.
    thread: Cell<u32>,
    /// 1 + the timer of the thread's samples; 0: it has none.
    pub timer: Cell<u32>,
    /// A function is being looked up, for which the loader may allocate.
    pub looks_up: Cell<bool>,
    /// The countdown has begun.
    pub counts_small: Cell<bool>,
    /// 1 + the place of the large allocation that an entry has counted down; 0: it has not.
    pub counted: Cell<u32>,
    /// Where an operator of C++ was called from that goes on to an entry.
    pub operator_from: Cell<u32>,
    /// Large allocations until one is written down, by [`crate::budget::site`]; the entries count them down.
    pub countdowns: [Cell<i32>; SITES],
    pub budget: Budget,
    /// Where the interpreter of Python keeps what the thread executes.
    pub python: Remembered,
}

/// Bytes of [`Local`].
const BYTES: usize = size_of::<Local>();
/// Where the entries find its words.
pub const COUNTED_AT: usize = core::mem::offset_of!(Local, counted);
pub const OPERATOR_FROM_AT: usize = core::mem::offset_of!(Local, operator_from);
pub const COUNTDOWNS_AT: usize = core::mem::offset_of!(Local, countdowns);
const _: () = assert!(core::mem::offset_of!(Local, countdown) == 0);
// It lies in the stack of each thread, of which the smallest has 16 KiB.
const _: () = assert!(BYTES <= 1024);

core::arch::global_asm!(
    ".pushsection .tbss.numawise_heap,\"awT\",@nobits",
    ".balign 64",
    ".globl numawise_heap_local",
    ".hidden numawise_heap_local",
    ".type numawise_heap_local, @object",
    ".size numawise_heap_local, {bytes}",
    "numawise_heap_local:",
    ".zero {bytes}",
    ".popsection",
    bytes = const BYTES,
);

/// Where the thread's control block lies.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: its first word is its own address, by the binary interface of threads.
    unsafe {
        core::arch::asm!("mov {0}, qword ptr fs:[0]", out(reg) pointer, options(pure, readonly, nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mrs {0}, tpidr_el0", out(reg) pointer, options(pure, nomem, nostack));
    }
    pointer
}

/// The calling thread's words; the pointer is for this thread only. Async-signal-safe.
#[inline]
pub fn local<'a>() -> &'a Local {
    let offset: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads the offset that the loader wrote.
    unsafe {
        core::arch::asm!(
            "mov {0}, qword ptr [rip + numawise_heap_local@GOTTPOFF]",
            out(reg) offset,
            options(pure, readonly, nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "adrp {0}, :gottprel:numawise_heap_local",
            "ldr {0}, [{0}, :gottprel_lo12:numawise_heap_local]",
            out(reg) offset,
            options(pure, readonly, nostack),
        );
    }
    let address = core::ptr::with_exposed_provenance::<Local>(thread_pointer().wrapping_add(offset));
    // SAFETY: the block is there as long as its thread, zeros are a value of the type, and a reference with cells in it cannot be
    // sent to another thread.
    unsafe { &*address }
}

impl Local {
    /// The kernel's number of the thread.
    pub fn thread(&self) -> u32 {
        let generation = process::generation();
        if self.generation.get() != generation {
            self.thread.set(system::thread().cast_unsigned());
            self.generation.set(generation);
        }
        self.thread.get()
    }
}
