//! A process's memory as a table by use and node.

use numawise_facts::{MemorySnapshot, PageUse};
use numawise_tables::{MemoryRow, MemoryTable, NodeColumn};
use numawise_units::Bytes;

pub fn table(memory: &MemorySnapshot, columns: &[NodeColumn]) -> MemoryTable {
    let mut rows = empty(columns.len());
    for (used_for, node, bytes) in &memory.by_use {
        let row = rows.iter_mut().find(|row| row.used_for == *used_for).expect("there is a row for each use");
        let column =
            columns.binary_search_by_key(node, |column| column.node).expect("every node has a column");
        row.by_node[column] = row.by_node[column] + *bytes;
        row.total = row.total + *bytes;
    }
    MemoryTable {
        by_node: (0..columns.len()).map(|k| rows.iter().map(|row| row.by_node[k]).sum()).collect(),
        total: rows.iter().map(|row| row.total).sum(),
        rows,
        policies: memory.by_policy.clone(),
        largest: memory.largest.clone(),
        mappings: memory.mappings,
    }
}

/// A row of nothing for each use.
pub fn empty(columns: usize) -> Vec<MemoryRow> {
    let row = |used_for| MemoryRow { used_for, by_node: vec![Bytes(0); columns], total: Bytes(0) };
    PageUse::ALL.into_iter().map(row).collect()
}
