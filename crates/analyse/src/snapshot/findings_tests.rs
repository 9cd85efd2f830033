use numawise_facts::finding::PlacedQuantity;
use numawise_facts::merged::ProcessName;
use std::collections::BTreeMap;

use numawise_facts::Activity;
use numawise_facts::activity::{
    Construct, ConstructName, CpuStays, CpuUse, MemoryByNode, MemoryMoment, MessageFamily, MessageSizes,
    PeerTraffic, ThreadSwitches,
};
use numawise_tables::RunSnapshot;
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, Pid};

use super::*;
use crate::snapshot::sample::{
    call, construct, dynamic_loop, opened, process, rank, seconds, simple_rank, snapshot, snapshot_with,
    thread, threads, with_openmp,
};

fn ids(findings: &[SnapshotFinding]) -> Vec<&'static str> {
    findings.iter().map(|one| one.finding.id.code()).collect()
}

pub fn found(activities: &[Activity], id: FindingId) -> Option<SnapshotFinding> {
    snapshot(activities).findings.into_iter().find(|one| one.finding.id == id)
}

#[track_caller]
fn brings(found: Option<&SnapshotFinding>, expected: f64) {
    let gain = found.expect("a finding").potential.measured().expect("a potential").time.seconds();
    assert!((gain - expected).abs() < 1e-6, "{gain}, expected {expected}");
}

pub fn advised(finding: &SnapshotFinding) -> Vec<&Advice> {
    finding.finding.advice.iter().map(|step| &step.advice).collect()
}

#[test]
fn nw010_ranks_that_compute_longer_are_named() {
    let uneven = [1.0, 1.0, 1.0, 2.0].into_iter().zip(0..);
    let uneven: Vec<_> = uneven.map(|(useful, rank)| simple_rank(rank, 4, useful, 2.05 - useful)).collect();
    let one = found(&uneven, FindingId::MpiImbalance);
    brings(one.as_ref(), 0.75);
    let one = one.unwrap();
    assert_eq!(advised(&one)[0], &advice(WatchedAdvice::BalanceRanks { ranks: vec![3] }));
    // In MPI for as long, but all of them alike.
    let even: Vec<_> = (0..4).map(|rank| simple_rank(rank, 4, 1.0, 1.0)).collect();
    assert_eq!(found(&even, FindingId::MpiImbalance), None);
    // Nobody knows what a rank that left nothing behind did.
    assert_eq!(found(&uneven[..3], FindingId::MpiImbalance), None);
}

#[test]
fn nw011_no_rank_is_in_mpi_for_want_of_work() {
    let even: Vec<_> = (0..4).map(|rank| simple_rank(rank, 4, 1.0, 1.0)).collect();
    brings(found(&even, FindingId::MpiTransfer).as_ref(), 1.0);
    let uneven = [simple_rank(0, 2, 1.0, 1.0), simple_rank(1, 2, 1.95, 0.05)];
    assert_eq!(found(&uneven, FindingId::MpiTransfer), None);
}

#[test]
fn nw011_ranks_that_exchange_between_hosts_are_told_so() {
    let on = |host: &str, number: u32, to: u32| {
        let mut activity = simple_rank(number, 2, 1.0, 1.0);
        activity.host = host.to_owned();
        threads(&mut activity)[0].peers.push(PeerTraffic {
            rank: to,
            sent_messages: 5,
            sent: Bytes(1000),
            received_messages: 5,
            received: Bytes(1000),
            fetched: Bytes(0),
        });
        activity
    };
    let neighbours = advice(WatchedAdvice::NeighboursOnOneHost);
    let apart = found(&[on("a", 0, 1), on("b", 1, 0)], FindingId::MpiTransfer).unwrap();
    assert!(advised(&apart).contains(&&neighbours));
    let run = snapshot(&[on("a", 0, 1), on("b", 1, 0)]);
    let volume = &run.mpi.measured().unwrap().volume;
    let cells: Vec<_> = volume.by_rank.cells.iter().map(|cell| (cell.from, cell.to, cell.bytes.0)).collect();
    assert_eq!(cells, [(0, 1, 1000), (1, 0, 1000)]);
    let together = found(&[on("a", 0, 1), on("a", 1, 0)], FindingId::MpiTransfer).unwrap();
    assert!(!advised(&together).contains(&&neighbours));
}

#[test]
fn nw012_one_call_at_one_place() {
    let with = |calls: &[(&str, u64, f64)]| -> Vec<Activity> {
        let one = |number| {
            let all: f64 = calls.iter().map(|(.., time)| time).sum();
            let mut activity = simple_rank(number, 2, 2.0, all);
            threads(&mut activity)[0].calls =
                calls.iter().map(|(name, address, time)| call(name, *address, 10, *time)).collect();
            activity
        };
        (0..2).map(one).collect()
    };
    let subject = |activities: &[Activity]| {
        found(activities, FindingId::MpiConcentrated).map(|one| one.finding.evidence[0].subject.clone())
    };
    let place = with(&[("MPI_Allreduce", 1, 0.8), ("MPI_Send", 2, 0.2)]);
    brings(found(&place, FindingId::MpiConcentrated).as_ref(), 0.8);
    assert!(matches!(
        subject(&place),
        Some(EvidenceSubject::Watched(WatchedSubject::CallAt { call, .. })) if call == "MPI_Allreduce"
    ));
    // Over three places none has half of it.
    let call = with(&[("MPI_Allreduce", 1, 0.3), ("MPI_Allreduce", 2, 0.3), ("MPI_Allreduce", 3, 0.3)]);
    assert!(matches!(subject(&call), Some(EvidenceSubject::Watched(WatchedSubject::Call { .. }))));
    let spread = with(&[("MPI_Allreduce", 1, 0.4), ("MPI_Send", 2, 0.3), ("MPI_Recv", 3, 0.3)]);
    assert_eq!(subject(&spread), None);
    let little = with(&[("MPI_Allreduce", 1, 0.1)]);
    assert_eq!(subject(&little), None);
}

#[test]
fn nw013_many_tiny_messages() {
    let with = |bits: u32, messages: u64, time: f64| -> Vec<Activity> {
        let one = |number| {
            let mut activity = simple_rank(number, 2, 1.0, time);
            let first = &mut threads(&mut activity)[0];
            first.calls = vec![call("MPI_Send", 1, messages, time)];
            first.messages = vec![MessageSizes { family: MessageFamily::Send, bits, messages }];
            activity
        };
        (0..2).map(one).collect()
    };
    brings(found(&with(4, 200_000, 0.5), FindingId::TinyMessages).as_ref(), 0.5);
    // Large ones, few, and such that wait rather than move.
    for (bits, messages, time) in [(11, 200_000, 0.5), (4, 900, 0.03), (4, 2000, 0.5)] {
        assert_eq!(found(&with(bits, messages, time), FindingId::TinyMessages), None, "{bits} {messages}");
    }
}

/// A program of one region with these rows; each thread has its row of the region and what else is told for it.
fn region_of(threads_of_it: &[[f64; 6]], elapsed: f64, more: &dyn Fn(i32) -> Vec<Construct>) -> Activity {
    let team = threads_of_it.len() as u32;
    let threads = threads_of_it.iter().zip(1..).map(|(states, tid)| {
        let inner = more(tid);
        let wall: f64 = states.iter().sum();
        let own = states.iter().enumerate().map(|(k, all)| {
            let of = |row: &Construct| {
                let t = row.times;
                [t.useful, t.mpi, t.barrier, t.scheduling, t.idle, t.lock][k].seconds()
            };
            all - inner.iter().map(of).sum::<f64>()
        });
        let own: Vec<f64> = own.collect();
        let mut region = construct(5, 1, ConstructName::Parallel, own.try_into().unwrap());
        let mut all = *states;
        if tid == 1 {
            region = opened(region, wall, team);
            all[0] += elapsed - wall;
        } else {
            all[4] += elapsed - wall;
        }
        let mut one = thread(tid, all);
        one.constructs = [vec![region], inner].concat();
        one
    });
    with_openmp(process(1, elapsed, threads.collect()))
}

#[test]
fn nw020_41_iterations_on_12_threads() {
    let with = |trips: u64, threads: u64| {
        let rounds = trips.div_ceil(threads) as f64;
        let done = move |tid: i32| trips / threads + u64::from((tid as u64) <= trips % threads);
        let states: Vec<[f64; 6]> = (1..=threads as i32)
            .map(|tid| [done(tid) as f64, 0.0, rounds - done(tid) as f64, 0.0, 0.0, 0.0])
            .collect();
        let rows = states.clone();
        region_of(&states, rounds, &move |tid| {
            let row = construct(6, 5, ConstructName::Loop, rows[tid as usize - 1]);
            vec![dynamic_loop(row, trips, done(tid), 1)]
        })
    };
    let activity = with(41, 12);
    let one = found(std::slice::from_ref(&activity), FindingId::TooFewIterations);
    brings(one.as_ref(), 7.0 / 12.0);
    let one = one.unwrap();
    let values: Vec<_> =
        one.finding.evidence.iter().map(|one| (one.value.measured().copied(), one.of)).collect();
    assert_eq!(values[0], (Some(Amount::Count(41)), Some(Amount::Count(12))));
    assert_eq!(values[1].0, Some(share(41.0 / 48.0)));
    assert!(advised(&one).contains(&&advice(WatchedAdvice::FittingThreads { threads: 11 })));
    // What the iterations explain is said once.
    assert_eq!(found(&[activity], FindingId::RegionImbalance), None);
    assert_eq!(found(&[with(48, 12)], FindingId::TooFewIterations), None);
    assert_eq!(found(&[with(410, 12)], FindingId::TooFewIterations), None);
}

#[test]
fn nw021_threads_of_a_region_wait() {
    let nothing = |_: i32| Vec::new();
    let uneven = region_of(&[[1.0, 0.0, 3.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]], 4.0, &nothing);
    let one = found(&[uneven], FindingId::RegionImbalance);
    brings(one.as_ref(), 1.5);
    assert_eq!(advised(&one.unwrap()), [&advice(WatchedAdvice::DynamicSchedule)]);
    let even = region_of(&[[3.9, 0.0, 0.1, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]], 4.0, &nothing);
    assert_eq!(ids(&snapshot(&[even]).findings), Vec::<&str>::new());
}

#[test]
fn nw021_of_a_region_that_is_little_more_than_its_barrier() {
    let nothing = |_: i32| Vec::new();
    let advised_of = |calls: u64| {
        let states = [[1.0, 0.0, 3.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
        let mut short = region_of(&states, 4.0, &nothing);
        let Reading::Measured(threads) = &mut short.threads else { panic!("threads are made by hand") };
        threads[0].constructs[0].opened = calls;
        advised(&found(&[short], FindingId::RegionImbalance).unwrap())
            .into_iter()
            .cloned()
            .collect::<Vec<_>>()
    };
    // 4 s of 200,000 calls are 20 us each, of 40,000 they are 100.
    assert_eq!(advised_of(200_000), [advice(WatchedAdvice::FewerRegions)]);
    assert_eq!(advised_of(40_000), [advice(WatchedAdvice::DynamicSchedule)]);
}

#[test]
fn nw022_what_is_outside_of_regions() {
    let nothing = |_: i32| Vec::new();
    let works = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let serial = region_of(&[works; 4], 2.0, &nothing);
    let one = found(&[serial], FindingId::SerialShare);
    brings(one.as_ref(), 0.75);
    let limit = one.unwrap().finding.evidence[1].value.clone();
    assert_eq!(limit, Reading::Measured(Amount::Ratio(Ratio(2.0))));
    assert_eq!(found(&[region_of(&[works; 4], 1.05, &nothing)], FindingId::SerialShare), None);
}

#[test]
fn nw023_chunks_or_regions_are_too_small() {
    let states = [[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]; 2];
    let chunks = |_: i32| {
        let row = construct(6, 5, ConstructName::Loop, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        vec![dynamic_loop(row, 2_000_000, 1_000_000, 1)]
    };
    let one = found(&[region_of(&states, 2.0, &chunks)], FindingId::SchedulingOverhead);
    brings(one.as_ref(), 1.0);
    assert_eq!(advised(&one.unwrap()), [&advice(WatchedAdvice::LargerChunks)]);
    let one = found(&[region_of(&states, 2.0, &|_| Vec::new())], FindingId::SchedulingOverhead).unwrap();
    assert_eq!(advised(&one), [&advice(WatchedAdvice::FewerRegions)]);
    let little = [[1.0, 0.0, 0.0, 0.01, 0.0, 0.0]; 2];
    assert_eq!(found(&[region_of(&little, 1.01, &|_| Vec::new())], FindingId::SchedulingOverhead), None);
}

#[test]
fn nw024_threads_wait_for_a_critical_section() {
    let states = |lock: f64| [[2.0 - lock, 0.0, 0.0, 0.0, 0.0, lock]; 2];
    let critical = |lock: f64| {
        move |_: i32| vec![construct(7, 5, ConstructName::Critical, [0.1, 0.0, 0.0, 0.0, 0.0, lock])]
    };
    let one = found(&[region_of(&states(0.5), 2.0, &critical(0.5))], FindingId::LockContention);
    brings(one.as_ref(), 0.5);
    let subject = one.unwrap().finding.evidence[2].subject.clone();
    assert!(matches!(
        subject,
        EvidenceSubject::Watched(WatchedSubject::ConstructAt { construct: ConstructName::Critical, .. })
    ));
    assert_eq!(found(&[region_of(&states(0.01), 2.0, &critical(0.01))], FindingId::LockContention), None);
}

/// Ranks of one thread each that stay on these CPUs.
fn ranks_on(cpus: &[u32]) -> Vec<Activity> {
    let one = |(cpu, number): (&u32, u32)| {
        let mut activity = simple_rank(number, cpus.len() as u32, 1.0, 0.0);
        threads(&mut activity)[0].cpus =
            Reading::Measured(CpuStays { cpus: vec![(CpuId(*cpu), 50)], others: 0, migrations: 0 });
        // Those that share one waited for it for four tenths of the run.
        let is_alone = cpus.iter().filter(|other| *other == cpu).count() == 1;
        threads(&mut activity)[0].run_delay = Reading::Measured(seconds(if is_alone { 0.0 } else { 0.4 }));
        activity
    };
    cpus.iter().zip(0..).map(one).collect()
}

/// The same ranks, which may run on these CPUs and have so many MiB on each node.
fn known(activities: &[Activity], mask: &str, memory: &[(u32, u64)]) -> Vec<Activity> {
    let mask: CpuSet = mask.parse().unwrap();
    let by_node = memory.iter().map(|(node, mib)| (NodeId(*node), Bytes::mib(*mib))).collect();
    let moment = MemoryMoment { at: seconds(0.5), by_node };
    let mut activities = activities.to_vec();
    for activity in &mut activities {
        activity.surroundings.memory =
            Reading::Measured(MemoryByNode { last: moment.clone(), most: moment.clone() });
        threads(activity).iter_mut().for_each(|thread| thread.mask = Reading::Measured(mask.clone()));
    }
    activities
}

/// The computer has two sockets of four CPUs, of which the run may use some.
fn on_two_sockets(activities: &[Activity], usable: &str) -> RunSnapshot {
    let mut machine = crate::sample::two_sockets();
    machine.allowed_cpus = usable.parse().unwrap();
    snapshot_with(activities, &BTreeMap::from([("node1".to_owned(), machine)]))
}

fn placed(activities: &[Activity]) -> Vec<&'static str> {
    ids(&on_two_sockets(activities, "0-7").findings)
}

#[test]
fn nw030_ranks_on_one_cpu_while_others_are_free() {
    let shared = ranks_on(&[0, 0]);
    assert_eq!(placed(&known(&shared, "0", &[(0, 64)])), ["NW030"]);
    // They may run elsewhere too, where something else is: they are not in each other's way.
    assert_eq!(placed(&known(&shared, "0-1", &[(0, 64)])), ["NW055"]);
    let apart = ranks_on(&[0, 1]);
    assert_eq!(placed(&known(&apart, "0-7", &[(0, 64)])), Vec::<&str>::new());
    // One after the other.
    let mut later = ranks_on(&[0, 0]);
    threads(&mut later[0])[0].end = Reading::Measured(seconds(0.4));
    threads(&mut later[1])[0].begin = seconds(0.4);
    assert!(!placed(&later).contains(&"NW030"));
    // It was not the other one that had the CPU.
    let mut idle = ranks_on(&[0, 0]);
    threads(&mut idle[1])[0].processor = Reading::Measured(seconds(0.02));
    assert!(!placed(&idle).contains(&"NW030"));
    // Of three never more than two at once.
    let mut three = ranks_on(&[0, 0, 0]);
    threads(&mut three[0])[0].end = Reading::Measured(seconds(0.5));
    threads(&mut three[1])[0].begin = seconds(0.5);
    let run = on_two_sockets(&three, "0-7");
    let shared = &run.placement.measured().unwrap().shared;
    assert_eq!(shared.iter().map(|one| one.threads.len()).collect::<Vec<_>>(), [2]);
}

#[test]
fn nw030_threads_that_are_bound_to_too_few_cpus() {
    let hybrid = |mask: &str| {
        let mut all = (0..4).map(|tid| thread(tid, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])).collect::<Vec<_>>();
        for one in &mut all {
            one.run_delay = Reading::Measured(seconds(0.75));
            // What the kernel does with them is not seen.
            one.cpus = Reading::unavailable("the C library does not say");
        }
        let activity = rank(0, 1, process(7, 1.0, all));
        on_two_sockets(&known(&[activity], mask, &[(0, 64)]), "0-7").findings
    };
    let said = hybrid("2");
    assert_eq!(ids(&said), ["NW030"]);
    brings(said.first(), 0.75);
    let first = &said[0].finding.evidence[0];
    assert_eq!((first.value.measured(), first.of), (Some(&Amount::Count(4)), Some(Amount::Count(1))));
    // With a CPU for each it is not they that had the CPUs.
    assert_eq!(ids(&hybrid("0-3")), ["NW055"]);
}

#[test]
fn nw030_waiting_for_a_cpu_is_of_the_life_of_a_process_and_its_cost_of_the_run() {
    let mut ranks = ranks_on(&[0, 0]);
    // The run is the first half of their lives.
    for one in &mut ranks {
        let Reading::Measured(mpi) = &mut one.mpi else { unreachable!() };
        mpi.finalised = Reading::Measured([seconds(1.0); 2]);
        one.elapsed = Reading::Measured(seconds(2.0));
    }
    let said = on_two_sockets(&known(&ranks, "0", &[(0, 64)]), "0-7").findings;
    assert_eq!(ids(&said), ["NW030"]);
    brings(said.first(), 0.2);
    let delay = EvidenceQuantity::Watched(PlacedQuantity::RunDelay.into());
    let fact = said[0].finding.evidence.iter().find(|one| one.quantity == delay).unwrap();
    assert_eq!(fact.value.measured(), Some(&Amount::Time(seconds(0.4))));
    assert_eq!(fact.of, Some(Amount::Time(seconds(2.0))));
}

/// Two ranks of one thread, each bound to a CPU of its own, which had it for so many of two seconds and waited for the rest.
fn bound(had: [f64; 2]) -> Vec<Activity> {
    let one = |(had, number): (f64, u32)| {
        let mut activity = simple_rank(number, 2, 2.0, 0.0);
        let one = &mut threads(&mut activity)[0];
        one.processor = Reading::Measured(seconds(had));
        one.run_delay = Reading::Measured(seconds(2.0 - had));
        one.cpus = Reading::Measured(CpuStays { cpus: vec![(CpuId(number), 9)], others: 0, migrations: 0 });
        one.mask = Reading::Measured(CpuSet::single(CpuId(number)));
        activity
    };
    had.into_iter().zip(0..).map(one).collect()
}

#[test]
fn nw055_other_work_had_the_cpu_of_a_rank() {
    let said = |activities: &[Activity]| on_two_sockets(activities, "0-1").findings;
    let found = said(&bound([2.0, 1.1]));
    assert_eq!(ids(&found), ["NW055"]);
    brings(found.first(), 0.9);
    let first = &found[0].finding.evidence[0];
    let expected = WatchedSubject::Process(ProcessName {
        host: "node1".to_owned(),
        pid: Pid(101),
        rank: Some(1),
        world: None,
    });
    assert_eq!(first.subject, EvidenceSubject::Watched(expected));
    let quantities: Vec<_> = found[0].finding.evidence.iter().map(|one| one.quantity).collect();
    assert!(
        quantities.contains(&EvidenceQuantity::Watched(PlacedQuantity::OwnUseOfCpus.into())),
        "{quantities:?}"
    );
    // Hardly any waiting, or none that is known.
    assert_eq!(ids(&said(&bound([2.0, 1.95]))), Vec::<&str>::new());
    let mut unknown = bound([2.0, 1.1]);
    threads(&mut unknown[1])[0].run_delay = Reading::unavailable("it is not counted");
    assert_eq!(ids(&said(&unknown)), Vec::<&str>::new());
}

#[test]
fn nw055_a_process_waits_for_its_cpu_before_and_behind_the_time_of_the_run_too() {
    let mut all = bound([2.0, 1.1]);
    for one in &mut all {
        let Reading::Measured(mpi) = &mut one.mpi else { unreachable!() };
        mpi.finalised = Reading::Measured([seconds(2.0), seconds(2.0)]);
    }
    all[1].elapsed = Reading::Measured(seconds(4.0));
    let found = on_two_sockets(&all, "0-1").findings;
    brings(found.first(), 0.45);
    let first = &found[0].finding.evidence[0];
    assert_eq!(first.value.measured(), Some(&Amount::Time(seconds(2.0 - 1.1))));
    assert_eq!(first.of, Some(Amount::Time(seconds(4.0))));
}

#[test]
fn nw055_what_belongs_to_the_run_is_no_other_work() {
    let said = |activities: &[Activity]| ids(&on_two_sockets(activities, "0-1").findings);
    // A helper of MPI had the CPU for as long.
    let mut helped = bound([2.0, 1.1]);
    let mut helper = thread(900, [0.9, 0.0, 0.0, 0.0, 0.0, 0.0]);
    helper.role = Reading::Measured(numawise_facts::activity::ThreadRole::Helper);
    threads(&mut helped[1]).push(helper);
    assert_eq!(said(&helped), Vec::<&str>::new());
    // And so had a process that is no rank, of which it is not known how long it had one.
    let mut with_child = bound([2.0, 1.1]);
    let mut child = thread(901, [0.9, 0.0, 0.0, 0.0, 0.0, 0.0]);
    child.processor = Reading::unavailable("it was killed");
    with_child.push(process(901, 0.9, vec![child]));
    assert_eq!(said(&with_child), Vec::<&str>::new());
    // Both are bound to one CPU.
    let mut together = bound([1.0, 1.0]);
    for one in &mut together {
        threads(one)[0].mask = Reading::Measured(CpuSet::single(CpuId(0)));
    }
    assert_eq!(said(&together), ["NW030"]);
    // More threads than CPUs.
    assert_eq!(
        ids(&on_two_sockets(&bound([1.0, 1.0]), "0").findings),
        ["NW055"],
        "the masks hold a second CPU"
    );
    let mut over = bound([1.0, 1.0]);
    for one in &mut over {
        threads(one)[0].mask = Reading::Measured(CpuSet::single(CpuId(0)));
    }
    assert_eq!(ids(&on_two_sockets(&over, "0").findings), ["NW033"]);
}

#[test]
fn nw033_more_threads_than_cpus() {
    let ranks = ranks_on(&[0, 1, 0]);
    let said = on_two_sockets(&known(&ranks, "0-1", &[(0, 64)]), "0-1").findings;
    assert_eq!(ids(&said), ["NW033"]);
    brings(said.first(), 0.4);
    let two = ranks_on(&[0, 1]);
    assert_eq!(ids(&on_two_sockets(&known(&two, "0-1", &[(0, 64)]), "0-1").findings), Vec::<&str>::new());
    // They move because of that.
    let mut moving = known(&ranks, "0-1", &[(0, 64)]);
    for activity in &mut moving {
        let cpus = vec![(CpuId(0), 9), (CpuId(1), 9)];
        threads(activity)[0].cpus = Reading::Measured(CpuStays { cpus, others: 0, migrations: 20 });
    }
    assert_eq!(ids(&on_two_sockets(&moving, "0-1").findings), ["NW033"]);
    // Threads that hardly wait for a CPU sleep most of the time.
    let mut idle = ranks.clone();
    idle.iter_mut().for_each(|of| threads(of)[0].run_delay = Reading::Measured(seconds(0.01)));
    assert_eq!(ids(&on_two_sockets(&known(&idle, "0-1", &[(0, 64)]), "0-1").findings), Vec::<&str>::new());
    // Nor do those that waited for one while MPI was begun.
    let mut begun = ranks.clone();
    for one in &mut begun {
        let (processor, run_delay) = (seconds(0.2), seconds(0.01));
        one.mpi.measured_mut().unwrap().first_thread = Some(CpuUse { processor, run_delay });
    }
    assert_eq!(ids(&on_two_sockets(&known(&begun, "0-1", &[(0, 64)]), "0-1").findings), Vec::<&str>::new());
    // What a kernel does not count is not taken for nothing.
    idle.iter_mut().for_each(|of| threads(of)[0].run_delay = Reading::unavailable("it is not counted"));
    let said = on_two_sockets(&known(&idle, "0-1", &[(0, 64)]), "0-1").findings;
    assert_eq!((ids(&said), said[0].potential.measured()), (vec!["NW033"], None));
    // Plain threads that are there together may work one after another: without it nothing is said.
    let plain = |delay: Reading<Nanoseconds>| {
        let mut all = (0..3).map(|tid| thread(tid, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0])).collect::<Vec<_>>();
        all.iter_mut().for_each(|one| one.run_delay = delay.clone());
        let said = on_two_sockets(&known(&[process(7, 1.0, all)], "0-1", &[(0, 64)]), "0-1").findings;
        said.iter().any(|one| one.finding.id.code() == "NW033")
    };
    assert!(plain(Reading::Measured(seconds(0.4))) && !plain(Reading::unavailable("it is not counted")));
}

#[test]
fn nw031_threads_move_about() {
    let moving = |migrations: u32, cpus: &[(CpuId, u64)]| {
        let mut ranks = ranks_on(&[0, 1]);
        for activity in &mut ranks {
            threads(activity)[0].cpus =
                Reading::Measured(CpuStays { cpus: cpus.to_vec(), others: 0, migrations });
        }
        placed(&known(&ranks, "0-7", &[(0, 64)]))
    };
    assert_eq!(moving(20, &[(CpuId(0), 9), (CpuId(1), 9)]), ["NW031"]);
    assert_eq!(moving(0, &[(CpuId(0), 9), (CpuId(1), 9)]), Vec::<&str>::new());
    // Bound to one core each: they cannot move, whatever was seen.
    let mut bound = ranks_on(&[0, 1]);
    for (activity, cpu) in bound.iter_mut().zip(0..) {
        let one = &mut threads(activity)[0];
        one.cpus = Reading::Measured(CpuStays {
            cpus: vec![(CpuId(0), 9), (CpuId(1), 9)],
            others: 0,
            migrations: 20,
        });
        one.mask = Reading::Measured(CpuSet::single(CpuId(cpu)));
    }
    assert_eq!(placed(&bound), Vec::<&str>::new());
    // A thread whose C library does not say where it is.
    let mut unknown = ranks_on(&[0, 1]);
    for activity in &mut unknown {
        threads(activity)[0].cpus = Reading::unavailable("the C library does not say");
        threads(activity)[0].switches = Reading::Measured(ThreadSwitches { voluntary: 0, forced: 0 });
    }
    assert_eq!(placed(&known(&unknown, "0-7", &[(0, 64)])), Vec::<&str>::new());
}

#[test]
fn nw032_memory_on_the_other_node() {
    let ranks = ranks_on(&[0, 1]);
    assert_eq!(placed(&known(&ranks, "0-7", &[(0, 10), (1, 90)])), ["NW032"]);
    for little in [&[(0, 90), (1, 10)], &[(0, 1), (1, 9)]] {
        assert_eq!(placed(&known(&ranks, "0-7", little)), Vec::<&str>::new());
    }
    // A thread that began on the node of the memory, and computes on the other one.
    let mut left = known(&ranks_on(&[0, 1]), "0-7", &[(0, 90), (1, 10)]);
    assert_eq!(placed(&left), Vec::<&str>::new());
    for activity in &mut left {
        let times = vec![(CpuId(0), seconds(0.01)), (CpuId(5), seconds(0.9))];
        threads(activity)[0].cpu_time_on = Reading::Measured(times);
    }
    assert!(placed(&left).contains(&"NW032"), "{:?}", placed(&left));
    let rows = on_two_sockets(&left, "0-7").rows;
    assert_eq!(rows[0].remote.measured().unwrap().remote, Bytes::mib(90));
    // A computer of one node has no other one.
    let one_node = snapshot(&left);
    assert!(one_node.rows[0].remote.reason().unwrap().0.contains("nodes of its computer are not known"));
    // Threads on both nodes.
    let mut spread = rank(0, 1, process(1, 1.0, vec![thread(0, [1.0; 6]), thread(4, [1.0; 6])]));
    spread.host = "node1".to_owned();
    let spread = [spread];
    assert!(!placed(&known(&spread, "0-7", &[(0, 10), (1, 90)])).contains(&"NW032"));
}

#[test]
fn memory_has_its_mean_and_its_most() {
    let mut ranks = known(&ranks_on(&[0, 1]), "0-7", &[(0, 10), (1, 30)]);
    let missing = on_two_sockets(&ranks, "0-7").memory;
    assert_eq!(missing.peak.reason().unwrap().0, "rank 0: it is made by hand");
    for (activity, mib) in ranks.iter_mut().zip([50, 70]) {
        activity.surroundings.peak_memory = Reading::Measured(Bytes::mib(mib));
    }
    let Reading::Measured(of) = &mut ranks[1].surroundings.memory else { unreachable!() };
    of.last.by_node = vec![(NodeId(1), Bytes::mib(20))];
    let memory = on_two_sockets(&ranks, "0-7").memory;
    let peak = memory.peak.measured().unwrap();
    assert_eq!((peak.mean, peak.most, peak.most_of.rank), (Bytes::mib(60), Bytes::mib(70), Some(1)));
    let nodes = memory.nodes.measured().unwrap();
    let last: Vec<_> = nodes.iter().map(|row| (row.node, row.last.measured().unwrap().mean)).collect();
    assert_eq!(last, [(NodeId(0), Bytes::mib(5)), (NodeId(1), Bytes::mib(25))]);
    assert_eq!(nodes[1].most.measured().unwrap().mean, Bytes::mib(30));
}

#[test]
fn the_largest_potential_comes_first_and_nothing_is_said_of_nothing() {
    let ranks = [simple_rank(0, 2, 0.4, 1.6), simple_rank(1, 2, 1.2, 0.8)];
    let all = snapshot(&ranks).findings;
    let gains: Vec<f64> = all.iter().map(|one| one.potential.measured().unwrap().share.0).collect();
    assert!(gains.len() > 1 && gains.windows(2).all(|pair| pair[0] >= pair[1]), "{gains:?}");
    assert!(snapshot(&[simple_rank(0, 1, 2.0, 0.0)]).findings.is_empty());
}
