//! Latency and bandwidth of a machine's memory, measured by threads of our own.
//!
//! Machine + request -> Profile. This room pins its threads, puts its buffers on nodes and takes time; it knows no command
//! line, keeps nothing, and judges nothing. Everything that could not be measured stays in its cell with the reason.

pub mod kernels;

mod error;
mod request;

use std::sync::atomic::AtomicBool;

use numawise_facts::{Machine, Profile, Sink};

pub use error::GaugeError;
pub use request::Request;

/// Measures `machine`, which is the one that runs. Ends early, with what is done, once `stop` is set.
///
/// Not to be called twice at the same time: two gauges measure each other.
pub fn measure(
    _machine: &Machine,
    _request: &Request,
    _sink: &mut dyn Sink,
    _stop: &AtomicBool,
) -> Result<Profile, GaugeError> {
    Err(GaugeError::NothingToMeasure("no experiments".to_owned()))
}
