//! When threads were seen on other CPUs, and what else was seen to change of them from outside.

use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId};

/// What was seen of the threads of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedMarks {
    /// From one look at a thread to the next, on average.
    pub interval: Nanoseconds,
    /// In the order of ranks, threads, time.
    pub marks: Vec<PlacedMark>,
    /// Threads that others had the CPUs of, those for which that took longest first.
    pub without_cpu: Vec<ThreadWithoutCpu>,
}

/// A thread that was ready, and others had its CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadWithoutCpu {
    pub world: Option<u32>,
    pub rank: u32,
    pub thread: u32,
    pub time: Nanoseconds,
    pub longest: PlacedMark,
    /// What others waited in MPI for its rank from look to look.
    pub waited_meanwhile: Nanoseconds,
}

/// What changed of a thread from one look to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedMark {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    /// Of the rank's workers, from 1 on; 0: it calls MPI.
    pub thread: u32,
    /// Both looks, since the begin of all: when between them is not known.
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub what: PlacedChange,
}

/// What it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacedChange {
    /// Its CPU, and the nodes of both where these are known.
    Cpu { from: CpuId, to: CpuId, nodes: Option<(NodeId, NodeId)> },
    /// Page faults that no disk was needed for.
    Faults(u64),
    /// It was ready, and others had its CPU.
    NoCpu(Nanoseconds),
    /// Memory of its process is on another node.
    Memory { from: NodeId, to: NodeId, bytes: Bytes },
}
