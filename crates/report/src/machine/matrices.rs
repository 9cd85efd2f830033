//! The firmware's figures and measured ones as matrices: one for each kind, read and write in one where they are the same.

use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, Figure, Machine};
use numawise_units::{Arrange, CpuSet, NodeId};

use crate::document::{Block, Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure, Section};

const KINDS: [(AttributeKind, &str); 6] = [
    (AttributeKind::Latency, "latency"),
    (AttributeKind::ReadLatency, "read latency"),
    (AttributeKind::WriteLatency, "write latency"),
    (AttributeKind::Bandwidth, "bandwidth"),
    (AttributeKind::ReadBandwidth, "read bandwidth"),
    (AttributeKind::WriteBandwidth, "write bandwidth"),
];

/// The names of a matrix, and its figures.
type NamedFigures<'a> = (Vec<&'static str>, Vec<&'a Attribute>);

/// All of them, or nothing when the firmware gives no figures and none were measured.
pub(super) fn sections(machine: &Machine) -> Vec<Block> {
    let of = |origin| of_origin(machine, origin);
    [AttributeOrigin::Firmware, AttributeOrigin::Measured].into_iter().flat_map(of).collect()
}

fn of_origin(machine: &Machine, origin: AttributeOrigin) -> Vec<Block> {
    let whose = match origin {
        AttributeOrigin::Firmware => "firmware's",
        AttributeOrigin::Measured => "measured",
    };
    let mut tables: Vec<NamedFigures<'_>> = Vec::new();
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
    let section = |(names, figures): NamedFigures<'_>| {
        let title = format!("{whose} {} to node (- is unknown)", names.join(" and "));
        Block::Section(Section { id: None, title, blocks: vec![table(&figures, machine)] })
    };
    tables.into_iter().map(section).collect()
}

fn same(one: &[&Attribute], other: &[&Attribute]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(a, b)| (&a.initiator, a.target, a.figure) == (&b.initiator, b.target, b.figure))
}

fn table(figures: &[&Attribute], machine: &Machine) -> Block {
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
    columns.arrange();
    // The CPUs of a node are named by it, for their list may be long.
    let label = |row: &CpuSet| match machine.nodes.iter().find(|node| node.cpus == *row) {
        Some(node) => format!("from node {}", node.id),
        None => format!("from CPUs {row}"),
    };
    let cell = |row: &CpuSet, column: NodeId| {
        let known = figures.iter().find(|f| &f.initiator == row && f.target == column);
        known.map_or(MatrixCell::Absent, |attribute| {
            let number = shown(attribute);
            let hover = format!("{number} {} to node {column}", label(row));
            figure(number, hover)
        })
    };
    let rows = rows.into_iter().map(|row| {
        let cells = columns.iter().map(|column| cell(row, *column));
        (label(row), cells.collect())
    });
    Block::Matrices(vec![matrix("", &columns, rows.collect())])
}

fn shown(attribute: &Attribute) -> String {
    match attribute.figure {
        Figure::Latency(latency) => format!("{:.0} ns", latency.median.0),
        Figure::Bandwidth(bandwidth) => bandwidth.median.to_string(),
    }
}

/// Figures that need no colours, with a column for each node.
pub(super) fn matrix(corner: &str, nodes: &[NodeId], rows: Vec<(String, Vec<MatrixCell>)>) -> Matrix {
    let column = |node: &NodeId| MatrixColumn {
        name: node.to_string(),
        short: node.to_string(),
        long: format!("node {node}"),
        note: None,
    };
    Matrix {
        title: String::new(),
        corner: corner.to_owned(),
        columns: nodes.iter().map(column).collect(),
        rows,
        intervals: false,
        about: None,
        without_intervals: None,
        colours: MatrixColours::None,
    }
}

pub(super) fn figure(number: String, hover: String) -> MatrixCell {
    let short = number.clone();
    MatrixCell::Figure(MatrixFigure { number, half: None, short, small: None, hover, depth: 0.0 })
}
