//! What records of merged ranks had not at first.

use numawise_facts::activity::PhaseName;
use numawise_facts::merged::{
    CpuTime, DelayedProcess, MergedPhase, MergedPhases, MergedPlacement, OverfullCpus, PlacedHost,
    PlacedMasks, ProcessName, RemoteProcess, RemoteSum, SharedCpu, SumOverProcesses,
};
use numawise_facts::{Reading, WatchedRun};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid, TimeSum};

use super::{merged_run, seconds};

/// With phases and placement, which records had not at first.
pub fn merged_with_phases() -> WatchedRun {
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
    run
}

fn placement() -> MergedPlacement {
    let whose = |rank: u32| ProcessName { rank: Some(rank), host: "box".to_owned(), pid: Pid(4000) };
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
