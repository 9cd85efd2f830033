//! Kinds of cores by a figure of their speed, one rule for all readers: the machine that is shown and the plan agree.

use numawise_units::Arrange;

#[cfg(test)]
#[path = "core_kinds_tests.rs"]
mod tests;

/// Cores of one kind differ by their clocks: capacities of the two kinds of an NVIDIA GB10 are 718 and 731, and 997 to 1024.
/// Kinds differ by more: an efficient core has 0.25 to 0.8 of a fast one. hwloc takes frequencies within as many per cent for alike.
const SAME_KIND_PER_CENT: u64 = 10;

/// For each figure the rank of its kind, 0 the slowest. A kind begins where a figure is larger than the smallest of the kind below
/// by more than cores of one kind differ.
pub(crate) fn ranks(figures: &[u64]) -> Vec<u32> {
    let mut sorted = figures.to_vec();
    sorted.arrange();
    sorted.dedup();
    let mut least: Vec<u64> = Vec::new();
    for figure in sorted {
        let of_last =
            |least: &u64| figure.saturating_mul(100) <= least.saturating_mul(100 + SAME_KIND_PER_CENT);
        if !least.last().is_some_and(of_last) {
            least.push(figure);
        }
    }
    figures
        .iter()
        .map(|figure| least.partition_point(|least| least <= figure).saturating_sub(1) as u32)
        .collect()
}
