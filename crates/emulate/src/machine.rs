//! EmulatedMachine descriptions: what `machines/*.toml` may say, and the checks that make a [`EmulatedMachine`] trustworthy.
//!
//! Knows the format and what QEMU and the kernel accept. Does not know how QEMU is started (`qemu`) or where a node's
//! memory lies in the guest (`layout`).

mod check;
#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

use crate::Error;
use numawise_units::harmless::quoted;
use serde::Deserialize;
use std::path::Path;

/// A machine that QEMU can emulate: loaded from a file and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct EmulatedMachine {
    name: String,
    description: MachineDescription,
}

/// The file as written. Nodes are numbered in the order in which they stand.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineDescription {
    /// One line on what the machine is.
    pub summary: String,
    /// The SLIT: `distances[from][to]`, 10 for a node itself.
    pub distances: Vec<Vec<u8>>,
    /// The nodes.
    pub node: Vec<EmulatedNode>,
    /// Latency and bandwidth as firmware reports them to the kernel; empty: the machine has no HMAT.
    #[serde(default)]
    pub hmat: Vec<HmatRow>,
    /// How long accesses take when a guest is run with timing.
    pub timing: Option<MachineTiming>,
    /// Words added to the kernel's command line.
    #[serde(default)]
    pub kernel_command_line: Vec<String>,
}

/// A NUMA node of a description.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmulatedNode {
    /// Its CPUs; together the nodes have 0, 1, 2, ... once each.
    #[serde(default)]
    pub cpus: Vec<u32>,
    /// Its memory; 0: none.
    pub memory_mib: u64,
    /// For a node without CPUs on a machine with HMAT: the node whose CPUs are nearest.
    pub initiator: Option<u32>,
}

/// A row of the HMAT: what the CPUs of one node see of each node's memory, in the order of the nodes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HmatRow {
    /// The node with CPUs.
    pub initiator: u32,
    /// Nanoseconds; 0 for a node without memory.
    pub latency_ns: Vec<u32>,
    /// MiB/s, as sysfs shows them; 0 for a node without memory.
    pub bandwidth_mib_s: Vec<u32>,
}

/// The timing model's figures, as on the real machine: the scale is applied by the plugin.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineTiming {
    /// How many times slower than the real machine the guest is, if the caller does not say.
    pub scale: f64,
    /// What one core can draw, GB/s (10^9 bytes).
    pub core_gbps: f64,
    /// The cache of each CPU.
    pub cache_kib: u32,
    /// Its associativity.
    pub cache_ways: u32,
    /// One entry for each node, in order.
    pub node: Vec<NodeTiming>,
}

/// The timing of a node's memory, and of what its CPUs see of the others'.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeTiming {
    /// Bandwidth of the node's memory, GB/s.
    pub gbps: f64,
    /// For a node with CPUs: the latency to each node's memory.
    #[serde(default)]
    pub latency_ns: Vec<f64>,
    /// For a node with CPUs: bandwidth of the link to each node, GB/s; 0: no link in the way.
    #[serde(default)]
    pub link_gbps: Vec<f64>,
}

/// What the parser says, with the beginnings of the lines that it shows.
fn in_few_lines(text: &str) -> String {
    text.lines().take(6).map(quoted).collect::<Vec<_>>().join("\n")
}

impl EmulatedMachine {
    /// Loads a machine file (*.toml); its name is that of the file.
    ///
    /// # Errors
    /// When it cannot be read, or is not a description QEMU could emulate.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self::parse(&name, &text)
    }

    /// Reads a description from text.
    ///
    /// # Errors
    /// As [`EmulatedMachine::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let description: MachineDescription = toml::from_str(text).map_err(|source| Error::NotAMachine {
            name: name.to_owned(),
            reason: in_few_lines(&source.to_string()),
        })?;
        Self::checked(name, description)
    }

    /// Takes a description that QEMU can emulate.
    ///
    /// # Errors
    /// When it is not one.
    pub fn checked(name: &str, description: MachineDescription) -> Result<Self, Error> {
        check::check(&description).map_err(|flaw| Error::NotAMachine {
            name: name.to_owned(),
            reason: quoted(&flaw.to_string()),
        })?;
        Ok(Self { name: name.to_owned(), description })
    }

    /// The name of its file, or of the machine it was derived from.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the file says.
    #[must_use]
    pub fn description(&self) -> &MachineDescription {
        &self.description
    }

    /// The nodes with their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &EmulatedNode)> {
        (0..).zip(&self.description.node)
    }

    /// How many CPUs it has.
    #[must_use]
    pub fn cpu_count(&self) -> u32 {
        self.nodes().map(|(_, node)| node.cpus.len() as u32).sum()
    }

    /// The node of a CPU.
    #[must_use]
    pub fn node_of_cpu(&self, cpu: u32) -> Option<u32> {
        self.nodes().find(|(_, node)| node.cpus.contains(&cpu)).map(|(id, _)| id)
    }

    /// All memory, MiB.
    #[must_use]
    pub fn memory_mib(&self) -> u64 {
        self.nodes().map(|(_, node)| node.memory_mib).sum()
    }
}
