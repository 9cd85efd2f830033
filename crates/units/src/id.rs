//! Identifiers. Each wraps the number that the operating system (or, for tasks, numawise) gave.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number that names something and can stand in an [`IdSet`](crate::IdSet).
pub trait Id: Copy + Ord + fmt::Debug {
    /// What one of these is called in messages, e.g. `CPU`.
    const NOUN: &'static str;
    /// Wraps an index.
    fn from_index(index: u32) -> Self;
    /// The index inside.
    fn index(self) -> u32;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $noun:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl Id for $name {
            const NOUN: &'static str = $noun;
            fn from_index(index: u32) -> Self {
                $name(index)
            }
            fn index(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A logical CPU by its OS index (a hardware thread; hwloc calls it a PU).
    #[doc(alias = "PU")]
    CpuId,
    "CPU"
);
id!(
    /// A NUMA node by its OS index.
    NodeId,
    "node"
);
id!(
    /// A task of a job, counted from 0: an MPI rank or one of N copies.
    TaskId,
    "task"
);

/// A process or thread identifier of the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pid(pub i32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
