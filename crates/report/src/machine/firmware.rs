//! The firmware's figures and measured ones as tables: one for each kind, read and write in one where they are the same.

use std::fmt::Write;

use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, Figure, Machine};
use numawise_units::{CpuSet, NodeId};

const KINDS: [(AttributeKind, &str); 6] = [
    (AttributeKind::Latency, "latency"),
    (AttributeKind::ReadLatency, "read latency"),
    (AttributeKind::WriteLatency, "write latency"),
    (AttributeKind::Bandwidth, "bandwidth"),
    (AttributeKind::ReadBandwidth, "read bandwidth"),
    (AttributeKind::WriteBandwidth, "write bandwidth"),
];

/// A table's names, and its figures.
type Table<'a> = (Vec<&'static str>, Vec<&'a Attribute>);

/// All tables, or nothing when the firmware gives no figures and none were measured.
pub(super) fn tables(machine: &Machine) -> String {
    of_origin(machine, AttributeOrigin::Firmware) + &of_origin(machine, AttributeOrigin::Measured)
}

fn of_origin(machine: &Machine, origin: AttributeOrigin) -> String {
    let whose = match origin {
        AttributeOrigin::Firmware => "firmware's",
        AttributeOrigin::Measured => "measured",
    };
    let mut tables: Vec<Table<'_>> = Vec::new();
    for (kind, name) in KINDS {
        let meant = |a: &&Attribute| (a.origin, a.kind()) == (origin, kind);
        let figures: Vec<&Attribute> = machine.attributes.iter().filter(meant).collect();
        if figures.is_empty() {
            continue;
        }
        match tables.iter_mut().find(|(_, others)| same(&figures, others)) {
            Some((names, _)) => names.push(name),
            None => tables.push((vec![name], figures)),
        }
    }
    let mut text = String::new();
    for (names, figures) in &tables {
        text.push('\n');
        table(&mut text, &format!("{whose} {}", names.join(" and ")), figures, machine);
    }
    text
}

fn same(one: &[&Attribute], other: &[&Attribute]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(a, b)| (&a.initiator, a.target, a.figure) == (&b.initiator, b.target, b.figure))
}

fn table(text: &mut String, names: &str, figures: &[&Attribute], machine: &Machine) {
    let mut rows: Vec<&CpuSet> = Vec::new();
    let mut columns: Vec<NodeId> = Vec::new();
    for figure in figures {
        if !rows.contains(&&figure.initiator) {
            rows.push(&figure.initiator);
        }
        if !columns.contains(&figure.target) {
            columns.push(figure.target);
        }
    }
    columns.sort_unstable();
    // The CPUs of a node are named by it, for their list may be long.
    let label = |row: &CpuSet| match machine.nodes.iter().find(|node| node.cpus == *row) {
        Some(node) => format!("from node {}", node.id),
        None => format!("from CPUs {row}"),
    };
    let width = rows.iter().map(|row| label(row).len()).max().unwrap_or(0);
    let _ = writeln!(text, "{names} to node (- is unknown)");
    let _ = write!(text, "  {:width$}", "");
    for column in &columns {
        let _ = write!(text, "{:>11}", column.0);
    }
    text.push('\n');
    for row in rows {
        let _ = write!(text, "  {:width$}", label(row));
        for column in &columns {
            let figure = figures.iter().find(|f| &f.initiator == row && f.target == *column);
            let _ = write!(text, "{:>11}", figure.map_or("-".to_owned(), |figure| shown(figure)));
        }
        text.push('\n');
    }
}

fn shown(attribute: &Attribute) -> String {
    match attribute.figure {
        Figure::Latency(latency) => format!("{:.0} ns", latency.median.0),
        Figure::Bandwidth(bandwidth) => bandwidth.median.to_string(),
    }
}
