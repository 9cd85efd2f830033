//! What was measured of a machine's memory: latencies and bandwidths of every pair of nodes, under load, between cores.
//!
//! A cell that could not be measured stays in its matrix, `Unavailable` with the reason. Matrices are lists of cells that
//! name their row and column, sorted by both, so that a part that was not asked for is simply not there.

use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, Latency, Nanoseconds, NodeId};
use serde::{Deserialize, Serialize};

use crate::{
    BufferSpread, Depth, Estimate, Fingerprint, LoopChoice, MemoryKind, Mix, Notice, Reading, Target, Workers,
};

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
    /// What one core computes in registers at most; older profiles have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arithmetic: Vec<PeakArithmetic>,
    /// What it reads from each of its caches at most, from the nearest on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<PeakCache>,
}

impl Profile {
    /// Reads it. Here and not where a profile is wanted: crates that use other parts of what a profile is made of then share the code.
    ///
    /// # Errors
    /// Where the text is no JSON, or not that of a profile.
    pub fn of_json(text: &str) -> serde_json::Result<Profile> {
        serde_json::from_str(text)
    }
}

/// Instructions of a loop of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeakKind {
    /// Of a vector; of one element at once those of the element.
    pub bits: u32,
    pub element_bits: u32,
    /// A product and a sum in one instruction.
    pub is_fused: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeakArithmetic {
    pub cpu: CpuId,
    pub kind: PeakKind,
    /// Floating-point operations in a second; a product with a sum is two.
    pub rate: Reading<Estimate<f64>>,
}

/// A cache from which one core reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeakCache {
    pub cpu: CpuId,
    pub level: u32,
    pub size: Bytes,
    /// How much was read again and again.
    pub bytes: Bytes,
    pub read: Reading<Estimate<BytesPerSecond>>,
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
    /// Whether everything that was planned was done, but for what a notice names as left out for want of time: not where it was
    /// stopped from outside.
    pub complete: bool,
    pub nodes: Vec<ProfileNode>,
    /// The widest vector instructions of the loops that could be tried, e.g. `avx512`.
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

/// A node as it was when the profile was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileNode {
    pub id: NodeId,
    /// The CPUs that measured; empty for a node without CPUs that we may use. MLC's text names none.
    pub cpus: Reading<CpuSet>,
    pub memory: Reading<Bytes>,
    pub kind: MemoryKind,
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
    /// How far `latency` differs between buffers.
    #[serde(default = "untold")]
    pub buffers: Reading<BufferSpread<Latency>>,
}

/// The reading of a member that a profile does not have.
fn untold<T>() -> Reading<T> {
    Reading::unavailable("the profile does not tell")
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
    /// The loop that loaded the memory.
    #[serde(default = "untold")]
    pub with: Reading<LoopChoice>,
    /// How far `rate` differs between buffers.
    #[serde(default = "untold")]
    pub buffers: Reading<BufferSpread<BytesPerSecond>>,
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
    /// The loop that loaded the memory.
    #[serde(default = "untold")]
    pub with: Reading<LoopChoice>,
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
    fn what_could_not_be_measured_keeps_its_cell_and_reason() {
        let cell = Bandwidth {
            workers: Workers::Node(NodeId(0)),
            target: Target::Local,
            mix: Mix::Triad,
            threads: Reading::Measured(2),
            rate: Reading::unavailable("the node has no free memory"),
            declared: Reading::Measured(BytesPerSecond(1e9)),
            with: Reading::unavailable("the node has no free memory"),
            buffers: Reading::unavailable("the node has no free memory"),
        };
        let text = serde_json::to_string(&cell).unwrap();
        assert!(text.contains(r#""rate":{"unavailable":"the node has no free memory"}"#), "{text}");
        assert_eq!(serde_json::from_str::<Bandwidth>(&text).unwrap(), cell);
    }
}
