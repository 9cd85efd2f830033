//! A run of which only its calls of MPI are known.

use numawise_facts::activity::{
    ActivityLosses, ActivityPhases, CallTime, CounterAccess, CounterObstacle, FileActivity, MpiActivity,
    MpiLibrary, OpenMpRuntimes, ProcessEnd, ProcessIo, ProcessSurroundings, StateTimes, ThreadRole,
};
use numawise_facts::{
    Activity, Argument, Exit, HostFacts, Machine, Reading, ResourceUsage, RunSpec, Source, ThreadActivity,
    WatchedRunHeader,
};
use numawise_units::{CpuSet, Nanoseconds, NodeSet, Pid};

/// Why all else is missing.
const WHY: &str = "an OTF2 archive does not hold it";

fn unknown<T>() -> Reading<T> {
    Reading::unavailable(WHY)
}

/// Of a program that is known by its name only.
pub fn header(program: &str, path: &str) -> WatchedRunHeader {
    WatchedRunHeader {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        begun: Nanoseconds(0),
        command: RunSpec { command: vec![Argument::from(program)], directory: Default::default() },
        host: HostFacts {
            hostname: unknown(),
            kernel: unknown(),
            cpu_model: unknown(),
            environment: Vec::new(),
            numa_balancing: unknown(),
            transparent_huge_pages: unknown(),
            frequency: unknown(),
            pid: Pid(0),
        },
        machine: machine(path),
        other_machines: Vec::new(),
        placement: None,
        ranks: None,
        exit: Exit::Code(0),
        wall: Nanoseconds(0),
        usage: ResourceUsage::unavailable(WHY),
        counters: CounterAccess::NotOpened(CounterObstacle::NotInKernel),
        traffic: unknown(),
        notices: Vec::new(),
        division: None,
    }
}

/// A machine without parts.
fn machine(path: &str) -> Machine {
    Machine {
        source: Source::Xml(path.to_owned()),
        packages: Vec::new(),
        nodes: Vec::new(),
        cpus: Vec::new(),
        caches: Vec::new(),
        attributes: Vec::new(),
        devices: unknown(),
        allowed_cpus: CpuSet::new(),
        allowed_nodes: NodeSet::new(),
        limits: Vec::new(),
    }
}

/// A process without threads.
pub fn process(pid: i32, host: &str, program: &str) -> Activity {
    Activity {
        pid: Pid(pid),
        parent: Pid(0),
        host: host.to_owned(),
        program: program.to_owned(),
        began: Nanoseconds(0),
        elapsed: unknown(),
        end: ProcessEnd::NotTold,
        is_forked: false,
        is_sandboxed: false,
        mpi: unknown(),
        openmp: unknown::<OpenMpRuntimes>(),
        files: Vec::new(),
        communicators: Vec::new(),
        threads: Reading::Measured(Vec::new()),
        surroundings: ProcessSurroundings::unavailable(WHY),
        io: ProcessIo::unavailable(WHY),
        phases: unknown::<ActivityPhases>(),
        samples: unknown(),
        clock: None,
        lost: ActivityLosses::default(),
    }
}

/// What a process has to do with MPI.
pub fn mpi() -> MpiActivity {
    MpiActivity {
        library: MpiLibrary::Other,
        has_several: false,
        rank: unknown(),
        world: None,
        initialised: unknown(),
        finalised: unknown(),
        first_thread: None,
    }
}

/// A thread without calls.
pub fn thread(tid: i32, is_first: bool) -> ThreadActivity {
    ThreadActivity {
        tid: Pid(tid),
        is_first,
        lives: 1,
        start: unknown(),
        role: Reading::Measured(ThreadRole::Worker),
        begin: Nanoseconds(0),
        end: unknown(),
        times: unknown::<StateTimes>(),
        processor: unknown(),
        switches: unknown(),
        cpus: unknown(),
        mask: unknown(),
        run_delay: unknown(),
        cpu_time_on: unknown(),
        calls: Vec::new(),
        last_call: None,
        lost_calls: CallTime::default(),
        peers: Vec::new(),
        lost_messages: [0; 2],
        messages: Vec::new(),
        constructs: Vec::new(),
        lost_constructs: 0,
        files: FileActivity::none(WHY),
        trace: None,
    }
}
