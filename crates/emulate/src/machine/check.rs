//! What must hold for a description, beyond its syntax, before QEMU is started with it.

use numawise_units::Arrange;

use super::{HmatRow, MachineDescription, MachineTiming};
use std::fmt;

/// QEMU's limits for x86 machines (MAX_NODES; q35 takes 288 CPUs, the plugin 256) and the SLIT's for a distance.
const MAX_NODES: usize = 64;
const MAX_CPUS: usize = 256;
const LOCAL: u8 = 10;
/// A pebibyte of a node: QEMU takes no guest with more.
const MOST_MEMORY_MIB: u64 = 1 << 30;
/// Below this a Debian kernel does not come up with an initramfs of some 10 MiB.
const LEAST_MEMORY_MIB: u64 = 256;

/// What is wrong with a description.
#[derive(Debug, PartialEq)]
pub(super) struct Flaw {
    place: String,
    found: String,
    expected: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}, expected {}", self.place, self.found, self.expected)
    }
}

fn ensure(
    holds: bool,
    place: impl Into<String>,
    found: impl fmt::Display,
    expected: impl Into<String>,
) -> Result<(), Flaw> {
    if holds {
        return Ok(());
    }
    Err(Flaw { place: place.into(), found: found.to_string(), expected: expected.into() })
}

pub(super) fn check(machine: &MachineDescription) -> Result<(), Flaw> {
    let nodes = machine.node.len();
    ensure((1..=MAX_NODES).contains(&nodes), "node", format!("{nodes} nodes"), format!("1 to {MAX_NODES}"))?;
    check_cpus(machine)?;
    check_memory(machine)?;
    check_distances(machine)?;
    check_hmat(machine)?;
    for word in &machine.kernel_command_line {
        let one_word = !word.is_empty() && !word.contains(char::is_whitespace);
        ensure(one_word, "kernel_command_line", format!("`{word}`"), "words without blanks in them")?;
    }
    machine.timing.as_ref().map_or(Ok(()), |timing| check_timing(machine, timing))
}

fn check_cpus(machine: &MachineDescription) -> Result<(), Flaw> {
    let mut cpus: Vec<u32> = machine.node.iter().flat_map(|node| node.cpus.iter().copied()).collect();
    cpus.arrange();
    let count = cpus.len();
    ensure((1..=MAX_CPUS).contains(&count), "cpus", format!("{count} CPUs"), format!("1 to {MAX_CPUS}"))?;
    for (expected, found) in (0..).zip(cpus) {
        ensure(
            found == expected,
            "cpus of all nodes",
            format!("CPU {found}"),
            format!("each of 0 to {} once; CPU {expected} comes next", count - 1),
        )?;
    }
    // The kernel numbers nodes as it meets them, and it reads the firmware's list of CPUs before that of memory.
    let last_with = machine.node.iter().rposition(|node| !node.cpus.is_empty()).unwrap_or_default();
    for (id, node) in machine.node.iter().take(last_with).enumerate() {
        let expected = "CPUs: the kernel gives the nodes without CPUs the last numbers";
        ensure(!node.cpus.is_empty(), format!("node {id}"), "none", expected)?;
    }
    for (id, node) in machine.node.iter().enumerate() {
        let empty = node.cpus.is_empty() && node.memory_mib == 0;
        ensure(!empty, format!("node {id}"), "neither CPUs nor memory", "at least one of them")?;
    }
    Ok(())
}

fn check_memory(machine: &MachineDescription) -> Result<(), Flaw> {
    let first = machine.node[0].memory_mib;
    ensure(first > 0, "node 0", "no memory", "memory: the kernel is loaded there")?;
    let most = machine.node.iter().map(|node| node.memory_mib).max().unwrap_or(0);
    ensure(
        most <= MOST_MEMORY_MIB,
        "memory_mib",
        format!("{most} MiB"),
        format!("at most {MOST_MEMORY_MIB} MiB"),
    )?;
    let total: u64 = machine.node.iter().map(|node| node.memory_mib).sum();
    let expected = format!("at least {LEAST_MEMORY_MIB} MiB, to boot at all");
    ensure(total >= LEAST_MEMORY_MIB, "memory_mib of all nodes", format!("{total} MiB"), expected)
}

fn check_distances(machine: &MachineDescription) -> Result<(), Flaw> {
    let nodes = machine.node.len();
    let rows = machine.distances.len();
    ensure(rows == nodes, "distances", format!("{rows} rows"), format!("{nodes}, one for each node"))?;
    for (from, row) in machine.distances.iter().enumerate() {
        let place = format!("distances[{from}]");
        ensure(
            row.len() == nodes,
            place,
            format!("{} columns", row.len()),
            format!("{nodes}, one for each node"),
        )?;
        for (to, &distance) in row.iter().enumerate() {
            let (fits, expected) = if from == to {
                (distance == LOCAL, "10, the distance of a node to itself")
            } else {
                (distance > LOCAL && distance < u8::MAX, "11 to 254 between two nodes")
            };
            ensure(fits, format!("distances[{from}][{to}]"), distance, expected)?;
        }
    }
    Ok(())
}

fn check_hmat(machine: &MachineDescription) -> Result<(), Flaw> {
    for (id, node) in machine.node.iter().enumerate() {
        let place = format!("initiator of node {id}");
        let Some(initiator) = node.initiator else {
            let needed = !machine.hmat.is_empty() && node.cpus.is_empty();
            ensure(
                !needed,
                place,
                "none",
                "a node with CPUs: the machine has an HMAT and this node no CPUs",
            )?;
            continue;
        };
        ensure(!machine.hmat.is_empty(), &place, initiator, "none: the machine has no HMAT")?;
        ensure(node.cpus.is_empty(), &place, initiator, "none: the node has CPUs of its own")?;
        let cpus = machine.node.get(initiator as usize).is_some_and(|node| !node.cpus.is_empty());
        ensure(cpus, place, initiator, "the number of a node with CPUs")?;
    }
    let rows: Vec<u32> = machine.hmat.iter().map(|row| row.initiator).collect();
    let with_cpus: Vec<u32> =
        (0..).zip(&machine.node).filter(|(_, node)| !node.cpus.is_empty()).map(|(id, _)| id).collect();
    let complete = rows.is_empty() || rows == with_cpus;
    ensure(
        complete,
        "initiators of [[hmat]]",
        format!("{rows:?}"),
        format!("{with_cpus:?}: all nodes with CPUs"),
    )?;
    machine.hmat.iter().try_for_each(|row| check_hmat_row(machine, row))
}

fn check_hmat_row(machine: &MachineDescription, row: &HmatRow) -> Result<(), Flaw> {
    let nodes = machine.node.len();
    let from = row.initiator;
    for (what, values) in [("latency_ns", &row.latency_ns), ("bandwidth_mib_s", &row.bandwidth_mib_s)] {
        let place = format!("hmat: {what} of initiator {from}");
        let found = format!("{} values", values.len());
        ensure(values.len() == nodes, place, found, format!("{nodes}, one for each node"))?;
        for (to, (&value, node)) in values.iter().zip(&machine.node).enumerate() {
            let place = format!("hmat: {what} of initiator {from} to node {to}");
            match node.memory_mib {
                0 => ensure(value == 0, place, value, "0: the node has no memory")?,
                _ => ensure(value > 0, place, value, "a value above 0")?,
            }
        }
    }
    Ok(())
}

fn positive(place: &str, value: f64) -> Result<(), Flaw> {
    ensure(value.is_finite() && value > 0.0, place, value, "a number above 0")
}

fn check_timing(machine: &MachineDescription, timing: &MachineTiming) -> Result<(), Flaw> {
    positive("timing: scale", timing.scale)?;
    positive("timing: core_gbps", timing.core_gbps)?;
    let ways = timing.cache_ways;
    ensure((1..=64).contains(&ways), "timing: cache_ways", ways, "1 to 64")?;
    let whole = timing.cache_kib > 0 && (timing.cache_kib * 1024).is_multiple_of(64 * ways);
    ensure(
        whole,
        "timing: cache_kib",
        timing.cache_kib,
        format!("a multiple of {ways} ways of 64-byte lines"),
    )?;
    let (nodes, found) = (machine.node.len(), timing.node.len());
    ensure(found == nodes, "timing.node", format!("{found} entries"), format!("{nodes}, one for each node"))?;
    for (id, (entry, node)) in timing.node.iter().zip(&machine.node).enumerate() {
        positive(&format!("timing.node {id}: gbps"), entry.gbps)?;
        let columns = if node.cpus.is_empty() { 0 } else { nodes };
        for (what, values) in [("latency_ns", &entry.latency_ns), ("link_gbps", &entry.link_gbps)] {
            let expected = match columns {
                0 => "none: the node has no CPUs".to_owned(),
                _ => format!("{columns}, one for each node"),
            };
            let place = format!("timing.node {id}: {what}");
            ensure(values.len() == columns, place, format!("{} values", values.len()), expected)?;
        }
        for (to, (&latency, &link)) in entry.latency_ns.iter().zip(&entry.link_gbps).enumerate() {
            if machine.node[to].memory_mib > 0 {
                positive(&format!("timing.node {id}: latency_ns to node {to}"), latency)?;
            }
            let place = format!("timing.node {id}: link_gbps to node {to}");
            ensure(link.is_finite() && link >= 0.0, place, link, "a number, 0 where no link is in the way")?;
        }
    }
    Ok(())
}
