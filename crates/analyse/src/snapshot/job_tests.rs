use numawise_facts::activity::{
    ConstructName, MessageFamily, MessageSizes, PeerTraffic, ProcessEnd, ProcessSurroundings,
};
use numawise_facts::finding::Amount;
use numawise_facts::{FindingId, Reading};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{RatedShare, SpreadQuantity};
use numawise_units::{Bytes, Nanoseconds};
use proptest::prelude::*;

use super::super::sample::{
    call, construct, efficiencies, opened, process, rank, seconds, simple_rank, snapshot, snapshot_of_merged,
    thread, with_merged, with_openmp,
};
use super::*;

const RANKS: u32 = 200;

/// Ranks of teams that differ in all that is said of them.
fn one(number: u32) -> Activity {
    let uneven = f64::from(number * 7919 % RANKS) / f64::from(RANKS);
    let (useful, mpi) = (1.0 + uneven, 2.0 - uneven);
    let mut first = thread(1, [useful, mpi, 0.25, 0.125, 0.0, 0.0]);
    first.calls.push(call("MPI_Allreduce", 0x10, 20, mpi * 0.75));
    first.calls.push(call("MPI_Send", 0x20 + u64::from(number % 3), 5000, mpi * 0.25));
    first.messages.push(MessageSizes { family: MessageFamily::Send, bits: 4, messages: 5000 });
    first.peers.push(PeerTraffic {
        rank: (number + 1) % RANKS,
        sent_messages: 5000,
        sent: Bytes(40_000),
        received_messages: 5000,
        received: Bytes(40_000),
        fetched: Bytes(0),
    });
    first.constructs.push(opened(
        construct(5, 1, ConstructName::Parallel, [0.5, 0.0, 0.25, 0.125, 0.0, 0.0]),
        1.0,
        2,
    ));
    let mut second = thread(2, [0.5 * useful, 0.0, 1.0, 0.125, 2.375 - 0.5 * useful, 0.0]);
    second.constructs.push(construct(
        5,
        1,
        ConstructName::Parallel,
        [0.5 * useful, 0.0, 1.0, 0.125, 0.0, 0.0],
    ));
    let mut activity = rank(number, RANKS, with_openmp(process(1, 3.375, vec![first, second])));
    activity.host = format!("node{:02}", number / 10);
    activity.surroundings = ProcessSurroundings {
        peak_memory: Reading::Measured(Bytes::mib(100 + u64::from(number))),
        ..ProcessSurroundings::unavailable("it is made by hand")
    };
    activity
}

fn all() -> Vec<Activity> {
    (0..RANKS).map(one).collect()
}

fn added(all: Vec<Activity>, most: u64) -> (Vec<Activity>, Option<MergedRanks>) {
    let mut job = JobRanks::with_most(most);
    all.into_iter().for_each(|one| assert!(job.add(one).is_none()));
    job.finish()
}

fn merged_snapshot(all: Vec<Activity>) -> RunSnapshot {
    let (activities, merged) = added(all, 0);
    snapshot_of_merged(&activities, merged.as_ref())
}

fn assert_close(one: &RatedShare, two: &RatedShare) {
    match (&one.value, &two.value) {
        (Reading::Measured(a), Reading::Measured(b)) => assert!((a.0 - b.0).abs() < 1e-8, "{a:?} {b:?}"),
        (a, b) => panic!("{a:?} and {b:?}"),
    }
    assert_eq!(one.rating, two.rating);
}

#[test]
fn efficiencies_and_times_are_those_of_all_in_full() {
    let (full, merged) = (snapshot(&all()), merged_snapshot(all()));
    assert_eq!((full.rows.len(), full.merged.is_some()), (RANKS as usize, false));
    let tables = merged.merged.as_ref().unwrap();
    assert_eq!((tables.ranks, tables.in_full), (u64::from(RANKS), merged.rows.len() as u64));
    assert!(merged.rows.len() < RANKS as usize / 2, "{}", merged.rows.len());
    for (one, two) in efficiencies(&full.efficiency).into_iter().zip(efficiencies(&merged.efficiency)) {
        assert_close(one, two);
    }
    assert_close(&full.useful, &merged.useful);
    assert_eq!((&full.elapsed, &full.span, &full.time), (&merged.elapsed, &merged.span, &merged.time));
    assert_eq!(full.cpus.measured().unwrap().count, merged.cpus.measured().unwrap().count);
    assert_eq!((&full.processes, &full.lost), (&merged.processes, &merged.lost));
    assert_eq!(full.memory.peak, merged.memory.peak);
    for row in &merged.rows {
        let same = full.rows.iter().find(|one| one.rank == row.rank).unwrap();
        assert_eq!((&same.time, &same.mpi), (&row.time, &row.mpi));
        let (one, two) = (same.mpi_waiting.measured().unwrap(), row.mpi_waiting.measured().unwrap());
        assert!(one.0.abs_diff(two.0) < 100, "{one} {two}");
    }
}

#[test]
fn mpi_is_that_of_all_in_full() {
    let (full, merged) = (snapshot(&all()), merged_snapshot(all()));
    let (mut full, mut merged) =
        (full.mpi.measured().unwrap().clone(), merged.mpi.measured().unwrap().clone());
    assert_close(&full.share, &merged.share);
    assert_close(&full.waiting_share, &merged.waiting_share);
    assert_eq!((full.calls, full.further_sites), (merged.calls, merged.further_sites));
    // Waiting takes single calls of all ranks.
    merged.sites.iter().for_each(|row| assert!(row.waiting.reason().is_some()));
    full.sites.iter_mut().chain(&mut merged.sites).for_each(|row| row.waiting = Reading::unavailable("-"));
    full.sites.sort_by_key(|row| (row.call.clone(), row.place.clone()));
    merged.sites.sort_by_key(|row| (row.call.clone(), row.place.clone()));
    assert_eq!(full.sites, merged.sites);
    assert_eq!((full.messages, full.communicators), (merged.messages, merged.communicators));
    assert_eq!((full.volume.by_rank, full.volume.hosts), (merged.volume.by_rank, merged.volume.hosts));
    assert!(merged.volume.by_host.reason().is_some());
    let (full, merged) = (full.share_by_rank.measured().unwrap(), merged.share_by_rank.measured().unwrap());
    assert_eq!((full.least.0, full.most.0), (merged.least.0, merged.most.0));
}

#[test]
fn regions_are_those_of_all_in_full() {
    let (full, merged) = (snapshot(&all()), merged_snapshot(all()));
    let (mut full, merged) = (full.openmp.measured().unwrap().clone(), merged.openmp.measured().unwrap());
    assert_close(&full.serial, &merged.serial);
    assert_close(&full.imbalance_share, &merged.imbalance_share);
    assert_eq!((full.potential_gain, full.processes), (merged.potential_gain.clone(), merged.processes));
    assert_eq!(full.further_regions, merged.further_regions);
    assert_eq!((full.regions.len(), merged.regions[0].calls), (1, u64::from(RANKS)));
    full.regions[0].loops = merged.regions[0].loops.clone();
    full.regions[0].waits = merged.regions[0].waits.clone();
    assert!(merged.regions[0].loops.reason().is_some());
    assert_eq!(full.regions, merged.regions);
}

#[test]
fn findings_are_those_of_all_in_full() {
    let gains = |of: &RunSnapshot| {
        let gain = |id| of.findings.iter().find(|one| one.finding.id == id)?.potential.measured().copied();
        [
            FindingId::MpiImbalance,
            FindingId::MpiTransfer,
            FindingId::MpiConcentrated,
            FindingId::RegionImbalance,
        ]
        .map(|id| gain(id).map(|gain| (gain.share.0 * 1e8).round()))
    };
    let (full, merged) = (gains(&snapshot(&all())), gains(&merged_snapshot(all())));
    assert_eq!(full, merged);
    assert!(full.iter().filter(|gain| gain.is_some()).count() >= 3, "{full:?}");
    // Those that have most to do are named.
    let named = |of: &RunSnapshot| {
        let found = of.findings.iter().find(|one| one.finding.id == FindingId::MpiImbalance).unwrap();
        found.finding.advice.clone()
    };
    assert_eq!(named(&snapshot(&all())), named(&merged_snapshot(all())));
    // Many messages that are small, of ranks that do not wait in them.
    let sender = |number| {
        let mut activity = simple_rank(number, 4, 1.9, 0.1);
        let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
        threads[0].calls = vec![call("MPI_Send", 0x20, 100_000, 0.1)];
        threads[0].messages = vec![MessageSizes { family: MessageFamily::Send, bits: 4, messages: 100_000 }];
        activity
    };
    let senders = || (0..4).map(sender).collect::<Vec<_>>();
    for of in [snapshot(&senders()), merged_snapshot(senders())] {
        assert!(of.findings.iter().any(|one| one.finding.id == FindingId::TinyMessages), "{:?}", of.findings);
    }
}

#[test]
fn what_merged_ranks_cannot_tell_is_unavailable() {
    let merged = merged_snapshot(all());
    for reason in [
        merged.placement.reason(),
        merged.memory.nodes.reason(),
        merged.cpus.measured().unwrap().allowed.reason(),
    ] {
        assert!(reason.is_some_and(|reason| reason.0.contains("merged")), "{reason:?}");
    }
}

#[test]
fn spreads_name_the_ends_and_the_middle() {
    let merged = merged_snapshot(all());
    let spreads = &merged.merged.as_ref().unwrap().spreads;
    assert_eq!(
        spreads.iter().map(|one| one.quantity).collect::<Vec<_>>(),
        [SpreadQuantity::Useful, SpreadQuantity::Mpi, SpreadQuantity::Elapsed]
    );
    let mut mpi: Vec<(Nanoseconds, u32)> = merged_rows(&snapshot(&all()));
    mpi.sort();
    let spread = &spreads[1];
    assert_eq!((spread.least.0, spread.most.0), (mpi[0].1, mpi[mpi.len() - 1].1));
    for (share, time) in &spread.quantiles {
        let expected = mpi[(share.0 * f64::from(RANKS)).ceil() as usize - 1].0;
        assert!((time.seconds() / expected.seconds() - 1.0).abs() < 0.033, "{share:?} {time} {expected}");
    }
}

fn merged_rows(of: &RunSnapshot) -> Vec<(Nanoseconds, u32)> {
    of.rows.iter().map(|row| (*row.mpi.measured().unwrap(), *row.rank.measured().unwrap())).collect()
}

#[test]
fn a_job_up_to_the_limit_is_kept_in_full() {
    let (full, merged) = added(all(), u64::from(RANKS));
    assert_eq!((full.len(), merged), (RANKS as usize, None));
    let (some, merged) = added(all(), u64::from(RANKS) - 1);
    assert_eq!(merged.unwrap().ranks, u64::from(RANKS));
    assert!(some.len() < RANKS as usize && number(&some[0]) == Some(0));
}

#[test]
fn those_that_died_first_are_kept() {
    let mut all = all();
    all[77].end = ProcessEnd::NotTold;
    all[77].elapsed = Reading::Measured(seconds(0.5));
    let (kept, merged) = added(all.clone(), 0);
    assert_eq!(merged.unwrap().dead, [(seconds(0.5), 77)]);
    assert!(kept.iter().any(|one| number(one) == Some(77)));
    let why = merged_snapshot(all).efficiency.mpi_load_balance.value.reason().unwrap().to_string();
    assert!(why.contains("rank 77 ended after"), "{why}");
}

#[test]
fn a_day_of_many_cpus_is_a_sum_beyond_584_years() {
    const CPUS: u32 = 262_144;
    const PARTS: u32 = 512;
    const DAY: f64 = 86_400.0;
    let mut job = JobRanks::default();
    for number in 0..CPUS / PARTS {
        job.add(simple_rank(number, CPUS, 0.75 * DAY, 0.25 * DAY));
    }
    let part = job.ranks().clone();
    // As that of other computers.
    (1..PARTS).for_each(|_| job.add_merged(&part));
    let (activities, merged) = job.finish();
    let of = snapshot_of_merged(&activities, merged.as_ref());
    assert!((of.useful.value.measured().unwrap().0 - 0.75).abs() < 1e-9);
    assert!((of.efficiency.parallel.value.measured().unwrap().0 - 0.75).abs() < 1e-9);
    let time = of.time.measured().unwrap();
    assert_eq!(time.total().to_string(), "718 years");
    assert_eq!(of.without_thread().measured().unwrap().0, 0);
    assert_eq!(
        of.mpi.measured().unwrap().calls[0].calls.time.seconds().round(),
        0.25 * DAY * f64::from(CPUS)
    );
    // Where the time in a call is beyond that itself, the table of calls says so, and efficiencies stay.
    let mut merged = merged.unwrap();
    let copy = merged.clone();
    (0..3).for_each(|_| merge(&mut merged, &copy));
    let of = snapshot_of_merged(&activities, Some(&merged));
    assert!(of.mpi.reason().unwrap().0.contains("584 years"), "{:?}", of.mpi.reason());
    assert!((of.efficiency.parallel.value.measured().unwrap().0 - 0.75).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// In any order, and with any part merged elsewhere.
    #[test]
    fn the_same_stands_out(shuffle in any::<u64>(), cut in 0..RANKS as usize) {
        let (expected, merged) = added(all(), 0);
        let mut shuffled = all();
        shuffled.sort_by_key(|one| u64::from(number(one).unwrap_or(0)).wrapping_mul(shuffle | 1).rotate_left(23));
        let there = shuffled.split_off(cut);
        let mut job = JobRanks::with_most(10);
        shuffled.into_iter().for_each(|one| drop(job.add(one)));
        let (kept, of_others) = added(there, 0);
        job.add_merged(&of_others.unwrap());
        kept.into_iter().for_each(|one| job.keep(one));
        prop_assert_eq!(job.finish(), (expected, merged));
    }
}

/// So many ranks of one thread on a computer of eight CPUs, each of which waited so long for one in two seconds.
fn on_eight_cpus(ranks: u32, waited: Option<f64>) -> RunSnapshot {
    let mut job = JobRanks::with_most(0);
    for number in 0..ranks {
        let mut activity = simple_rank(number, ranks, 1.0, 1.0);
        let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
        threads[0].run_delay = waited.map_or_else(
            || Reading::unavailable("it is not counted"),
            |time| Reading::Measured(seconds(time)),
        );
        job.add(activity);
    }
    let (in_full, merged) = job.finish();
    with_merged(&in_full, merged.as_ref(), &[("node1".to_owned(), crate::sample::two_sockets())].into())
}

#[test]
fn nw033_ranks_that_are_merged_are_more_than_the_cpus_of_their_computer() {
    let said = |ranks, waited| {
        let findings = on_eight_cpus(ranks, waited).findings;
        findings.into_iter().find(|one| one.finding.id == FindingId::Oversubscribed)
    };
    for waited in [Some(0.5), None] {
        let found = said(400, waited).unwrap();
        let first = &found.finding.evidence[0];
        assert_eq!((first.value.measured(), first.of), (Some(&Amount::Count(400)), Some(Amount::Count(8))));
        assert!(found.potential.measured().is_none());
        assert_eq!(found.finding.evidence.len(), if waited.is_some() { 2 } else { 1 });
    }
    assert!(said(8, Some(0.5)).is_none() && said(400, Some(0.01)).is_none());
}
