//! What a status says. The functions for that cost more than all else that we do in a call, so its words are read: they
//! belong to the binary interface.

use numawise_wire::snapshot::MpiKind;

use super::abi::Abi;

/// A message that came.
#[derive(Clone, Copy)]
pub struct Arrived {
    /// The rank in its communicator; negative where it came from nobody.
    pub source: i32,
    pub bytes: u64,
}

/// # Safety
/// There must be a status that MPI filled.
#[inline]
pub unsafe fn read(abi: &Abi, status: usize) -> Arrived {
    let word = |number: usize| {
        // SAFETY: the caller's promise; both have at least five ints.
        unsafe { core::ptr::with_exposed_provenance::<u32>(status).add(number).read() }
    };
    let (source, cancelled, low, high) = if abi.kind == MpiKind::OpenMpi {
        (word(0), word(3) != 0, word(4), word(5))
    } else {
        // The lowest bit of the second word tells that the message was cancelled.
        (word(2), word(1) & 1 != 0, word(0), word(1) >> 1)
    };
    let bytes = if cancelled { 0 } else { u64::from(high) << 32 | u64::from(low) };
    Arrived { source: source.cast_signed(), bytes }
}
