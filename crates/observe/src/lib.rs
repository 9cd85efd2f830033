//! Watching one trial from outside: where its threads run, where its pages are, and how noisy the machine is.
//!
//! This room reads `/proc` and `/sys` and asks `move_pages`; it needs no root and puts nothing into the program. It emits
//! bare numbers of CPUs and nodes: it knows no topology, judges nothing, starts nothing and prints nothing. What cannot
//! be had is [`Reading::Unavailable`](numawise_facts::Reading) with the reason. How it is done, what it costs and where
//! it is blind is told in `docs/observation.md`.
//!
//! ```no_run
//! use numawise_observe::{Options, Usage, Watch};
//! # let (pid, usage) = (numawise_units::Pid(1), Usage::default());
//! let watch = Watch::start(&[pid], &Options::default());
//! // ... wait for the process, which gives its usage ...
//! let observation = watch.finish(&usage);
//! ```

mod census;
mod error;
#[cfg(test)]
mod fixture;
pub mod host;
mod noise;
mod plan;
mod random;
mod read;
mod roots;
mod sampler;
mod sys;
mod table;
mod watch;

pub use census::Method;
pub use error::Error;
pub use noise::HostCpu;
pub use roots::Roots;
pub use watch::{Options, Usage, Watch};
