//! Residency by hand, for tests.

use numawise_facts::notice::{NamedTask, PinnedGroup, ResidencyNotice, ResidencyPart};
use numawise_facts::{MappingSnapshot, MemoryKind, PageUse, PolicyShare, Reading, Reason};
use numawise_tables::{
    JobResidency, LeftOut, LocalShare, MaskOverlap, MemoryRow, MemoryTable, NodeColumn, NodeTotal, Occupant,
    RemoteMemory, Residency, ShareSpan, SharedCpu, TaskResidency, ThreadResidency,
};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid, Ratio};

/// Four CPUs on a node.
pub fn thread(tid: i32, name: &str, cpu: u32, mask: &str, share: f64) -> ThreadResidency {
    let mask: CpuSet = mask.parse().unwrap();
    let nodes: NodeSet = mask.iter().map(|cpu| NodeId(cpu.0 / 4)).collect();
    ThreadResidency {
        tid: Pid(tid),
        name: name.to_owned(),
        state: if share > 0.1 { 'R' } else { 'S' },
        cpu: CpuId(cpu),
        node: Some(NodeId(cpu / 4)),
        mask: Reading::Measured(mask),
        mask_nodes: Reading::Measured(nodes),
        share: Reading::Measured(Ratio(share)),
        busy: share > 0.1,
        cpu_time: Nanoseconds::from_seconds(100.0 * share),
        migrations: Reading::Measured(12),
        recent_migrations: Reading::Measured(2),
        minor_faults: 1000,
        major_faults: 1,
        recent_faults: Reading::Measured(17),
    }
}

/// Heap as given, and a little of a file on the first node.
pub fn table(heap: &[u64]) -> MemoryTable {
    let row = |used_for: PageUse| {
        let mut by_node: Vec<Bytes> = vec![Bytes(0); heap.len()];
        match used_for {
            PageUse::Heap => by_node = heap.iter().map(|mib| Bytes::mib(*mib)).collect(),
            PageUse::File => by_node[0] = Bytes::kib(1234),
            _ => {}
        }
        MemoryRow { used_for, total: by_node.iter().copied().sum(), by_node }
    };
    let rows: Vec<MemoryRow> = PageUse::ALL.into_iter().map(row).collect();
    let places = |k: usize| -> Vec<(NodeId, Bytes)> {
        let all = (0..).map(NodeId).zip(rows[k].by_node.iter().copied());
        all.filter(|(_, bytes)| *bytes > Bytes(0)).collect()
    };
    let mapping = |address, k: usize, policy: &str, file: Option<&str>| MappingSnapshot {
        address,
        used_for: rows[k].used_for,
        policy: policy.to_owned(),
        page: Bytes::kib(4),
        by_node: places(k),
        file: file.map(str::to_owned),
    };
    MemoryTable {
        by_node: (0..heap.len()).map(|k| rows.iter().map(|row| row.by_node[k]).sum()).collect(),
        total: rows.iter().map(|row| row.total).sum(),
        policies: vec![
            PolicyShare { policy: "interleave:0-1".to_owned(), mappings: 1, by_node: places(1) },
            PolicyShare { policy: "default".to_owned(), mappings: 41, by_node: places(4) },
        ],
        largest: vec![
            mapping(0x5555_5555_0000, 1, "interleave:0-1", Some("[heap]")),
            mapping(0x7fff_f7d8_0000, 4, "default", Some("/usr/lib/x86_64-linux-gnu/libc.so.6")),
        ],
        mappings: 42,
        rows,
    }
}

pub fn task(
    pid: i32,
    rank: Option<u32>,
    threads: Vec<ThreadResidency>,
    memory: MemoryTable,
) -> TaskResidency {
    let columns = memory.by_node.len();
    let nodes: NodeSet = threads.iter().filter_map(|thread| thread.node).collect();
    let at =
        |column: usize| if nodes.contains(NodeId(column as u32)) { 1.0 / nodes.len() as f64 } else { 0.0 };
    TaskResidency {
        pid: Pid(pid),
        parent: Pid(1),
        name: "app".to_owned(),
        command: Reading::Measured("./app --size 100".to_owned()),
        user: 1000,
        rank: rank.map_or_else(|| Reading::unavailable("no environment names one"), Reading::Measured),
        started: Nanoseconds::from_seconds(5.0),
        busy: Reading::Measured(Ratio(
            threads.iter().filter_map(|thread| thread.share.measured()).map(|share| share.0).sum(),
        )),
        mask: Reading::Measured(
            threads
                .iter()
                .filter_map(|thread| thread.mask.measured())
                .fold(CpuSet::new(), |all, mask| all.union(mask)),
        ),
        working: Reading::Measured(threads.len() as u64),
        runs_on: Reading::Measured(nodes.clone()),
        time_by_node: Reading::Measured((0..columns).map(|column| Ratio(at(column))).collect()),
        local: Reading::Measured(LocalShare {
            at_most: Ratio(0.75),
            if_alike: Ratio(0.5),
            weighed: ShareSpan::SinceBegin,
        }),
        remote: Reading::Measured(vec![]),
        threads: Reading::Measured(threads),
        memory: Reading::Measured(memory),
    }
}

/// Sums are right, the rest is empty.
pub fn job(tasks: Vec<TaskResidency>, nodes: u32) -> Residency {
    let sum = |column: usize| -> Bytes {
        tasks.iter().filter_map(|task| task.memory.measured()).map(|memory| memory.by_node[column]).sum()
    };
    let total = |column: u32| {
        let here = || {
            let all = tasks.iter().filter_map(|task| task.threads.measured()).flatten();
            all.filter(move |thread| thread.node == Some(NodeId(column)))
        };
        NodeTotal {
            node: NodeId(column),
            threads: here().count() as u64,
            busy_threads: here().filter(|thread| thread.busy).count() as u64,
            busy: Reading::Measured(Ratio(
                here().filter_map(|thread| thread.share.measured()).map(|share| share.0).sum(),
            )),
            memory: Reading::Measured(sum(column as usize)),
        }
    };
    let by_node: Vec<NodeTotal> = (0..nodes).map(total).collect();
    let mut rows = table(&vec![0; nodes as usize]).rows;
    rows.iter_mut().for_each(|row| row.by_node[0] = Bytes(0));
    for (k, row) in rows.iter_mut().enumerate() {
        for (column, cell) in row.by_node.iter_mut().enumerate() {
            let tables = tasks.iter().filter_map(|task| task.memory.measured());
            *cell = tables.map(|memory| memory.rows[k].by_node[column]).sum();
        }
        row.total = row.by_node.iter().copied().sum();
    }
    let job = JobResidency {
        total: Reading::Measured(rows.iter().map(|row| row.total).sum()),
        memory: Reading::Measured(rows),
        threads: by_node.iter().map(|node| node.threads).sum(),
        busy: Reading::Measured(Ratio(
            by_node.iter().filter_map(|node| node.busy.measured()).map(|busy| busy.0).sum(),
        )),
        by_node,
        local: Reading::Measured(LocalShare {
            at_most: Ratio(0.75),
            if_alike: Ratio(0.5),
            weighed: ShareSpan::SinceBegin,
        }),
        shared_cpus: vec![],
        overlaps: vec![],
        left_out: LeftOut {
            threads: tasks.iter().filter(|task| task.threads.measured().is_none()).count() as u64,
            memory: tasks.iter().filter(|task| task.memory.measured().is_none()).count() as u64,
        },
        remarks: vec![],
    };
    let column = |k| NodeColumn { node: NodeId(k), kind: MemoryKind::Dram, cpus: true };
    Residency {
        at: Nanoseconds::from_seconds(105.0),
        unix_time: Nanoseconds(1_700_000_000_123_000_000),
        span: ShareSpan::SinceBegin,
        nodes: (0..nodes).map(column).collect(),
        tasks,
        job,
        notes: vec![],
        rehearsal: None,
    }
}

/// Two ranks of two threads, on two nodes, where something of everything is wrong.
pub fn two_ranks() -> Residency {
    let one = thread(1234, "app", 0, "0", 0.995);
    let mut sharing = thread(2234, "app", 0, "0", 0.5);
    sharing.migrations = Reading::unavailable("the kernel keeps no count");
    let first =
        task(1234, Some(0), vec![one.clone(), thread(1240, "helper", 5, "0-7", 0.001)], table(&[100, 300]));
    let mut second = task(2234, Some(1), vec![sharing.clone()], table(&[64, 0]));
    second.remote = Reading::Measured(vec![RemoteMemory {
        node: NodeId(1),
        bytes: Bytes::mib(300),
        file: Bytes(0),
        may_run: false,
        nearest: Some(NodeId(0)),
        distance: Reading::Measured(Ratio(2.1)),
    }]);
    let occupant = |pid, rank, thread: &ThreadResidency| Occupant {
        pid: Pid(pid),
        rank: Some(rank),
        tid: thread.tid,
        name: thread.name.clone(),
        share: thread.share.clone(),
        pinned: true,
    };
    let threads = vec![occupant(1234, 0, &one), occupant(2234, 1, &sharing)];
    let mut residency = job(vec![first, second], 2);
    residency.span = ShareSpan::BetweenSamples(Nanoseconds::from_seconds(1.0));
    residency.job.shared_cpus = vec![SharedCpu {
        cpu: CpuId(0),
        node: Some(NodeId(0)),
        threads,
        load: Reading::Measured(Ratio(1.495)),
        contended: true,
    }];
    residency.job.overlaps = vec![MaskOverlap {
        cpus: "0".parse().unwrap(),
        tasks: vec![Pid(1234), Pid(2234)],
        ranks: vec![0, 1],
        oversubscribed: true,
    }];
    let named = |pid, name: &str, rank| NamedTask { pid: Pid(pid), name: name.to_owned(), rank: Some(rank) };
    residency.job.remarks = vec![ResidencyNotice::PinnedTogether {
        groups: vec![PinnedGroup {
            cpus: "0".parse().unwrap(),
            tasks: vec![named(1234, "app", 0), named(2234, "app", 1)],
        }],
    }];
    residency.notes = vec![ResidencyNotice::Unavailable {
        part: ResidencyPart::ThreadMigrations,
        tasks: vec![Pid(2234)],
        reason: Reason("the kernel keeps no count".into()),
    }];
    residency
}
