//! Numbers that follow from a seed (SplitMix64), so that every input can be made again.

/// A sequence of numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence of input `k` of a reader.
    pub fn of(seed: u64, name: &str, k: u64) -> Random {
        let mut random = Random(seed ^ k.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for byte in name.bytes() {
            random.0 = random.0.wrapping_add(u64::from(byte));
            random.next();
        }
        random
    }

    // Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `choices`, which are not empty.
    pub fn of_these<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    pub fn byte(&mut self) -> u8 {
        self.next() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_gives_others() {
        let numbers = |seed, name, k| {
            let mut random = Random::of(seed, name, k);
            [random.below(1000), random.below(1000), random.below(1000)]
        };
        assert_eq!(numbers(1, "xml", 5), numbers(1, "xml", 5));
        assert_ne!(numbers(1, "xml", 5), numbers(2, "xml", 5));
        assert_ne!(numbers(1, "xml", 5), numbers(1, "mlc", 5));
        assert_ne!(numbers(1, "xml", 5), numbers(1, "xml", 6));
    }
}
