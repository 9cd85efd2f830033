//! The use cases of numawise, whoever asks for them: the command line today, a library or a batch job later.
//!
//! Each use case takes a validated request and returns values, or the one [`Error`] of this crate. What happens on the way goes up
//! through a [`Sink`](numawise_facts::Sink); what stops it is a flag that the caller raises. Nothing here prints, parses a command
//! line, installs a handler for a signal or ends the process.
//!
//! - [`here`]: the machine we may use, with what limits us on it and what was measured of it;
//! - [`experiment`]: whether the placement of a program matters;
//! - [`measure`]: the memory benchmark of this machine;
//! - [`objects`]: a program run once, and its memory objects followed;
//! - [`objects_to`]: its objects put on nodes in the next run;
//! - [`plan`]: a program with its threads and its memory where they are asked for; [`copies`]: several of it;
//! - [`prediction`]: a few points of a grid run, and the others predicted;
//! - [`profiles`]: what memory benchmarks have saved;
//! - [`rehearse`]: a command on an emulated machine that is like another one;
//! - [`rebuild`]: a program built anew, and what its compilers say of its loops;
//! - [`slurm`]: trials of a study as jobs of Slurm;
//! - [`snapshot`]: a program run once and watched from inside;
//! - [`study`]: a program at all points of a grid of factors;
//! - [`watch`]: residency of running processes, sampled over time.

mod ask_error;
pub mod copies;
mod error;
pub mod experiment;
mod follow;
pub mod here;
mod input_file;
pub mod launched;
mod launcher;
pub mod live;
pub mod measure;
mod metric;
pub mod migrate;
mod near;
mod numactl_list;
pub mod objects;
pub mod objects_to;
mod objects_to_error;
pub mod openmp;
pub mod other_machine;
mod other_machine_error;
pub mod place;
pub mod plan;
pub mod prediction;
pub mod profiles;
mod ran;
pub mod rebuild;
pub mod rehearse;
mod room;
pub mod shared_memory;
pub mod slurm;
pub mod snapshot;
pub mod study;
pub mod system_memory;
pub mod watch;

pub use error::{AroundTrial, Cause, Error, Settings, WeightsMissing};
pub use metric::MetricClues;
pub use near::near_everywhere;
pub use numactl_list::{ListError, RequestedList};
pub use room::CopiesLimit;
