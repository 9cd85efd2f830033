//! A trace in slices has the tables of the whole one.

use std::collections::HashMap;

use numawise_facts::activity::{
    Communicator, FileOperation, SpanKind, SpanName, ThreadTrace, TracedCall, TracedMessage, TracedSpan,
};
use numawise_traces::{CallStreams, Sliced, sliced};

use super::*;
use crate::snapshot::counted;

/// The traces of some ranks, read call by call.
pub struct InMemory {
    all: HashMap<(u32, i32), (Vec<TracedCall>, Vec<TracedMessage>)>,
}

impl CallStreams for InMemory {
    fn read(&mut self, of: &Activity, tid: i32, most: usize, into: &mut ThreadTrace) -> Option<bool> {
        let (calls, messages) = self.all.get_mut(&(of.pid.0 as u32, tid))?;
        let most = most.min(calls.len());
        let of_them: usize = calls[..most].iter().map(|call| call.messages as usize).sum();
        into.calls.extend(calls.drain(..most));
        into.messages.extend(messages.drain(..of_them));
        Some(!calls.is_empty())
    }
}

/// The same ranks with calls at the edges, and the streams of all.
fn split(ranks: &[Activity]) -> (Vec<Activity>, InMemory) {
    let (mut ranks, mut all) = (ranks.to_vec(), HashMap::new());
    let losses = ranks.iter().filter_map(|rank| rank.lost.trace).filter(|loss| loss.until.is_none());
    let until = losses.map(|loss| loss.since).min();
    for rank in &mut ranks {
        let pid = rank.pid.0 as u32;
        for thread in rank.threads.measured_mut().into_iter().flatten() {
            let Some(trace) = thread.trace.as_mut().map(Arc::make_mut) else { continue };
            let edges = ThreadTrace::calls_at_edges(&trace.sites, &trace.calls, until);
            let calls = std::mem::replace(&mut trace.calls, edges);
            all.insert((pid, thread.tid.0), (calls, std::mem::take(&mut trace.messages)));
        }
    }
    (ranks, InMemory { all })
}

pub fn in_slices(ranks: &[Activity], part: Option<&TracePart>, calls: usize) -> Sliced {
    let (ranks, mut streams) = split(ranks);
    let (places, machines) = Default::default();
    let parts = RunParts {
        trace_part: part,
        activities: &ranks,
        merged: None,
        places: &places,
        asked: None,
        exit: None,
        unwatched: Nanoseconds(0),
        machines: &machines,
    };
    sliced(super::super::input(&counted(&parts).0), &mut streams, calls).expect("a trace")
}

/// All but what a slice cannot know is the same, whatever the size of slices.
pub fn check(ranks: &[Activity], part: Option<&TracePart>, whole: &RunTrace) {
    if whole.is_end {
        return;
    }
    // The smallest ones of small traces only: each slice takes its time.
    let few = if whole.calls < 40 { 1 } else { 25 };
    for calls in [few, 3 * few, 7 * few, 1000] {
        let found = in_slices(ranks, part, calls).tables;
        let slices = found.slices.expect("slices");
        assert_eq!((slices.forgotten, slices.has_period), (0, true));
        // Where the begin of a slice cuts causes off, they are others, of as much waiting.
        let sum = |of: &RunTrace| of.causes.iter().map(|cause| cause.waiting.0).sum::<u64>();
        assert!(sum(&found).abs_diff(sum(whole)) <= 64, "{:?}\nexpected\n{:?}", found.causes, whole.causes);
        let causes = if slices.slices == 1 { found.causes.clone() } else { whole.causes.clone() };
        let found = RunTrace { slices: None, what_if: whole.what_if.clone(), causes, ..found };
        let lines = |of: &RunTrace| format!("{of:#?}").lines().map(str::to_owned).collect::<Vec<String>>();
        let (found, expected) = (lines(&found), lines(whole));
        let first = found.iter().zip(&expected).position(|(one, other)| one != other);
        let around = |of: &[String]| {
            let at = first.unwrap_or(found.len().min(expected.len()));
            of[at.saturating_sub(12)..(at + 4).min(of.len())].join("\n")
        };
        assert!(
            first.is_none() && found.len() == expected.len(),
            "{calls} calls, {slices:?}\n{}\nexpected\n{}",
            around(&found),
            around(&expected)
        );
    }
}

/// Of three ranks one that scans, talks with a neighbour, and with the other group, again and again; in between it is in files, and some calls were
/// left out. What its sources are it tells once.
fn again_and_again(rank: u32) -> Activity {
    let mut made = Made::rank(rank, 3);
    made.trace.names = FileOperation::ALL.into_iter().map(SpanName::File).collect();
    for step in 0..40 {
        let (begin, key) = (100 * step, 10 * step + 1000);
        let late = |nth: u64| if (step + nth) % 3 == u64::from(rank) { 15 } else { nth + u64::from(rank) };
        let kind = |nth| TracedKind::Collective { key: NonZeroU64::new(key + nth).unwrap(), root: None };
        let told = |begin, of: &[u32]| -> Vec<TracedMessage> {
            let peers = of.iter().filter(|_| step == 0);
            peers.map(|peer| message(MessageSide::Source, begin, *peer, 0)).collect()
        };
        let [scan, neighbours, groups] = [(0, 10), (1, 40), (2, 70)].map(|(nth, at)| begin + at + late(nth));
        let others: &[u32] = if rank == 2 { &[0, 1] } else { &[2] };
        let (first, second) = (told(neighbours, &[(rank + 2) % 3]), told(groups, others));
        let of = FileOperation::ALL[step as usize % 4] as u32;
        let file = |begin, end| TracedSpan { of, begin: ms(begin), end: ms(end), kind: SpanKind::File };
        made.trace.spans.push(file(begin + 6, scan - 2));
        made.trace.spans.push(file(begin + 38, neighbours));
        made = made
            .add("calls left out", (begin + 2, begin + 5), TracedKind::LeftOut { calls: 4 }, Vec::new())
            .add("MPI_Scan", (scan, begin + 30), kind(0), Vec::new())
            .add("MPI_Neighbor_allgather", (neighbours, begin + 60), kind(1), first)
            .add("MPI_Allreduce", (groups, begin + 90), kind(2), second);
    }
    let between_groups = made.trace.sites.iter_mut().find(|site| site.call == "MPI_Allreduce").unwrap();
    between_groups.communicator = Some(1);
    let mut rank = made.end(4000);
    let groups = Communicator { is_inter: true, ..rank.communicators[0].clone() };
    rank.communicators.truncate(1);
    rank.communicators.push(groups);
    rank
}

#[test]
fn what_was_told_once_is_known_in_all_slices() {
    let found = trace(&[0, 1, 2].map(again_and_again));
    for kind in [WaitKind::LateLowerRank, WaitKind::LateNeighbour, WaitKind::LastOfAll] {
        let times = found.waits.iter().filter(|row| row.kind == kind).map(|row| row.times).sum::<u64>();
        assert!(times >= 40, "{kind:?}: {:?}", found.waits);
    }
    let [row] = found.not_judged.as_slice() else { panic!("{:?}", found.not_judged) };
    assert_eq!((row.why, row.calls), (NotJudgedReason::LeftOut, 3 * 40 * 4));
    assert!(found.causes.iter().any(|cause| matches!(cause.what, RankActivity::InFiles { .. })));
    assert!(found.critical_path.iter().any(|part| matches!(part.what, RankActivity::InFiles { .. })));
    assert!(found.times.in_files > ms(0));
    // What was left out makes no trace whole.
    assert!(!in_slices(&[0, 1, 2].map(again_and_again), None, 25).is_whole);
}

/// Of three ranks one that begins a call between two groups at a moment, and waits for it at the end; in between, and before, there are barriers.
fn begins_at(rank: u32, begin: u64) -> Activity {
    let mut made = Made::rank(rank, 3);
    let begun = |made: Made| {
        let kind = TracedKind::Collective { key: NonZeroU64::new(5000).unwrap(), root: None };
        let others: &[u32] = if rank == 2 { &[0, 1] } else { &[2] };
        let told = others.iter().map(|peer| message(MessageSide::Source, begin, *peer, 0)).collect();
        made.add("MPI_Iallreduce", (begin, begin + 1), kind, told)
    };
    for step in 0..40 {
        let at = 100 * step;
        if (at..at + 100).contains(&begin) {
            made = begun(made);
        }
        made = made.collective("MPI_Barrier", (at + 50 + u64::from(rank), at + 60), 1000 + step, None);
    }
    let done = TracedMessage { end: MessageSide::CollectiveDone, ..message(MessageSide::Sent, begin, 0, 0) };
    made = made.with(
        "MPI_Wait",
        (4000 - 10 * u64::from(rank), 4020),
        vec![TracedMessage { communicator: None, ..done }],
    );
    let between_groups = made.trace.sites.iter_mut().find(|site| site.call == "MPI_Iallreduce").unwrap();
    between_groups.communicator = Some(1);
    let mut rank = made.end(4100);
    let groups = Communicator { is_inter: true, ..rank.communicators[0].clone() };
    rank.communicators.truncate(1);
    rank.communicators.push(groups);
    rank
}

#[test]
fn a_call_between_groups_is_waited_for_until_ranks_of_later_slices_come() {
    for begins in [[3930, 3910, 10], [10, 3920, 3940], [10, 20, 3930], [3900, 30, 20]] {
        let ranks = [0, 1, 2].map(|rank| begins_at(rank, begins[rank as usize]));
        let found = trace(&ranks);
        assert!(found.not_judged.is_empty(), "{:?}", found.not_judged);
    }
}
