//! How large buffers and working sets are: far beyond the caches, and never more than a quarter of what is free.

#[cfg(test)]
#[path = "sizes_tests.rs"]
mod tests;

use numawise_facts::notice::BufferLimit;
use numawise_facts::{Depth, Machine};
use numawise_units::{Bytes, CpuSet};

/// Where a machine names no caches, they are taken to be this large: more than those of a core of today.
const UNKNOWN_CACHES: Bytes = Bytes::mib(32);
/// The least buffer worth measuring with: below, a thread's share is a handful of pages.
pub const LEAST: Bytes = Bytes::mib(1);
/// No buffer is smaller than this because caches are.
const LEAST_WANTED: Bytes = Bytes::mib(64);

/// What the caches of these CPUs hold from their second level on: no memory measured may fit in there.
pub fn caches(machine: &Machine, cpus: &CpuSet) -> Bytes {
    let ours = machine.caches.iter().filter(|cache| cache.level >= 2 && cache.cpus.intersects(cpus));
    match ours.map(|cache| cache.size).sum() {
        Bytes(0) => UNKNOWN_CACHES,
        sum => sum,
    }
}

/// How large a buffer should be, and to what it may shrink when its pages come too slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    pub bytes: Bytes,
    pub least: Bytes,
}

/// Four times the caches: whatever they replace, they hold nothing that is asked for again. The quick one makes do with two,
/// which is enough for caches that throw out what was used longest ago, and with less where time is short.
pub fn wanted(caches: Bytes, depth: Depth) -> Wanted {
    let times = |halves: u64| Bytes(caches.0.saturating_mul(halves) / 2);
    let (bytes, least) = match depth {
        Depth::Quick => (times(4), times(3)),
        Depth::Standard | Depth::Full => (times(8), times(4)),
    };
    Wanted { bytes: bytes.max(LEAST_WANTED), least: least.max(LEAST) }
}

/// As how many buffers, `most` of them, so much memory may be used, none of them so small that caches count.
pub fn parts(bytes: Bytes, wanted: Wanted, most: usize) -> usize {
    usize::try_from(bytes.0 / wanted.least.0.max(1)).unwrap_or(most).clamp(1, most.max(1))
}

/// What limits memory at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryLimits {
    /// Free on the node.
    pub free: Option<Bytes>,
    /// What the cgroup leaves, and the file that says so.
    pub cgroup: Option<(Bytes, String)>,
    /// What the request allows.
    pub most: Option<Bytes>,
    /// On so many nodes memory is taken at the same time: the cgroup's is shared among them.
    pub nodes: u64,
}

/// So many bytes may be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    pub bytes: Bytes,
    /// What keeps it from being more.
    pub because: BufferLimit,
}

/// A quarter of what is free and of what the cgroup leaves, and no more than the request says.
pub fn allowance(limits: &MemoryLimits) -> Allowance {
    let free = limits.free.map(|free| (Bytes(free.0 / 4), BufferLimit::FreeMemory { free }));
    let nodes = limits.nodes.max(1);
    let cgroup = limits.cgroup.as_ref().map(|(left, file)| {
        let limit = BufferLimit::Cgroup { left: *left, file: file.clone(), nodes };
        (Bytes(left.0 / 4 / nodes), limit)
    });
    let most = limits.most.map(|most| (most, BufferLimit::Request { most }));
    let least = [free, cgroup, most].into_iter().flatten().min_by_key(|(bytes, _)| *bytes);
    match least {
        Some((bytes, because)) => Allowance { bytes, because },
        // Without any number from the kernel only little is safe.
        None => Allowance { bytes: LEAST_WANTED, because: BufferLimit::FreeMemoryUnknown },
    }
}

/// The sizes of working sets: from 4 KiB up to `most`, so many in each doubling, whole base pages.
pub fn working_sets(most: Bytes, per_octave: u32) -> Vec<Bytes> {
    const FIRST: u64 = 4096;
    let mut sizes = Vec::new();
    for step in 0.. {
        let size = FIRST as f64 * 2f64.powf(f64::from(step) / f64::from(per_octave.max(1)));
        let size = (size / FIRST as f64).round() as u64 * FIRST;
        if size > most.0 {
            break;
        }
        if sizes.last() != Some(&Bytes(size)) {
            sizes.push(Bytes(size));
        }
    }
    sizes
}
