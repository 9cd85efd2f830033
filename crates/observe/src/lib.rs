//! Watching programs from outside: where their threads run, where their pages are, and how noisy the machine is. A
//! [`Watch`] follows one trial from its start to its end, a [`snapshot`] tells of any processes at one moment, and [`find`]
//! tells which processes somebody means.
//!
//! This crate reads `/proc` and `/sys` and asks `move_pages`; it needs no root and puts nothing into the program. It emits
//! bare numbers of CPUs and nodes: it knows no topology, judges nothing, starts nothing and prints nothing. What cannot
//! be had is [`Reading::Unavailable`](numawise_facts::Reading) with the reason. How it is done, what it costs and where
//! it is blind is told in `docs/observation.md`.
//!
//! ```no_run
//! use numawise_observe::{Options, Watch};
//! # fn of(pid: numawise_units::Pid, usage: numawise_facts::ResourceUsage, wall: numawise_units::Nanoseconds) {
//! let watch = Watch::start(&[pid], &Options::default());
//! // ... wait for the process, which gives its usage and its life span ...
//! let observation = watch.finish(usage, wall);
//! # }
//! ```

pub mod activity;
mod command;
pub mod counters;
mod energy;
mod events;
mod find;
#[cfg(test)]
mod fixture;
mod frequency;
pub mod host;
mod launcher;
mod memory;
mod noise;
pub mod objects;
mod plan;
mod processes;
mod random;
mod rank;
mod residency;
mod sampler;
mod snapshot;
mod started;
mod table;
mod watch;

pub use find::{FindError, ProcessCount, ProcessRequest, find};
pub use launcher::{LauncherProcess, launcher};
pub use noise::HostCpu;
pub use numawise_linux::{Error, Roots};
pub use processes::is_running;
pub use residency::Method;
pub use snapshot::{SnapshotOptions, snapshot};
pub use started::StartedWith;
pub use watch::{HostBefore, Interruptions, Options, Watch};
