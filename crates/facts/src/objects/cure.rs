//! What was tried against what a finding says of an object, and what it brought.

use serde::{Deserialize, Serialize};

use crate::{Effect, Reading};

/// A change that can be tried against a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectCure {
    /// The threads that use a part touch it first.
    TouchWhereUsed,
    /// Its pages alternate between nodes.
    Interleave,
    /// It lies on the node of those that use it.
    PutOnNode,
    PutIntoFastMemory,
    HugePages,
    /// What different nodes use lies in different pages.
    SeparatePages,
}

/// A cure that was tried: the program ran with it and without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedCure {
    /// Index of the objects of the run that it was tried on; missing where it was tried on all memory of the program.
    pub object: Option<u32>,
    pub cure: ObjectCure,
    /// The line that runs the program with the cure, as it can be typed.
    pub command: String,
    /// How many times as fast the program is with it; unavailable where the runs failed.
    pub effect: Reading<Effect>,
}
