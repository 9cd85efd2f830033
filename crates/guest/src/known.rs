//! What was found out once and is asked again and again.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A hash with one word more in it.
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Whether something holds for numbers: each has one of `PLACES`, a power of two, by its lowest bits, and gives it up to the next one.
pub struct Flags<const PLACES: usize> {
    /// Twice a number, and 1 where it holds.
    places: [AtomicU64; PLACES],
}

impl<const PLACES: usize> Flags<PLACES> {
    pub const fn empty() -> Flags<PLACES> {
        Flags { places: [const { AtomicU64::new(0) }; PLACES] }
    }

    /// Whether it holds for a number other than 0, which `find` finds out where that is not known.
    #[inline]
    pub fn is(&self, number: u64, find: impl FnOnce() -> bool) -> bool {
        let Some(place) = self.places.get(number as usize & (PLACES - 1)) else { return false };
        let known = place.load(Relaxed);
        if known >> 1 == number {
            return known & 1 == 1;
        }
        let is = find();
        place.store(number << 1 | u64::from(is), Relaxed);
        is
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.places.iter().for_each(|place| place.store(0, Relaxed));
    }
}
