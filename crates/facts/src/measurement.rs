//! What a memory benchmark measures: how thoroughly, by which threads, which memory, and on which machine.

use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;
use numawise_units::{CpuId, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::Reading;

/// What tells one machine, in one state, from another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Sixteen hexadecimal digits over nodes (not the sizes of their memory, which change while a virtual machine runs), CPUs,
    /// cores, caches and the processor's name: a profile belongs to machines with the same topology.
    pub topology: Reading<String>,
    /// The processor, as it calls itself.
    pub processor: Reading<String>,
    /// `uname -r`.
    pub kernel: Reading<String>,
    /// Vendor, version and date of the firmware.
    pub firmware: Reading<String>,
}

/// How much was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Idle latency and read bandwidth of every pair, and the machine's peak.
    Quick,
    /// Also every mix, working sets, and the curve under load on local memory.
    #[default]
    Standard,
    /// Everything: every mix by core, node and machine, curves under load for every pair and mix, transfers between all cores.
    Full,
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Depth::Quick => "quick",
            Depth::Standard => "standard",
            Depth::Full => "full",
        })
    }
}

/// What the threads do to memory. Bytes are those that the program loads and stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Mix {
    /// Loads only.
    #[serde(rename = "read")]
    Read,
    /// Three lines read for one written back: two streams only read, one read and written.
    #[serde(rename = "3:1")]
    Read3Write1,
    /// Two lines read for one written back: one stream only read, one read and written.
    #[serde(rename = "2:1")]
    Read2Write1,
    /// Every line read and written back.
    #[serde(rename = "1:1")]
    Read1Write1,
    /// a = b + s c, the sum stored past the caches where the CPU can (STREAM's triad without its hidden read).
    #[serde(rename = "triad")]
    Triad,
    /// Stores past the caches only.
    #[serde(rename = "nt-write")]
    NonTemporalWrite,
}

impl Mix {
    pub const ALL: [Mix; 6] =
        [Mix::Read, Mix::Read3Write1, Mix::Read2Write1, Mix::Read1Write1, Mix::Triad, Mix::NonTemporalWrite];

    /// Lines read and lines written in one step of the kernel.
    pub fn lines(self) -> (u64, u64) {
        match self {
            Mix::Read => (1, 0),
            Mix::Read3Write1 => (3, 1),
            Mix::Read2Write1 => (2, 1),
            Mix::Read1Write1 => (1, 1),
            Mix::Triad => (2, 1),
            Mix::NonTemporalWrite => (0, 1),
        }
    }

    /// The name in options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Mix::Read => "read",
            Mix::Read3Write1 => "3:1",
            Mix::Read2Write1 => "2:1",
            Mix::Read1Write1 => "1:1",
            Mix::Triad => "triad",
            Mix::NonTemporalWrite => "nt-write",
        }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no mix of reads and writes; expected one of: read, 3:1, 2:1, 1:1, triad, nt-write")]
pub struct ParseMixError(pub String);

impl FromStr for Mix {
    type Err = ParseMixError;

    fn from_str(text: &str) -> Result<Self, ParseMixError> {
        let named = Mix::ALL.into_iter().find(|mix| mix.name() == text);
        named.ok_or_else(|| ParseMixError(quoted(text)))
    }
}

/// Whose threads load the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workers {
    /// One core of the node.
    Core(NodeId),
    /// Every core of the node, a thread on each.
    Node(NodeId),
    /// Every core of the machine.
    Machine,
}

/// As people read it: `all cores of node 0`.
impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Workers::Core(node) => f.pad(&format!("one core of node {node}")),
            Workers::Node(node) => f.pad(&format!("all cores of node {node}")),
            Workers::Machine => f.pad("all cores of the machine"),
        }
    }
}

/// Which memory is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Node(NodeId),
    /// Each thread uses the memory of the node that it runs on.
    Local,
}

/// As people read it: `memory of node 0`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Node(node) => f.pad(&format!("memory of node {node}")),
            Target::Local => f.pad("local memory"),
        }
    }
}

/// One step of the memory benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasurementStep {
    /// Gets memory of these nodes, and gives back that of others.
    GetMemory {
        nodes: NodeSet,
    },
    /// Gets memory of this node in base pages.
    GetBasePages {
        node: NodeId,
    },
    Bandwidth {
        workers: Workers,
        target: Target,
        mix: Mix,
    },
    LoadedLatency {
        from: NodeId,
        to: NodeId,
        mix: Mix,
    },
    IdleLatency {
        from: NodeId,
        to: NodeId,
    },
    WorkingSets {
        from: NodeId,
        to: NodeId,
    },
    TlbMisses {
        from: NodeId,
        to: NodeId,
    },
    Transfer {
        owner: CpuId,
        reader: CpuId,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_are_read_as_they_are_printed() {
        for mix in Mix::ALL {
            assert_eq!(mix.to_string().parse(), Ok(mix));
            assert_eq!(serde_json::to_value(mix).unwrap(), mix.name());
            let (reads, writes) = mix.lines();
            assert!(reads + writes > 0);
        }
        let error = "4:1".parse::<Mix>().unwrap_err().to_string();
        assert!(error.contains("'4:1'") && error.contains("nt-write"), "{error}");
    }
}
