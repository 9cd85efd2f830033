use std::collections::BTreeMap;

use numawise_facts::activity::{CpuStays, MemoryByNode, MemoryMoment, ThreadSwitches};
use numawise_facts::{FindingId, ThreadActivity};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::SnapshotFinding;
use numawise_units::{Bytes, CpuId, NodeId};
use proptest::prelude::*;

use super::super::job::JobRanks;
use super::super::sample::{process, rank, seconds, simple_rank, snapshot_with, thread, with_merged};
use super::*;

const HOSTS: u32 = 3;
const OF_EACH: u32 = 6;

fn machines(hosts: u32) -> BTreeMap<String, Machine> {
    (0..hosts).map(|host| (format!("node{host}"), crate::sample::two_sockets())).collect()
}

/// As the computers hand them over: each merges its own, and knows its own machine.
fn merged(all: &[Activity], hosts: &[u32]) -> RunSnapshot {
    let mut job = JobRanks::with_most(0);
    for host in hosts {
        let mut here = JobRanks::with_most(0);
        let host = format!("node{host}");
        let own = || all.iter().filter(|one| one.host == host);
        here.add_placement(own(), Some(&crate::sample::two_sockets()));
        own().for_each(|one| drop(here.add(one.clone())));
        let (in_full, ranks) = here.finish();
        job.add_merged(&ranks.unwrap());
        in_full.into_iter().for_each(|one| job.keep(one));
    }
    let (in_full, ranks) = job.finish();
    with_merged(&in_full, ranks.as_ref(), &machines(HOSTS))
}

fn of_placement(run: &RunSnapshot) -> Vec<SnapshotFinding> {
    let ids =
        [FindingId::SharedCpus, FindingId::Unpinned, FindingId::RemoteRankMemory, FindingId::Oversubscribed];
    run.findings.iter().filter(|one| ids.contains(&one.finding.id)).cloned().collect()
}

/// A rank of two threads, one of which may be bound elsewhere, move about, or wait.
fn any_rank(number: u32) -> impl Strategy<Value = Activity> {
    let cpus = (prop::sample::subsequence((0..8_u32).collect::<Vec<_>>(), 1..8), 0..8_u32, 0..90_u32);
    let known = (prop::bool::weighted(0.98), prop::bool::weighted(0.98), any::<bool>());
    (cpus, known, 0..200_u64, [0..64_u64, 0..64]).prop_map(
        move |((mask, cpu, migrations), (has_mask, has_delay, is_at_home), delay, memory)| {
            let one = |tid: u32| {
                let mut one = thread(tid.cast_signed(), [1.5, 0.5, 0.0, 0.0, 0.0, 0.0]);
                if has_mask {
                    one.mask = Reading::Measured(mask.iter().map(|cpu| CpuId(*cpu)).collect());
                }
                let mut cpus = vec![(CpuId(cpu), 9)];
                cpus.extend((!is_at_home).then_some((CpuId((cpu + 5) % 8), 8)));
                one.cpus = Reading::Measured(CpuStays { cpus, others: 0, migrations });
                one.run_delay = if has_delay {
                    Reading::Measured(seconds(delay as f64 / 200.0))
                } else {
                    Reading::unavailable("it is not counted")
                };
                one
            };
            let mut activity =
                process(number.cast_signed(), 2.0, vec![one(number * 10), one(number * 10 + 1)]);
            let moment = MemoryMoment {
                at: seconds(1.0),
                by_node: vec![(NodeId(0), Bytes::mib(memory[0])), (NodeId(1), Bytes::mib(memory[1]))],
            };
            activity.surroundings.memory =
                Reading::Measured(MemoryByNode { last: moment.clone(), most: moment });
            activity.surroundings.switches =
                Reading::Measured(ThreadSwitches { voluntary: 1, forced: delay });
            activity.host = format!("node{}", number / OF_EACH);
            rank(number, HOSTS * OF_EACH, activity)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn merged_ranks_are_placed_as_those_that_are_all_there(
        all in (0..HOSTS * OF_EACH).map(any_rank).collect::<Vec<_>>(),
        of_each in 2..=OF_EACH,
        order in Just(vec![0, 1, 2]).prop_shuffle(),
    ) {
        // Up to four of two threads have a CPU for each.
        let is_there = |(number, _): &(u32, Activity)| number % OF_EACH < of_each;
        let all: Vec<Activity> = (0..).zip(all).filter(is_there).map(|(_, one)| one).collect();
        let full = snapshot_with(&all, &machines(HOSTS));
        let few = merged(&all, &order);
        prop_assert!(few.merged.is_some() && full.merged.is_none());
        match (&full.placement, &few.placement) {
            (Reading::Measured(one), Reading::Measured(two)) => {
                // Reasons of single ranks may be those of other ranks.
                let known = |of: &PlacementSummary| PlacementSummary {
                    unbound: of.unbound.measured().copied().map_or(Reading::unavailable("-"), Reading::Measured),
                    run_delay: of.run_delay.measured().copied().map_or(Reading::unavailable("-"), Reading::Measured),
                    run_delays: of.run_delays.measured().cloned().map_or(Reading::unavailable("-"), Reading::Measured),
                    masks: of.masks.measured().copied().map_or(Reading::unavailable("-"), Reading::Measured),
                    ..of.clone()
                };
                prop_assert_eq!(known(one), known(two));
            }
            (one, two) => prop_assert!(false, "{:?} {:?}", one, two),
        }
        let allowed = |of: &RunSnapshot| of.cpus.measured().unwrap().allowed.measured().copied();
        prop_assert_eq!(allowed(&full), allowed(&few));
        let (one, two) = (of_placement(&full), of_placement(&few));
        prop_assert_eq!(one.len(), two.len());
        for (one, two) in one.into_iter().zip(two) {
            prop_assert_eq!(one.finding, two.finding);
            prop_assert_eq!(one.potential.measured(), two.potential.measured());
        }
    }
}

/// All on CPU 0 of their computers, but for a CPU of its own where it is so.
fn on_cpus(size: u32, of_each: u32, cpu_of: impl Fn(u32) -> u32) -> Vec<Activity> {
    let one = |number: u32| {
        let mut activity = simple_rank(number, size, 1.5, 0.5);
        let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
        let cpu = CpuId(cpu_of(number));
        threads[0].cpus = Reading::Measured(CpuStays { cpus: vec![(cpu, 9)], others: 0, migrations: 0 });
        threads[0].mask = Reading::Measured(CpuSet::single(cpu));
        threads[0].run_delay = Reading::Measured(seconds(0.5));
        activity.host = format!("node{}", number / of_each);
        activity
    };
    (0..size).map(one).collect()
}

fn placed(all: &[Activity], of_each: usize) -> Option<MergedPlacement> {
    let mut of_job = None;
    for host in all.chunks(of_each) {
        merge(&mut of_job, &of_ranks(host.iter(), Some(&crate::sample::two_sockets())));
    }
    of_job
}

#[test]
fn nw030_to_nw033_are_said_of_merged_ranks_that_have_them_and_of_no_others() {
    let said = |all: &[Activity]| -> Vec<FindingId> {
        of_placement(&merged(all, &[0, 1, 2])).iter().map(|one| one.finding.id).collect()
    };
    assert_eq!(said(&on_cpus(18, 6, |number| number % 6)), []);
    assert_eq!(said(&on_cpus(18, 6, |number| number % 3)), [FindingId::SharedCpus]);
    assert_eq!(said(&on_cpus(27, 9, |number| number % 8)), [FindingId::Oversubscribed]);
    // Free to run anywhere, and they do.
    let free = |mut all: Vec<Activity>| {
        for one in &mut all {
            let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
            let anywhere = |of: &mut ThreadActivity| {
                of.mask = Reading::Measured("0-7".parse().unwrap());
                let cpus = vec![(CpuId(0), 50), (CpuId(5), 50)];
                of.cpus = Reading::Measured(CpuStays { cpus, others: 0, migrations: 90 });
                of.run_delay = Reading::Measured(seconds(0.0));
            };
            threads.iter_mut().for_each(anywhere);
        }
        all
    };
    assert_eq!(said(&free(on_cpus(18, 6, |number| number % 6))), [FindingId::Unpinned]);
    // One of them has its memory on the other socket.
    let mut far = on_cpus(18, 6, |number| number % 6);
    let moment = MemoryMoment { at: seconds(1.0), by_node: vec![(NodeId(1), Bytes::mib(64))] };
    far[13].surroundings.memory = Reading::Measured(MemoryByNode { last: moment.clone(), most: moment });
    let run = merged(&far, &[2, 0, 1]);
    assert_eq!(
        of_placement(&run).iter().map(|one| one.finding.id).collect::<Vec<_>>(),
        [FindingId::RemoteRankMemory]
    );
    let remote = *run.placement.measured().unwrap().remote.measured().unwrap();
    assert_eq!((remote.processes, remote.notable, remote.remote), (1, 1, Bytes::mib(64)));
    // It stands out, and is there in full.
    assert!(run.rows.iter().any(|row| row.rank == Reading::Measured(13)));
}

#[test]
fn the_placement_of_32768_synthetic_ranks_keeps_its_bound() {
    let all = on_cpus(32_768, 128, |number| number % 8);
    let some = placed(&all[..4096], 128).unwrap();
    let all = placed(&all, 128).unwrap();
    assert_eq!((all.processes, all.threads, all.hosts.len()), (32_768, 32_768, 256));
    assert_eq!((all.all_shared, all.shared.len()), (256 * 8, MOST_OVERFULL));
    assert_eq!((all.all_overfull, all.overfull.len()), (256 * 8, MOST_OVERFULL));
    let (one, two) = (&all.shared[0], &all.overfull[0]);
    assert_eq!((one.count, one.ranks.len(), one.further_ranks), (16, 16, 0));
    assert_eq!((two.threads, two.ranks.len()), (16, 16));
    // What grows are the CPUs of each computer, a line for each.
    let size = |of: &MergedPlacement| format!("{of:?}").len();
    assert!(size(&all) - size(&some) < 224 * 100, "{} and {}", size(&some), size(&all));
    // More on one CPU than are named.
    let crowd = placed(&on_cpus(100, 100, |_| 0), 100).unwrap();
    assert_eq!((crowd.shared[0].count, crowd.shared[0].threads.len()), (100, MOST_THERE));
    assert_eq!((crowd.overfull[0].ranks.len(), crowd.overfull[0].further_ranks), (MOST_THERE, 68));
}

#[test]
fn what_merged_ranks_cannot_tell_of_their_placement_is_unavailable() {
    let all = on_cpus(12, 6, |number| number % 3);
    let why = |add: &dyn Fn(&mut JobRanks)| {
        let mut job = JobRanks::with_most(0);
        add(&mut job);
        all.iter().for_each(|one| drop(job.add(one.clone())));
        let (in_full, ranks) = job.finish();
        let run = with_merged(&in_full, ranks.as_ref(), &machines(2));
        assert!(of_placement(&run).is_empty());
        run.placement.reason().unwrap().to_string()
    };
    assert_eq!(why(&|_| ()), "ranks were merged without the CPUs of their threads");
    let some = why(&|job| job.add_placement(all[..6].iter(), None));
    assert_eq!(some, "ranks are merged: it is known of 6 of 12 of them");
    let parts = why(&|job| {
        job.add_placement(all[..2].iter(), None);
        job.add_placement(all[2..].iter(), None);
    });
    assert!(parts.contains("node0 were merged in 2 parts"), "{parts}");
}
