//! What differs between MPIs, found out while the program runs.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use numawise_wire::snapshot::MpiKind;

use super::library;
use crate::process;

/// The sizes and the special values of an MPI.
pub struct Abi {
    pub kind: MpiKind,
    /// Bytes of a handle, in arrays too.
    pub handle: usize,
    /// Bytes of a status.
    pub status: usize,
    /// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
    pub ignore: usize,
    pub in_place: usize,
    /// `MPI_ROOT`, of intercommunicators.
    pub root: i32,
    /// `MPI_LOCK_EXCLUSIVE`.
    pub exclusive: i32,
}

/// As mpi.h of 1.4 to 5.0 has it.
static OPEN_MPI: Abi =
    Abi { kind: MpiKind::OpenMpi, handle: 8, status: 24, ignore: 0, in_place: 1, root: -4, exclusive: 1 };
/// The common interface of MPICH since 3.1, Intel MPI, MVAPICH and Cray MPI.
static MPICH: Abi = Abi {
    kind: MpiKind::Mpich,
    handle: 4,
    status: 20,
    ignore: 1,
    in_place: usize::MAX,
    root: -3,
    exclusive: 234,
};

/// The one that MPI 5.0 fixes, chapter 20.
static STANDARD: Abi =
    Abi { kind: MpiKind::Standard, handle: 8, status: 32, ignore: 0, in_place: 1, root: -4, exclusive: 301 };

static KIND: AtomicU32 = AtomicU32::new(MpiKind::None as u32);
static WORLD: AtomicUsize = AtomicUsize::new(0);
const WORLD_OF_MPICH: usize = 0x4400_0000;
const WORLD_OF_STANDARD: usize = 0x101;
const NULL_TYPE_OF_STANDARD: usize = 0x200;
/// `MPI_BYTE` of the standard interface.
pub const BYTE_OF_STANDARD: u64 = 0x247;
static NULL_TYPE: AtomicUsize = AtomicUsize::new(0);
const NULL_TYPE_OF_MPICH: usize = 0x0c00_0000;

/// `None` for an MPI that we do not know: its calls are counted and timed only.
#[inline]
pub fn abi() -> Option<&'static Abi> {
    match KIND.load(Relaxed) {
        kind if kind == MpiKind::OpenMpi as u32 => Some(&OPEN_MPI),
        kind if kind == MpiKind::Mpich as u32 => Some(&MPICH),
        kind if kind == MpiKind::Standard as u32 => Some(&STANDARD),
        _ => None,
    }
}

/// The handle of `MPI_COMM_WORLD`.
pub fn world() -> u64 {
    WORLD.load(Relaxed) as u64
}

/// `MPI_DATATYPE_NULL`.
pub fn null_type() -> u64 {
    NULL_TYPE.load(Relaxed) as u64
}

/// Finds out once, at the first call that is watched.
#[inline]
pub fn learn(site: usize) {
    if KIND.load(Relaxed) == MpiKind::None as u32 {
        learn_now(site);
    }
}

#[cold]
fn learn_now(site: usize) {
    // The standard gives the name of the library, and its symbols are everybody's.
    if library::is_named(b"libmpi_abi.so", site) {
        NULL_TYPE.store(NULL_TYPE_OF_STANDARD, Relaxed);
        learned(MpiKind::Standard, WORLD_OF_STANDARD);
        return;
    }
    // Both names belong to the binary interface: Open MPI's mpi.h has the one in a macro, MPICH's the other.
    let open_mpi = library::variable(c"ompi_mpi_comm_world", site);
    let mpich = library::symbol(c"MPIR_Dup_fn", site);
    // Both may be loaded: the handles are those of the library whose functions are called.
    let is_mpich = !mpich.is_null() && (open_mpi.is_null() || library::lies_with_functions(mpich, site));
    let (kind, world) = if !open_mpi.is_null() && !is_mpich {
        NULL_TYPE.store(library::variable(c"ompi_mpi_datatype_null", site).addr(), Relaxed);
        (MpiKind::OpenMpi, open_mpi.addr())
    } else if is_mpich {
        NULL_TYPE.store(NULL_TYPE_OF_MPICH, Relaxed);
        (MpiKind::Mpich, WORLD_OF_MPICH)
    } else {
        (MpiKind::Unknown, 0)
    };
    learned(kind, world);
}

fn learned(kind: MpiKind, world: usize) {
    WORLD.store(world, Relaxed);
    KIND.store(kind as u32, Relaxed);
    if let Some(header) = process::header() {
        header.mpi.store(kind as u32, Relaxed);
    }
}

impl Abi {
    /// A handle that was passed by value: MPICH's are ints, above which there may be anything.
    #[inline]
    pub fn passed(&self, argument: usize) -> u64 {
        if self.handle == 4 { argument as u64 & 0xffff_ffff } else { argument as u64 }
    }

    /// The size of a basic type whose handle holds it.
    #[inline]
    pub fn size_in_handle(&self, handle: u64) -> Option<u64> {
        match self.kind {
            MpiKind::Mpich if handle >> 26 == 0b01_0011 => Some(handle >> 8 & 0xff),
            // Of a type with a fixed size, bits 3 to 5 are the logarithm of its bytes.
            MpiKind::Standard if handle >> 6 == 0b1001 => Some(1 << (handle >> 3 & 7)),
            _ => None,
        }
    }

    /// The handle at a place in an array.
    ///
    /// # Safety
    /// There must be one.
    #[inline]
    pub unsafe fn stored(&self, array: usize, number: usize) -> u64 {
        let place = core::ptr::with_exposed_provenance::<u8>(array.wrapping_add(number * self.handle));
        // SAFETY: the caller's promise.
        unsafe {
            if self.handle == 4 {
                u64::from(place.cast::<u32>().read_unaligned())
            } else {
                place.cast::<u64>().read_unaligned()
            }
        }
    }
}
