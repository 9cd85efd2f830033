//! Time series of a running job.

mod broken;
mod kill;
mod queries;
mod roundtrip;
mod sample;
mod size;
