use std::num::NonZeroU64;
use std::sync::Arc;

use numawise_facts::activity::{
    MessageSide, ThreadTrace, TraceLoss, TracedCall, TracedKind, TracedMessage, TracedSite,
};
use numawise_facts::{Activity, TracePart};
use numawise_tables::snapshot::{
    NotJudgedReason, RankActivity, RankAsOthers, RunTrace, SnapshotFinding, TraceChange, WaitKind,
};
use numawise_units::{Bytes, Nanoseconds};

use super::super::input::RunParts;
use super::super::sample::{at, simple_rank, snapshot, threads};

#[path = "traced_tests/files.rs"]
mod in_files;
#[path = "traced_tests/needs.rs"]
mod needed;
#[path = "traced_tests/persistent.rs"]
mod persistent;
#[path = "traced_tests/placed.rs"]
mod placed_tests;
#[path = "traced_tests/profiles.rs"]
mod profiles;
#[path = "traced_tests/replay.rs"]
mod replay;
#[path = "traced_tests/slices.rs"]
mod slices;
#[path = "traced_tests/teams.rs"]
mod teamed;
#[path = "traced_tests/threads.rs"]
mod threaded;
#[path = "traced_tests/view.rs"]
mod viewed;
#[path = "traced_tests/windows.rs"]
mod windows;

/// The calls of a rank, in milliseconds.
struct Made {
    rank: u32,
    ranks: u32,
    trace: ThreadTrace,
}

fn ms(time: u64) -> Nanoseconds {
    Nanoseconds(time * 1_000_000)
}

const WORLD: Option<NonZeroU64> = NonZeroU64::new(7);

impl Made {
    /// A rank that leaves `MPI_Init` at 0.
    fn rank(rank: u32, ranks: u32) -> Made {
        Made { rank, ranks, trace: ThreadTrace::default() }.call("MPI_Init", 0, 0)
    }

    fn add(
        mut self,
        name: &str,
        (begin, end): (u64, u64),
        kind: TracedKind,
        messages: Vec<TracedMessage>,
    ) -> Made {
        let known = self.trace.sites.iter().position(|site| site.call == name);
        let site = known.unwrap_or_else(|| {
            let at = at(0x10 + self.trace.sites.len() as u64);
            self.trace.sites.push(TracedSite { call: name.to_owned(), at, communicator: Some(0) });
            self.trace.sites.len() - 1
        });
        let (site, number) = (site as u32, messages.len() as u32);
        let (begin, end) = (ms(begin), ms(end));
        self.trace.calls.push(TracedCall { site, begin, end, kind, bytes: Bytes(0), messages: number });
        self.trace.messages.extend(messages);
        self
    }

    fn call(self, name: &str, begin: u64, end: u64) -> Made {
        self.add(name, (begin, end), TracedKind::Alone, Vec::new())
    }

    fn with(self, name: &str, span: (u64, u64), messages: Vec<TracedMessage>) -> Made {
        self.add(name, span, TracedKind::Alone, messages)
    }

    fn collective(self, name: &str, span: (u64, u64), key: u64, root: Option<u32>) -> Made {
        let key = NonZeroU64::new(key).unwrap();
        self.add(name, span, TracedKind::Collective { key, root }, Vec::new())
    }

    fn end(self, at: u64) -> Activity {
        let made = self.call("MPI_Finalize", at, at);
        let mut activity = simple_rank(made.rank, made.ranks, 1.0, 1.0);
        threads(&mut activity)[0].trace = Some(Arc::new(made.trace));
        activity
    }
}

fn message(end: MessageSide, posted: u64, peer: u32, tag: i32) -> TracedMessage {
    TracedMessage { end, posted: ms(posted), communicator: WORLD, bytes: Bytes(8), tag, peer }
}

fn sent(posted: u64, peer: u32) -> Vec<TracedMessage> {
    vec![message(MessageSide::Sent, posted, peer, 3)]
}

fn received(posted: u64, peer: u32) -> Vec<TracedMessage> {
    vec![message(MessageSide::Received, posted, peer, 3)]
}

fn trace(ranks: &[Activity]) -> RunTrace {
    let found = snapshot(ranks).trace.expect("a trace was made");
    slices::check(ranks, None, &found);
    found
}

/// A part of their trace.
fn part_of(ranks: &[Activity], part: &TracePart) -> RunTrace {
    let parts = RunParts {
        trace_part: Some(part),
        activities: ranks,
        merged: None,
        places: &Default::default(),
        asked: None,
        exit: None,
        unwatched: Nanoseconds(0),
        machines: &Default::default(),
    };
    let found = super::super::run_snapshot(&parts).trace.expect("a trace was made");
    slices::check(ranks, Some(part), &found);
    found
}

/// The kinds of the waits, how long, and who waited for whom.
fn waits(of: &RunTrace) -> Vec<(WaitKind, u64, u32, u32)> {
    of.waits.iter().map(|row| (row.kind, row.waiting.0 / 1_000_000, row.waits.rank, row.late.rank)).collect()
}

/// Ranks, whether they computed, and how long others waited.
fn causes(of: &RunTrace) -> Vec<(u32, bool, u64)> {
    let computed = |what: &RankActivity| matches!(what, RankActivity::Computed { .. });
    of.causes.iter().map(|row| (row.rank, computed(&row.what), row.waiting.0 / 1_000_000)).collect()
}

#[test]
fn a_receive_waits_until_the_send_begins() {
    let ranks = [
        Made::rank(0, 2).with("MPI_Send", (100, 101), sent(100, 1)).end(110),
        Made::rank(1, 2).with("MPI_Recv", (20, 103), received(20, 0)).end(110),
    ];
    let found = trace(&ranks);
    assert_eq!(waits(&found), [(WaitKind::LateSender, 80, 1, 0)]);
    assert_eq!(causes(&found), [(0, true, 80)]);
    assert_eq!((found.messages, found.unmatched, found.span), (1, 0, ms(110)));
    let [first, second] = found.ranks.as_slice() else { panic!("{:?}", found.ranks) };
    assert_eq!((first.waited_for, first.times.waiting), (ms(80), ms(0)));
    let times = second.times;
    assert_eq!((times.useful, times.waiting, times.in_calls), (ms(27), ms(80), ms(3)));
    // The time of a rank is the same in its sum and in its timeline.
    assert_eq!(times.total(), ms(110));
    let longest = found.waits[0].longest;
    assert_eq!((longest.begin, longest.time, longest.waits, longest.late), (ms(20), ms(80), 1, 0));
}

#[test]
fn a_delay_is_that_of_the_first_of_a_chain() {
    let ranks = [
        Made::rank(0, 3).with("MPI_Send", (100, 101), sent(100, 1)).end(130),
        Made::rank(1, 3)
            .with("MPI_Recv", (10, 102), received(10, 0))
            .with("MPI_Send", (122, 123), sent(122, 2))
            .end(130),
        Made::rank(2, 3).with("MPI_Recv", (0, 125), received(0, 1)).end(130),
    ];
    let found = trace(&ranks);
    // Rank 2 waited for 122 ms: 10 while rank 1 computed, 90 while that waited for rank 0, 2 while it received, 20 while it computed.
    assert_eq!(waits(&found), [(WaitKind::LateSender, 122, 2, 1), (WaitKind::LateSender, 90, 1, 0)]);
    assert_eq!(causes(&found), [(0, true, 180), (1, true, 20), (1, true, 10), (1, false, 2)]);
    assert_eq!(found.causes[0].through_others, ms(90));
    let path: Vec<_> = found.critical_path.iter().map(|part| (part.rank, part.time.0 / 1_000_000)).collect();
    assert_eq!(path.iter().map(|(_, time)| time).sum::<u64>(), 130);
    assert_eq!(path[0], (0, 100));
}

#[test]
fn a_send_waits_for_the_receive_unless_it_was_copied() {
    let ranks = |end| {
        [
            Made::rank(0, 2).with("MPI_Send", (10, end), sent(10, 1)).end(100),
            Made::rank(1, 2).with("MPI_Recv", (60, 80), received(60, 0)).end(100),
        ]
    };
    assert_eq!(waits(&trace(&ranks(80))), [(WaitKind::LateReceiver, 50, 0, 1)]);
    assert_eq!(waits(&trace(&ranks(11))), []);
}

#[test]
fn a_wait_for_a_request_of_a_send_waits_for_the_receiver() {
    let done = TracedMessage { end: MessageSide::SendDone, ..message(MessageSide::Sent, 10, 0, 0) };
    let ranks = [
        Made::rank(0, 2)
            .with("MPI_Isend", (10, 11), sent(10, 1))
            .with("MPI_Wait", (20, 65), vec![done])
            .end(100),
        Made::rank(1, 2).with("MPI_Recv", (60, 66), received(60, 0)).end(100),
    ];
    assert_eq!(waits(&trace(&ranks)), [(WaitKind::LateReceiver, 40, 0, 1)]);
}

#[test]
fn a_call_for_many_messages_waits_for_the_last_one() {
    let both = vec![message(MessageSide::Received, 1, 1, 3), message(MessageSide::Received, 2, 2, 3)];
    let ranks = [
        Made::rank(0, 3)
            .call("MPI_Irecv", 1, 2)
            .call("MPI_Irecv", 2, 3)
            .with("MPI_Waitall", (5, 60), both)
            .end(70),
        Made::rank(1, 3).with("MPI_Send", (30, 31), sent(30, 0)).end(70),
        Made::rank(2, 3).with("MPI_Send", (58, 59), sent(58, 0)).end(70),
    ];
    assert_eq!(waits(&trace(&ranks)), [(WaitKind::LateSender, 53, 0, 2)]);
}

#[test]
fn messages_match_by_tag_and_by_the_order_in_which_receives_were_posted() {
    let two = |end, one: (u64, i32), other: (u64, i32), peer| {
        vec![message(end, one.0, peer, one.1), message(end, other.0, peer, other.1)]
    };
    let ranks = [
        Made::rank(0, 2)
            .with("MPI_Send", (50, 51), vec![message(MessageSide::Sent, 50, 1, 1)])
            .with("MPI_Send", (90, 91), vec![message(MessageSide::Sent, 90, 1, 2)])
            .end(100),
        // The receive with tag 2 was posted first and completes in the second wait.
        Made::rank(1, 2)
            .with("MPI_Wait", (10, 52), vec![message(MessageSide::Received, 2, 0, 1)])
            .with("MPI_Wait", (60, 92), vec![message(MessageSide::Received, 1, 0, 2)])
            .end(100),
    ];
    let found = trace(&ranks);
    assert_eq!((found.messages, found.unmatched), (2, 0));
    assert_eq!(found.waits.iter().map(|row| row.waiting).collect::<Vec<_>>(), [ms(40 + 30)]);
    // Of one tag: the one that was posted first gets what was sent first, whichever completes first.
    let ranks = [
        Made::rank(0, 2).with("MPI_Waitall", (0, 1), two(MessageSide::Sent, (30, 1), (80, 1), 1)).end(100),
        Made::rank(1, 2)
            .with("MPI_Waitall", (10, 90), two(MessageSide::Received, (5, 1), (3, 1), 0))
            .end(100),
    ];
    assert_eq!(trace(&ranks).messages, 2);
}

#[test]
fn collective_calls_wait_for_the_root_for_all_or_not_at_all() {
    let ranks = |name: &'static str, begins: [u64; 3], root| {
        [0, 1, 2].map(|rank: u32| {
            let begin = begins[rank as usize];
            Made::rank(rank, 3).collective(name, (begin, 95), 9, root).end(100)
        })
    };
    let of = |name, begins, root| {
        let mut found = waits(&trace(&ranks(name, begins, root)));
        found.sort_unstable_by_key(|wait| (wait.2, wait.3));
        found
    };
    assert_eq!(of("MPI_Barrier", [10, 50, 90], None), [(WaitKind::LastOfAll, 80 + 40, 0, 2)]);
    assert_eq!(of("MPI_Bcast", [60, 20, 70], Some(0)), [(WaitKind::LateRoot, 40, 1, 0)]);
    assert_eq!(of("MPI_Reduce", [10, 50, 90], Some(0)), [(WaitKind::EarlyRoot, 80, 0, 2)]);
    assert_eq!(of("MPI_Reduce", [90, 50, 10], Some(0)), []);
}

#[test]
fn a_collective_call_of_which_ranks_are_missing_is_not_judged() {
    let ranks = [0, 1].map(|rank| Made::rank(rank, 3).collective("MPI_Barrier", (10, 95), 9, None).end(100));
    let found = trace(&ranks);
    assert_eq!(waits(&found), []);
    assert_eq!(found.not_judged[0].why, NotJudgedReason::OtherRanksMissing);
}

#[test]
fn what_comes_behind_a_gap_is_not_analysed() {
    let mut ranks = [
        Made::rank(0, 2).with("MPI_Send", (100, 101), sent(100, 1)).end(400),
        Made::rank(1, 2)
            .with("MPI_Recv", (20, 103), received(20, 0))
            .with("MPI_Recv", (200, 300), received(200, 0))
            .end(400),
    ];
    ranks[0].lost.trace =
        Some(TraceLoss { records: 5, since: ms(150), until: None, again: None, is_outside: false });
    let found = trace(&ranks);
    assert_eq!((found.lost, found.unmatched, found.span), (5, 0, ms(103)));
    assert_eq!(waits(&found), [(WaitKind::LateSender, 80, 1, 0)]);
}

#[test]
fn what_comes_before_a_gap_is_not_analysed_where_the_end_was_kept() {
    let mut ranks = [
        Made::rank(0, 2)
            .with("MPI_Send", (50, 51), sent(50, 1))
            .with("MPI_Send", (200, 201), sent(200, 1))
            .end(400),
        // What it receives first was sent in the gap.
        Made::rank(1, 2)
            .with("MPI_Recv", (120, 121), received(120, 0))
            .with("MPI_Recv", (150, 201), received(150, 0))
            .end(400),
    ];
    ranks[0].lost.trace =
        Some(TraceLoss { records: 5, since: ms(0), until: Some(ms(100)), again: None, is_outside: false });
    let found = trace(&ranks);
    assert_eq!((found.lost, found.is_end, found.unmatched, found.calls), (5, true, 1, 3));
    assert_eq!(waits(&found), [(WaitKind::LateSender, 50, 1, 0)]);
    assert!(found.ranks.iter().all(|rank| rank.times.total() == found.span), "{found:?}");
}

#[test]
fn messages_of_a_part_between_two_gaps_match_by_their_numbers() {
    let before = |end, ends, peer| TracedMessage { bytes: Bytes(ends), ..message(end, 0, peer, 3) };
    let numbered = |end, ends, peer, of: Vec<TracedMessage>| [vec![before(end, ends, peer)], of].concat();
    // Two were sent in the first gap, and the last one is received in the second.
    let ranks = |sent_before| {
        let first = numbered(MessageSide::SentBefore, sent_before, 1, sent(130, 1));
        let mut ranks = [
            Made::rank(0, 2)
                .with("MPI_Send", (130, 131), first)
                .with("MPI_Send", (150, 151), sent(150, 1))
                .end(400),
            Made::rank(1, 2)
                .with("MPI_Recv", (104, 105), numbered(MessageSide::ReceivedBefore, 0, 0, received(104, 0)))
                .with("MPI_Recv", (114, 115), received(114, 0))
                .with("MPI_Recv", (120, 140), received(120, 0))
                .end(400),
        ];
        ranks[0].lost.trace = Some(TraceLoss {
            records: 5,
            since: ms(0),
            until: Some(ms(100)),
            again: Some(ms(160)),
            is_outside: false,
        });
        ranks
    };
    let found = trace(&ranks(2));
    assert_eq!((found.messages, found.unmatched, found.is_end, found.is_window), (1, 3, true, true));
    assert_eq!(waits(&found), [(WaitKind::LateSender, 10, 1, 0)]);
    assert!(found.ranks.iter().all(|rank| rank.times.total() <= found.span), "{found:?}");
    // Where ends are not numbered, nothing tells which belong together.
    let mut ranks = ranks(2);
    for rank in &mut ranks {
        let trace = threads(rank)[0].trace.as_mut().map(Arc::make_mut).unwrap();
        let is_end = |of: &TracedMessage| of.end.is_of_message();
        trace.messages.retain(is_end);
        trace.calls.iter_mut().for_each(|call| call.messages = call.messages.min(1));
    }
    assert_eq!(trace(&ranks).messages, 0);
}

#[test]
fn calls_that_were_left_out_are_no_computing_and_their_waiting_is_not_known() {
    let left_out = TracedKind::LeftOut { calls: 30 };
    let ranks = [Made::rank(0, 1).add("calls left out", (10, 30), left_out, Vec::new()).end(80)];
    let found = trace(&ranks);
    let times = found.ranks[0].times;
    assert_eq!((times.useful, times.in_calls, found.calls), (ms(60), ms(20), 0));
    let [row] = found.not_judged.as_slice() else { panic!("{:?}", found.not_judged) };
    assert_eq!((row.why, row.calls, row.time), (NotJudgedReason::LeftOut, 30, ms(20)));
}

#[test]
fn polls_are_neither_waiting_nor_computing() {
    let polls = TracedKind::Polls { calls: 1000, within: ms(40) };
    let ranks = [
        Made::rank(0, 2).with("MPI_Send", (70, 71), sent(70, 1)).end(80),
        Made::rank(1, 2)
            .add("MPI_Test", (10, 70), polls, Vec::new())
            .with("MPI_Test", (71, 72), received(5, 0))
            .end(80),
    ];
    let found = trace(&ranks);
    assert_eq!((found.ranks[1].times.polling, found.ranks[1].times.waiting), (ms(60), ms(0)));
}

#[test]
fn a_rank_that_computes_between_polls_computes() {
    let of = |calls, within| {
        let polls = TracedKind::Polls { calls, within: ms(within) };
        let ranks = [Made::rank(0, 1).add("MPI_Test", (10, 70), polls, Vec::new()).end(80)];
        let times = trace(&ranks).ranks[0].times;
        (times.useful, times.polling)
    };
    assert_eq!(of(10, 4), (ms(76), ms(4)));
    // A hundred nanoseconds between two of them are ours.
    assert_eq!(of(400_000, 20), (ms(20), ms(60)));
}

#[test]
fn a_probe_waits_for_what_is_received_next() {
    let ranks = |receive: &'static str, probe, posted| {
        [
            Made::rank(0, 2).with("MPI_Send", (80, 81), sent(80, 1)).end(100),
            Made::rank(1, 2).call(probe, 10, 82).with(receive, (83, 84), received(posted, 0)).end(100),
        ]
    };
    for (receive, probe, posted) in [("MPI_Recv", "MPI_Probe", 83), ("MPI_Mrecv", "MPI_Mprobe", 10)] {
        let found = trace(&ranks(receive, probe, posted));
        assert_eq!(waits(&found), [(WaitKind::LateSender, 70, 1, 0)], "{probe}");
        assert_eq!(found.not_judged, []);
    }
}

#[test]
fn a_part_of_a_trace_has_what_lies_in_it() {
    let activities = [
        Made::rank(0, 2).with("MPI_Send", (100, 101), sent(100, 1)).end(110),
        Made::rank(1, 2).with("MPI_Recv", (20, 103), received(20, 0)).end(110),
    ];
    let part = |from, to, ranks: Option<&str>| {
        let ranks = ranks.map(|ranks| ranks.parse().unwrap());
        let part = TracePart { from: Some(ms(from)), to: Some(ms(to)), ranks, phase: None };
        part_of(&activities, &part)
    };
    let found = part(50, 90, None);
    assert_eq!((found.begin, found.span), (ms(50), ms(40)));
    assert_eq!(waits(&found), [(WaitKind::LateSender, 40, 1, 0)]);
    assert_eq!(causes(&found), [(0, true, 40)]);
    assert_eq!(found.ranks.iter().map(|rank| rank.times.total()).collect::<Vec<_>>(), [ms(40), ms(40)]);
    assert_eq!(found.critical_path.iter().map(|part| part.time.0).sum::<u64>(), ms(40).0);
    // Rank 0 waited for nobody; what others waited for it is theirs.
    let found = part(50, 90, Some("0"));
    assert_eq!((waits(&found), found.ranks.len()), (vec![], 1));
    let found = part(0, 1000, Some("1"));
    assert_eq!((found.span, found.ranks[0].calls), (ms(110), 1));
    assert_eq!(found.waits[0].longest.begin, ms(20));
}

/// A ring, in each step of which one rank computes for 16 ms, the others for 8, and each waits for the one before it.
fn ring_of(rank: u32, steps: u64, slow: impl Fn(u64) -> u32) -> Activity {
    let mut made = Made::rank(rank, 3);
    for step in 0..steps {
        let slow = slow(step);
        let computed = if rank == slow { 16 } else { 8 };
        // All are in step again when the slowest has come.
        let begin = 20 * step;
        let to = (rank + 1) % 3;
        let from = (rank + 2) % 3;
        let sent_at = begin + computed;
        let others = begin + if from == slow { 16 } else { 8 };
        made = made.with("MPI_Isend", (sent_at, sent_at), sent(sent_at, to)).with(
            "MPI_Wait",
            (sent_at, sent_at.max(others) + 1),
            received(sent_at, from),
        );
        made = made.collective("MPI_Barrier", (sent_at.max(others) + 1, begin + 20), 9 + step, None);
    }
    made.end(20 * steps)
}

fn ring(rank: u32) -> Activity {
    ring_of(rank, 3, |_| 2)
}

#[test]
fn a_rank_that_only_began_late_is_no_cause() {
    let found = trace(&[0, 1, 2].map(ring));
    let first = &found.causes[0];
    assert_eq!(
        (first.rank, matches!(first.what, RankActivity::Computed { .. })),
        (2, true),
        "{:?}",
        found.causes
    );
    let share = first.waiting.0 as f64 / found.times.waiting.0 as f64;
    assert!(share > 0.85, "{share}: {:?}", found.causes);
    let all: u64 = found.causes.iter().map(|cause| cause.waiting.0).sum();
    assert!(all.abs_diff(found.times.waiting.0) <= 10, "{all}");
}

#[test]
fn a_message_to_itself_is_no_cause_of_its_own() {
    // The send of rank 0 to itself lies behind its wait: no program does that, a broken file may.
    let ranks = [Made::rank(0, 1)
        .with("MPI_Recv", (10, 90), received(10, 0))
        .with("MPI_Send", (80, 85), sent(80, 0))
        .end(100)];
    let found = trace(&ranks);
    let all: u64 = found.causes.iter().map(|cause| cause.waiting.0).sum();
    assert_eq!(all, found.times.waiting.0);
}
