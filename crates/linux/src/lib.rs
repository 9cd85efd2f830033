//! What every crate needs to know of Linux, once: system calls, and readers of the kernel's files.
//!
//! It gives numbers, sets and texts, and judges nothing: what a node, a limit or a policy means for a program is said
//! elsewhere. Readers take their [`Roots`], so that tests never read the host; parsers take bytes, refuse what they do not
//! understand and never make a zero of what is missing.

pub mod calls;
pub mod cgroup;
pub mod counters;
pub mod draft;
pub mod energy;
mod error;
mod event_terms;
pub mod file;
pub mod file_cache;
#[cfg(test)]
mod fixture;
pub mod frequency;
pub mod host;
pub mod load_events;
pub mod memory;
pub mod memory_controllers;
pub mod node_account;
pub mod proc;
pub mod processes;
pub mod replace;
mod roots;
pub mod samples;
pub mod source;
pub mod space;
pub mod spe;
pub mod weights;

pub use error::{Error, Malformed};
/// System calls on bare words, for where nothing may be allocated: between fork and exec, and in the agent.
pub use numawise_syscalls as raw;
pub use roots::Roots;
