//! What a program asks for itself: the machine that it may use, plans of placement, its threads bound, its memory on nodes.
//!
//! The libraries for C and Python are faces of this crate: they turn handles, texts and buffers into its arguments. What decides anything
//! is shared with the commands ([`numawise_machine`], [`numawise_placement`]). Nothing is printed, nothing ends the program, and nothing
//! but the thread or the range that was named is changed.

mod error;
mod machine;
mod measured;
mod memory;
mod plan;
mod thread;

pub use error::{Error, ErrorKind};
pub use machine::{KINDS, known, node, node_of_cpu, nodes_distance, open};
pub use measured::{bandwidth, latency, open_measured};
pub use memory::{Mapping, NodeBytes, Where, free, map, pages, policy, room, set_policy};
pub use numawise_linux::calls::mempolicy::PagesThere;
pub use plan::{Asked, cpus_of, plan, share_of, threads_of};
pub use thread::{cpus_of_thread, set_cpus_of_thread};
