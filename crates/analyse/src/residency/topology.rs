//! What the machine says of CPUs and nodes, as tables that are quick to ask.

use numawise_facts::{Machine, MemoryKind, Reading, Snapshot};
use numawise_tables::NodeColumn;
use numawise_units::{Arrange, CpuId, CpuSet, NodeId, NodeSet, Ratio};

pub struct Topology<'a> {
    machine: &'a Machine,
    online: CpuSet,
    columns: Vec<NodeColumn>,
    /// For each column the nodes to whose CPUs its memory is local.
    local_to: Vec<NodeSet>,
    /// The node of a CPU, by the CPU's number.
    node_of: Vec<Option<NodeId>>,
}

impl<'a> Topology<'a> {
    pub fn new(machine: &'a Machine, now: &Snapshot) -> Self {
        let columns = columns(machine, now);
        let local_to = columns.iter().map(|column| local_to(machine, column.node)).collect();
        let mut node_of = vec![None; machine.cpus.last().map_or(0, |cpu| cpu.id.0 as usize + 1)];
        for cpu in &machine.cpus {
            node_of[cpu.id.0 as usize] = cpu.node;
        }
        Topology { machine, online: machine.online(), columns, local_to, node_of }
    }

    pub fn columns(&self) -> &[NodeColumn] {
        &self.columns
    }

    /// The nodes to whose CPUs the memory of a column is local.
    pub fn local_to(&self, column: usize) -> &NodeSet {
        &self.local_to[column]
    }

    pub fn node_of(&self, cpu: CpuId) -> Option<NodeId> {
        self.node_of.get(cpu.0 as usize).copied().flatten()
    }

    pub fn nodes_of(&self, cpus: &CpuSet) -> NodeSet {
        cpus.iter().filter_map(|cpu| self.node_of(cpu)).collect()
    }

    /// Threads on these CPUs are kept from others that they could use: neither the whole machine nor all that we may use
    /// ourselves.
    pub fn is_pinned(&self, mask: &CpuSet) -> bool {
        !mask.is_empty() && !self.online.is_subset(mask) && *mask != self.machine.allowed_cpus
    }

    /// How much farther `to` is from `from` than its local memory.
    pub fn distance(&self, from: NodeId, to: NodeId) -> Reading<Ratio> {
        let Some(node) = self.machine.node(from) else {
            return Reading::unavailable(format!("the machine has no node {from}"));
        };
        if let Some(reason) = node.distances.reason() {
            return Reading::Unavailable { unavailable: reason.clone() };
        }
        match (self.machine.distance(from, to), self.machine.distance(from, from)) {
            (Some(far), Some(own)) if own > 0 => Reading::Measured(Ratio(f64::from(far) / f64::from(own))),
            _ => {
                Reading::unavailable(format!("the firmware gives no distance from node {from} to node {to}"))
            }
        }
    }
}

/// The nodes of the machine, and those with pages that it does not have.
fn columns(machine: &Machine, now: &Snapshot) -> Vec<NodeColumn> {
    let mut columns: Vec<NodeColumn> = machine
        .nodes
        .iter()
        .map(|node| NodeColumn { node: node.id, kind: node.kind, cpus: !node.cpus.is_empty() })
        .collect();
    columns.arrange_by_key(|column| column.node);
    for memory in now.tasks.iter().filter_map(|task| task.memory.measured()) {
        for (_, node, _) in &memory.by_use {
            if let Err(place) = columns.binary_search_by_key(node, |column| column.node) {
                columns.insert(place, NodeColumn { node: *node, kind: MemoryKind::Unknown, cpus: false });
            }
        }
    }
    columns
}

fn local_to(machine: &Machine, id: NodeId) -> NodeSet {
    match machine.node(id) {
        None => NodeSet::new(),
        Some(node) if !node.cpus.is_empty() => NodeSet::single(id),
        Some(node) => machine
            .nodes
            .iter()
            .filter(|other| other.cpus.intersects(&node.near))
            .map(|other| other.id)
            .collect(),
    }
}
