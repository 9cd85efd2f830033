//! What the synthetic runs of the examples share: a program that never ran, with 64 threads on 4 nodes.

use std::time::{Duration, Instant};

use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::objects::{ObjectRunHeader, ObjectThread};
use numawise_facts::{
    Argument, Cpu, Exit, HostFacts, Machine, MemoryKind, Node, Reading, ResourceUsage, RunSpec, Source,
};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

pub const THREADS: u32 = 64;
pub const NODES: u32 = 4;

/// A number of the command line.
pub fn number(k: usize, default: u32) -> u32 {
    std::env::args().nth(k).and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}

/// Numbers without an order, the same in every run (Knuth's multiplicative hashing).
pub fn scattered(k: u32) -> u32 {
    k.wrapping_mul(2_654_435_761) >> 8
}

pub fn threads() -> Vec<ObjectThread> {
    let thread = |number| ObjectThread {
        process: Pid(1),
        tid: Pid(number as i32 + 1),
        name: Reading::Measured("worker".to_owned()),
        number,
    };
    (0..THREADS).map(thread).collect()
}

pub fn place(k: u32) -> CodePlace {
    let source = SourcePlace {
        function: Reading::Measured(format!("Namespace::Class{}::function{k}", k % 100)),
        file: Reading::Measured(format!("/home/me/program/source/file{}.cpp", k % 500)),
        line: Reading::Measured(k + 1),
    };
    CodePlace { file: "/program".to_owned(), address: u64::from(k) * 16, source }
}

pub fn header() -> ObjectRunHeader {
    let none = || Reading::unavailable("synthetic");
    ObjectRunHeader {
        tool_version: "0.0.0".to_owned(),
        begun: Nanoseconds(0),
        command: RunSpec { command: vec![Argument::from("program")], directory: "/".into() },
        host: HostFacts {
            hostname: none(),
            kernel: none(),
            cpu_model: none(),
            environment: vec![],
            numa_balancing: none(),
            transparent_huge_pages: none(),
            frequency: Reading::unavailable("synthetic"),
            pid: Pid(1),
        },
        machine: machine(),
        placement: None,
        exit: Some(Exit::Code(0)),
        wall: Nanoseconds(10_000_000_000),
        usage: ResourceUsage::unavailable("synthetic"),
        notices: vec![],
    }
}

/// Four nodes of 16 CPUs, and one of fast memory.
fn machine() -> Machine {
    let node = |id: u32, kind| {
        let cpus = if id < NODES { format!("{}-{}", 16 * id, 16 * id + 15) } else { String::new() };
        Node {
            id: NodeId(id),
            cpus: cpus.parse().expect("a list of CPUs"),
            near: cpus.parse().expect("a list of CPUs"),
            memory: Reading::Measured(Bytes::mib(16 << 10)),
            free: Reading::unavailable("synthetic"),
            kind,
            kind_evidence: MemoryKindEvidence::NotRead,
            distances: Reading::unavailable("synthetic"),
        }
    };
    let cpu = |id| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id / 16)),
        package: Some(id / 16),
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("all alike"),
    };
    Machine {
        source: Source::Live,
        packages: vec![],
        nodes: (0..NODES)
            .map(|id| node(id, MemoryKind::Dram))
            .chain([node(NODES, MemoryKind::Hbm)])
            .collect(),
        cpus: (0..THREADS).map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("synthetic"),
        allowed_cpus: "0-63".parse().expect("a list of CPUs"),
        allowed_nodes: "0-4".parse().expect("a list of nodes"),
        limits: vec![],
    }
}
