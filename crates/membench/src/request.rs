//! What is to be measured.

use numawise_facts::{Depth, Fingerprint, Mix};
use numawise_units::{Bytes, NodeSet};

/// What is to be measured, and how much may be taken for it.
#[derive(Debug, Clone)]
pub struct Request {
    pub depth: Depth,
    /// Goes into the profile's header.
    pub fingerprint: Fingerprint,
    /// Goes into the profile's header: our own version.
    pub version: String,
    /// Only these mixes; empty for those of the depth.
    pub mixes: Vec<Mix>,
    /// Only memory and CPUs of these nodes; empty for all that we may use.
    pub nodes: NodeSet,
    /// At most so much memory on a node, below the limits that are kept anyway (a quarter of what is free).
    pub most_memory: Option<Bytes>,
    /// Decides orders and permutations.
    pub seed: u64,
}
