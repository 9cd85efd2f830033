//! What a status says. The functions for that cost more than all else that we do in a call, so its words are read where they
//! belong to the binary interface. The standard one has words that are whoever's stands behind it: there, the functions are called.

use numawise_wire::snapshot::MpiKind;

use super::abi::{Abi, BYTE_OF_STANDARD};
use super::functions;

/// A message that came.
#[derive(Clone, Copy)]
pub struct Arrived {
    /// The rank in its communicator; negative where it came from nobody, or was cancelled.
    pub source: i32,
    pub tag: i32,
    pub bytes: u64,
}

/// # Safety
/// There must be a status that MPI filled.
#[inline]
pub unsafe fn read(abi: &Abi, status: usize) -> Arrived {
    let word = |number: usize| {
        // SAFETY: the caller's promise; each has at least five ints.
        unsafe { core::ptr::with_exposed_provenance::<u32>(status).add(number).read() }
    };
    let (source, tag, cancelled, low, high) = match abi.kind {
        MpiKind::Standard => {
            // SAFETY: the caller's promise.
            let bytes = unsafe { count(status) };
            return Arrived { source: word(0).cast_signed(), tag: word(1).cast_signed(), bytes };
        }
        MpiKind::OpenMpi => (word(0), word(1), word(3) != 0, word(4), word(5)),
        // The lowest bit of the second word tells that the message was cancelled.
        _ => (word(2), word(3), word(1) & 1 != 0, word(0), word(1) >> 1),
    };
    let tag = tag.cast_signed();
    if cancelled {
        return Arrived { source: -1, tag, bytes: 0 };
    }
    Arrived { source: source.cast_signed(), tag, bytes: u64::from(high) << 32 | u64::from(low) }
}

/// The bytes of a message, of the standard interface.
///
/// # Safety
/// As of [`read`].
#[cold]
unsafe fn count(status: usize) -> u64 {
    let status = core::ptr::with_exposed_provenance::<u32>(status);
    let mut count = 0i64;
    // SAFETY: the functions have these types: `MPI_Count` has 64 bits.
    unsafe {
        if functions::TEST_CANCELLED.number(status.expose_provenance() as u64).is_some_and(|found| found != 0)
        {
            return 0;
        }
        if let Some(function) = functions::GET_COUNT_C.address() {
            let function: unsafe extern "C" fn(*const u32, u64, *mut i64) -> i32 =
                core::mem::transmute(function);
            function(status, BYTE_OF_STANDARD, &raw mut count);
        }
    }
    u64::try_from(count).unwrap_or(0)
}
