//! Latency and bandwidth of a machine's memory, measured by threads of our own.
//!
//! Machine + request -> Profile. This room pins its threads, puts its buffers on nodes and takes time; it knows no command
//! line, keeps nothing, and judges nothing. Everything that could not be measured stays in its cell with the reason.

pub mod kernels;
pub mod ring;

mod buffer;
mod clock;
mod error;
mod experiments;
#[cfg(test)]
mod fixture;
mod gang;
mod layout;
mod plan;
mod repeats;
mod request;
mod session;
mod sizes;
mod skeleton;
mod speed;
mod system;

use std::sync::atomic::AtomicBool;

use numawise_facts::{Machine, Profile, Sink};

pub use error::MembenchError;
pub use plan::{MeasurementPlan, PlannedStep};
pub use request::Request;

/// What [`measure`] would do, and how long it would take: for a machine that need not be the one that runs.
pub fn plan(machine: &Machine, request: &Request) -> MeasurementPlan {
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
    request: &Request,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Profile, MembenchError> {
    session::run(machine, request, sink, stop)
}
