//! Notices of the memory benchmark and of its profiles: what a reader should know before the figures are believed.

use std::fmt;

use numawise_units::{Bytes, CpuId, Latency, Nanoseconds, NodeId, NodeSet, Ratio};
use serde::{Deserialize, Serialize};

use crate::MeasurementStep;

super::notices! {
    /// NW3xx: of the memory benchmark and of a profile.
    Membench: MembenchNotice {
        /// A CPU quota of the cgroup may have slowed the measurement down.
        "NW301" CpuQuotaMayHaveSlowed { cpus: f64, file: String },
        /// The machine names no caches; they are taken to hold so much in each node.
        "NW302" CachesUnknown { taken: Bytes },
        /// A node has no local memory: its CPUs take no part in the machine's peak.
        "NW303" NodeNotInPeak { node: NodeId },
        /// Transfers were measured between some cores only, the first of each node.
        "NW304" TransfersBetweenSomeCores { measured: u32, cores: u32 },
        /// Memory policies are forbidden: memory lies where a thread of the node touched it first.
        "NW305" PlacedByFirstTouch,
        /// A buffer is so small that some of what was measured are the caches.
        "NW306" BufferNearCaches { node: NodeId, buffer: Bytes, caches: Bytes, because: BufferLimit },
        /// Buffers of these nodes have base pages, and idle latencies hold some TLB misses.
        "NW307" NoHugePages { nodes: NodeSet },
        /// Memory is so slow that latency was measured in a ring smaller than the caches.
        "NW308" RingWithinCaches { node: NodeId, ring: Bytes },
        /// Other programs used so many CPUs on average while the benchmark ran.
        "NW309" OtherProgramsRan { cpus: f64 },
        /// The processor changed its speed: a loop that needs no memory took so much longer than at its fastest.
        "NW310" ProcessorChangedSpeed { cpu: CpuId, longer: Ratio, during: MeasurementStep },
        /// Too few repetitions were quiet in these steps, so that disturbed ones count.
        "NW311" DisturbedRepetitionsCount { steps: Vec<MeasurementStep> },
        /// The machine was so slow that there was no time for these steps, the least important of all.
        "NW312" StepsLeftOut { steps: Vec<MeasurementStep>, budget: Nanoseconds },
        /// The measurement was stopped before its end.
        "NW320" StoppedBeforeItsEnd,
        /// The profile was read from MLC's output: single figures without intervals.
        "NW321" ReadFromMlc { version: String },
        /// Repetitions were thrown away because the machine was disturbed.
        "NW322" RepetitionsThrownAway { thrown: u64, counted: u64 },
        /// Intervals are wide: half of one is a large share of its median.
        "NW323" WideIntervals {
            wide: u32,
            intervals: u32,
            /// Share of the median beyond which half an interval is wide.
            limit: Ratio,
            widest: Ratio,
            /// Figures on which no sentence rests.
            vague: u32,
            vague_limit: Ratio,
        },
        /// Figures could not be measured; each has its reason.
        "NW324" FiguresUnavailable { unavailable: u32, figures: u32 },
        /// Some figures have another level on another buffer: where the kernel, or the host of a virtual machine, puts memory decides.
        "NW325" BuffersDiffer {
            differ: u32,
            figures: u32,
            /// Share of the median beyond which buffers differ.
            limit: Ratio,
            most: Ratio,
        },
        /// MLC could not switch the hardware prefetchers off, and chased lines at random.
        "NW340" MlcWithPrefetchers,
        /// MLC chased lines in sequence, with the hardware prefetchers off.
        "NW341" MlcInSequence,
        /// MLC numbered sockets, which are taken for nodes of the same numbers.
        "NW342" MlcSocketsTakenForNodes,
        /// The bandwidths of the machine are MLC's greatest over several rates of injection.
        "NW343" MlcMaximumBandwidths,
        /// A line of MLC's text is left out.
        "NW344" MlcLineLeftOut { line: String, because: MlcLineGap },
        /// A table of MLC's text is left out, or not there.
        "NW345" MlcTableLeftOut { table: MlcTable, because: MlcTableGap },
        /// MLC also reported the latency of a line that a neighbour holds unchanged.
        "NW346" MlcUnchangedLine { latency: Latency },
    }
}

/// What keeps a buffer of the memory benchmark from being larger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferLimit {
    /// A quarter of the free memory is taken at most.
    FreeMemory { free: Bytes },
    /// A quarter of what the cgroup leaves is taken at most, shared by the nodes that are measured together.
    Cgroup { left: Bytes, file: String, nodes: u64 },
    /// The request allows no more.
    Request { most: Bytes },
    /// The kernel does not say how much is free.
    FreeMemoryUnknown,
    /// Pages came slowly, and time is short.
    SlowPages,
}

/// As a clause: `a quarter of the 4 GiB that are free`.
impl fmt::Display for BufferLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BufferLimit::FreeMemory { free } => write!(f, "a quarter of the {free} that are free"),
            BufferLimit::Cgroup { left, file, nodes } => {
                write!(f, "a quarter of the {left} that {file} leaves")?;
                if *nodes > 1 { write!(f, ", shared by {nodes} nodes") } else { Ok(()) }
            }
            BufferLimit::Request { most } => write!(f, "the {most} that were asked for at most"),
            BufferLimit::FreeMemoryUnknown => f.write_str("the kernel does not say how much is free"),
            BufferLimit::SlowPages => f.write_str("its pages came slowly and time is short"),
        }
    }
}

/// Table of the text of Intel's Memory Latency Checker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MlcTable {
    IdleLatencies,
    PeakBandwidths,
    /// As peak bandwidths, by another method.
    MaximumBandwidths,
    Bandwidths,
    LoadedLatencies,
    Transfers,
}

/// Why a line of MLC's text is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MlcLineGap {
    /// MLC does not say of which nodes it is.
    NodesNotNamed,
    /// Nothing like it is known.
    NotKnown,
}

/// Why a table of MLC's text is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MlcTableGap {
    /// Another table has the same.
    OtherTable(MlcTable),
    /// It is there twice, and the first is taken.
    Twice,
    /// The text is cut off before it.
    CutOff,
    /// Its latencies are in a unit that is no time.
    Unit(String),
    /// Its traffic (option -W of MLC) is none of our mixes.
    Traffic(String),
}
