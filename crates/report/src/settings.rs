//! What one needs to do a study again: how it was set, on which machine, in which environment.

use numawise_facts::{Machine, StudyHeader};

use crate::amount::many;
use crate::document::{Block, Cell, Column, Fact, Row, Table, Text};
use crate::frequency;

/// The machine in a line.
pub fn machine(header: &StudyHeader) -> String {
    let (machine, host) = (&header.machine, &header.host);
    let mut text = format!(
        "{}, {}, {}",
        many(machine.packages.len() as u64, "package"),
        many(machine.nodes.len() as u64, "NUMA node"),
        many(machine.cpus.len() as u64, "CPU"),
    );
    if machine.allowed_cpus.len() < machine.cpus.len() {
        text += &format!(" of which {} may be used", machine.allowed_cpus.len());
    }
    for reading in [&host.cpu_model, &host.hostname] {
        if let Some(known) = reading.measured() {
            text += &format!("; {known}");
        }
    }
    if let Some(kernel) = host.kernel.measured() {
        text += &format!("; Linux {kernel}");
    }
    text
}

/// The settings that all studies have and `more` of this one, the nodes of the machine, and the variables that steer threads and memory.
pub fn blocks(header: &StudyHeader, more: Vec<(&'static str, String)>) -> Vec<Block> {
    let host = &header.host;
    let facts = [
        ("numawise", header.tool_version.clone()),
        ("Directory", header.command.directory.display().to_string()),
        ("Seed of the order", header.seed.to_string()),
        ("Allowed CPUs", header.machine.allowed_cpus.to_string()),
        ("Allowed nodes", header.machine.allowed_nodes.to_string()),
        ("NUMA balancing", host.numa_balancing.to_string()),
        ("Transparent huge pages", host.transparent_huge_pages.to_string()),
        ("CPU frequency", frequency::settings(&host.frequency)),
    ];
    let facts = facts.into_iter().chain(more);
    let facts = facts.map(|(name, text)| Fact { name, text: text.into(), code: false });
    let mut blocks = vec![Block::Facts(facts.collect()), Block::Table(nodes(&header.machine))];
    if !host.environment.is_empty() {
        let line = |(name, value): &(String, String)| format!("{name}={value}\n");
        blocks.push(Block::Output(host.environment.iter().map(line).collect()));
    }
    blocks
}

fn nodes(machine: &Machine) -> Table {
    let rows = machine.nodes.iter().map(|node| {
        let distances = Text::of(&node.distances, |list| {
            list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        });
        let cpus = if node.cpus.is_empty() { "none".to_owned() } else { node.cpus.to_string() };
        let cells: [Cell; 5] = [
            node.id.to_string().into(),
            node.kind.to_string().into(),
            Text::of(&node.memory, ToString::to_string).into(),
            cpus.into(),
            distances.into(),
        ];
        cells.into_iter().collect::<Row>()
    });
    Table {
        columns: vec![
            Column::number("node"),
            Column::text("kind"),
            Column::number("memory"),
            Column::text("CPUs"),
            Column::text("distances"),
        ],
        rows: rows.collect(),
        most: None,
    }
}
