//! What a thread keeps for OpenMP, in static TLS as `thread/local.rs`: a block of its own, since the entry points store their
//! return address in its first word before they do anything else ([`entry`]).

use core::cell::Cell;
use core::ffi::c_void;

use numawise_wire::snapshot::ThreadSlot;

use super::position::{OpenLoop, Position, Wait};

/// The thread's block. All zeros when a thread begins; a child of fork keeps its parent's until it finds that its slot is another.
#[repr(C)]
pub struct Local {
    /// The address in the program to which the entry point that was called last returns.
    pub caller: Cell<usize>,
    /// The function of the region that LLVM's runtime is asked to open; 0: not told (`ompt/functions.rs`).
    pub function: Cell<usize>,
    /// The slot that the rest is about.
    pub slot: Cell<*const ThreadSlot>,
    /// The generation of the process in which it was set; 0: never.
    pub generation: Cell<u64>,
    pub position: Cell<Position>,
    pub open_loop: Cell<OpenLoop>,
    /// Chunks since the last change of state. Not beside the sum: both would be added to in one vector, which takes longer.
    pub chunks: Cell<u64>,
    /// What fetching them took, estimated.
    pub estimate: Cell<u64>,
    /// The sum of their ends minus their beginnings.
    pub distance: Cell<i64>,
    /// What fetching one takes, smoothed.
    pub typical: Cell<u64>,
    /// Calls for a chunk until the next one that is timed.
    pub countdown: Cell<u32>,
    /// State of the generator that chooses which calls are timed.
    pub random: Cell<u32>,
    /// The end of the last region with several threads that this thread opened.
    pub last_end: Cell<u64>,
    /// The thread into whose regions this one is called as a worker.
    pub master: Cell<*const ThreadSlot>,
    /// The innermost open region of the store, or null, and the one before.
    pub opened: Cell<*const c_void>,
    pub last_opened: Cell<*const c_void>,
    /// When the region began in which this thread works that another one opened, and since when it does: for a trace.
    pub called: Cell<[u64; 2]>,
    /// Threads of the region that this thread opened last.
    pub team: Cell<u32>,
    /// Open regions that found no place in the store.
    pub unseen: Cell<u32>,
    /// 1: the thread works in a region that another one opened.
    pub works: Cell<u32>,
    /// What the thread waits for, or does within a wait, as OMPT tells.
    pub depth: Cell<u32>,
    pub waits: [Cell<Wait>; WAITS],
}

/// Waits within waits, and tasks within them, that are told apart.
pub const WAITS: usize = 12;

const BYTES: usize = 1024;
const _: () = assert!(size_of::<Local>() <= BYTES && core::mem::offset_of!(Local, caller) == 0);
const _: () = assert!(core::mem::offset_of!(Local, function) == 8);

core::arch::global_asm!(
    ".pushsection .tbss.numawise_collector_omp,\"awT\",@nobits",
    ".balign 64",
    ".globl numawise_collector_omp",
    ".hidden numawise_collector_omp",
    ".type numawise_collector_omp, @object",
    ".size numawise_collector_omp, {bytes}",
    "numawise_collector_omp:",
    ".zero {bytes}",
    ".popsection",
    bytes = const BYTES,
);

/// The calling thread's block.
#[inline(always)]
pub fn here<'a>() -> &'a Local {
    let address: *const Local;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads the thread pointer and the offset that the loader wrote.
    unsafe {
        core::arch::asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + numawise_collector_omp@GOTTPOFF]",
            out(reg) address,
            options(pure, readonly, nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "mrs {0}, tpidr_el0",
            "adrp {1}, :gottprel:numawise_collector_omp",
            "ldr {1}, [{1}, :gottprel_lo12:numawise_collector_omp]",
            "add {0}, {0}, {1}",
            out(reg) address,
            out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    // SAFETY: the block is there as long as its thread, zeros are a value of the type, and a reference with cells in it cannot be
    // sent to another thread.
    unsafe { &*address }
}

/// The address to which the entry point returns that was called last; to be asked before anything of the program runs.
#[inline(always)]
pub fn caller() -> usize {
    here().caller.get()
}

/// Defines entry points under their public names: each stores its return address in the thread's block and goes on to its body,
/// with all arguments where the caller put them.
macro_rules! entry {
    ($($name:ident => $body:path;)*) => { $(
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
                "jmp {body}",
                body = sym $body
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "mrs x16, tpidr_el0",
                "adrp x17, :gottprel:numawise_collector_omp",
                "ldr x17, [x17, :gottprel_lo12:numawise_collector_omp]",
                "str x30, [x16, x17]",
                "b {body}",
                body = sym $body
            );
        }
    )* };
}
pub(crate) use entry;
