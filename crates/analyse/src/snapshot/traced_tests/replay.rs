//! Replays, what follows from them, and what repeats.

use super::*;

/// What is changed, and the time in milliseconds.
fn what_if(of: &RunTrace) -> Vec<(&TraceChange, u64)> {
    let all = of.what_if.measured().expect("a whole trace is replayed");
    all.iter().map(|one| (&one.change, (one.span.0 + 500_000) / 1_000_000)).collect()
}

#[test]
fn a_replay_says_what_the_run_would_be_without_the_imbalance() {
    let found = trace(&[0, 1, 2].map(ring));
    let all = what_if(&found);
    let as_others = |change: &TraceChange| {
        let TraceChange::RankAsOthers(RankAsOthers { rank: 2, to: Some(to), own, others, .. }) = change
        else {
            return false;
        };
        (to.call.as_str(), *own, *others) == ("MPI_Isend", ms(48), Some(ms(24)))
    };
    // Each of three steps: 8, 16 or on average 10.7 ms of computing, 1 to receive, 3 in the barrier.
    assert!(as_others(all[0].0) && all[0].1 == 36, "{all:?}");
    assert_eq!(all[1..], [(&TraceChange::ComputingEqual, 44), (&TraceChange::CallsInstant, 48)]);
}

#[test]
fn a_replay_without_waits_of_sends_has_them_end_at_once() {
    let ranks = [
        Made::rank(0, 2).with("MPI_Send", (10, 80), sent(10, 1)).end(100),
        Made::rank(1, 2).with("MPI_Recv", (60, 80), received(60, 0)).end(85),
    ];
    let found = trace(&ranks);
    assert!(what_if(&found).contains(&(&TraceChange::ReceivesPosted, 85)), "{:?}", found.what_if);
    // Rank 1 is late for the send: no other rank comes to its receive.
    let alone = |change: &TraceChange| {
        matches!(change, TraceChange::RankAsOthers(RankAsOthers { rank: 1, others: None, .. }))
    };
    // Received at 10 + 20, and 5 more; rank 0 has sent then too, and 20 more.
    assert!(what_if(&found).iter().any(|(change, time)| alone(change) && *time == 50), "{:?}", found.what_if);
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let circle = [Made::rank(0, 1)
        .with("MPI_Recv", (10, 90), received(10, 0))
        .with("MPI_Send", (80, 85), sent(80, 0))
        .end(100)];
    assert!(trace(&circle).what_if.reason().is_some());
    let mut apart =
        [0, 1].map(|rank| Made::rank(rank, 2).collective("MPI_Barrier", (10, 20), 9, None).end(100));
    assert!(trace(&apart).what_if.measured().is_some());
    apart[1].host = "another".to_owned();
    assert!(trace(&apart).what_if.reason().is_some());
}

#[test]
fn a_receive_that_waits_while_the_next_message_is_there_is_out_of_order() {
    let ranks = |next| {
        [
            Made::rank(0, 3).with("MPI_Send", (80, 81), sent(80, 2)).end(300),
            Made::rank(1, 3).with("MPI_Send", (10, 11), sent(10, 2)).end(300),
            Made::rank(2, 3)
                .with("MPI_Recv", (20, 81), received(20, 0))
                .with("MPI_Mrecv", (next, next + 1), received(next, 1))
                .end(300),
        ]
    };
    let found = trace(&ranks(101)).out_of_order;
    let [row] = found.as_slice() else { panic!("{found:?}") };
    // It waited for 60 ms, and had 20 ms to do meanwhile, which it did between the two.
    assert_eq!((row.rank, row.times, row.waiting), (2, 1, ms(20)));
    assert_eq!(trace(&ranks(81)).out_of_order, []);
    assert_eq!((row.waits.call.as_str(), row.next.call.as_str()), ("MPI_Recv", "MPI_Mrecv"));
    // What is received long after belongs to something else.
    assert_eq!(trace(&ranks(200)).out_of_order, []);
}

/// The findings of a run, with what each could bring at most in milliseconds.
fn findings(ranks: &[Activity]) -> Vec<(&'static str, Option<u64>)> {
    let all = snapshot(ranks).findings;
    let brings =
        |of: &SnapshotFinding| of.potential.measured().map(|gain| (gain.time.0 + 500_000) / 1_000_000);
    all.iter()
        .map(|of| (of.finding.id.code(), brings(of)))
        .filter(|(code, _)| code.starts_with("NW08"))
        .collect()
}

#[test]
fn findings_say_whether_one_rank_is_late_or_all_in_turn() {
    let ranks = |slow: fn(u64) -> u32| [0, 1, 2].map(|rank| ring_of(rank, 60, slow));
    let one = findings(&ranks(|_| 2));
    assert_eq!(one, [("NW081", Some(60 * 8))]);
    let codes: Vec<_> = snapshot(&ranks(|_| 2)).findings.iter().map(|of| of.finding.id.code()).collect();
    assert!(!codes.contains(&"NW010"), "{codes:?}");
    // Each step 5.3 ms less, whoever is slow.
    assert_eq!(findings(&ranks(|step| step as u32 % 3)), [("NW082", Some(320))]);
    assert_eq!(findings(&ranks(|step| step as u32 % 2)), [("NW081", Some(240)), ("NW081", Some(240))]);
}

#[test]
fn findings_say_what_waits_of_sends_and_the_order_of_receives_cost() {
    let late = [
        Made::rank(0, 2).with("MPI_Send", (100, 800), sent(100, 1)).end(1000),
        Made::rank(1, 2).with("MPI_Recv", (790, 800), received(790, 0)).end(810),
    ];
    let found = findings(&late);
    assert!(found.contains(&("NW083", Some(190))), "{found:?}");
    let order = [
        Made::rank(0, 3).with("MPI_Send", (800, 810), sent(800, 2)).end(1000),
        Made::rank(1, 3).with("MPI_Send", (10, 20), sent(10, 2)).end(1000),
        Made::rank(2, 3)
            .with("MPI_Recv", (20, 810), received(20, 0))
            .with("MPI_Recv", (1500, 1510), received(1500, 1))
            .end(1600),
    ];
    let found = findings(&order);
    assert!(found.contains(&("NW084", None)), "{found:?}");
}

#[test]
fn a_collective_call_that_another_call_ends_waits_there() {
    let done = |posted| {
        let of = message(MessageSide::CollectiveDone, posted, 0, 0);
        vec![TracedMessage { communicator: None, ..of }]
    };
    let rank = |rank, name: &str, begin: u64, root| {
        Made::rank(rank, 3)
            .collective(name, (begin, begin + 1), 9, root)
            .with("MPI_Wait", (begin + 20, 95), done(begin))
            .end(100)
    };
    let of = |name: &str, root| {
        let found = trace(&[rank(0, name, 0, root), rank(1, name, 10, root), rank(2, name, 70, root)]);
        assert_eq!(found.not_judged, [], "{name}");
        let all = what_if(&found);
        assert!(all[0].1 <= 100, "{name}: {all:?}");
        let mut waits = waits(&found);
        waits.sort_unstable_by_key(|wait| (wait.2, wait.3));
        waits
    };
    // Rank 0 waits from 20, rank 1 from 30, until rank 2 has begun its part.
    assert_eq!(of("MPI_Ibarrier", None), [(WaitKind::LastOfAll, 50 + 40, 0, 2)]);
    assert_eq!(of("MPI_Ireduce", Some(0)), [(WaitKind::EarlyRoot, 50, 0, 2)]);
    assert_eq!(of("MPI_Ibcast", Some(2)), [(WaitKind::LateRoot, 50 + 40, 0, 2)]);
}

#[test]
fn what_repeats_is_found_with_the_repetition_that_differs() {
    // Two calls in each step, at other places; the seventh step takes longer.
    let rank = |rank| {
        let mut made = Made::rank(rank, 2);
        for step in 0..12u64 {
            let begin = 20 * step + if step > 7 { 30 } else { 0 };
            made = made.collective("MPI_Barrier", (begin + 5, begin + 6), 20 + step, None);
            for number in 0..2 {
                let from = begin + 7 + 2 * number;
                made = made.collective("MPI_Allreduce", (from, from + 1), 100 + 2 * step + number, None);
            }
        }
        made.end(300)
    };
    let found = trace(&[rank(0), rank(1)]).period.expect("steps");
    assert_eq!((found.from.call.as_str(), found.repetitions, found.median), ("MPI_Barrier", 11, ms(20)));
    assert_eq!((found.odd, found.oddest[0].number, found.oddest[0].length), (1, 8, ms(50)));
    assert_eq!(found.oddest[0].begin, ms(20 * 7 + 5));
    assert_eq!(trace(&[0, 1, 2].map(ring)).period, None);
}

#[test]
fn ranks_that_come_to_a_place_unequally_often_are_compared_by_what_they_compute_in_all() {
    // A chain: the rank in the middle sends to both of its neighbours, one right after the other; all compute for 20 ms a step.
    let rank = |rank: u32, slow: u64| {
        let mut made = Made::rank(rank, 3);
        for step in 0..5u64 {
            let begin = 100 * step;
            let computed = begin + if rank == 1 { slow } else { 20 };
            let neighbours: &[u32] = if rank == 1 { &[0, 2] } else { &[1] };
            for (number, peer) in (0..).zip(neighbours) {
                made = made.with(
                    "MPI_Isend",
                    (computed + number, computed + number),
                    sent(computed + number, *peer),
                );
            }
            let before = made.collective("MPI_Barrier", (computed + 2, begin + 100), 9 + step, None);
            made = before;
        }
        made.end(500)
    };
    let equal = trace(&[rank(0, 20), rank(1, 20), rank(2, 20)]);
    let of = |found: &RunTrace, change: &TraceChange| {
        what_if(found).iter().find(|(of, _)| *of == change).unwrap().1
    };
    assert!((498..=502).contains(&of(&equal, &TraceChange::ComputingEqual)), "{:?}", what_if(&equal));
    // The one in the middle computes for 80 ms, and is found, though each of its sends comes after 40 ms on average.
    let late = trace(&[rank(0, 80), rank(1, 80), rank(2, 80)]);
    let first = what_if(&late)
        .into_iter()
        .find(|(change, _)| matches!(change, TraceChange::RankAsOthers(_)))
        .unwrap();
    let TraceChange::RankAsOthers(RankAsOthers { rank: 1, own, others, .. }) = first.0 else {
        panic!("{first:?}")
    };
    assert!(own.0 >= 5 * ms(80).0 && *others == Some(ms(100)), "{first:?}");
    assert!((198..=204).contains(&first.1), "{first:?}");
}

#[test]
fn waiting_that_is_not_known_stays_where_calls_are_instant() {
    let rank = |rank| {
        Made::rank(rank, 2)
            .call("MPI_Win_fence", 10, 90)
            .collective("MPI_Barrier", (90, 95), 9, None)
            .end(100)
    };
    let found = trace(&[rank(0), rank(1)]);
    let instant =
        what_if(&found).into_iter().find(|(change, _)| **change == TraceChange::CallsInstant).unwrap();
    assert_eq!(instant.1, 95, "{:?}", what_if(&found));
}

#[test]
fn polls_end_when_the_message_comes_also_in_a_replay() {
    let polls = TracedKind::Polls { calls: 1000, within: ms(60) };
    let ranks = [
        Made::rank(0, 2).with("MPI_Send", (70, 71), sent(70, 1)).end(80),
        Made::rank(1, 2)
            .add("MPI_Iprobe", (10, 70), polls, Vec::new())
            .call("MPI_Iprobe", 70, 71)
            .with("MPI_Recv", (71, 72), received(71, 0))
            .end(80),
    ];
    let found = trace(&ranks);
    let instant =
        what_if(&found).into_iter().find(|(change, _)| **change == TraceChange::CallsInstant).unwrap();
    assert_eq!(instant.1, 79, "{:?}", what_if(&found));
}
