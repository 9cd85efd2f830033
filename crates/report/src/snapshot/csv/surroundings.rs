//! Columns of memory and placement: of each rank, by node, and over all.

use numawise_facts::Reading;
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    MemorySpread, MemorySummary, PlacementSummary, ProcessName, ProcessRow, ProcessSpread, SharedCpu,
};
use numawise_units::{Bytes, NodeId, NodeSet};

use super::super::figure;
use super::super::processes::WHO;
use super::super::surroundings::{MEMORY, PLACED};
use super::{Value, bytes, count, read, seconds, text};

/// Of one rank.
pub fn rank(tables: &RunSnapshot, of: &ProcessRow) -> Vec<Value> {
    let shares =
        |one: &&SharedCpu| one.host == of.host && one.threads.iter().any(|(process, _)| *process == of.pid);
    let shared = match &tables.merged {
        Some(_) => Reading::unavailable("ranks are merged, and of a shared CPU not all threads are kept"),
        None => tables.placement.as_ref().map(|placement| placement.shared.iter().filter(shares).count()),
    };
    let shared = shared.and_then(|shared| of.seen_on_cpus().map(|_| shared));
    let mut row = figure::csv(PLACED, of);
    row.push(read("shared_cpus", "count", &shared, usize::to_string));
    row.extend(figure::csv(MEMORY, of));
    row
}

/// Of one rank, by node.
pub fn rank_memory(of: &ProcessRow) -> Vec<Vec<Value>> {
    let row = |node: Reading<NodeId>, last: Reading<Bytes>, most: Reading<Bytes>| {
        let mut row = figure::csv(WHO, of);
        row.extend([
            read("node", "", &node, NodeId::to_string),
            bytes("last_bytes", &last),
            bytes("most_bytes", &most),
        ]);
        row
    };
    let (last, most) = match &of.surroundings.memory {
        Reading::Measured(memory) => (&memory.last.by_node, &memory.most.by_node),
        Reading::Unavailable { unavailable } => {
            let missing = || Reading::Unavailable { unavailable: unavailable.clone() };
            let node = Reading::Unavailable { unavailable: unavailable.clone() };
            return vec![row(node, missing(), missing())];
        }
    };
    let nodes: NodeSet = last.iter().chain(most).map(|(node, _)| *node).collect();
    let on = |by_node: &[(NodeId, Bytes)], node: NodeId| {
        Reading::Measured(by_node.iter().find(|(of, _)| *of == node).map_or(Bytes(0), |(_, bytes)| *bytes))
    };
    nodes.iter().map(|node| row(Reading::Measured(node), on(last, node), on(most, node))).collect()
}

/// Over all processes: the peak, and each node.
pub fn memory(of: &MemorySummary) -> Vec<Vec<Value>> {
    let row = |when: &'static str, node: Option<(&str, NodeId)>, spread: &Reading<MemorySpread>| {
        let mut row = vec![
            text("when", when),
            text("host", node.map_or("", |(host, _)| host)),
            text("node", node.map_or_else(String::new, |(_, node)| node.to_string())),
            bytes("mean_bytes", &spread.as_ref().map(|of| of.mean)),
            bytes("most_bytes", &spread.as_ref().map(|of| of.most)),
        ];
        row.extend(whose(["most_rank", "most_host", "most_pid"], &spread.as_ref().map(|of| &of.most_of)));
        row
    };
    let mut rows = vec![row("peak", None, &of.peak)];
    match &of.nodes {
        Reading::Measured(nodes) => rows.extend(nodes.iter().flat_map(|one| {
            let node = Some((one.host.as_str(), one.node));
            [row("last", node, &one.last), row("most", node, &one.most)]
        })),
        Reading::Unavailable { unavailable } => {
            let missing = Reading::Unavailable { unavailable: unavailable.clone() };
            rows.extend([row("last", None, &missing), row("most", None, &missing)]);
        }
    }
    rows
}

/// Over all processes.
pub fn placement(of: &Reading<PlacementSummary>) -> Vec<Value> {
    match of {
        Reading::Measured(of) => known_placement(of),
        Reading::Unavailable { .. } => vec![read("threads", "count", of, |of| of.threads.to_string())],
    }
}

fn known_placement(of: &PlacementSummary) -> Vec<Value> {
    // Where no thread's CPUs are known, none is known to have moved or to share.
    let known = |name: &'static str, value: u64| read(name, "count", &of.migrations, |_| value.to_string());
    let mut row = vec![
        count("threads", of.threads),
        count("unknown", of.unknown),
        known("moved", of.moved),
        read("migrations", "count", &of.migrations, u64::to_string),
        read("unbound", "count", &of.unbound, u64::to_string),
        known("on_several_nodes", of.on_several_nodes),
        read("masks", "count", &of.masks, |masks| masks.sets.to_string()),
        read("least_mask_cpus", "count", &of.masks, |masks| masks.least.to_string()),
        read("most_mask_cpus", "count", &of.masks, |masks| masks.most.to_string()),
        known("shared_cpus", of.shared.len() as u64),
        known("overfull_masks", of.overfull.len() as u64 + of.further_overfull),
        seconds("run_delay_seconds", &of.run_delay),
        seconds("mean_run_delay_seconds", &of.run_delays.as_ref().map(|of| of.mean)),
        seconds("most_run_delay_seconds", &of.run_delays.as_ref().map(|of| of.most)),
    ];
    row.extend(most_of(["most_run_delay_rank", "most_run_delay_host", "most_run_delay_pid"], &of.run_delays));
    row.extend([
        read("mean_migrations", "count", &of.migrations_by_process, |of| of.mean.to_string()),
        read("most_migrations", "count", &of.migrations_by_process, |of| of.most.to_string()),
    ]);
    row.extend(most_of(
        ["most_migrations_rank", "most_migrations_host", "most_migrations_pid"],
        &of.migrations_by_process,
    ));
    row.extend([
        known("further_shared_cpus", of.further_shared),
        bytes("watched_bytes", &of.remote.as_ref().map(|remote| remote.all)),
        bytes("remote_bytes", &of.remote.as_ref().map(|remote| remote.remote)),
        read("remote_processes", "count", &of.remote, |remote| remote.notable.to_string()),
    ]);
    row
}

fn most_of<T>(names: [&'static str; 3], of: &Reading<ProcessSpread<T>>) -> [Value; 3] {
    whose(names, &of.as_ref().map(|of| &of.most_of))
}

/// Which process it is: the columns of its rank, its host and its number.
fn whose([rank, host, pid]: [&'static str; 3], of: &Reading<&ProcessName>) -> [Value; 3] {
    let number = of.clone().and_then(|of| match of.rank {
        Some(rank) => Reading::Measured(rank),
        None => Reading::unavailable("it is no rank of MPI"),
    });
    [
        read(rank, "", &number, u32::to_string),
        read(host, "", of, |of| of.host.clone()),
        read(pid, "", of, |of| of.pid.to_string()),
    ]
}
