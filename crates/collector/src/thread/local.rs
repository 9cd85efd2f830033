//! Per-thread words that are found without a call: thread-local storage of the initial-exec model, which the loader has room for
//! since the library is there from the start. `docs/decisions/0013-collector.md` has what the other ways cost.
//!
//! Rust's `#[thread_local]` is not stable and its `thread_local!` wants `std`, so the block is made by the assembler.

use core::cell::Cell;
use core::ffi::c_void;

use numawise_guest::python::Remembered;
use numawise_wire::snapshot::ThreadSlot;

/// All zeros when a thread begins. A child of fork keeps its parent's: see `generation`.
#[repr(C, align(64))]
pub struct Local {
    /// The thread's slot; null where it has none.
    pub slot: Cell<*const ThreadSlot>,
    /// The generation of the process in which `slot` was set; 0: never.
    pub generation: Cell<u64>,
    /// Where the frame of the outermost MPI call in progress lies, or 0. The stack grows downwards: a call whose frame lies
    /// above finds that the other was left by an exception or longjmp.
    pub mpi_frame: Cell<usize>,
    /// The same for a Fortran name, and the address to which it returns.
    pub fortran_frame: Cell<usize>,
    pub fortran_site: Cell<usize>,
    /// Memory for calls with many requests; null where there was none.
    pub mpi_scratch: Cell<*mut u8>,
    /// The address of the function that the thread runs, from when it begins; 0 where that was not seen.
    pub start: Cell<usize>,
    /// Memory for the regions that the thread has begun; null where there was none.
    pub regions: Cell<*mut u8>,
    /// Where the interpreter of Python keeps what the thread executes.
    pub python: Remembered,
    /// The chunk of the trace that the thread fills; null where there is none.
    pub trace: Cell<*const c_void>,
    /// 1 while the thread puts a record into it.
    pub is_putting: Cell<usize>,
    reserved: [Cell<usize>; 2],
}

const _: () = assert!(size_of::<Local>() == 128);

/// Bytes behind [`Local::mpi_scratch`].
pub const SCRATCH_BYTES: usize = 80 * 1024;
/// Bytes behind [`Local::regions`].
pub const REGIONS_BYTES: usize = 4096;

core::arch::global_asm!(
    ".pushsection .tbss.numawise_collector,\"awT\",@nobits",
    ".balign 64",
    ".globl numawise_collector_local",
    ".hidden numawise_collector_local",
    ".type numawise_collector_local, @object",
    ".size numawise_collector_local, 128",
    "numawise_collector_local:",
    ".zero 128",
    ".popsection",
);

/// The calling thread's words; the pointer is for this thread only. Async-signal-safe.
#[inline]
pub fn local<'a>() -> &'a Local {
    let address: *const Local;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads the thread pointer and the offset that the loader wrote.
    unsafe {
        core::arch::asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + numawise_collector_local@GOTTPOFF]",
            out(reg) address,
            options(pure, readonly, nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "mrs {0}, tpidr_el0",
            "adrp {1}, :gottprel:numawise_collector_local",
            "ldr {1}, [{1}, :gottprel_lo12:numawise_collector_local]",
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
