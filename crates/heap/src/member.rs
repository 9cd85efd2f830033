//! Which blocks were written down, so that their frees are too: a table of their addresses, and in front of it a counter for each of many
//! classes of addresses, which nearly all frees find at 0.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::Acquire, Ordering::Relaxed};

/// Classes: one in 2^18 of the addresses that allocators give, so that 20,000 blocks make a free look further once in 13 times at worst.
pub const CLASSES: usize = 1 << 18;
/// Allocators align to 16 bytes.
pub const CLASS_SHIFT: u32 = 4;
/// A counter that got here stays.
const FULL: u8 = u8::MAX;

/// Read by the entries.
pub static COUNTERS: [AtomicU8; CLASSES] = [const { AtomicU8::new(0) }; CLASSES];

/// Buckets of a cache line each: half a million blocks. Of those beyond, all frees of their classes are written down.
const BUCKETS: usize = 1 << 16;
const IN_BUCKET: usize = 8;
/// Buckets that are tried for a block.
const TRIED: usize = 4;

#[repr(C, align(64))]
struct Bucket([AtomicUsize; IN_BUCKET]);
static TABLE: [Bucket; BUCKETS] = [const { Bucket([const { AtomicUsize::new(0) }; IN_BUCKET]) }; BUCKETS];
/// Some block is not in the first bucket that was tried for it.
static OVERFLOWED: AtomicBool = AtomicBool::new(false);

fn counter(address: usize) -> Option<&'static AtomicU8> {
    COUNTERS.get(address >> CLASS_SHIFT & (CLASSES - 1))
}

fn buckets(address: usize) -> impl Iterator<Item = &'static Bucket> {
    let hash = ((address >> CLASS_SHIFT) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    (0..TRIED).filter_map(move |k| TABLE.get((hash as usize + k) & (BUCKETS - 1)))
}

/// Has all frees of the block's class come by us for good.
pub fn note_always(address: usize) {
    if let Some(counter) = counter(address) {
        counter.store(FULL, Relaxed);
    }
}

/// Puts a block in, before the program gets it.
pub fn insert(address: usize) {
    let Some(counter) = counter(address) else { return };
    for (k, bucket) in buckets(address).enumerate() {
        if k == 1 {
            OVERFLOWED.store(true, Relaxed);
        }
        for place in &bucket.0 {
            if place.load(Relaxed) == 0 && place.compare_exchange(0, address, Acquire, Relaxed).is_ok() {
                let _ = counter.fetch_update(Relaxed, Relaxed, |count| Some(count.saturating_add(1)));
                return;
            }
        }
    }
    counter.store(FULL, Relaxed);
}

/// Takes a block out that is to be freed. True where it was in, or may be one for which there was no place.
pub fn remove(address: usize) -> bool {
    let Some(counter) = counter(address) else { return false };
    let count = counter.load(Relaxed);
    if count == 0 || address == 0 {
        return false;
    }
    let tried = if OVERFLOWED.load(Relaxed) { TRIED } else { 1 };
    for bucket in buckets(address).take(tried) {
        for place in &bucket.0 {
            if place.load(Relaxed) == address && place.compare_exchange(address, 0, Relaxed, Relaxed).is_ok()
            {
                let less = |count| (count != FULL && count != 0).then(|| count - 1);
                let _ = counter.fetch_update(Relaxed, Relaxed, less);
                return true;
            }
        }
    }
    count == FULL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_in_from_its_insertion_to_its_removal_and_others_are_not() {
        // The loader's early allocations fill classes by where this program lies.
        let is_free = |address: &usize| counter(*address).unwrap().load(Relaxed) == 0;
        let all = (0..4000).map(|k| 0x7000_0000_0010 + k * 4096).filter(is_free);
        let all: std::vec::Vec<usize> = all.take(3000).collect();
        assert!(all.len() == 3000 && !remove(all[0]));
        all.iter().for_each(|address| insert(*address));
        // Of the same class as the first, and not in.
        assert!(!remove(all[0] + (CLASSES << CLASS_SHIFT) * 64));
        assert!(all.iter().all(|address| remove(*address)));
        assert!(all.iter().all(|address| !remove(*address)));
        assert!(!remove(0));
    }

    #[test]
    fn a_class_that_is_full_stays_and_its_frees_are_all_written_down() {
        let address = |k: usize| 0x6000_0000_0020 + k * (CLASSES << CLASS_SHIFT);
        (0..300).for_each(|k| insert(address(k)));
        assert!((0..300).all(|k| remove(address(k))));
        assert!(remove(address(0)), "it may be one for which there was no place");
    }
}
