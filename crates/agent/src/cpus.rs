//! The CPUs of a thread, asked and set.

use core::ffi::c_int;

use numawise_guest::sandbox;
use numawise_syscalls::{self as syscalls, MASK_WORDS};

/// A set of CPUs as the kernel gives and takes it.
pub struct CpuMask {
    words: [u64; MASK_WORDS],
    length: usize,
}

impl CpuMask {
    pub fn new() -> CpuMask {
        CpuMask { words: [0; MASK_WORDS], length: 0 }
    }

    pub fn union(a: &[u64], b: &[u64]) -> CpuMask {
        let mut all = CpuMask::new();
        all.length = a.len().max(b.len()).min(MASK_WORDS);
        all.words.iter_mut().zip(a).for_each(|(place, word)| *place |= word);
        all.words.iter_mut().zip(b).for_each(|(place, word)| *place |= word);
        all
    }

    pub fn words(&self) -> &[u64] {
        self.words.get(..self.length).unwrap_or_default()
    }
}

/// The CPUs on which the thread `id` may run; 0 is the calling one. False when the kernel does not say.
pub fn affinity(id: c_int, found: &mut CpuMask) -> bool {
    if sandbox::is_quiet() {
        return false;
    }
    found.length = syscalls::affinity(id, &mut found.words).unwrap_or(0);
    found.length > 0
}

/// False when the kernel refuses, or may not be asked.
pub fn set_affinity(id: c_int, cpus: &[u64]) -> bool {
    !sandbox::is_quiet() && syscalls::set_affinity(id, cpus).is_ok()
}
