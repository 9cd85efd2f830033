//! Sets of CPUs as the kernel takes them: bits in words.

/// The most CPUs that a Linux kernel is built for (CONFIG_NR_CPUS).
pub const MOST_CPUS: usize = 8192;
pub const MOST_WORDS: usize = MOST_CPUS / 64;

/// Whether two sets are the same; the shorter one goes on with zeros.
pub fn same(a: &[u64], b: &[u64]) -> bool {
    let common = a.len().min(b.len());
    let rest = |set: &[u64]| set.iter().skip(common).all(|word| *word == 0);
    a.iter().zip(b).all(|(a, b)| a == b) && rest(a) && rest(b)
}

pub fn first(set: &[u64]) -> Option<usize> {
    set.iter()
        .enumerate()
        .find(|(_, word)| **word != 0)
        .map(|(k, word)| k * 64 + word.trailing_zeros() as usize)
}

pub fn has(set: &[u64], cpu: usize) -> bool {
    set.get(cpu / 64).is_some_and(|word| word & (1 << (cpu % 64)) != 0)
}

/// False when the CPU is beyond the set's words.
pub fn insert(set: &mut [u64], cpu: usize) -> bool {
    match set.get_mut(cpu / 64) {
        Some(word) => {
            *word |= 1 << (cpu % 64);
            true
        }
        None => false,
    }
}

pub fn is_subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().enumerate().all(|(k, word)| word & !b.get(k).copied().unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_there_are_zeros() {
        assert!(same(&[1], &[1, 0, 0]) && same(&[1, 0], &[1]) && same(&[], &[0]));
        assert!(!same(&[1], &[1, 2]) && !same(&[1, 2], &[1]) && !same(&[1], &[2]));
        assert!(is_subset(&[1, 0], &[3]) && !is_subset(&[1, 1], &[3]));
    }

    #[test]
    fn bits_are_cpus() {
        let mut set = [0; 2];
        assert_eq!(first(&set), None);
        assert!(insert(&mut set, 127) && insert(&mut set, 64) && !insert(&mut set, 128));
        assert_eq!(set, [0, (1 << 63) | 1]);
        assert_eq!(first(&set), Some(64));
        assert!(has(&set, 127) && !has(&set, 126) && !has(&set, 9999));
    }
}
