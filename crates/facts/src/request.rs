//! Requests for a placement, and the memory policies and equivalent commands that answer them.

use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;
use numawise_units::{CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::{Balancing, CpuChoice, PageSize};

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

/// How CPUs are chosen for the threads of all tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Fill a node before the next.
    Local,
    /// Every task even over all nodes.
    Distributed,
    /// A task inside one node, the tasks over all nodes.
    Semi,
    /// Leave it to the operating system.
    None,
    /// The CPUs of [`PlacementRequest::cpus`], in ascending order, thread by thread.
    Explicit,
}

impl Strategy {
    const NAMES: [(&'static str, Strategy); 5] = [
        ("local", Strategy::Local),
        ("distributed", Strategy::Distributed),
        ("semi", Strategy::Semi),
        ("none", Strategy::None),
        ("explicit", Strategy::Explicit),
    ];
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Strategy::NAMES.iter().find(|(_, s)| s == self).map(|(name, _)| *name);
        f.pad(name.expect("every strategy has a name"))
    }
}

/// A word that is not a strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a strategy; expected local, distributed, semi or none")]
pub struct ParseStrategyError(String);

impl FromStr for Strategy {
    type Err = ParseStrategyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known =
            Strategy::NAMES.iter().find(|(name, strategy)| *name == text && *strategy != Strategy::Explicit);
        known.map(|(_, strategy)| *strategy).ok_or_else(|| ParseStrategyError(quoted(text)))
    }
}

/// Where pages are asked to go, before the machine is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryRequest {
    /// Whatever policy we were started with: nothing is called.
    Default,
    /// The node of the CPU that touches the page first.
    Local,
    /// Only these nodes; without a list, the nodes of the task's CPUs.
    Bind(Option<NodeSet>),
    /// This node while it has room; without one, the node of the task's first CPU.
    Preferred(Option<NodeId>),
    /// These nodes while they have room.
    PreferredMany(NodeSet),
    /// Round-robin over these nodes; without a list, all nodes allowed that have ordinary memory.
    Interleave(Option<NodeSet>),
    /// Round-robin weighted by bandwidth (`MPOL_WEIGHTED_INTERLEAVE`, Linux 6.9).
    Weighted(Option<NodeSet>),
    /// The same with the weights that the kernel has now, whatever they are.
    KernelWeighted(NodeSet),
    /// Only the high-bandwidth nodes nearest to the task's CPUs.
    Hbm,
    /// On purpose the node farthest from the task's CPUs, for diagnosis.
    Remote,
}

impl fmt::Display for MemoryRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, nodes: Option<String>| match nodes {
            Some(nodes) => write!(f, "{name}:{nodes}"),
            None => f.write_str(name),
        };
        match self {
            MemoryRequest::Default => f.write_str("default"),
            MemoryRequest::Local => f.write_str("local"),
            MemoryRequest::Bind(nodes) => list(f, "bind", nodes.as_ref().map(ToString::to_string)),
            MemoryRequest::Preferred(node) => list(f, "preferred", node.as_ref().map(ToString::to_string)),
            MemoryRequest::PreferredMany(nodes) => list(f, "preferred-many", Some(nodes.to_string())),
            MemoryRequest::Interleave(nodes) => {
                list(f, "interleave", nodes.as_ref().map(ToString::to_string))
            }
            MemoryRequest::Weighted(nodes) => list(f, "weighted", nodes.as_ref().map(ToString::to_string)),
            MemoryRequest::KernelWeighted(nodes) => list(f, "kernel-weighted", Some(nodes.to_string())),
            MemoryRequest::Hbm => f.write_str("hbm"),
            MemoryRequest::Remote => f.write_str("remote"),
        }
    }
}

/// A text that is not a memory policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseMemoryRequestError {
    #[error(
        "'{0}' is not a memory policy; expected default, local, bind[:NODES], preferred[:NODE], preferred-many:NODES, \
         interleave[:NODES], weighted[:NODES], hbm or remote"
    )]
    Name(String),
    #[error("memory policy '{policy}': {problem}")]
    Nodes { policy: String, problem: String },
}

impl FromStr for MemoryRequest {
    type Err = ParseMemoryRequestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, list) = match text.split_once(':') {
            Some((name, list)) => (name, Some(list)),
            None => (text, None),
        };
        let broken = |problem: String| ParseMemoryRequestError::Nodes { policy: quoted(name), problem };
        let nodes = || -> Result<Option<NodeSet>, ParseMemoryRequestError> {
            let Some(list) = list else { return Ok(None) };
            let nodes: NodeSet =
                list.parse().map_err(|e: numawise_units::ParseSetError| broken(e.to_string()))?;
            if nodes.is_empty() {
                return Err(broken("the list of nodes is empty".to_owned()));
            }
            Ok(Some(nodes))
        };
        let one = |nodes: NodeSet| match (nodes.len(), nodes.first()) {
            (1, Some(node)) => Ok(node),
            _ => Err(broken(format!("it takes one node, found '{nodes}'; for several use preferred-many"))),
        };
        Ok(match name {
            "bind" => MemoryRequest::Bind(nodes()?),
            "preferred" => MemoryRequest::Preferred(nodes()?.map(one).transpose()?),
            "preferred-many" => match nodes()? {
                Some(nodes) => MemoryRequest::PreferredMany(nodes),
                None => {
                    return Err(broken(
                        "a list of nodes is missing; expected preferred-many:NODES".to_owned(),
                    ));
                }
            },
            "interleave" => MemoryRequest::Interleave(nodes()?),
            "weighted" => MemoryRequest::Weighted(nodes()?),
            "default" | "local" | "hbm" | "remote" if list.is_some() => {
                return Err(broken(format!(
                    "it takes no list of nodes, found '{}'",
                    quoted(list.unwrap_or_default())
                )));
            }
            "default" => MemoryRequest::Default,
            "local" => MemoryRequest::Local,
            "hbm" => MemoryRequest::Hbm,
            "remote" => MemoryRequest::Remote,
            _ => return Err(ParseMemoryRequestError::Name(quoted(text))),
        })
    }
}

/// How tight a thread is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadBinding {
    /// A thread may run on every CPU of its task.
    Free,
    /// A thread stays on one CPU.
    Pinned,
}

/// A placement as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlacementRequest {
    pub strategy: Strategy,
    pub binding: ThreadBinding,
    /// Number of tasks (copies or ranks), at least 1.
    pub tasks: u32,
    /// Threads of each task; without it, as many as the CPUs that fall to the task.
    pub threads: Option<u32>,
    /// Only these CPUs (or, for [`Strategy::Explicit`], exactly these).
    pub cpus: Option<CpuSet>,
    /// Only CPUs of these nodes.
    pub nodes: Option<NodeSet>,
    pub memory: MemoryRequest,
    #[serde(default)]
    pub balancing: Balancing,
    #[serde(default)]
    pub pages: PageSize,
    #[serde(default)]
    pub choice: CpuChoice,
}

impl PlacementRequest {
    /// One task, left to the operating system in every respect.
    pub fn as_the_os_does() -> Self {
        PlacementRequest {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: 1,
            threads: None,
            cpus: None,
            nodes: None,
            memory: MemoryRequest::Default,
            balancing: Balancing::Default,
            pages: PageSize::Default,
            choice: CpuChoice::default(),
        }
    }
}

/// A mode of the kernel's memory policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMode {
    /// Nothing is called; the policy that we were started with stays.
    Default,
    #[doc(alias = "MPOL_LOCAL")]
    Local,
    #[doc(alias = "MPOL_BIND")]
    Bind,
    #[doc(alias = "MPOL_PREFERRED")]
    Preferred,
    #[doc(alias = "MPOL_PREFERRED_MANY")]
    PreferredMany,
    #[doc(alias = "MPOL_INTERLEAVE")]
    Interleave,
    #[doc(alias = "MPOL_WEIGHTED_INTERLEAVE")]
    WeightedInterleave,
}

impl fmt::Display for MemoryMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            MemoryMode::Default => "default",
            MemoryMode::Local => "local",
            MemoryMode::Bind => "bind",
            MemoryMode::Preferred => "preferred",
            MemoryMode::PreferredMany => "preferred-many",
            MemoryMode::Interleave => "interleave",
            MemoryMode::WeightedInterleave => "weighted",
        })
    }
}

/// How many pages in turn go to a node under weighted interleaving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NodeWeight {
    pub node: NodeId,
    /// 1 to 255, as the kernel takes it.
    pub weight: u8,
}

/// What is asked of a task's memory: a policy with its nodes (none for `default` and `local`), and the pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryPlan {
    #[serde(rename = "policy")]
    pub mode: MemoryMode,
    pub nodes: NodeSet,
    /// For [`MemoryMode::WeightedInterleave`], the weights that bandwidths give, one for each node; empty where no
    /// bandwidth is known. The kernel has one set of weights for all programs (`/sys/kernel/mm/mempolicy`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<NodeWeight>,
    /// `MPOL_F_NUMA_BALANCING` goes with the policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub balancing: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pages: PageSize,
}

fn is_default(pages: &PageSize) -> bool {
    *pages == PageSize::Default
}

impl MemoryPlan {
    /// A policy and nothing else.
    pub fn new(mode: MemoryMode, nodes: NodeSet) -> Self {
        MemoryPlan { mode, nodes, weights: Vec::new(), balancing: false, pages: PageSize::Default }
    }

    pub fn default_policy() -> Self {
        MemoryPlan::new(MemoryMode::Default, NodeSet::new())
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nodes.is_empty() { self.mode.fmt(f) } else { write!(f, "{}:{}", self.mode, self.nodes) }
    }
}

/// Tools that can carry a plan out, as far as they go: each with its equivalent command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EquivalentTool {
    Numactl,
    Taskset,
    #[serde(rename = "openmp")]
    OpenMp,
    /// The variable of LLVM's and Intel's OpenMP.
    KmpAffinity,
    /// The variable of GCC's OpenMP, which LLVM's and Intel's read too.
    GompCpuAffinity,
    #[serde(rename = "mpirun-openmpi")]
    OpenMpi,
    #[serde(rename = "mpirun-mpich")]
    Mpich,
    Srun,
    /// No program: its lines write the kernel's weights for interleaving.
    KernelWeights,
}

impl EquivalentTool {
    /// In the order in which they are shown.
    pub const ALL: [EquivalentTool; 9] = [
        EquivalentTool::Numactl,
        EquivalentTool::Taskset,
        EquivalentTool::OpenMp,
        EquivalentTool::KmpAffinity,
        EquivalentTool::GompCpuAffinity,
        EquivalentTool::OpenMpi,
        EquivalentTool::Mpich,
        EquivalentTool::Srun,
        EquivalentTool::KernelWeights,
    ];

    /// True for launchers of ranks, which say something to users of MPI only.
    pub fn starts_ranks(self) -> bool {
        matches!(self, EquivalentTool::OpenMpi | EquivalentTool::Mpich | EquivalentTool::Srun)
    }

    pub fn name(self) -> &'static str {
        match self {
            EquivalentTool::Numactl => "numactl",
            EquivalentTool::Taskset => "taskset",
            EquivalentTool::OpenMp => "openmp",
            EquivalentTool::KmpAffinity => "kmp-affinity",
            EquivalentTool::GompCpuAffinity => "gomp-cpu-affinity",
            EquivalentTool::OpenMpi => "mpirun-openmpi",
            EquivalentTool::Mpich => "mpirun-mpich",
            EquivalentTool::Srun => "srun",
            EquivalentTool::KernelWeights => "kernel-weights",
        }
    }
}

impl fmt::Display for EquivalentTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is none of an [`EquivalentTool`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{name}' is not a tool with equivalent commands; expected {}",
    EquivalentTool::ALL.map(EquivalentTool::name).join(", ")
)]
pub struct ParseEquivalentToolError {
    name: String,
}

impl FromStr for EquivalentTool {
    type Err = ParseEquivalentToolError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = EquivalentTool::ALL.into_iter().find(|tool| tool.name() == text);
        known.ok_or_else(|| ParseEquivalentToolError { name: quoted(text) })
    }
}
