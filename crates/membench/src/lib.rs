//! Latency and bandwidth of a machine's memory, measured by threads that the crate starts and pins.
//!
//! Machine + request -> Profile. This crate pins its threads, puts its buffers on nodes and takes time; it knows no command
//! line, keeps nothing, and judges nothing. Everything that could not be measured stays in its cell with the reason.

pub mod kernels;
pub mod ring;

mod buffer;
mod clock;
mod empty_profile;
mod error;
mod experiments;
#[cfg(test)]
mod fixture;
mod layout;
mod measurement;
mod plan;
mod repeats;
mod schedule;
mod sizes;
mod speed;
mod system;
mod team;

use std::sync::atomic::AtomicBool;

use numawise_facts::{Depth, Fingerprint, Machine, Mix, Profile, Sink};
use numawise_units::{Bytes, NodeSet};

pub use error::MembenchError;
pub use plan::{MeasurementPlan, PlannedStep};

/// What is to be measured, and how much may be taken for it.
#[derive(Debug, Clone)]
pub struct MeasurementRequest {
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

/// What [`measure`] would do, and how long it would take: for a machine that need not be the one that runs.
pub fn plan(machine: &Machine, request: &MeasurementRequest) -> MeasurementPlan {
    MeasurementPlan::of(machine, request)
}

/// Measures `machine`, which is the one that runs and was read with its caches. Ends early, with what is done, once `stop` is
/// set: the repetition in hand is finished, and cells that are left say that they were not measured.
///
/// Not to be called twice at the same time: two memory benchmarks measure each other.
///
/// # Errors
/// Only where nothing at all can be measured: no CPU or no memory of the nodes asked for may be used.
pub fn measure(
    machine: &Machine,
    request: &MeasurementRequest,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Profile, MembenchError> {
    measurement::run(machine, request, sink, stop)
}
