//! What was measured of a machine's memory: latencies and bandwidths of every pair of nodes, under load, between cores.
//!
//! A cell that could not be measured stays in its matrix, `Unavailable` with the reason. Matrices are lists of cells that
//! name their row and column, sorted by both, so that a part that was not asked for is simply not there.

use std::fmt;
use std::str::FromStr;

use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, Latency, Nanoseconds, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::{MemoryKind, Notice, Reading};

/// The name and the version of a profile's JSON, as it is kept and as `--json` prints it. The number grows when a reader of
/// the old one could be misled.
pub const PROFILE_SCHEMA: &str = "numawise/profile/1";
/// The same for two profiles beside each other.
pub const PROFILE_COMPARE_SCHEMA: &str = "numawise/profile-compare/1";

/// All that was measured of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub header: ProfileHeader,
    /// Idle latency: every node with CPUs to every node with memory.
    pub latency: Vec<IdleLatency>,
    /// Latency by the size of the working set, which shows the caches.
    pub working_sets: Vec<WorkingSets>,
    pub bandwidth: Vec<Bandwidth>,
    /// Latency while others load the same memory.
    pub loaded: Vec<LoadedLatency>,
    /// A line that one core has changed, read by another.
    pub transfers: Vec<Transfer>,
}

/// Which machine, when, how, and how far it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileHeader {
    pub origin: ProfileOrigin,
    pub fingerprint: Fingerprint,
    /// Seconds since 1970; unavailable where the source does not say.
    pub taken: Reading<u64>,
    pub took: Reading<Nanoseconds>,
    pub depth: Depth,
    /// Whether everything that was planned was done: not where it was stopped from outside.
    pub complete: bool,
    pub nodes: Vec<ProfileNode>,
    /// The vector instructions of the kernels, e.g. `avx512`.
    pub vectors: Reading<String>,
    /// What a reader should know of the whole: other load, a quota, huge pages that were not to be had.
    pub notices: Vec<Notice>,
}

/// Who measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileOrigin {
    /// This version of numawise.
    Numawise(String),
    /// The text that this version of Intel's Memory Latency Checker printed.
    Mlc(String),
}

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

/// A node as it was when the profile was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileNode {
    pub id: NodeId,
    /// The CPUs that measured; empty for a node without CPUs that we may use. MLC's text names none.
    pub cpus: Reading<CpuSet>,
    pub memory: Reading<Bytes>,
    pub kind: MemoryKind,
}

/// A median with its interval over repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate<T> {
    pub median: T,
    /// Bounds of the 95 % interval of the median.
    pub low: T,
    pub high: T,
    /// Repetitions that count. Of one there is no interval: both bounds repeat it; of none the figure is declared.
    pub samples: u32,
    /// Repetitions that were thrown away because the machine was disturbed.
    pub disturbed: u32,
}

impl<T: Copy> Estimate<T> {
    /// A figure that somebody declares, without a measurement.
    pub fn declared(value: T) -> Self {
        Estimate { median: value, low: value, high: value, samples: 0, disturbed: 0 }
    }

    /// A figure that was measured once, or of which the repetitions are not known.
    pub fn single(value: T) -> Self {
        Estimate { samples: 1, ..Estimate::declared(value) }
    }

    /// The same in another type or unit, which must keep the order.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Estimate<U> {
        let Estimate { median, low, high, samples, disturbed } = self;
        Estimate { median: f(median), low: f(low), high: f(high), samples, disturbed }
    }
}

/// How a buffer's pages were had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferPages {
    /// Of the base size of the system.
    Small,
    /// Transparent huge pages, seen to be there.
    Transparent,
    /// Reserved huge pages (hugetlbfs).
    Reserved,
}

/// Idle latency of a node's memory from a CPU of another: loads of which each needs the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IdleLatency {
    pub from: NodeId,
    pub to: NodeId,
    /// Where it was measured.
    pub cpu: Reading<CpuId>,
    pub pages: Reading<BufferPages>,
    pub bytes: Reading<Bytes>,
    /// With the TLB out of the way: huge pages where they are to be had, lines at random within a page before the next page.
    pub latency: Reading<Estimate<Latency>>,
    /// The same with base pages and lines at random over the whole buffer: almost every load misses the TLB too.
    pub with_tlb_misses: Reading<Estimate<Latency>>,
}

/// Latency by the size of the working set, from a CPU of `from` with memory of `to`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkingSets {
    pub from: NodeId,
    pub to: NodeId,
    pub cpu: CpuId,
    pub pages: Reading<BufferPages>,
    /// In ascending order of sizes.
    pub points: Vec<WorkingSet>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkingSet {
    pub bytes: Bytes,
    pub latency: Reading<Estimate<Latency>>,
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
        named.ok_or_else(|| ParseMixError(text.to_owned()))
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

/// The rate at which threads read and write memory, all of them running from before the first to after the last byte counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bandwidth {
    pub workers: Workers,
    pub target: Target,
    pub mix: Mix,
    /// How many threads there were; MLC's text does not tell.
    pub threads: Reading<u32>,
    pub rate: Reading<Estimate<BytesPerSecond>>,
    /// What the firmware declares for this pair (ACPI HMAT), of the mix's own kind.
    pub declared: Reading<BytesPerSecond>,
}

/// The curve of latency against bandwidth: one core of `from` measures latency while its other cores load the same memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadedLatency {
    pub from: NodeId,
    pub to: NodeId,
    pub mix: Mix,
    /// Whose threads load: the other cores of `from`, all on the memory of `to`. In MLC's text every core of the machine, each on
    /// its own node's memory, so that the bandwidth is the machine's.
    pub workers: Workers,
    /// Threads that load; MLC's text does not tell.
    pub threads: Reading<u32>,
    /// From the least load to the greatest; unavailable as a whole where a node has but one core.
    pub points: Reading<Vec<LoadPoint>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// What the loading threads wait after every block of lines; the greater the lesser the load. MLC's delays are no times.
    pub delay: Reading<Nanoseconds>,
    pub bandwidth: Estimate<BytesPerSecond>,
    pub latency: Estimate<Latency>,
}

/// A line that the core of `owner` has changed and the core of `reader` loads (a hit in a modified state).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// The CPUs; MLC's text names none.
    pub owner: Reading<CpuId>,
    pub reader: Reading<CpuId>,
    /// The nodes of these CPUs; MLC's text does not name that of a transfer within a node.
    pub owner_node: Reading<NodeId>,
    pub reader_node: Reading<NodeId>,
    /// The node of the line's memory.
    pub home: Reading<NodeId>,
    pub same_node: bool,
    pub latency: Reading<Estimate<Latency>>,
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

impl Profile {
    /// The idle latency of a pair.
    pub fn latency_of(&self, from: NodeId, to: NodeId) -> Option<&IdleLatency> {
        self.latency.iter().find(|cell| cell.from == from && cell.to == to)
    }

    pub fn bandwidth_of(&self, workers: Workers, target: Target, mix: Mix) -> Option<&Bandwidth> {
        self.bandwidth.iter().find(|cell| cell.workers == workers && cell.target == target && cell.mix == mix)
    }
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

    #[test]
    fn what_could_not_be_measured_keeps_its_cell_and_reason() {
        let cell = Bandwidth {
            workers: Workers::Node(NodeId(0)),
            target: Target::Local,
            mix: Mix::Triad,
            threads: Reading::Measured(2),
            rate: Reading::unavailable("the node has no free memory"),
            declared: Reading::Measured(BytesPerSecond(1e9)),
        };
        let text = serde_json::to_string(&cell).unwrap();
        assert!(text.contains(r#""rate":{"unavailable":"the node has no free memory"}"#), "{text}");
        assert_eq!(serde_json::from_str::<Bandwidth>(&text).unwrap(), cell);
    }
}
