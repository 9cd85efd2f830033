//! One-sided communication.

use numawise_facts::activity::WindowStep::{
    self, Complete, LockAll, LockExclusive, LockShared, Post, Start, Unlock, UnlockAll, Wait,
};

use super::persistent::part;
use super::*;

const WINDOW: u64 = 77;

/// Of a window that three ranks have made before the first millisecond.
fn rank(rank: u32) -> Made {
    Made::rank(rank, 3).collective("MPI_Win_create", (0, 1), WINDOW, None)
}

impl Made {
    fn step(self, name: &str, span: (u64, u64), step: WindowStep, peers: &[u32]) -> Made {
        let of = |peer: &u32| TracedMessage {
            communicator: NonZeroU64::new(WINDOW),
            ..message(MessageSide::Window(step), span.0, *peer, 0)
        };
        let steps = peers.iter().map(of).collect();
        self.with(name, span, steps)
    }

    /// The call of this key is one of all ranks.
    fn fence(mut self, span: (u64, u64), key: u64) -> Made {
        let site = self.site("MPI_Win_fence");
        self.with("MPI_Win_fence", span, vec![part(span.0, key, site, None)])
    }

    fn lock(self, kind: WindowStep, lock: (u64, u64), unlock: (u64, u64)) -> Made {
        let (name, end, ended) = match kind {
            LockAll => ("MPI_Win_lock_all", UnlockAll, "MPI_Win_unlock_all"),
            _ => ("MPI_Win_lock", Unlock, "MPI_Win_unlock"),
        };
        self.step(name, lock, kind, &[2]).step(ended, unlock, end, &[2])
    }
}

/// Why calls are not judged, and how many.
fn not_judged(of: &RunTrace) -> Vec<(NotJudgedReason, u64)> {
    of.not_judged.iter().map(|row| (row.why, row.calls)).collect()
}

#[test]
fn a_fence_waits_for_the_last_rank_unless_it_came_back_before() {
    let fences = |end| [(10, end), (50, 92), (90, 93)];
    let ranks = |end| {
        [0, 1, 2].map(|of: u32| rank(of).fence(fences(end)[of as usize], 5).fence((95, 96), 6).end(100))
    };
    let found = trace(&ranks(91));
    assert_eq!(waits(&found), [(WaitKind::LastOfAll, 80 + 40, 0, 2)]);
    assert_eq!((causes(&found), not_judged(&found)), (vec![(2, true, 120)], vec![]));
    assert_eq!(waits(&trace(&ranks(60))), [(WaitKind::LastOfAll, 40, 1, 2)]);
    let missing = [0, 1].map(|of: u32| rank(of).fence((10, 20), 5).end(100));
    let found = trace(&missing);
    assert_eq!(not_judged(&found), [(NotJudgedReason::OtherRanksMissing, 4)], "fences and creation");
}

/// Rank 0 is the target of the two others; `start` and `complete` of rank 1.
fn accesses(start: (u64, u64), complete: (u64, u64)) -> [Activity; 3] {
    [
        rank(0)
            .step("MPI_Win_post", (40, 41), Post, &[1, 2])
            .step("MPI_Win_wait", (42, 90), Wait, &[0])
            .end(100),
        rank(1)
            .step("MPI_Win_start", start, Start, &[0])
            .step("MPI_Win_complete", complete, Complete, &[0])
            .end(100),
        rank(2)
            .step("MPI_Win_start", (60, 61), Start, &[0])
            .step("MPI_Win_complete", (65, 66), Complete, &[0])
            .end(100),
    ]
}

#[test]
fn a_start_waits_for_the_post_and_a_wait_for_the_last_complete() {
    let found = trace(&accesses((10, 42), (88, 89)));
    assert_eq!(waits(&found), [(WaitKind::LateComplete, 46, 0, 1), (WaitKind::LatePost, 30, 1, 0)]);
    assert_eq!(not_judged(&found), []);
    // Where the start comes back at once, the complete waits.
    let found = trace(&accesses((10, 11), (20, 44)));
    assert_eq!(waits(&found), [(WaitKind::LateComplete, 23, 0, 2), (WaitKind::LatePost, 20, 1, 0)]);
    // Or an access between them.
    let mut ranks = accesses((10, 11), (50, 51));
    ranks[1] = rank(1)
        .step("MPI_Win_start", (10, 11), Start, &[0])
        .call("MPI_Get", 15, 45)
        .step("MPI_Win_complete", (50, 51), Complete, &[0])
        .end(100);
    assert!(waits(&trace(&ranks)).contains(&(WaitKind::LatePost, 25, 1, 0)));
}

#[test]
fn accesses_and_exposures_match_by_pairs_of_ranks_and_in_order() {
    // Rank 2 is in the first exposure of rank 0 only, rank 1 in both.
    let twice = |of: u32, spans: [(u64, u64); 2]| {
        let each = |made: Made, (begin, end)| {
            made.step("MPI_Win_start", (begin, end), Start, &[0]).step(
                "MPI_Win_complete",
                (end, end + 1),
                Complete,
                &[0],
            )
        };
        spans.into_iter().fold(rank(of), each).end(100)
    };
    let ranks = [
        rank(0)
            .step("MPI_Win_post", (10, 11), Post, &[2, 1])
            .step("MPI_Win_wait", (30, 31), Wait, &[0])
            .step("MPI_Win_post", (70, 71), Post, &[1])
            .step("MPI_Win_wait", (80, 81), Wait, &[0])
            .end(100),
        twice(1, [(20, 21), (40, 72)]),
        rank(2)
            .step("MPI_Win_start", (12, 13), Start, &[0])
            .step("MPI_Win_complete", (14, 15), Complete, &[0])
            .end(100),
    ];
    assert_eq!(waits(&trace(&ranks)), [(WaitKind::LatePost, 30, 1, 0)]);
}

#[test]
fn a_lock_waits_for_its_last_holder_in_the_way() {
    let of = |kinds: [WindowStep; 3]| {
        let ranks = [
            rank(0).lock(kinds[0], (2, 3), (50, 51)).end(200),
            rank(1).lock(kinds[1], (10, 71), (90, 91)).end(200),
            rank(2).lock(kinds[2], (4, 5), (70, 71)).end(200),
        ];
        let found = trace(&ranks);
        // Whether an unlock waits is not followed.
        assert_eq!(not_judged(&found), [(NotJudgedReason::NotFollowed, 3)]);
        waits(&found)
    };
    let contention = |time, late| vec![(WaitKind::LockContention, time, 1, late)];
    assert_eq!(of([LockShared, LockExclusive, LockShared]), contention(60, 2));
    assert_eq!(of([LockShared, LockExclusive, LockAll]), contention(60, 2));
    assert_eq!(of([LockExclusive, LockAll, LockShared]), contention(40, 0));
    assert_eq!(of([LockExclusive, LockShared, LockShared]), contention(40, 0));
    assert_eq!(of([LockShared; 3]), []);
}

#[test]
fn a_lock_is_not_judged_where_a_rank_of_the_window_is_missing() {
    let ranks = [
        rank(0).lock(LockExclusive, (2, 3), (50, 51)).end(100),
        rank(1).lock(LockExclusive, (10, 52), (60, 61)).end(100),
    ];
    let found = trace(&ranks);
    assert_eq!(waits(&found), []);
    let missing = (NotJudgedReason::OtherRanksMissing, 4);
    assert!(not_judged(&found).contains(&missing), "locks and creation: {:?}", found.not_judged);
}

#[test]
fn a_lock_waits_also_long_after_its_window_was_made() {
    let of = |number: u32, kind, lock: (u64, u64), unlock: (u64, u64)| {
        let barrier = |made: Made, step: u64| {
            let begin = 10 * step + 10;
            made.collective("MPI_Barrier", (begin + u64::from(number), begin + 5), 1000 + step, None)
        };
        let behind = |span: (u64, u64)| (500 + span.0, 500 + span.1);
        (0..40).fold(rank(number), barrier).lock(kind, behind(lock), behind(unlock)).end(700)
    };
    let ranks = [
        of(0, LockShared, (2, 3), (50, 51)),
        of(1, LockExclusive, (10, 71), (90, 91)),
        of(2, LockShared, (4, 5), (70, 71)),
    ];
    let found = trace(&ranks);
    assert_eq!(not_judged(&found), [(NotJudgedReason::NotFollowed, 3)]);
    assert!(waits(&found).contains(&(WaitKind::LockContention, 60, 1, 2)), "{:?}", waits(&found));
}
