//! Who can measure what: nodes with CPUs as rows, nodes with memory as columns, and why some of them cannot take part.

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;

use numawise_facts::{Attribute, AttributeOrigin, Machine, MemoryAccess, Mix, Reading};
use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, NodeId};

use crate::MeasurementRequest;
use crate::error::CellError;
use crate::sizes;

/// A node with CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub node: NodeId,
    /// One CPU of each core that we may use, its first hardware thread; or why there is none.
    pub cpus: Result<Vec<CpuId>, CellError>,
    /// The node whose memory is local to this one's CPUs: itself, or the nearest with memory; none where no memory may be used.
    pub local: Option<NodeId>,
    /// The node with the most distant memory, where that is another one.
    pub farthest: Option<NodeId>,
    /// What its caches hold.
    pub caches: Bytes,
}

/// A node with memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub node: NodeId,
    /// Free memory when the machine was read, or why we may take none of it.
    pub free: Result<Option<Bytes>, CellError>,
}

/// Rows and columns in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub rows: Vec<Row>,
    pub columns: Vec<Column>,
    /// What the caches of the row with the largest hold: a buffer is used from all rows.
    pub caches: Bytes,
}

impl Row {
    pub fn cores(&self) -> &[CpuId] {
        self.cpus.as_deref().unwrap_or_default()
    }
}

impl Layout {
    pub fn of(machine: &Machine, request: &MeasurementRequest) -> Layout {
        let asked = |node: NodeId| request.nodes.is_empty() || request.nodes.contains(node);
        let columns: Vec<Column> = machine
            .nodes
            .iter()
            .filter(|node| asked(node.id) && node.memory.measured() != Some(&Bytes(0)))
            // A node of which nobody knows whether it has memory is one that we may use, or not there.
            .filter(|node| node.memory.measured().is_some() || machine.allowed_nodes.contains(node.id))
            .map(|node| Column {
                node: node.id,
                free: if machine.allowed_nodes.contains(node.id) {
                    Ok(node.free.measured().copied())
                } else {
                    Err(CellError::NodeNotAllowed(node.id))
                },
            })
            .collect();
        let rows: Vec<Row> = machine
            .nodes
            .iter()
            .filter(|node| asked(node.id) && !node.cpus.is_empty())
            .map(|node| row(machine, node.id, &node.cpus, &columns))
            .collect();
        let usable = rows.iter().filter(|row| row.cpus.is_ok());
        let caches = usable.map(|row| row.caches).max().unwrap_or_default();
        Layout { rows, columns, caches }
    }

    pub fn row(&self, node: NodeId) -> Option<&Row> {
        self.rows.iter().find(|row| row.node == node)
    }

    pub fn usable_rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.cpus.is_ok())
    }

    pub fn usable_columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.free.is_ok())
    }

    /// Why this pair cannot be measured, if anything is known beforehand.
    pub fn refusal(&self, row: &Row, column: &Column) -> Option<CellError> {
        row.cpus.as_ref().err().or(column.free.as_ref().err()).cloned()
    }

    /// Pairs that can be measured.
    pub fn pairs(&self) -> usize {
        self.usable_rows().count() * self.usable_columns().count()
    }

    /// The rows whose CPUs have memory on their own node: those that take part in the machine's peak.
    pub fn with_local_memory(&self) -> impl Iterator<Item = &Row> {
        self.usable_rows().filter(|row| row.local == Some(row.node))
    }

    /// The CPUs that are best for touching this node's memory first: its own, else the nearest.
    pub fn fillers(&self, node: NodeId, machine: &Machine) -> &[CpuId] {
        let distance = |row: &&Row| machine.distance(row.node, node).unwrap_or(u32::MAX);
        let nearest = self.usable_rows().min_by_key(|row| (row.node != node, distance(row)));
        nearest.map(Row::cores).unwrap_or_default()
    }
}

fn row(machine: &Machine, node: NodeId, cpus: &CpuSet, columns: &[Column]) -> Row {
    let allowed = cpus.intersection(&machine.allowed_cpus);
    let mut cores: Vec<(u32, u32, CpuId)> = machine
        .cpus
        .iter()
        .filter(|cpu| allowed.contains(cpu.id))
        .map(|cpu| (cpu.core, cpu.smt, cpu.id))
        .collect();
    cores.sort_unstable();
    cores.dedup_by_key(|(core, ..)| *core);
    let mut firsts: Vec<CpuId> = cores.into_iter().map(|(.., id)| id).collect();
    firsts.sort_unstable();
    let usable = columns.iter().filter(|column| column.free.is_ok()).map(|column| column.node);
    let far = |to: NodeId| machine.distance(node, to).unwrap_or(if to == node { 10 } else { 20 });
    let local = usable.clone().min_by_key(|&to| (to != node, far(to), to));
    let farthest = usable.filter(|&to| Some(to) != local).max_by_key(|&to| (far(to), to));
    Row {
        node,
        cpus: if firsts.is_empty() {
            Err(CellError::CpusNotAllowed { node, cpus: cpus.clone() })
        } else {
            Ok(firsts)
        },
        local,
        farthest,
        caches: sizes::caches(machine, &allowed),
    }
}

/// What the firmware declares for this mix between CPUs of one node and memory of another.
pub fn declared(machine: &Machine, from: NodeId, to: NodeId, mix: Mix) -> Reading<BytesPerSecond> {
    let none = || Reading::unavailable("the firmware declares none");
    let Some(node) = machine.node(from) else { return none() };
    let find = |access: MemoryAccess| {
        let of_pair = |attribute: &&Attribute| {
            attribute.access == access
                && attribute.origin == AttributeOrigin::Firmware
                && attribute.target == to
                && attribute.initiator.intersects(&node.cpus)
        };
        let bandwidth = |attribute: &Attribute| {
            let rate = attribute.figure.bandwidth()?.median;
            (rate.0 > 0.0).then_some((attribute.initiator.len(), rate))
        };
        // Several initiators may share CPUs with the node: the narrowest is meant.
        let found = machine.attributes.iter().filter(of_pair).filter_map(bandwidth);
        found.min_by_key(|(cpus, _)| *cpus).map(|(_, rate)| rate)
    };
    let of_the_mix = match mix.lines() {
        (_, 0) => find(MemoryAccess::Read),
        (0, _) => find(MemoryAccess::Write),
        _ => None,
    };
    of_the_mix.or_else(|| find(MemoryAccess::Both)).map_or_else(none, Reading::Measured)
}
