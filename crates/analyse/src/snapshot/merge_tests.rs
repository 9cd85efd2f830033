use numawise_facts::activity::{MessageFamily, MessageSizes, PeerTraffic, ProcessEnd};
use proptest::prelude::*;

use super::super::sample::{call, efficiencies, rank, seconds, simple_rank, snapshot, thread, with_openmp};
use super::*;

fn merged(of: &[MergedRanks]) -> MergedRanks {
    let mut all = MergedRanks::default();
    of.iter().for_each(|one| merge(&mut all, one));
    all
}

fn summaries(activities: &[Activity]) -> Vec<MergedRanks> {
    activities.iter().filter_map(rank_summary).collect()
}

/// Ranks that differ in all that is merged.
fn any_rank(number: u32) -> impl Strategy<Value = Activity> {
    let calls = prop::collection::vec((0..4_u64, 0..2000_u64, 1..50_u64), 0..5);
    let peers = prop::collection::vec((0..300_u32, 0..9_u64, 0..1000_u64), 0..4);
    (1..1000_u64, calls, peers, 0..3_u32, any::<bool>()).prop_map(
        move |(useful, calls, peers, host, ended)| {
            let mut one = thread(1, [useful as f64 / 100.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
            for (name, address, count) in calls {
                one.calls.push(call(
                    ["MPI_Send", "MPI_Recv", "MPI_Wait", "MPI_Bcast"][name as usize],
                    address,
                    count,
                    0.01,
                ));
            }
            for (peer, messages, bytes) in peers {
                one.peers.push(PeerTraffic {
                    rank: peer,
                    sent_messages: messages,
                    sent: Bytes(bytes),
                    received_messages: 0,
                    received: Bytes(0),
                    fetched: Bytes(bytes / 2),
                });
            }
            one.messages.push(MessageSizes { family: MessageFamily::Send, bits: host, messages: useful });
            let mut activity =
                rank(number, 300, super::super::sample::process(1, useful as f64 / 100.0 + 1.0, vec![one]));
            activity.host = format!("node{host}");
            if !ended {
                activity.end = ProcessEnd::NotTold;
            }
            activity
        },
    )
}

fn ranks() -> impl Strategy<Value = Vec<MergedRanks>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..40)
        .prop_flat_map(|numbers| (0..numbers.len() as u32).map(any_rank).collect::<Vec<_>>())
        .prop_map(|activities| summaries(&activities))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn order_and_grouping_do_not_matter(of in ranks(), shuffle in any::<u64>(), cut in any::<prop::sample::Index>()) {
        let expected = merged(&of);
        let mut other = of.clone();
        // An order of its own for each seed.
        other.sort_by_key(|one| one.elapsed.sum.0.wrapping_mul((shuffle | 1).into()).rotate_left(17));
        let (left, right) = other.split_at(if of.is_empty() { 0 } else { cut.index(of.len()) });
        let (left, right) = (merged(left), merged(right));
        prop_assert_eq!(&merged(&[left.clone(), right.clone()]), &expected);
        prop_assert_eq!(&merged(&[right, left]), &expected);
    }
}

/// Asserts the same values, or none in both; reasons of single processes are not merged.
fn assert_same(one: &Efficiencies, other: &Efficiencies) {
    let values =
        |of: &Efficiencies| efficiencies(of).map(|of| of.value.measured().map(|ratio| ratio.0)).to_vec();
    for (one, other) in values(one).into_iter().zip(values(other)) {
        let same = one.zip(other).map_or(one == other, |(one, other)| (one - other).abs() < 1e-9);
        assert!(same, "{one:?} and {other:?}");
    }
}

#[test]
fn efficiencies_are_those_of_the_run() {
    let of = [(3.0, 1.0), (2.0, 2.0), (3.5, 0.5)];
    let mut all: Vec<Activity> =
        (0..3).map(|number| simple_rank(number, 3, of[number as usize].0, of[number as usize].1)).collect();
    all[2].host = "node2".to_owned();
    assert_same(&merged_efficiencies(&merged(&summaries(&all))), &snapshot(&all).efficiency);
    // One is missing, and one died.
    assert_same(&merged_efficiencies(&merged(&summaries(&all[..2]))), &snapshot(&all[..2]).efficiency);
    all[1] = simple_rank(1, 3, 1.0, 0.5);
    all[1].end = ProcessEnd::NotTold;
    let died = merged_efficiencies(&merged(&summaries(&all)));
    assert_same(&died, &snapshot(&all).efficiency);
    assert!(died.mpi_load_balance.value.reason().is_some());
}

#[test]
fn teams_count_as_in_the_run() {
    let team = |number| {
        let first = thread(1, [2.0, 1.0, 0.5, 0.0, 0.0, 0.0]);
        let second = thread(2, [1.0, 0.0, 1.5, 0.25, 0.75, 0.0]);
        rank(number, 2, with_openmp(super::super::sample::process(1, 3.5, vec![first, second])))
    };
    let all = [team(0), team(1)];
    assert_same(&merged_efficiencies(&merged(&summaries(&all))), &snapshot(&all).efficiency);
    assert!(merged_efficiencies(&MergedRanks::default()).parallel.value.reason().is_some());
}

#[test]
fn the_size_is_bounded_and_the_ends_are_named() {
    const RANKS: u32 = 5000;
    let mut all = MergedRanks::default();
    for number in 0..RANKS {
        let mut activity = simple_rank(number, RANKS, f64::from(number + 1) / 1000.0, 1.0);
        // Each rank calls at a place of its own.
        let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
        threads[0].calls.push(call("MPI_Send", u64::from(number), 1, 0.001));
        merge(&mut all, &rank_summary(&activity).unwrap());
    }
    assert_eq!(all.ranks, u64::from(RANKS));
    assert_eq!(
        (all.sites.len(), all.useful.least.len(), all.useful.most.len()),
        (MOST_MERGED_SITES, MOST_OUTLIERS, MOST_OUTLIERS)
    );
    assert!(all.useful.histogram.len() < 250, "{}", all.useful.histogram.len());
    assert_eq!((all.useful.least[0].1, all.useful.most[0].1), (0, RANKS - 1));
    assert!(outliers(&all).len() <= 7 * MOST_OUTLIERS + 1);
    assert_eq!(all.calls["MPI_Send"].calls.count, u64::from(RANKS));
    for (share, expected) in [(0.0, 0.001), (0.25, 1.25), (0.5, 2.5), (0.95, 4.75), (1.0, 5.0)] {
        let found = quantile(&all.useful, share).unwrap().seconds();
        assert!((found / expected - 1.0).abs() < 0.033, "{share}: {found} for {expected}");
    }
}

#[test]
fn classes_hold_what_belongs_to_them() {
    for time in [0, 1, 15, 16, 17, 31, 32, 33, 1000, 123_456_789, u64::MAX / 2, u64::MAX] {
        let class = class(Nanoseconds(time));
        let begin = class_begin(class);
        assert!(begin <= time && time - begin <= begin / 16, "{time} in {class} from {begin}");
    }
    assert_eq!(quantile(&RankDistribution::default(), 0.5), None);
    assert_eq!(distribution(seconds(1.0), 3).least, [(seconds(1.0), 3)]);
}

#[test]
fn ranks_of_different_worlds_are_not_compared() {
    let all = [simple_rank(0, 2, 1.0, 1.0), simple_rank(1, 2, 1.0, 1.0), simple_rank(0, 1, 2.0, 1.0)];
    let all = merged(&summaries(&all));
    assert!(all.has_several_worlds && all.traffic.is_empty());
    assert!(merged_efficiencies(&all).mpi_communication.value.reason().is_some());
    assert!(rank_summary(&super::super::sample::process(1, 1.0, Vec::new())).is_none());
}
