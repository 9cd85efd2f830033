//! Which CPUs and which memory each task and each thread gets.
//!
//! [`place`] is a function of a machine and a request, and of nothing else: no file, no clock, no chance. The same two
//! values give the same plan everywhere, so that ranks agree without talking. It knows neither where the machine was read
//! nor how a plan is carried out. [`equivalent_commands`] gives the commands of other tools that carry a plan out.
//!
//! [`needs`] says how much of the machine a request needs: the lists of numactl's options need a few small files.
//!
//! # How CPUs are chosen
//! Only CPUs that we may use, on nodes that have CPUs. Nodes come by package, then by number. Inside a node every core
//! gets one thread before any gets a second one (fast cores before efficient ones); a node is full when all its hardware
//! threads are used. Each CPU is used once before any is used twice.
//!
//! * `local` fills a node, its hardware threads included, before it goes to the next; tasks follow one another.
//! * `distributed` gives every task the same number of CPUs on each node, as far as the nodes have them. Threads are
//!   numbered in blocks: the first ones on the first node, so that neighbours k and k + 1 share a node. A loop with a
//!   static schedule then finds what it touched first on its own node.
//! * `semi` puts each task into one node, the tasks evenly over the nodes, and neighbouring tasks into the same node.
//! * `none` leaves the choice to the operating system; with pinned threads, to the order of the CPUs' numbers or the one asked for.
//! * `explicit` takes the CPUs asked for in the order of their numbers, or in the one asked for.
//!
//! Tasks that share a node get cores of their own where there are enough. Tasks of `local` and `distributed` that would meet on a core
//! while others idle go there; those of `distributed` as long as each stays as even over the nodes.
//!
//! # Devices
//! [`near`] keeps a request to the CPUs that a device is local to; [`share_gpus`] shares GPUs out over the tasks of a plan.
//!
//! # What changes the order
//! A [`CpuChoice`](numawise_facts::CpuChoice) narrows and orders the CPUs of a node before threads are shared out; `none` with
//! pinned threads and `explicit` apply it to their list. What is to be skipped goes first, then the efficient cores of a hybrid
//! machine (where we choose and nobody named CPUs), then hardware threads beyond the number wanted of each core, counted among
//! those that are left. `compact` takes all threads of a core before the next core. A step n takes every n-th CPU of that
//! order, and at its end goes on from the next offset; tasks then follow one another along it, and cores are no longer kept
//! together.
//!
//! `scatter`, `balanced` and CPUs listed in their order are orders over all CPUs of one task, for which no strategy chooses.

mod balancing;
mod choice;
mod cores;
mod counts;
mod device_error;
mod equivalent;
mod error;
mod gpus;
mod lists;
mod locate;
mod meeting;
mod memory;
mod near;
mod order;
mod place;
mod share;
mod usable;
mod weights;

#[cfg(test)]
mod testing;

pub use choice::has_efficient_cores;
pub use device_error::NearError;
pub use equivalent::{EquivalentCommands, commands_of, equivalent_commands};
pub use error::PlacementError;
pub use gpus::share_gpus;
pub use lists::{MachineDetail, needs};
pub use locate::{LocationError, locate};
pub use memory::{check as check_memory, hbm as hbm_near, ordinary as ordinary_nodes};
pub use near::near;
pub use place::{check_tasks, place};
pub use weights::{Bandwidths, bandwidths};

/// Adds a warning that several tasks may give, unless one gave it already.
fn once(warnings: &mut Vec<numawise_facts::Notice>, warning: numawise_facts::notice::PlanNotice) {
    let warning = warning.into();
    if !warnings.contains(&warning) {
        warnings.push(warning);
    }
}
