//! Message sizes: how many of which size.

use numawise_wire::snapshot::{SIZE_BINS, ThreadSlot};

use super::table::Sizes;
use crate::thread::add;

#[inline]
pub fn count(slot: &ThreadSlot, sizes: Sizes, bytes: u64) {
    let bin = (u64::BITS - bytes.leading_zeros()) as usize;
    if let Some(count) =
        slot.size_counts.get(sizes as usize).and_then(|counts| counts.get(bin.min(SIZE_BINS - 1)))
    {
        add(count, 1);
    }
}
