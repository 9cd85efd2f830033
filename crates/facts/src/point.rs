//! Points of a study: the placements and parameters that are compared, and what two points differ in.

use std::fmt;

use numawise_units::{CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

use crate::{Balancing, DeviceName, MemoryRequest, PageSize, PlacementRequest, Strategy, ThreadBinding};

/// The label of a point inside a study, as shown: `os`, `one-node`, `interleave`, ... What a point is, its [`Levels`] say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PointId(pub String);

impl fmt::Display for PointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for PointId {
    fn from(name: &str) -> Self {
        PointId(name.to_owned())
    }
}

/// What a point is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointRole {
    /// What the others are compared with: as the operating system does it.
    Baseline,
    /// A placement that one could use from now on.
    Candidate,
    /// Only there to learn something.
    Diagnosis,
}

/// What a point is, factor by factor. Two points are compared by the factors in which their levels differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Levels {
    pub placement: PlacementLevel,
    pub memory: MemoryRequest,
    #[serde(default)]
    pub balancing: Balancing,
    #[serde(default)]
    pub pages: PageSize,
    pub pin: ThreadBinding,
    /// Threads of one task.
    pub threads: u32,
    pub tasks: u32,
    /// Parameters of the program's own, by name.
    pub parameters: Vec<ProgramParameter>,
}

/// How CPUs are chosen at a point.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlacementLevel {
    pub strategy: Strategy,
    /// Only these CPUs.
    pub cpus: Option<CpuSet>,
    /// Only CPUs of these nodes.
    pub nodes: Option<NodeSet>,
    /// The device that they are near to, where it chose them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<DeviceName>,
}

/// A parameter of the program's own, at one of its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramParameter {
    pub name: String,
    pub value: String,
}

/// A respect in which points of a study differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    Placement,
    Memory,
    /// Whether the kernel moves pages after the threads that use them.
    Balancing,
    /// The size of pages.
    Pages,
    Pin,
    Threads,
    Tasks,
    Parameters,
}

impl Levels {
    /// The levels of a request that is run with `threads` threads in each task.
    pub fn of(request: &PlacementRequest, threads: u32) -> Self {
        Levels {
            placement: PlacementLevel {
                strategy: request.strategy,
                cpus: request.cpus.clone(),
                nodes: request.nodes.clone(),
                near: None,
            },
            memory: request.memory.clone(),
            balancing: request.balancing,
            pages: request.pages,
            pin: request.binding,
            threads,
            tasks: request.tasks,
            parameters: Vec::new(),
        }
    }

    /// The factors in which two points differ.
    pub fn differing(&self, other: &Levels) -> Vec<Factor> {
        [
            (Factor::Placement, self.placement != other.placement),
            (Factor::Memory, self.memory != other.memory),
            (Factor::Balancing, self.balancing != other.balancing),
            (Factor::Pages, self.pages != other.pages),
            (Factor::Pin, self.pin != other.pin),
            (Factor::Threads, self.threads != other.threads),
            (Factor::Tasks, self.tasks != other.tasks),
            (Factor::Parameters, self.parameters != other.parameters),
        ]
        .into_iter()
        .filter_map(|(factor, differs)| differs.then_some(factor))
        .collect()
    }

    /// True when both run the same number of threads in the same number of tasks with the same parameters.
    pub fn same_work(&self, other: &Levels) -> bool {
        let factors = self.differing(other);
        ![Factor::Threads, Factor::Tasks, Factor::Parameters].iter().any(|factor| factors.contains(factor))
    }
}

/// Two points to compare: `to` is judged against `from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointPair {
    pub from: PointId,
    pub to: PointId,
    pub role: ContrastRole,
}

/// What the verdict takes from a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContrastRole {
    /// A difference in either direction shows that placement matters: same work, same number of threads.
    BothWays,
    /// Only a gain shows it: `to` has fewer CPUs, so a loss has another explanation.
    GainOnly,
    /// Neither: other things than placement differ too.
    Unjudged,
}
