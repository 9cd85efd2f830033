//! Time series of a running job.

mod broken;
mod kill;
mod queries;
mod roundtrip;
pub mod sample;
mod size;
