//! Collective calls in which a rank needs some of the others.

use numawise_facts::activity::ROOT_ITSELF;

use super::*;

/// Three ranks in calls of a name that begin at these moments and end at 95; of each the ranks whose data it gets, and its root.
fn ranks(name: &str, begins: [u64; 3], sources: [&[u32]; 3], roots: [Option<u32>; 3]) -> [Activity; 3] {
    [0, 1, 2].map(|rank: usize| {
        let told = |peer: &u32| message(MessageSide::Source, begins[rank], *peer, 0);
        let kind = TracedKind::Collective { key: NonZeroU64::new(9).unwrap(), root: roots[rank] };
        let told = sources[rank].iter().map(told).collect();
        Made::rank(rank as u32, 3).add(name, (begins[rank], 95), kind, told).end(100)
    })
}

fn between_groups(mut ranks: [Activity; 3]) -> [Activity; 3] {
    ranks.iter_mut().for_each(|rank| rank.communicators[0].is_inter = true);
    ranks
}

/// Who waited how long for whom.
fn found(ranks: &[Activity]) -> Vec<(WaitKind, u64, u32, u32)> {
    let mut found = waits(&trace(ranks));
    found.sort_unstable_by_key(|wait| (wait.2, wait.3));
    found
}

const NOBODY: [&[u32]; 3] = [&[], &[], &[]];
const NO_ROOT: [Option<u32>; 3] = [None; 3];

/// Rows of one place are one: pairs tell ranks apart.
fn pairs(of: &RunTrace) -> Vec<(u32, u32, u64)> {
    let mut pairs: Vec<_> =
        of.pairs.iter().map(|row| (row.waits, row.late, row.waiting.0 / 1_000_000)).collect();
    pairs.sort_unstable();
    pairs
}

#[test]
fn a_scan_waits_for_the_last_of_the_ranks_before_it() {
    let late_first = trace(&ranks("MPI_Scan", [90, 50, 10], NOBODY, NO_ROOT));
    assert_eq!(pairs(&late_first), [(1, 0, 40), (2, 0, 80)]);
    assert_eq!(late_first.waits[0].kind, WaitKind::LateLowerRank);
    assert!(late_first.not_judged.is_empty(), "{:?}", late_first.not_judged);
    assert!(late_first.what_if.measured().is_some(), "{:?}", late_first.what_if);
    assert_eq!(found(&ranks("MPI_Exscan", [10, 50, 90], NOBODY, NO_ROOT)), []);
    // Their order is that of the communicator.
    let mut reversed = ranks("MPI_Scan", [10, 50, 90], NOBODY, NO_ROOT);
    reversed.iter_mut().zip([2, 1, 0]).for_each(|(rank, number)| rank.communicators[0].rank = number);
    assert_eq!(pairs(&trace(&reversed)), [(0, 2, 80), (1, 2, 40)]);
}

#[test]
fn a_call_among_neighbours_waits_for_those_of_the_topology() {
    let ring: [&[u32]; 3] = [&[2], &[0], &[1]];
    let of_ring = trace(&ranks("MPI_Neighbor_allgather", [10, 20, 90], ring, NO_ROOT));
    assert_eq!(pairs(&of_ring), [(0, 2, 80)]);
    assert_eq!(of_ring.waits[0].kind, WaitKind::LateNeighbour);
    let line: [&[u32]; 3] = [&[1], &[0, 2], &[1]];
    let of_line = trace(&ranks("MPI_Neighbor_alltoall", [10, 20, 90], line, NO_ROOT));
    assert_eq!(pairs(&of_line), [(0, 1, 10), (1, 2, 70)]);
    let not_told = trace(&ranks("MPI_Neighbor_allgather", [10, 20, 90], NOBODY, NO_ROOT));
    assert_eq!(pairs(&not_told), []);
    assert_eq!(not_told.not_judged[0].why, NotJudgedReason::NotFollowed);
}

#[test]
fn between_two_groups_a_rank_waits_for_the_other_one() {
    let sources: [&[u32]; 3] = [&[2], &[2], &[0, 1]];
    let of_all = trace(&between_groups(ranks("MPI_Allreduce", [10, 90, 20], sources, NO_ROOT)));
    assert_eq!(pairs(&of_all), [(0, 2, 10), (2, 1, 70)]);
    let itself = Some(ROOT_ITSELF);
    // Rank 1 is the second of its group, and rank 0 has no part.
    let from_root = between_groups(ranks("MPI_Bcast", [10, 90, 20], sources, [None, itself, Some(1)]));
    assert_eq!(found(&from_root), [(WaitKind::LateRoot, 70, 2, 1)]);
    let to_root = between_groups(ranks("MPI_Reduce", [10, 90, 20], sources, [Some(0), Some(0), itself]));
    assert_eq!(found(&to_root), [(WaitKind::EarlyRoot, 70, 2, 1)]);
    let not_told = trace(&between_groups(ranks("MPI_Allreduce", [10, 90, 20], NOBODY, NO_ROOT)));
    assert_eq!(pairs(&not_told), []);
    assert_eq!(not_told.not_judged[0].why, NotJudgedReason::NotFollowed);
}
