//! What a plan costs: median times of `place` for 1,024 ranks on a machine with 384 CPUs, and of what one of them needs.
//!
//! `cargo run --release -p numawise-placement --example plan_cost` prints one line for each strategy and number of threads.
//! With `--json` it prints one object, for scripts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{
    Cpu, Machine, MemoryKind, MemoryRequest, Node, Package, Placement, PlacementRequest, Reading, Source,
    Strategy, TaskPlacement, ThreadBinding,
};
use numawise_placement::place;
use numawise_units::{Bytes, CpuId, CpuSet, NodeId};

const RANKS: u32 = 1024;
/// 2 packages x 12 nodes x 8 cores x 2 hardware threads, numbered as Linux does: second threads in the upper half.
const NODES: u32 = 24;
const CORES: u32 = 8;
const CPUS: u32 = NODES * CORES * 2;
const REPEATS: usize = 21;

fn machine() -> Machine {
    let of_node = |node: u32| -> CpuSet {
        let first = node * CORES;
        (first..first + CORES).flat_map(|core| [core, core + CPUS / 2]).map(CpuId).collect()
    };
    let package = |node: u32| node / (NODES / 2);
    let distance = |a: u32, b: u32| match (a == b, package(a) == package(b)) {
        (true, _) => 10,
        (false, true) => 12,
        (false, false) => 32,
    };
    let node = |id: u32| Node {
        id: NodeId(id),
        cpus: of_node(id),
        near: of_node(id),
        memory: Reading::Measured(Bytes::mib(32 * 1024)),
        free: Reading::unavailable("made by hand"),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::Measured((0..NODES).map(|other| distance(id, other)).collect()),
    };
    let cpu = |id: u32| {
        let core = id % (CPUS / 2);
        Cpu {
            id: CpuId(id),
            node: Some(NodeId(core / CORES)),
            package: Some(package(core / CORES)),
            core,
            smt: id / (CPUS / 2),
            efficiency: Reading::unavailable("all alike"),
        }
    };
    let nodes: Vec<Node> = (0..NODES).map(node).collect();
    let cpus_of = |index: u32| {
        let own = nodes.iter().filter(|node| package(node.id.0) == index);
        own.fold(CpuSet::new(), |all, node| all.union(&node.cpus))
    };
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: (0..2).map(|index| Package { index, cpus: cpus_of(index) }).collect(),
        cpus: (0..CPUS).map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: (0..CPUS).map(CpuId).collect(),
        allowed_nodes: (0..NODES).map(NodeId).collect(),
        limits: vec![],
        nodes,
    }
}

/// The median time of a piece of work, after one turn to warm up.
fn median<T>(work: impl Fn() -> T) -> Duration {
    black_box(work());
    let mut times: Vec<Duration> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[REPEATS / 2]
}

/// A rank reckons the plan of all and keeps its own: nobody has to be asked.
fn own(machine: &Machine, request: &PlacementRequest, rank: usize) -> TaskPlacement {
    plan(machine, request).tasks.swap_remove(rank)
}

fn plan(machine: &Machine, request: &PlacementRequest) -> Placement {
    place(black_box(machine), black_box(request)).expect("the machine has all that is asked for")
}

fn main() {
    let json = std::env::args().any(|argument| argument == "--json");
    let machine = machine();
    let mut lines = Vec::new();
    for strategy in [Strategy::Local, Strategy::Distributed, Strategy::Semi, Strategy::None] {
        // 16,384 threads in all are the most that is planned for.
        for threads in [1, 2, 8, 16] {
            let request = PlacementRequest {
                strategy,
                binding: ThreadBinding::Pinned,
                tasks: RANKS,
                threads: Some(threads),
                memory: MemoryRequest::Bind(None),
                ..PlacementRequest::as_the_os_does()
            };
            let all = median(|| plan(&machine, &request)).as_secs_f64() * 1e3;
            let one = median(|| own(&machine, &request, RANKS as usize / 2)).as_secs_f64() * 1e3;
            lines.push(if json { format!(
                "{{\"strategy\":\"{strategy}\",\"ranks\":{RANKS},\"threads\":{threads},\"all_ms\":{all:.3},\"one_ms\":{one:.3}}}"
            ) } else { format!("{strategy:<12} {RANKS} x {threads:<4} all {all:>8.3} ms   one rank {one:>8.3} ms") });
        }
    }
    if json { println!("[{}]", lines.join(",\n ")) } else { lines.iter().for_each(|line| println!("{line}")) }
}
