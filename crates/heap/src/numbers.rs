//! Numbers by hashes: what tells a thing apart from others stands at the place of its number.

use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed};

/// In each hash. A copy that found no place is tried again when its thing comes again.
const IS_THERE: u64 = 1;
const IS_NOT_COPIED: u64 = 2;

/// Places of which is known together whether any is used.
pub const PART: usize = 1024;

/// A table of so many places, in so many parts of [`PART`].
pub struct Numbers<const PLACES: usize, const PARTS: usize> {
    hashes: [AtomicU64; PLACES],
    used: AtomicUsize,
    used_parts: [AtomicBool; PARTS],
}

impl<const PLACES: usize, const PARTS: usize> Numbers<PLACES, PARTS> {
    pub const fn new() -> Numbers<PLACES, PARTS> {
        Numbers {
            hashes: [const { AtomicU64::new(0) }; PLACES],
            used: AtomicUsize::new(0),
            used_parts: [const { AtomicBool::new(false) }; PARTS],
        }
    }

    /// Forgets all.
    pub fn clear(&self) {
        for (part, hashes) in self.used_parts.iter().zip(self.hashes.chunks(PART)) {
            if part.swap(false, Relaxed) {
                hashes.iter().for_each(|hash| hash.store(0, Relaxed));
            }
        }
        self.used.store(0, Relaxed);
    }

    /// The number of a hash. A new one is copied by `copy`, which is false where it found no place. `None` where there is no number, or no copy of it.
    pub fn find(&self, hash: u64, most: usize, copy: impl Fn(u32, bool) -> bool) -> Option<u32> {
        let hash = (hash | IS_THERE) & !IS_NOT_COPIED;
        let first = (hash >> 40) as usize;
        for k in 0..PLACES {
            let number = (first + k) % PLACES;
            let place = self.hashes.get(number)?;
            let mut found = place.load(Acquire);
            if found == 0 {
                if self.used.load(Relaxed) >= most {
                    return None;
                }
                // Before it has one, so that no child is left with it.
                self.used_parts.get(number / PART)?.store(true, Relaxed);
                match place.compare_exchange(0, hash, Acquire, Acquire) {
                    Ok(_) => {
                        self.used.fetch_add(1, Relaxed);
                        return copied(place, number as u32, || copy(number as u32, true));
                    }
                    Err(other) => found = other,
                }
            }
            if found == hash {
                return Some(number as u32);
            }
            if found == hash | IS_NOT_COPIED {
                let is_mine = place.compare_exchange(found, hash, Acquire, Acquire).is_ok();
                return if is_mine {
                    copied(place, number as u32, || copy(number as u32, false))
                } else {
                    None
                };
            }
        }
        None
    }
}

#[cold]
fn copied(place: &AtomicU64, number: u32, copy: impl FnOnce() -> bool) -> Option<u32> {
    let is_copied = copy();
    if !is_copied {
        place.fetch_or(IS_NOT_COPIED, Relaxed);
    }
    is_copied.then_some(number)
}

#[cfg(test)]
mod tests {
    use numawise_guest::known::mix;

    use super::*;

    #[test]
    fn a_number_is_given_once_and_a_copy_that_failed_is_tried_again() {
        let numbers: Numbers<2048, 2> = Numbers::new();
        let refused = numbers.find(mix(0, 7), 2, |_, is_new| !is_new);
        assert_eq!(refused, None);
        let again = numbers.find(mix(0, 7), 2, |_, is_new| !is_new).unwrap();
        let known = |hash| numbers.find(hash, 2, |_, _| unreachable!());
        assert_eq!(known(mix(0, 7)), Some(again));
        let other = numbers.find(mix(0, 8), 2, |_, _| true).unwrap();
        assert_ne!(other, again);
        assert_eq!(known(mix(0, 9)), None, "two are the most");
        numbers.clear();
        assert_eq!(numbers.find(mix(0, 9), 2, |_, is_new| is_new).map(|_| ()), Some(()));
    }
}
