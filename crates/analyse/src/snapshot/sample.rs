//! Activities made by hand, for tests.

use std::collections::BTreeMap;

use numawise_facts::activity::{
    ActivityLosses, ActivityPhases, CallSite, CallTime, CodeAddress, CodeFile, Communicator, Construct,
    ConstructName, ConstructTeam, CpuStays, FileActivity, FileCalls, LoopChunks, MpiActivity, MpiLibrary,
    OpenMpRuntimes, OpenMpSchedule, ProcessEnd, ProcessIo, ProcessSurroundings, StateTimes, ThreadRole,
    ThreadSwitches, WorldRank,
};
use numawise_facts::{Activity, Exit, Machine, MergedRanks, Reading, SourcePlaces, ThreadActivity};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{Efficiencies, RatedShare};
use numawise_units::{Bytes, CpuId, Nanoseconds, Pid};

use super::{RunParts, run_snapshot};

pub fn seconds(seconds: f64) -> Nanoseconds {
    Nanoseconds::from_seconds(seconds)
}

/// Times in seconds: useful, MPI, barrier, scheduling, idle, lock.
pub fn times([useful, mpi, barrier, scheduling, idle, lock]: [f64; 6]) -> StateTimes {
    StateTimes {
        useful: seconds(useful),
        mpi: seconds(mpi),
        barrier: seconds(barrier),
        scheduling: seconds(scheduling),
        idle: seconds(idle),
        lock: seconds(lock),
    }
}

/// A thread that lived from the begin for as long as its times are, on one CPU.
pub fn thread(tid: i32, states: [f64; 6]) -> ThreadActivity {
    let times = times(states);
    ThreadActivity {
        tid: Pid(tid),
        is_first: false,
        lives: 1,
        start: Reading::unavailable("it is made by hand"),
        role: Reading::Measured(ThreadRole::Worker),
        begin: Nanoseconds(0),
        end: Reading::unavailable("it lived on"),
        times: Reading::Measured(times),
        processor: Reading::Measured(times.total()),
        switches: Reading::Measured(ThreadSwitches { voluntary: 0, forced: 0 }),
        cpus: Reading::Measured(CpuStays {
            cpus: vec![(CpuId(tid.unsigned_abs()), 10)],
            others: 0,
            migrations: 0,
        }),
        mask: Reading::unavailable("it is made by hand"),
        run_delay: Reading::Measured(Nanoseconds(0)),
        cpu_time_on: Reading::unavailable("it is made by hand"),
        calls: Vec::new(),
        last_call: None,
        lost_calls: CallTime::default(),
        peers: Vec::new(),
        lost_messages: [0, 0],
        messages: Vec::new(),
        constructs: Vec::new(),
        lost_constructs: 0,
        files: FileActivity::none("it is made by hand"),
        trace: None,
    }
}

pub fn threads(activity: &mut Activity) -> &mut Vec<ThreadActivity> {
    activity.threads.measured_mut().expect("threads that are made by hand")
}

/// A process whose first thread is the first one.
pub fn process(pid: i32, elapsed: f64, mut threads: Vec<ThreadActivity>) -> Activity {
    if let Some(first) = threads.first_mut() {
        first.is_first = true;
    }
    Activity {
        pid: Pid(pid),
        parent: Pid(1),
        host: "node1".to_owned(),
        program: "/home/user/app".to_owned(),
        began: Nanoseconds(1_000_000_000),
        elapsed: Reading::Measured(seconds(elapsed)),
        end: ProcessEnd::Exit,
        is_forked: false,
        is_sandboxed: false,
        mpi: Reading::unavailable("no call of MPI was seen"),
        openmp: Reading::unavailable("no OpenMP runtime that can be watched was called"),
        files: vec![CodeFile { path: String::new() }],
        communicators: Vec::new(),
        threads: Reading::Measured(threads),
        surroundings: ProcessSurroundings::unavailable("it is made by hand"),
        io: ProcessIo::unavailable("it is made by hand"),
        phases: Reading::Measured(ActivityPhases::default()),
        samples: Reading::Measured(Vec::new()),
        clock: None,
        lost: ActivityLosses::default(),
    }
}

/// A rank that was in MPI from begin to end, as far as is known: what was outside of `MPI_Init` and `MPI_Finalize` is nothing.
pub fn rank(rank: u32, size: u32, mut activity: Activity) -> Activity {
    activity.mpi = Reading::Measured(MpiActivity {
        library: MpiLibrary::OpenMpi,
        has_several: false,
        rank: Reading::Measured(WorldRank { rank, size }),
        world: None,
        initialised: Reading::Measured([Nanoseconds(0); 2]),
        finalised: Reading::unavailable("MPI_Finalize did not return"),
        first_thread: None,
    });
    activity.communicators = vec![Communicator {
        name: "MPI_COMM_WORLD".to_owned(),
        size,
        rank,
        lives: 1,
        is_inter: false,
        members: Reading::Measured(7),
    }];
    activity
}

/// A rank of one thread that computes and is in MPI for so many seconds.
pub fn simple_rank(number: u32, size: u32, useful: f64, mpi: f64) -> Activity {
    let pid = 100 + number.cast_signed();
    let mut one = thread(pid, [useful, mpi, 0.0, 0.0, 0.0, 0.0]);
    one.calls.push(call("MPI_Allreduce", 0x10, 10, mpi));
    rank(number, size, process(pid, useful + mpi, vec![one]))
}

pub fn at(address: u64) -> Reading<CodeAddress> {
    Reading::Measured(CodeAddress { file: 0, address })
}

pub fn call(name: &str, address: u64, count: u64, time: f64) -> CallSite {
    CallSite {
        call: name.to_owned(),
        at: at(address),
        communicator: Some(0),
        calls: CallTime { count, time: seconds(time) },
        longest: seconds(time),
        sent: Reading::Measured(Bytes(8 * count)),
        received: Reading::Measured(Bytes(8 * count)),
    }
}

pub fn file_calls(count: u64, time: f64, bytes: u64) -> FileCalls {
    FileCalls { count, time: seconds(time), longest: seconds(time / 2.0), bytes: Bytes(bytes) }
}

pub fn with_openmp(mut activity: Activity) -> Activity {
    activity.openmp = Reading::Measured(OpenMpRuntimes { libgomp: true, ompt: false, has_other_tool: false });
    activity
}

/// A row of a construct that stands in `parent`; 1 is outside of all.
pub fn construct(key: u64, parent: u64, name: ConstructName, states: [f64; 6]) -> Construct {
    Construct {
        key,
        parent,
        name,
        at: at(key),
        schedule: Reading::unavailable("it is no loop, or the runtime does not tell"),
        calls: 1,
        opened: 0,
        wall: Nanoseconds(0),
        times: times(states),
        longest: Nanoseconds(0),
        chunks: LoopChunks { count: 0, iterations: 0, trips: 0, size: 0 },
        team: Reading::unavailable("the thread opened no such region, or the runtime does not tell"),
    }
}

/// The same of the thread that opens the region, once.
pub fn opened(mut row: Construct, wall: f64, team: u32) -> Construct {
    row.opened = 1;
    row.wall = seconds(wall);
    row.team = Reading::Measured(ConstructTeam { least: team, most: team });
    row
}

/// A loop of `trips` iterations of which the thread did some, one by one.
pub fn dynamic_loop(mut row: Construct, trips: u64, done: u64, chunk: u64) -> Construct {
    row.schedule = Reading::Measured(OpenMpSchedule::Dynamic);
    row.chunks = LoopChunks { count: done.div_ceil(chunk.max(1)), iterations: done, trips, size: chunk };
    row
}

/// What is said of processes of which nothing else is known.
pub fn snapshot(activities: &[Activity]) -> RunSnapshot {
    snapshot_with(activities, &BTreeMap::new())
}

pub fn snapshot_with(activities: &[Activity], machines: &BTreeMap<String, Machine>) -> RunSnapshot {
    with_merged(activities, None, machines)
}

/// The same of ranks of which the others are merged.
pub fn snapshot_of_merged(activities: &[Activity], merged: Option<&MergedRanks>) -> RunSnapshot {
    with_merged(activities, merged, &BTreeMap::new())
}

pub fn with_merged(
    activities: &[Activity],
    merged: Option<&MergedRanks>,
    machines: &BTreeMap<String, Machine>,
) -> RunSnapshot {
    ended(activities, merged, machines, None)
}

/// The same of a program that ended so.
pub fn ended(
    activities: &[Activity],
    merged: Option<&MergedRanks>,
    machines: &BTreeMap<String, Machine>,
    exit: Option<Exit>,
) -> RunSnapshot {
    let machines = &machines.iter().map(|(host, machine)| (host.clone(), machine)).collect();
    run_snapshot(&RunParts {
        trace_part: None,
        activities,
        merged,
        places: &SourcePlaces::new(),
        asked: None,
        exit,
        unwatched: Nanoseconds(0),
        machines,
    })
}

/// All of them, in the order of their names in the table.
pub fn efficiencies(of: &Efficiencies) -> [&RatedShare; 10] {
    [
        &of.parallel,
        &of.mpi_parallel,
        &of.mpi_communication,
        &of.mpi_load_balance,
        &of.mpi_load_balance_in,
        &of.mpi_load_balance_out,
        &of.openmp_parallel,
        &of.openmp_serialization,
        &of.openmp_load_balance,
        &of.openmp_scheduling,
    ]
}

/// A rank of a named world, that a process started.
pub fn in_world(number: u32, size: u32, (name, parent): (Option<u64>, i32)) -> Activity {
    let mut rank = simple_rank(number, size, 1.0, 0.5);
    rank.parent = Pid(parent);
    let Reading::Measured(mpi) = &mut rank.mpi else { unreachable!() };
    mpi.world = name;
    rank
}
