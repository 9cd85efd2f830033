//! Parts of a program that it names itself: regions (`numawise_region_begin`) and what lies between calls of `MPI_Pcontrol`.
//!
//! A region that the first thread begins outside of parallel regions is of the whole process: its times are those of all threads that
//! were seen in MPI or OpenMP, from its begin to its end. Any other is of the thread that begins it.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use super::thread::STATES;

/// Most phases of a process.
pub const PHASES: usize = 64;
/// Bytes of a name with the zero at its end; a longer one is cut.
pub const PHASE_NAME_BYTES: usize = 120;

/// What a phase is, and whose times it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum PhaseKind {
    /// A region of the process.
    Region = 1,
    /// A region of single threads; their times are summed.
    ThreadRegion = 2,
    /// From a call of MPI_Pcontrol to the next, of the process.
    Control = 3,
}

impl PhaseKind {
    pub fn from_number(number: u32) -> Option<PhaseKind> {
        [PhaseKind::Region, PhaseKind::ThreadRegion, PhaseKind::Control]
            .into_iter()
            .find(|kind| *kind as u32 == number)
    }
}

/// A phase. Words are added to by the threads that end it; times are from begin to end, with what is in phases within it.
#[repr(C, align(64))]
pub struct Phase {
    /// Of kind and name; 0: free.
    pub key: AtomicU64,
    /// [`PhaseKind`].
    pub kind: AtomicU32,
    /// How often it was begun and not ended.
    pub open: AtomicU32,
    /// The level of MPI_Pcontrol, signed.
    pub level: AtomicU32,
    /// The most threads at once that its times are of.
    pub threads: AtomicU32,
    /// How often it was ended.
    pub count: AtomicU64,
    /// Ticks by the clock; in itself, a phase counts once.
    pub elapsed: AtomicU64,
    pub longest: AtomicU64,
    /// Ticks of its threads by state.
    pub ticks: [AtomicU64; STATES],
    /// Ticks of the thread that began it in MPI, outside of parallel regions.
    pub mpi_outside: AtomicU64,
    /// When it was last begun, and the same sums at that moment, of a phase of the process: for the reader, while it is open.
    pub begin: AtomicU64,
    pub base: [AtomicU64; STATES],
    pub base_mpi: AtomicU64,
    /// Ends with a zero.
    pub name: [AtomicU8; PHASE_NAME_BYTES],
}

const _: () = assert!(size_of::<Phase>() == 320);
