//! Merged ranks: as a record had them at first, and with what came later.

use std::collections::BTreeMap;

use numawise_facts::activity::{ConstructName, ConstructTeam, MessageFamily, MpiLibrary, PhaseName};
use numawise_facts::merged::{
    CallSum, ComparedCollective, ComparedMessage, ComparedRanks, CpuTime, DelayedProcess, MergedBytes,
    MergedCalls, MergedCommunicator, MergedHost, MergedMemory, MergedOpenMp, MergedPhase, MergedPhases,
    MergedPlacement, MergedRankName, MergedRegion, MergedSite, MessageEnd, OverfullCpus, PlacedHost,
    PlacedMasks, ProcessName, RankDistribution, RemoteProcess, RemoteSum, SharedCpu, SumOverProcesses,
};
use numawise_facts::{MergedRanks, Reading, WatchedRun};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid, TimeSum};

use crate::watched::{run, seconds};

/// The same ranks of a larger job, which was merged.
pub fn merged_run() -> WatchedRun {
    let time = seconds(0.5);
    let ends = vec![(time, 0), (time, 1)];
    let spread = RankDistribution {
        count: 2,
        sum: (time + time).into(),
        least: ends.clone(),
        most: ends.clone(),
        histogram: BTreeMap::from([(406, 2)]),
    };
    let calls = CallSum { count: 200, time: (time + time).into() };
    let moved = MergedBytes { known: Bytes(1600), unknown: 0 };
    let of = MergedCalls { calls, longest: seconds(0.1), sent: moved, received: moved, ranks: 2 };
    let site = MergedSite {
        call: "MPI_Allreduce".to_owned(),
        place: Some(("./app".to_owned(), 0x1234)),
        communicator: Some("MPI_COMM_WORLD".to_owned()),
        of,
        alone: TimeSum::default(),
        least: (time, 0),
        most: (time, 1),
    };
    let region = MergedRegion {
        surrounding: vec![(ConstructName::Parallel, Some(("./app".to_owned(), 0x2000)))],
        ranks: 2,
        calls: 20,
        time: time.into(),
        longest_time: time,
        team: Some(ConstructTeam { least: 2, most: 2 }),
        threads: 4,
        useful: time.into(),
        mpi: TimeSum::default(),
        barrier: time.into(),
        lock: TimeSum::default(),
        scheduling: TimeSum::default(),
        gain: seconds(0.1).into(),
        most_gain: seconds(0.05),
    };
    let most = MergedRankName { rank: 1, host: "box".to_owned(), pid: Pid(4001) };
    let merged = MergedRanks {
        ranks: 2,
        world: 2,
        span: seconds(1.6),
        dead: vec![(seconds(1.5), 1)],
        cpus: 4,
        // A day of 262,144 CPUs and more.
        time: CpuTime { useful: TimeSum(1 << 70), mpi: TimeSum(1_000_000_001), ..CpuTime::default() },
        hosts: BTreeMap::from([("box".to_owned(), MergedHost { cpus: 4, mpi: time.into() })]),
        useful: spread.clone(),
        mpi: spread.clone(),
        elapsed: spread,
        library: Some(MpiLibrary::Mpich),
        calls: BTreeMap::from([("MPI_Allreduce".to_owned(), of)]),
        sites: BTreeMap::from([(u64::MAX - 9, site)]),
        communicators: BTreeMap::from([(
            3,
            MergedCommunicator {
                name: "MPI_COMM_WORLD".to_owned(),
                sizes: (2, 2),
                groups: [u64::MAX - 1].into(),
                has_further_groups: false,
                unknown_groups: 0,
                calls,
                ranks: 2,
            },
        )]),
        messages: BTreeMap::from([((0, 4), (MessageFamily::Send, 14))]),
        traffic: BTreeMap::from([((0, 1), (7, Bytes(56))), ((1, 0), (7, Bytes(56)))]),
        openmp: MergedOpenMp {
            ranks: 2,
            libgomp: true,
            serial: 500_000_000,
            regions: BTreeMap::from([(u64::MAX, region)]),
            ..MergedOpenMp::default()
        },
        memory: MergedMemory { known: 2, sum: Bytes::mib(140), most: Some((Bytes::mib(70), most)) },
        ..MergedRanks::default()
    };
    WatchedRun { merged: Some(merged), ..run() }
}

/// With phases, placement and what the ranks' calls were compared by, which records had not at first.
pub fn merged_with_all() -> WatchedRun {
    let time = seconds(0.5);
    let phase = MergedPhase {
        name: PhaseName::Region("solve".to_owned()),
        ranks: 2,
        unmeasured: 0,
        calls: 10,
        elapsed: time,
        longest: seconds(0.1),
        cpus: 4,
        time: CpuTime { useful: time.into(), ..CpuTime::default() },
        least_mpi: Some(Nanoseconds(0)),
        open: 1,
    };
    let phases = MergedPhases { rows: [(u64::MAX, phase)].into(), lost: 1, ..MergedPhases::default() };
    let mut run = merged_run();
    let merged = run.merged.as_mut().unwrap();
    (merged.phases, merged.placement) = (Some(phases), Some(placement()));
    merged.callers = 2;
    for site in merged.sites.values_mut() {
        site.alone = TimeSum(9);
    }
    merged.collectives = [(u64::MAX - 2, vec![collective(3), collective(u64::MAX)])].into();
    merged.sent_messages = [(4, vec![message(1), message(2)])].into();
    run
}

fn placement() -> MergedPlacement {
    let whose =
        |rank: u32| ProcessName { world: None, rank: Some(rank), host: "box".to_owned(), pid: Pid(4000) };
    let cpus = || Reading::Measured("0-1".parse().unwrap());
    let shared = SharedCpu {
        host: "box".to_owned(),
        cpu: CpuId(0),
        count: 2,
        others_computed: Reading::Measured(seconds(0.5)),
        threads: vec![(Pid(4000), Pid(4000)), (Pid(4001), Pid(4001))],
        ranks: vec![0],
        further_ranks: 1,
    };
    let overfull = OverfullCpus {
        host: "box".to_owned(),
        cpus: "0".parse().unwrap(),
        threads: 2,
        ranks: vec![0, 1],
        further_ranks: 0,
    };
    let worst = RemoteProcess {
        process: whose(1),
        all: Bytes::mib(64),
        elsewhere: Bytes::mib(32),
        most_on: NodeId(1),
        threads_on: "0".parse().unwrap(),
    };
    MergedPlacement {
        processes: 2,
        hosts: [("box".to_owned(), PlacedHost { parts: 1, allowed: cpus(), usable: cpus() })].into(),
        threads: 4,
        unknown: 1,
        why_unknown: Reading::<()>::unavailable("it ended at once").reason().cloned(),
        moved: 2,
        migrations: 10,
        unbound: Reading::Measured(1),
        on_several_nodes: 0,
        run_delay: Reading::Measured(seconds(0.5)),
        delayed: Some(DelayedProcess {
            delay: seconds(0.5),
            lived: Reading::Measured(seconds(2.0)),
            process: whose(0),
        }),
        run_delays: Reading::Measured(SumOverProcesses {
            sum: TimeSum(1 << 70),
            most: seconds(0.5),
            most_of: whose(0),
        }),
        migrations_by_process: Reading::Measured(SumOverProcesses { sum: 10, most: 9, most_of: whose(1) }),
        forced_switches: Reading::unavailable("they are not counted"),
        masks: Reading::Measured(PlacedMasks { sets: 2, least: 1, most: 2 }),
        shared: vec![shared],
        all_shared: 1,
        overfull: vec![overfull],
        all_overfull: 1,
        remote: RemoteSum {
            known: 1,
            unknown: 1,
            why_unknown: None,
            all: Bytes::mib(64),
            elsewhere: Bytes::mib(32),
            notable: 1,
            worst: Some(worst),
        },
    }
}

fn collective(key: u64) -> ComparedCollective {
    let ranks = |site| ComparedRanks { site, is_first: key == 3, count: 1, time: TimeSum(1 << 66) };
    ComparedCollective {
        key,
        sizes: (2, 2),
        shortest: seconds(0.01),
        ranks: vec![ranks(1), ranks(u64::MAX - 9)],
    }
}

fn message(key: u64) -> ComparedMessage {
    let end =
        MessageEnd { host: u64::MAX - 1, site: 4, is_first: false, begun: seconds(1.0), time: seconds(0.1) };
    ComparedMessage { key, send: Some(end), receive: None, is_ambiguous: key == 2 }
}
