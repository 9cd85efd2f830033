//! Residency made by hand.

use numawise_facts::notice::{ContendedCpu, NamedThread, ResidencyNotice};
use numawise_facts::{MappingSnapshot, MemoryKind, PageUse, PolicyShare, Reading};
use numawise_tables::{
    JobResidency, LeftOut, LocalShare, MemoryRow, MemoryTable, NodeColumn, NodeTotal, Residency, ShareSpan,
    TaskResidency, ThreadResidency,
};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid, Ratio};

use crate::history::Levels;
use crate::state::View;
use crate::style::Palette;

pub const PLAIN: Palette = Palette { colour: false, levels: Levels::Blocks };
pub const SECOND: Nanoseconds = Nanoseconds(1_000_000_000);

/// CPUs 0 to 7 of node 0, 8 to 15 of node 1, and so on.
const CPUS: u32 = 8;

/// A thread that is held on a CPU.
pub fn thread(tid: i32, name: &str, cpu: u32, share: f64) -> ThreadResidency {
    let mask: CpuSet = [CpuId(cpu)].into_iter().collect();
    let node = NodeId(cpu / CPUS);
    ThreadResidency {
        tid: Pid(tid),
        name: name.to_owned(),
        state: if share > 0.1 { 'R' } else { 'S' },
        cpu: CpuId(cpu),
        node: Some(node),
        mask: Reading::Measured(mask),
        mask_nodes: Reading::Measured([node].into_iter().collect()),
        share: Reading::Measured(Ratio(share)),
        busy: share >= 0.1,
        cpu_time: Nanoseconds((share * 77e9) as u64),
        migrations: Reading::Measured(u64::from(cpu) * 3),
        recent_migrations: Reading::Measured(u64::from(cpu) % 3),
        minor_faults: 1000,
        major_faults: 0,
        recent_faults: Reading::Measured(12_345),
    }
}

fn memory(by_node: &[Bytes]) -> MemoryTable {
    let empty = vec![Bytes(0); by_node.len()];
    let row = |used_for: PageUse| {
        let by_node = if used_for == PageUse::Heap { by_node.to_vec() } else { empty.clone() };
        MemoryRow { used_for, total: by_node.iter().copied().sum(), by_node }
    };
    let on = |bytes: u64| vec![(NodeId(0), Bytes(bytes)), (NodeId(1), Bytes(bytes / 3))];
    let mapping = |address: u64, used_for, policy: &str, bytes, file: Option<&str>| MappingSnapshot {
        address,
        used_for,
        policy: policy.to_owned(),
        page: Bytes::kib(4),
        by_node: on(bytes),
        file: file.map(str::to_owned),
    };
    MemoryTable {
        rows: PageUse::ALL.into_iter().map(row).collect(),
        total: by_node.iter().copied().sum(),
        by_node: by_node.to_vec(),
        policies: vec![
            PolicyShare { policy: "default".to_owned(), mappings: 118, by_node: on(3 << 28) },
            PolicyShare { policy: "interleave:0-1".to_owned(), mappings: 2, by_node: on(1 << 28) },
        ],
        largest: vec![
            mapping(0x7f00_0000_0000, PageUse::Private, "interleave:0-1", 1 << 30, None),
            mapping(0x5555_0000_0000, PageUse::Heap, "default", 3 << 24, Some("[heap]")),
            mapping(0x7f12_3450_0000, PageUse::File, "default", 2 << 20, Some("/usr/lib/lib\u{1b}[2Jc.so.6")),
        ],
        mappings: 120,
    }
}

/// A task with threads, and so much memory on each node.
pub fn task(
    pid: i32,
    rank: Option<u32>,
    name: &str,
    threads: Vec<ThreadResidency>,
    by_node: &[u64],
) -> TaskResidency {
    let by_node: Vec<Bytes> = by_node.iter().map(|bytes| Bytes(*bytes)).collect();
    let total: u64 = by_node.iter().map(|bytes| bytes.0).sum();
    let nodes: NodeSet = threads.iter().filter_map(|thread| thread.node).collect();
    let near: u64 = nodes.iter().filter_map(|node| by_node.get(node.0 as usize)).map(|bytes| bytes.0).sum();
    let local = Ratio(near as f64 / total.max(1) as f64);
    let busy = threads.iter().filter_map(|thread| thread.share.measured()).map(|share| share.0).sum();
    TaskResidency {
        pid: Pid(pid),
        parent: Pid(1),
        name: name.to_owned(),
        command: Reading::Measured(format!("./{name} --input 'a file' {pid}")),
        user: 1000,
        rank: rank.map_or(Reading::unavailable("no rank"), Reading::Measured),
        started: Nanoseconds(pid as u64 * 1_000_000),
        busy: Reading::Measured(Ratio(busy)),
        mask: Reading::Measured(threads.iter().map(|thread| thread.cpu).collect()),
        working: Reading::Measured(threads.len() as u64),
        time_by_node: Reading::unavailable("not needed here"),
        runs_on: Reading::Measured(nodes),
        threads: Reading::Measured(threads),
        memory: Reading::Measured(memory(&by_node)),
        local: Reading::Measured(LocalShare {
            at_most: local,
            if_alike: Ratio(local.0 / 2.0),
            weighed: ShareSpan::BetweenSamples(SECOND),
        }),
        remote: Reading::Measured(Vec::new()),
    }
}

/// The whole, `second` seconds after the first sample.
pub fn residency(second: u64, tasks: Vec<TaskResidency>, nodes: usize) -> Residency {
    let total = |k: usize| -> u64 {
        tasks.iter().filter_map(|task| task.memory.measured()).map(|memory| memory.by_node[k].0).sum()
    };
    let busy: f64 = tasks.iter().filter_map(|task| task.busy.measured()).map(|busy| busy.0).sum();
    let threads =
        tasks.iter().filter_map(|task| task.threads.measured()).map(|threads| threads.len() as u64).sum();
    let node = |k: usize| NodeTotal {
        node: NodeId(k as u32),
        threads: 4,
        busy_threads: 4,
        busy: Reading::Measured(Ratio(busy / nodes as f64)),
        memory: Reading::Measured(Bytes(total(k))),
    };
    let local = LocalShare {
        at_most: Ratio(0.931),
        if_alike: Ratio(0.512),
        weighed: ShareSpan::BetweenSamples(SECOND),
    };
    let thread = |(task, rank): (&TaskResidency, u32)| NamedThread {
        pid: task.pid,
        tid: task.pid,
        name: "solver".to_owned(),
        rank: Some(rank),
        pinned: false,
    };
    let shared = ContendedCpu { cpu: CpuId(7), threads: tasks.iter().zip(0..2).map(thread).collect() };
    let remark = ResidencyNotice::SharedCpus { cpus: vec![shared] };
    let at = Nanoseconds((1000 + second) * SECOND.0);
    Residency {
        at,
        unix_time: Nanoseconds(1_700_000_000 * SECOND.0 + at.0),
        span: ShareSpan::BetweenSamples(SECOND),
        nodes: (0..nodes)
            .map(|k| NodeColumn { node: NodeId(k as u32), kind: MemoryKind::Dram, cpus: true })
            .collect(),
        job: JobResidency {
            by_node: (0..nodes).map(node).collect(),
            memory: Reading::unavailable("not needed here"),
            total: Reading::Measured(Bytes((0..nodes).map(total).sum())),
            threads,
            busy: Reading::Measured(Ratio(busy)),
            local: Reading::Measured(local),
            shared_cpus: Vec::new(),
            overlaps: Vec::new(),
            left_out: LeftOut {
                threads: tasks.iter().filter(|task| task.threads.measured().is_none()).count() as u64,
                memory: tasks.iter().filter(|task| task.memory.measured().is_none()).count() as u64,
            },
            remarks: if tasks.len() > 1 { vec![remark] } else { Vec::new() },
        },
        tasks,
        notes: Vec::new(),
        rehearsal: None,
    }
}

/// Four ranks on two nodes.
pub fn ranks(second: u64) -> Residency {
    let rank = |k: u32| {
        let threads = (0..4).map(|t| thread((5000 + 10 * k + t) as i32, "solver", 4 * k + t, 0.97)).collect();
        let mine = (k as usize) / 2;
        let mut by_node = [0, 0];
        by_node[mine] = (k as u64 + 1 + second) << 30;
        by_node[1 - mine] = (k as u64) << 28;
        task(5000 + 10 * k as i32, Some(k), "solver", threads, &by_node)
    };
    residency(second, (0..4).map(rank).collect(), 2)
}

pub fn view() -> View {
    View::new("solver", SECOND)
}
