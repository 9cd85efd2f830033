//! Memory by node beside CPU time by node: the picture of first touch.

use std::collections::BTreeSet;

use maud::{Markup, html as page};
use numawise_facts::Reading;
use numawise_tables::PointSummary;
use numawise_units::{Bytes, NodeId, Ratio};
use serde_json::{Value, json as object};

use crate::check::Check;

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
pub fn chart(check: &Check) -> Value {
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

pub fn section(check: &Check) -> Markup {
    let nodes = used(check);
    if nodes.is_empty() {
        return page! {};
    }
    page! {
        section #nodes {
            h2 { "Where memory and CPU time were" }
            p.lead {
                "Each placement has two bars: its memory by node, and its CPU time by node. Where they differ, CPUs work on "
                "memory that is far away."
            }
            figure hidden { div.chart #chart-nodes role="img" aria-label="Memory and CPU time by node; the table below holds the same numbers" {} }
            div.wide {
                table {
                    thead { tr {
                        th scope="col" { "Placement" }
                        th scope="col" { "" }
                        @for node in &nodes { th.number scope="col" { "node " (node) } }
                    } }
                    tbody { @for point in &check.analysis.points {
                        tr {
                            th scope="rowgroup" rowspan="2" { code { (point.id) } }
                            th scope="row" { "memory" }
                            (cells(&nodes, &memory(point), |all, node| {
                                let (_, bytes, share) = all.iter().find(|(n, ..)| *n == node)?;
                                Some(format!("{bytes} ({})", Ratio(*share).percent()))
                            }))
                        }
                        tr {
                            th scope="row" { "CPU time" }
                            (cells(&nodes, &point.cpu_share, |all, node| {
                                Some(all.iter().find(|(n, _)| *n == node)?.1.percent())
                            }))
                        }
                    } }
                }
            }
        }
    }
}

/// A cell for each node, or one that says why there is nothing.
fn cells<T>(nodes: &[NodeId], reading: &Reading<T>, text: impl Fn(&T, NodeId) -> Option<String>) -> Markup {
    match reading {
        Reading::Unavailable { unavailable } => page! {
            td colspan=(nodes.len()) { "unavailable (" (unavailable) ")" }
        },
        // A node that is not in the list held nothing.
        Reading::Measured(all) => page! {
            @for node in nodes { td.number { (text(all, *node).unwrap_or_else(|| "none".to_owned())) } }
        },
    }
}
