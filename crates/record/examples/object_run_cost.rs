//! What a large run costs to keep and to read: `cargo run --release -p numawise-record --example object_run_cost [OBJECTS [USES]]`.

use std::path::Path;
use std::time::Instant;

use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::{
    AccessMethod, AllocationLog, FaultSamples, FirstTouch, MemoryObject, ObjectKind, ObjectPages,
    ObjectRunHeader, ObjectThread, ObjectUse, ObjectWatching, PartUse, PlaceCount, PlaceUse, Skid,
    TimeSamples, TouchMethod,
};
use numawise_facts::{Exit, HostFacts, Machine, ObjectRun, Reading, ResourceUsage, RunSpec, Source};
use numawise_record::{Existing, read_object_run, save_object_run};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid};

const THREADS: u32 = 64;
const PLACES: u32 = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u32>());
    let objects = numbers.next().transpose()?.unwrap_or(100_000);
    let uses = numbers.next().transpose()?.unwrap_or(1_000_000);
    let run = run(objects, uses);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("objects.nw");
    let begun = Instant::now();
    save_object_run(&path, &run, Existing::Stays)?;
    let saved = begun.elapsed();
    let begun = Instant::now();
    let again = read_object_run(&path)?;
    let read = begun.elapsed();
    assert!(again == run, "it comes back as it was");
    let bytes = Bytes(Path::metadata(&path)?.len());
    println!(
        "{objects} objects, {uses} uses: saved in {:.2} s, read in {:.2} s, {bytes}",
        saved.as_secs_f64(),
        read.as_secs_f64()
    );
    Ok(())
}

fn run(objects: u32, uses: u32) -> ObjectRun {
    let each = uses / objects.max(1);
    ObjectRun {
        header: header(),
        watching: ObjectWatching {
            least: Bytes::kib(64),
            allocations: Reading::Measured(AllocationLog::default()),
            time: Reading::Measured(TimeSamples {
                period: Nanoseconds(1_000_000),
                samples: 10 * u64::from(uses),
                with_memory: 10 * u64::from(uses),
                unknown_address: 0,
                spinning: 0,
                lost: 0,
                skid: Skid { samples: 100, one_after: 95 },
                method: AccessMethod::Waited,
            }),
            loads: Reading::unavailable("no event samples loads here"),
            faults: Reading::Measured(FaultSamples {
                samples: 0,
                faults: 0,
                lost: 0,
                method: TouchMethod::Faults,
                in_system_calls: Reading::unavailable("they are not sampled"),
                again: Reading::Measured(0),
            }),
            cost: Reading::Measured(Nanoseconds(1_000_000)),
            own_time: Reading::Measured(Nanoseconds(1_000_000)),
            page_size: Reading::Measured(Bytes::kib(4)),
        },
        threads: (0..THREADS).map(thread).collect(),
        places: (0..PLACES).map(place).collect(),
        objects: (0..objects).map(|number| object(number, each)).collect(),
        sources: vec![],
        bandwidth: Reading::unavailable("not asked for"),
        ranks: Vec::new(),
        memory_bound: Reading::unavailable("not asked for"),
        trials: vec![],
        code: Reading::unavailable("its loops were not surveyed"),
    }
}

fn header() -> ObjectRunHeader {
    let unknown = || Reading::unavailable("not asked for");
    ObjectRunHeader {
        tool_version: "0".to_owned(),
        begun: Nanoseconds(1),
        command: RunSpec { command: vec!["app".into()], directory: "/".into() },
        host: HostFacts {
            hostname: Reading::unavailable("not asked for"),
            kernel: Reading::unavailable("not asked for"),
            cpu_model: Reading::unavailable("not asked for"),
            environment: vec![],
            numa_balancing: Reading::unavailable("not asked for"),
            transparent_huge_pages: Reading::unavailable("not asked for"),
            frequency: Reading::unavailable("not asked for"),
            pid: Pid(1),
        },
        machine: Machine {
            source: Source::Synthetic(String::new()),
            packages: vec![],
            nodes: vec![],
            cpus: vec![],
            caches: vec![],
            attributes: vec![],
            devices: Reading::unavailable("not asked for"),
            allowed_cpus: CpuSet::default(),
            allowed_nodes: NodeSet::default(),
            limits: vec![],
        },
        placement: None,
        exit: Some(Exit::Code(0)),
        wall: Nanoseconds(1_000_000_000),
        usage: ResourceUsage {
            user: Reading::Measured(Nanoseconds(1_000_000_000)),
            system: Reading::Measured(Nanoseconds(0)),
            peak_memory: Reading::Measured(Bytes::mib(1000)),
            minor_faults: unknown(),
            major_faults: unknown(),
            voluntary_switches: unknown(),
            involuntary_switches: unknown(),
        },
        notices: vec![],
    }
}

fn thread(number: u32) -> ObjectThread {
    let tid = Pid(1000 + number as i32);
    ObjectThread { process: Pid(1000), tid, name: Reading::Measured("app".to_owned()), number }
}

fn place(number: u32) -> CodePlace {
    CodePlace {
        file: "app".to_owned(),
        address: u64::from(number) * 64,
        source: SourcePlace {
            function: Reading::Measured(format!("solve<{number}>(std::vector<double>&)")),
            file: Reading::Measured("src/solver/solve.cpp".to_owned()),
            line: Reading::Measured(number),
        },
    }
}

fn object(number: u32, uses: u32) -> MemoryObject {
    let at = |step: u32| number.wrapping_mul(2_654_435_761).wrapping_add(step);
    MemoryObject {
        site: Reading::unavailable("it was not collected"),
        kind: ObjectKind::Heap,
        process: Pid(1000),
        name: Reading::Measured(format!("array_{number}")),
        allocated: Reading::Measured((0..8).map(|step| at(step) % PLACES).collect()),
        count: 1,
        is_estimate: false,
        bytes: Bytes::kib(64),
        total: Bytes::kib(64),
        begun: Nanoseconds(1000),
        ended: Reading::unavailable("it was there to the end"),
        pages: Reading::Measured(vec![ObjectPages {
            at: Nanoseconds(2000),
            looked_at: 16,
            on_nodes: vec![(NodeId(0), 9), (NodeId(1), 7)],
            bytes: Bytes::kib(64),
        }]),
        first_touch: vec![FirstTouch {
            thread: at(1) % THREADS,
            cpu: CpuId(1),
            place: None,
            samples: 1,
            faults: 16,
        }],
        touch_places: vec![PlaceCount { place: at(2) % PLACES, faults: 16 }],
        uses: (0..uses)
            .map(|step| ObjectUse {
                thread: at(step) % THREADS,
                cpu: CpuId(at(step) % 128),
                node: Some(NodeId(step % 2)),
                samples: f64::from(step % 7) + 0.5,
                reads: f64::from(step % 7) * 0.5,
            })
            .collect(),
        parts: (0..uses / 2)
            .map(|step| PartUse { thread: at(step) % THREADS, part: (step % 64) as u8, samples: 0.25 })
            .collect(),
        use_places: (0..uses / 5)
            .map(|step| PlaceUse { place: at(step) % PLACES, samples: 0.5, reads: 0.25 })
            .collect(),
        lines: vec![],
        loads: vec![],
        huge_pages: Reading::unavailable("not asked for"),
    }
}
