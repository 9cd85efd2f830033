//! What memory elsewhere costs by what was measured of the machine, beside what the trials of a study showed.

use numawise_units::{NodeId, Ratio};
use serde::{Deserialize, Serialize};

use numawise_facts::{Effect, PointId, Reading};

/// Far memory beside near, and what that would do to a program of which nothing is known but where its CPUs and pages are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The node whose CPUs load.
    pub from: NodeId,
    /// The node whose memory they load, beside their own.
    pub to: NodeId,
    /// How many times as long that memory takes to answer as their own.
    pub latency: Reading<Ratio>,
    /// How many times the bandwidth of their own memory it gives.
    pub bandwidth: Reading<Ratio>,
    /// What placements that were compared could differ by.
    pub effects: Vec<ExpectedEffect>,
    /// All this in a sentence, without its full stop.
    pub text: String,
}

impl Expected {
    pub fn effect(&self, from: &str, to: &str) -> Option<&ExpectedEffect> {
        self.effects.iter().find(|effect| effect.from.0 == from && effect.to.0 == to)
    }
}

/// Two placements: how many times as good `to` is as `from` (below 1: worse), for programs that do nothing but wait for memory.
/// One that does something else too differs by less.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedEffect {
    pub from: PointId,
    pub to: PointId,
    /// Where it waits for one load after the other.
    pub latency_bound: Reading<Ratio>,
    /// Where all memory and links that it uses carry as much as they can.
    pub bandwidth_bound: Reading<Ratio>,
    /// What the trials showed.
    pub seen: Reading<Effect>,
}
