//! A machine as people read it, on one screen.

use std::collections::BTreeMap;

use numawise_facts::{Cache, Cpu, Machine, MemoryKind, Node, Profile, Reading, Source};
use numawise_tables::{MachinePicture, ProfileTables};
use numawise_units::{Arrange, Bytes, CpuSet, NodeId, NodeSet};

use super::matrices::{self, figure, matrix};
use super::{devices, evidence};
use crate::document::{Block, Column, Document, Face, Opening, Row, Table, section};
use crate::{notice, picture, profile};

/// The machine as a document: shape, nodes, distances, caches, the firmware's figures, what limits us, and in a few lines
/// what was measured.
pub fn document(machine: &Machine, measured: Option<(&Profile, &ProfileTables)>) -> Document {
    of_blocks(machine, blocks(machine, measured))
}

/// The same as a page, with the machine drawn.
pub fn page(
    machine: &Machine,
    drawn: &MachinePicture,
    measured: Option<(&Profile, &ProfileTables)>,
) -> Document {
    let drawn = section("machine", "The machine", vec![picture::drawing(drawn)]);
    let mut all = vec![Block::Only(Face::Html, Box::new(drawn))];
    all.extend(blocks(machine, measured));
    of_blocks(machine, all)
}

fn blocks(machine: &Machine, measured: Option<(&Profile, &ProfileTables)>) -> Vec<Block> {
    let mut blocks = vec![nodes(machine)];
    blocks.extend(distances(machine));
    blocks.extend(caches(machine));
    blocks.extend(matrices::sections(machine));
    blocks.extend(devices::section(machine));
    blocks.extend(limits(machine));
    blocks.extend(measured.map(|(profile, tables)| profile::brief(profile, tables)));
    blocks
}

fn of_blocks(machine: &Machine, blocks: Vec<Block>) -> Document {
    let title = title(&machine.source);
    Document {
        tool: "numawise machine",
        title: format!("Machine: {title}"),
        opening: Opening {
            headline: format!("{title}: {}", shape(machine)),
            sentence: kinds_of_cores(&machine.cpus)
                .map(|kinds| format!("kinds of cores, the most efficient first: {kinds}")),
            ..Opening::default()
        },
        blocks,
        charts: None,
        width: 96,
    }
}

fn title(source: &Source) -> String {
    match source {
        Source::Live => "this machine".to_owned(),
        Source::Xml(path) => path.clone(),
        Source::Synthetic(words) => format!("'{words}'"),
    }
}

/// `1 package`, `2 packages`.
fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}

fn shape(machine: &Machine) -> String {
    let cores = machine.cpus.iter().filter(|cpu| cpu.smt == 0).count();
    let mut parts = Vec::new();
    if !machine.packages.is_empty() {
        parts.push(count(machine.packages.len(), "package"));
    }
    parts.push(count(cores, "core"));
    let threads: Vec<usize> = threads_per_core(&machine.cpus);
    let smt = match threads.as_slice() {
        [1] => String::new(),
        [n] => format!(" ({n} hardware threads a core)"),
        _ => " (unlike numbers of hardware threads a core)".to_owned(),
    };
    parts.push(format!("{}{smt}", count(machine.cpus.len(), "CPU")));
    parts.push(count(machine.nodes.len(), "node"));
    let known: Vec<Bytes> = machine.nodes.iter().filter_map(|node| node.memory.measured().copied()).collect();
    if known.is_empty() {
        parts.push("memory unknown".to_owned())
    } else {
        parts.push(format!("{} of memory", known.into_iter().sum::<Bytes>()))
    }
    parts.join(", ")
}

/// The different numbers of hardware threads of a core.
fn threads_per_core(cpus: &[Cpu]) -> Vec<usize> {
    let mut of_core: BTreeMap<u32, usize> = BTreeMap::new();
    for cpu in cpus {
        *of_core.entry(cpu.core).or_default() += 1;
    }
    let mut numbers: Vec<usize> = of_core.into_values().collect();
    numbers.arrange();
    numbers.dedup();
    numbers
}

fn kinds_of_cores(cpus: &[Cpu]) -> Option<String> {
    let mut kinds: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in cpus {
        kinds.entry(*cpu.efficiency.measured()?).or_default().insert(cpu.id);
    }
    let lists: Vec<String> = kinds.values().map(|cpus| format!("CPUs {cpus}")).collect();
    (lists.len() > 1).then(|| lists.join("; "))
}

/// The nodes, and from what a kind is derived that is not the ordinary one.
fn nodes(machine: &Machine) -> Block {
    // What we may use is shown only where it is less than what there is.
    let limited = machine.allowed_cpus != machine.online();
    let live = machine.source == Source::Live;
    let mut columns = vec![Column::number("node"), Column::text("kind"), Column::number("memory")];
    if live {
        columns.push(Column::number("free"));
    }
    columns.push(Column::text("CPUs"));
    if limited {
        columns.push(Column::text("allowed"));
    }
    let rows = machine.nodes.iter().map(|node| row(node, machine, live, limited)).collect();
    let mut blocks = vec![Block::Table(Table { columns, rows, most: None })];
    blocks.extend(evidence(machine));
    section("nodes", "", blocks)
}

fn row(node: &Node, machine: &Machine, live: bool, limited: bool) -> Row {
    let size = |reading: &Reading<Bytes>| reading.measured().map_or("unknown".to_owned(), Bytes::to_string);
    let list = |cpus: &CpuSet| if cpus.is_empty() { "none".to_owned() } else { cpus.to_string() };
    let mut cells = vec![node.id.to_string(), node.kind.to_string(), size(&node.memory)];
    if live {
        cells.push(size(&node.free));
    }
    cells.push(if node.cpus.is_empty() && !node.near.is_empty() {
        format!("none; near {}", node.near)
    } else {
        list(&node.cpus)
    });
    if limited {
        cells.push(list(&node.cpus.intersection(&machine.allowed_cpus)));
    }
    cells.into_iter().collect()
}

/// Where a kind is not the ordinary one: from what it is derived.
fn evidence(machine: &Machine) -> Vec<Block> {
    let mut groups: Vec<(MemoryKind, String, NodeSet)> = Vec::new();
    for node in machine.nodes.iter().filter(|node| node.kind != MemoryKind::Dram) {
        let evidence = evidence::text(&node.kind_evidence);
        match groups.iter_mut().find(|(kind, known, _)| *kind == node.kind && *known == evidence) {
            Some((_, _, nodes)) => {
                nodes.insert(node.id);
            }
            None => groups.push((node.kind, evidence, NodeSet::single(node.id))),
        }
    }
    let clause = |(kind, evidence, nodes): (MemoryKind, String, NodeSet)| {
        let (noun, verb) = match nodes.len() {
            1 => ("node", "is"),
            _ => ("nodes", "are"),
        };
        let kind = match kind {
            MemoryKind::Unknown => "of unknown kind".to_owned(),
            known => known.to_string(),
        };
        Block::Paragraph(format!("{noun} {nodes} {verb} {kind}: {evidence}").into())
    };
    groups.into_iter().map(clause).collect()
}

fn distances(machine: &Machine) -> Option<Block> {
    if machine.nodes.len() < 2 {
        return None;
    }
    let rows: Option<Vec<&Vec<u32>>> = machine.nodes.iter().map(|node| node.distances.measured()).collect();
    let Some(rows) = rows else {
        let reason = machine.nodes.iter().find_map(|node| node.distances.reason());
        let reason = reason.map_or("", |reason| &reason.0);
        let text = format!("distances: unavailable ({reason})");
        return Some(section("distances", "", vec![Block::Paragraph(text.into())]));
    };
    let ids: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
    let cell = |from: NodeId, to: NodeId, distance: u32| {
        figure(distance.to_string(), format!("{distance} from node {from} to node {to}"))
    };
    let rows = ids.iter().zip(rows).map(|(from, row)| {
        let cells = ids.iter().zip(row).map(|(to, distance)| cell(*from, *to, *distance));
        (from.to_string(), cells.collect())
    });
    let matrix = matrix("distances", &ids, rows.collect());
    Some(section("distances", "", vec![Block::Matrices(vec![matrix])]))
}

/// Caches of one level and size that are shared by as many CPUs are counted.
fn caches(machine: &Machine) -> Option<Block> {
    if machine.caches.is_empty() {
        return None;
    }
    let mut groups: BTreeMap<(u32, Bytes, usize), usize> = BTreeMap::new();
    for Cache { level, size, cpus } in &machine.caches {
        *groups.entry((*level, *size, cpus.len())).or_default() += 1;
    }
    let lines: Vec<String> = groups
        .into_iter()
        .map(|((level, size, cpus), number)| {
            let size = match size {
                Bytes(0) => "size unknown".to_owned(),
                size => size.to_string(),
            };
            format!("{number} x L{level} {size} for {} each", count(cpus, "CPU"))
        })
        .collect();
    let text = format!("caches: {}", lines.join(", "));
    Some(section("caches", "", vec![Block::Paragraph(text.into())]))
}

fn limits(machine: &Machine) -> Option<Block> {
    if matches!(machine.source, Source::Synthetic(_)) {
        return None;
    }
    let live = machine.source == Source::Live;
    if machine.limits.is_empty() {
        let text = if live {
            "Nothing limits you here: all CPUs and the memory of all nodes may be used."
        } else {
            "Nothing was kept from whoever recorded this machine."
        };
        return Some(section("limits", "", vec![Block::Paragraph(text.into())]));
    }
    let title =
        if live { "What limits you here:" } else { "What was kept from whoever recorded this machine:" };
    let entry = |limit| {
        let text = format!(
            "{}. Reported by {}. Who can lift it: {}.",
            crate::document::capital(&notice::machine::text(limit)),
            notice::machine::source(limit),
            notice::machine::lift(limit)
        );
        text.into()
    };
    let mut blocks = vec![Block::List(machine.limits.iter().map(entry).collect())];
    if live && !machine.limits.iter().any(|limit| limit.takes_cpus() || limit.takes_nodes()) {
        let rest = "Apart from that, all CPUs and the memory of all nodes may be used.";
        blocks.push(Block::Paragraph(rest.into()));
    }
    Some(section("limits", title, blocks))
}
