//! What memory elsewhere costs by the measured figures of the machine, and what the trials of a study showed.

use numawise_facts::{Effect, PointId, Reading};
use numawise_units::{NodeId, Ratio};

/// Remote memory vs local memory, and what that would do to a program of which nothing is known but where its CPUs and pages are.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The node whose CPUs load.
    pub from: NodeId,
    /// The node whose memory they load, instead of their own.
    pub to: NodeId,
    /// How many times as long that memory takes to answer as local memory.
    pub latency: Reading<Ratio>,
    /// How many times the bandwidth of local memory it gives.
    pub bandwidth: Reading<Ratio>,
    /// What placements that were compared could differ by.
    pub effects: Vec<ExpectedEffect>,
}

impl Expected {
    /// The effect of a move of memory, where it was tried.
    pub fn effect(&self, moved: MemoryMove) -> Option<&ExpectedEffect> {
        self.effects.iter().find(|effect| effect.moved == moved)
    }
}

/// Two placements: how many times as good `to` is as `from` (below 1: worse), for programs that do nothing but wait for memory.
/// One that does something else too differs by less.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedEffect {
    pub from: PointId,
    pub to: PointId,
    pub moved: MemoryMove,
    /// Where it waits for one load after the other.
    pub latency_bound: Reading<Ratio>,
    /// Where all memory and links that it uses carry as much as they can.
    pub bandwidth_bound: Reading<Ratio>,
    /// What the trials showed.
    pub seen: Reading<Effect>,
}

/// Where the memory of a program is put, as compared with another placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryMove {
    /// To the node farthest from its CPUs, which stay.
    ToRemote,
    /// Over all nodes.
    ToInterleaved,
    /// To the high-bandwidth nodes.
    ToHighBandwidth,
}

/// Why nothing is expected of memory elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotExpected {
    /// There is one node that memory may be taken from.
    OneMemoryNode,
    /// The memory of this machine was not measured.
    NotMeasured,
    /// There are no CPUs with local memory and other memory to use.
    NoRemoteMemory,
    /// The profile has neither latency nor bandwidth of both nodes to the CPUs of `from`.
    NoFigures { from: NodeId, to: NodeId },
}
