//! Jobs by hand, for tests: two sockets of four CPUs, with and without a node of HBM beside each.

use numawise_facts::{
    Machine, MappingSnapshot, MemorySnapshot, PageUse, PolicyShare, Reading, Snapshot, TaskSnapshot,
    ThreadSnapshot,
};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

pub const SECOND: u64 = 1_000_000_000;

/// Nodes 0 and 1 with CPUs 0-3 and 4-7, 2.1 times as far from each other as from themselves.
pub fn machine() -> Machine {
    let mut machine = crate::sample::two_sockets();
    for (k, node) in machine.nodes.iter_mut().enumerate() {
        node.distances = Reading::Measured(if k == 0 { vec![10, 21] } else { vec![21, 10] });
    }
    machine
}

/// And node 2 of HBM beside node 0, node 3 beside node 1.
pub fn with_hbm() -> Machine {
    let mut machine = crate::sample::with_hbm();
    let rows = [[10, 21, 13, 23], [21, 10, 23, 13], [13, 23, 10, 23], [23, 13, 23, 10]];
    for (node, row) in machine.nodes.iter_mut().zip(rows) {
        node.distances = Reading::Measured(row.to_vec());
    }
    machine.nodes[2].near = "0-3".parse().unwrap();
    machine.nodes[3].near = "4-7".parse().unwrap();
    machine
}

/// A thread that began with the system, runs, and may run anywhere.
pub fn thread(tid: i32, cpu: u32, seconds: f64) -> ThreadSnapshot {
    ThreadSnapshot {
        tid: Pid(tid),
        name: "app".to_owned(),
        state: 'R',
        cpu: CpuId(cpu),
        mask: Reading::Measured("0-7".parse().unwrap()),
        cpu_time: Nanoseconds::from_seconds(seconds),
        started: Nanoseconds(0),
        migrations: Reading::Measured(3),
        minor_faults: 100,
        major_faults: 1,
    }
}

pub fn pinned(tid: i32, cpu: u32, mask: &str, seconds: f64) -> ThreadSnapshot {
    ThreadSnapshot { mask: Reading::Measured(mask.parse().unwrap()), ..thread(tid, cpu, seconds) }
}

/// So many MiB of heap on each node.
pub fn heap(on: &[(u32, u64)]) -> MemorySnapshot {
    memory(&on.iter().map(|(node, mib)| (PageUse::Heap, *node, *mib)).collect::<Vec<_>>())
}

pub fn memory(on: &[(PageUse, u32, u64)]) -> MemorySnapshot {
    let by_node: Vec<(NodeId, Bytes)> =
        on.iter().map(|(_, node, mib)| (NodeId(*node), Bytes::mib(*mib))).collect();
    MemorySnapshot {
        by_use: on.iter().map(|(used_for, node, mib)| (*used_for, NodeId(*node), Bytes::mib(*mib))).collect(),
        by_policy: vec![PolicyShare { policy: "default".to_owned(), mappings: 7, by_node: by_node.clone() }],
        largest: vec![MappingSnapshot {
            address: 0x5555_0000_0000,
            used_for: PageUse::Heap,
            policy: "default".to_owned(),
            page: Bytes::kib(4),
            by_node,
            file: None,
        }],
        mappings: 7,
    }
}

pub fn task(pid: i32, threads: Vec<ThreadSnapshot>, memory: MemorySnapshot) -> TaskSnapshot {
    TaskSnapshot {
        pid: Pid(pid),
        parent: Pid(1),
        name: "app".to_owned(),
        command: Reading::Measured("./app".to_owned()),
        user: 1000,
        rank: Reading::unavailable("no environment names one"),
        started: Nanoseconds(0),
        threads: Reading::Measured(threads),
        memory: Reading::Measured(memory),
    }
}

pub fn rank(rank: u32, task: TaskSnapshot) -> TaskSnapshot {
    TaskSnapshot { rank: Reading::Measured(rank), ..task }
}

/// So many seconds after the start of the system.
pub fn snapshot(seconds: f64, tasks: Vec<TaskSnapshot>) -> Snapshot {
    Snapshot { at: Nanoseconds::from_seconds(seconds), unix_time: Nanoseconds(1_700_000_000 * SECOND), tasks }
}
