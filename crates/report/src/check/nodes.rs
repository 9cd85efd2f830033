//! Memory by node and CPU time by node: the picture of first touch.

use std::collections::BTreeSet;

use numawise_facts::Reading;
use numawise_tables::PointSummary;
use numawise_units::{Bytes, NodeId, Ratio};
use serde_json::{Value, json as object};

use super::Check;
use crate::document::{Block, Column, Face, Row, Table, Text, chart};

/// The nodes that any placement used, in ascending order.
fn used(check: &Check) -> Vec<NodeId> {
    let mut nodes = BTreeSet::new();
    for point in &check.analysis.points {
        nodes.extend(point.pages.measured().into_iter().flatten().map(|(node, _)| *node));
        nodes.extend(point.cpu_share.measured().into_iter().flatten().map(|(node, _)| *node));
    }
    nodes.into_iter().collect()
}

/// Each node's part of the memory; `None` when there is no memory.
fn memory(point: &PointSummary) -> Reading<Vec<(NodeId, Bytes, f64)>> {
    point.pages.as_ref().map(|pages| {
        let total: Bytes = pages.iter().map(|(_, bytes)| *bytes).sum();
        pages.iter().map(|(node, bytes)| (*node, *bytes, bytes.0 as f64 / total.0.max(1) as f64)).collect()
    })
}

/// Bars of shares, for the chart.
pub fn bars(check: &Check) -> Value {
    let nodes = used(check);
    let share_of = |list: &[(NodeId, f64)], node: NodeId| {
        list.iter().filter(|(n, _)| *n == node).map(|(_, share)| share).sum::<f64>()
    };
    let rows = check.analysis.points.iter().map(|point| {
        let shares =
            |list: Vec<(NodeId, f64)>| nodes.iter().map(|node| share_of(&list, *node)).collect::<Vec<f64>>();
        let memory = memory(point).measured().map(|m| shares(m.iter().map(|(n, _, s)| (*n, *s)).collect()));
        let cpu = point.cpu_share.measured().map(|c| shares(c.iter().map(|(n, r)| (*n, r.0)).collect()));
        object!({"point": point.id.0, "memory": memory, "cpu": cpu})
    });
    object!({"nodes": nodes, "rows": rows.collect::<Vec<_>>()})
}

/// Nothing where no placement's memory or CPU time is known, and on a machine with one node, where all of it is there.
pub fn section(check: &Check) -> Option<Block> {
    let nodes = used(check);
    if nodes.is_empty() || check.study.header.machine.nodes.len() < 2 {
        return None;
    }
    let mut columns = vec![Column::code("placement"), Column::text("")];
    columns.extend(nodes.iter().map(|node| Column::number(format!("node {node}"))));
    let rows = check.analysis.points.iter().flat_map(|point| {
        let memory = cells(&nodes, &memory(point), |all, node| {
            let (_, bytes, share) = all.iter().find(|(n, ..)| *n == node)?;
            Some(format!("{bytes} ({})", Ratio(*share).percent()))
        });
        let cpu = cells(&nodes, &point.cpu_share, |all, node| {
            Some(all.iter().find(|(n, _)| *n == node)?.1.percent())
        });
        [row(point.id.to_string(), "memory", memory), row(String::new(), "CPU time", cpu)]
    });
    let blocks = vec![
        Block::Legend(
            "Each placement has two bars: its memory by node, and its CPU time by node. Where they differ, CPUs work on memory \
             that is far away."
                .into(),
        ),
        chart("chart-nodes", "Memory and CPU time by node"),
        Block::Table(Table { columns, rows: rows.collect(), most: None }),
    ];
    let section = crate::document::section("nodes", "Where memory and CPU time were", blocks);
    Some(Block::Only(Face::Html, Box::new(section)))
}

fn row(placement: String, what: &str, figures: Vec<Text>) -> Row {
    [placement.into(), what.into()].into_iter().chain(figures).collect()
}

/// A text for each node, or marks of why there is none.
fn cells<T>(
    nodes: &[NodeId],
    reading: &Reading<T>,
    text: impl Fn(&T, NodeId) -> Option<String>,
) -> Vec<Text> {
    // A node that is not in the list held nothing.
    let cell = |node: &NodeId| Text::of(reading, |all| text(all, *node).unwrap_or_else(|| "none".to_owned()));
    nodes.iter().map(cell).collect()
}
