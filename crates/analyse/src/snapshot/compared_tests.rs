use numawise_facts::activity::PeerTraffic;
use numawise_facts::{Activity, Reading};
use numawise_units::Bytes;
use proptest::prelude::*;

use super::super::merge::{merge, rank_summary};
use super::super::sample::{at, call, simple_rank, snapshot, snapshot_of_merged};
use super::*;

fn micros(micros: u64) -> Nanoseconds {
    Nanoseconds(1_000 * micros)
}

fn drawn(kind: SampledCall, key: u64, name: &str, address: u64, is_first: bool) -> CallSample {
    CallSample {
        kind,
        key,
        call: name.to_owned(),
        at: at(address),
        communicator: Some(0),
        begun: micros(0),
        posted: None,
        time: micros(0),
        is_first,
    }
}

/// A call of the job: of all ranks, or from one to another, and when each of them begins and how long it takes.
#[derive(Debug, Clone)]
struct JobCall {
    between: Option<(usize, usize)>,
    times: Vec<(u64, u64)>,
    is_first: bool,
    /// A rank that did not draw it.
    without: Option<usize>,
}

fn job_calls(ranks: usize) -> impl Strategy<Value = Vec<JobCall>> {
    let between = prop::option::of((0..ranks, 1..ranks.max(2)));
    let times = prop::collection::vec((0..5_000_u64, 1..2_000_u64), ranks);
    let one = (between, times, any::<bool>(), prop::option::weighted(0.1, 0..ranks)).prop_map(
        move |(between, times, is_first, without)| JobCall {
            between: between.map(|(from, further)| (from, (from + further) % ranks)),
            times,
            is_first,
            without,
        },
    );
    prop::collection::vec(one, 0..60)
}

/// Ranks on two hosts, with the calls that each drew.
fn ranks_of(calls: &[JobCall], ranks: usize) -> Vec<Activity> {
    let all = 0..ranks;
    all.map(|rank| {
        let mut activity = simple_rank(rank as u32, ranks as u32, 2.0, 0.9);
        activity.host = format!("node{}", rank % 2);
        let Reading::Measured(threads) = &mut activity.threads else { panic!() };
        threads[0].calls.push(call("MPI_Send", 0x20, 9, 0.5));
        threads[0].calls.push(call("MPI_Recv", 0x30, 9, 0.5));
        threads[0].peers.push(PeerTraffic {
            rank: 0,
            sent_messages: 1,
            sent: Bytes(1),
            received_messages: 1,
            received: Bytes(1),
            fetched: Bytes(0),
        });
        let of_rank = calls.iter().enumerate().filter(|(_, call)| call.without != Some(rank));
        let of_rank = of_rank.filter_map(|(number, call)| {
            let key = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (kind, name, address) = match call.between {
                None => (SampledCall::Collective, "MPI_Allreduce", 0x10),
                Some((from, _)) if from == rank => (SampledCall::Send, "MPI_Send", 0x20),
                Some((_, to)) if to == rank => (SampledCall::Receive, "MPI_Recv", 0x30),
                Some(_) => return None,
            };
            let (begun, time) = call.times[rank];
            let sample = drawn(kind, key, name, address, call.is_first);
            Some(CallSample { begun: micros(begun), time: micros(time), ..sample })
        });
        activity.samples = Reading::Measured(of_rank.collect());
        activity
    })
    .collect()
}

fn together(all: &[MergedRanks]) -> MergedRanks {
    let mut sum = MergedRanks::default();
    all.iter().for_each(|one| merge(&mut sum, one));
    sum
}

fn waiting(run: &numawise_tables::RunSnapshot) -> Vec<(String, Option<Nanoseconds>)> {
    let mpi = run.mpi.measured().unwrap();
    let mut all: Vec<_> =
        mpi.sites.iter().map(|row| (row.call.clone(), row.waiting.measured().copied())).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn merged_ranks_wait_as_those_that_are_all_there(
        (ranks, calls) in (2..6_usize).prop_flat_map(|ranks| (Just(ranks), job_calls(ranks))),
        cut in any::<prop::sample::Index>(),
    ) {
        let all = ranks_of(&calls, ranks);
        let summaries: Vec<MergedRanks> = all.iter().filter_map(rank_summary).collect();
        let merged = together(&summaries);
        let full = snapshot(&all);
        let few = snapshot_of_merged(&all[..1], Some(&merged));
        prop_assert_eq!(waiting(&few), waiting(&full));
        let sum = |run: &numawise_tables::RunSnapshot| {
            run.mpi.measured().unwrap().waiting_in_calls.measured().copied()
        };
        prop_assert_eq!(sum(&few), sum(&full));
        // By computers, the last ones first.
        let (left, right) = summaries.split_at(cut.index(ranks));
        prop_assert_eq!(together(&[together(right), together(left)]), merged);
    }
}

#[test]
fn of_many_calls_some_are_kept_and_stand_for_all() {
    let mut seed = 1_u64;
    let mut next = move |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let calls: Vec<JobCall> = (0..600)
        .map(|_| {
            // The last rank waits for nobody; the others for 0.9 of 1 ms on average.
            let times = (0..4).map(|rank| (0, if rank < 3 { 100 + next(1_800) } else { 100 })).collect();
            JobCall { between: None, times, is_first: false, without: None }
        })
        .collect();
    let all = ranks_of(&calls, 4);
    let merged = together(&all.iter().filter_map(rank_summary).collect::<Vec<_>>());
    let kept: Vec<usize> = merged.collectives.values().map(Vec::len).collect();
    assert_eq!(kept, [MOST_COMPARED_CALLS]);
    let run = snapshot_of_merged(&all[..1], Some(&merged));
    let row = &run.mpi.measured().unwrap().sites;
    let row = row.iter().find(|row| row.call == "MPI_Allreduce").unwrap();
    let share = row.waiting.measured().unwrap().seconds() / row.calls.time.seconds();
    assert!((share - 2.7 / 3.1).abs() < 0.01, "{share}");
}

#[test]
fn what_ranks_tell_differently_is_not_compared() {
    let end = |host| MessageEnd { host, site: 1, is_first: true, begun: micros(5), time: micros(7) };
    let message = |send, receive| ComparedMessage { key: 7, send, receive, is_ambiguous: false };
    let with = |messages: &[ComparedMessage]| {
        let ranks = messages.iter().map(|message| MergedRanks {
            ranks: 1,
            sent_messages: [(1, vec![message.clone()])].into(),
            ..MergedRanks::default()
        });
        known_waiting(&together(&ranks.collect::<Vec<_>>())).len()
    };
    assert_eq!(with(&[message(Some(end(1)), None), message(None, Some(end(1)))]), 1);
    // Two clocks; two ranks that sent it.
    assert_eq!(with(&[message(Some(end(1)), None), message(None, Some(end(2)))]), 0);
    let twice = [message(Some(end(1)), None), message(Some(end(1)), None), message(None, Some(end(1)))];
    assert_eq!(with(&twice), 0);
}
