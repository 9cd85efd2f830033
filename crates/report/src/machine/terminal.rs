//! A machine on one screen.

use std::collections::BTreeMap;
use std::fmt::Write;

use numawise_facts::{Cache, Cpu, Machine, MemoryKind, Node, Reading, Source};
use numawise_units::{Bytes, CpuSet, NodeSet};

use super::{evidence, firmware};
use crate::notice;

/// Paragraphs are broken at this column.
const WIDTH: usize = 96;

/// A machine for people: shape, nodes, distances, caches, the firmware's figures, and what limits us.
pub fn terminal(machine: &Machine) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", title(&machine.source), shape(machine));
    if let Some(kinds) = kinds_of_cores(&machine.cpus) {
        let _ = writeln!(text, "kinds of cores, the most efficient first: {kinds}");
    }
    text.push('\n');
    nodes(&mut text, machine);
    evidence(&mut text, machine);
    distances(&mut text, machine);
    caches(&mut text, machine);
    text.push_str(&firmware::tables(machine));
    limits(&mut text, machine);
    text
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
    numbers.sort_unstable();
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

fn nodes(text: &mut String, machine: &Machine) {
    // What we may use is shown only where it is less than what there is.
    let limited = machine.allowed_cpus != machine.online();
    let live = machine.source == Source::Live;
    let mut rows = vec![row_of_titles(live, limited)];
    rows.extend(machine.nodes.iter().map(|node| row(node, machine, live, limited)));
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            // Numbers and sizes to the right, words and lists to the left.
            let _ = match column {
                1 => write!(line, "  {cell:<w$}", w = widths[column]),
                _ if column + 1 == columns || (limited && column + 2 == columns) => {
                    write!(line, "  {cell:<w$}", w = widths[column])
                }
                _ => write!(line, "  {cell:>w$}", w = widths[column]),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn row_of_titles(live: bool, limited: bool) -> Vec<String> {
    let mut titles = vec!["node", "kind", "memory"];
    if live {
        titles.push("free");
    }
    titles.push("CPUs");
    if limited {
        titles.push("of which we may use");
    }
    titles.into_iter().map(str::to_owned).collect()
}

fn row(node: &Node, machine: &Machine, live: bool, limited: bool) -> Vec<String> {
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
    cells
}

/// Where a kind is not the ordinary one: from what it is derived.
fn evidence(text: &mut String, machine: &Machine) {
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
    for (kind, evidence, nodes) in groups {
        let (noun, verb) = match nodes.len() {
            1 => ("node", "is"),
            _ => ("nodes", "are"),
        };
        let kind = match kind {
            MemoryKind::Unknown => "of unknown kind".to_owned(),
            known => known.to_string(),
        };
        let line = format!("{noun} {nodes} {verb} {kind}: {evidence}");
        let _ = writeln!(text, "{}", wrapped("  ", "    ", &line));
    }
}

fn distances(text: &mut String, machine: &Machine) {
    if machine.nodes.len() < 2 {
        return;
    }
    text.push('\n');
    let rows: Option<Vec<&Vec<u32>>> = machine.nodes.iter().map(|node| node.distances.measured()).collect();
    let Some(rows) = rows else {
        let reason = machine.nodes.iter().find_map(|node| node.distances.reason());
        let _ = writeln!(text, "distances: unavailable ({})", reason.map_or("", |reason| &reason.0));
        return;
    };
    let numbers = rows.iter().copied().flatten().copied();
    let ids = machine.nodes.iter().map(|node| node.id.0);
    let width = numbers.chain(ids).max().unwrap_or(0).to_string().len().max(2) + 2;
    let first = "distances".len();
    let _ = write!(text, "{:<first$}", "distances");
    for node in &machine.nodes {
        let _ = write!(text, "{:>width$}", node.id.0);
    }
    text.push('\n');
    for (node, row) in machine.nodes.iter().zip(rows) {
        let _ = write!(text, "{:>first$}", node.id.0);
        for distance in row {
            let _ = write!(text, "{distance:>width$}");
        }
        text.push('\n');
    }
}

/// Caches of one level and size that are shared by as many CPUs are counted.
fn caches(text: &mut String, machine: &Machine) {
    if machine.caches.is_empty() {
        return;
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
    let _ = writeln!(text, "\n{}", wrapped("caches: ", "  ", &lines.join(", ")));
}

fn limits(text: &mut String, machine: &Machine) {
    if matches!(machine.source, Source::Synthetic(_)) {
        return;
    }
    text.push('\n');
    let live = machine.source == Source::Live;
    if machine.limits.is_empty() {
        text.push_str(if live {
            "Nothing limits you here: all CPUs and the memory of all nodes may be used.\n"
        } else {
            "Nothing was kept from whoever recorded this machine.\n"
        });
        return;
    }
    text.push_str(if live {
        "What limits you here:\n"
    } else {
        "What was kept from whoever recorded this machine:\n"
    });
    for limit in &machine.limits {
        let line = format!(
            "{}. Reported by {}. Who can lift it: {}.",
            capital(&notice::machine::text(limit)),
            notice::machine::source(limit),
            notice::machine::lift(limit)
        );
        let _ = writeln!(text, "{}", wrapped("- ", "  ", &line));
    }
    if live && !machine.limits.iter().any(|limit| limit.takes_cpus() || limit.takes_nodes()) {
        text.push_str("Apart from that, all CPUs and the memory of all nodes may be used.\n");
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A paragraph with `first` before its first line and `then` before the others.
fn wrapped(first: &str, then: &str, text: &str) -> String {
    let mut lines = vec![first.to_owned()];
    let mut empty = true;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{then}{word}"));
            continue;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    lines.join("\n")
}
