//! Why there is no plan, each text once.

use std::fmt;
use std::num::NonZeroU32;

use numawise_facts::notice::MachineNotice;
use numawise_facts::{Machine, MemoryRequest, Order, Strategy};
use numawise_units::{CpuSet, NodeId, NodeSet};

use crate::device_error::NearError;

/// Why a request cannot be placed on a machine.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlacementError {
    #[error("0 tasks were asked for; expected at least 1")]
    NoTasks,
    #[error("0 threads were asked for; expected at least 1")]
    NoThreads,
    #[error(
        "{asked} threads in all were asked for; at most {most} are planned for on one computer, two for each of the 8192 CPUs \
         that Linux takes; ask for fewer tasks, or fewer threads of each"
    )]
    TooManyThreads { asked: u64, most: u64 },
    #[error(
        "{asked} tasks were asked for; at most {most} are planned for on one computer, two for each of the 8192 CPUs that Linux \
         takes; ask for fewer"
    )]
    TooManyTasks { asked: u32, most: u64 },
    #[error("the list of {0} is empty; expected numbers and ranges such as 0-3,8")]
    EmptyList(&'static str),
    #[error("an explicit placement names its CPUs or its nodes; neither was given")]
    NothingExplicit,
    #[error(
        "order {order} says for all CPUs of a task which thread gets which, and so does strategy {strategy}; expected one of the two, or \
         order spread or compact beside a strategy"
    )]
    OrderBesideStrategy { order: Order, strategy: Strategy },
    #[error(
        "order {order} is that of the threads of one task, and {tasks} tasks were asked for; expected one task, or a strategy, which shares \
         CPUs out among tasks"
    )]
    OrderOfOneTask { order: Order, tasks: u32 },
    #[error(
        "order {order} names all CPUs that are used; expected no other choice of CPUs, hardware threads or steps beside it"
    )]
    OrderIsAList { order: Order },
    #[error(
        "order balanced shares threads out among cores, and no step of {step} goes with that; expected one of the two"
    )]
    StepOfBalanced { step: NonZeroU32 },
    #[error("CPU {cpus} does not exist on this machine; it has CPUs {exist}")]
    NoSuchCpu { cpus: CpuSet, exist: CpuSet },
    #[error("CPU {cpus} may not be used; allowed are {allowed}")]
    CpuNotAllowed { cpus: CpuSet, allowed: CpuSet, limits: Vec<MachineNotice> },
    #[error("node {nodes} does not exist on this machine; it has nodes {exist}")]
    NoSuchNode { nodes: NodeSet, exist: NodeSet },
    #[error("node {nodes} may not be used for memory; allowed are {allowed}")]
    NodeNotAllowed { nodes: NodeSet, allowed: NodeSet, limits: Vec<MachineNotice> },
    #[error("node {nodes} has no memory; nodes with memory that may be used are {allowed}")]
    NodeWithoutMemory { nodes: NodeSet, allowed: NodeSet },
    #[error("node {nodes} has no CPUs of its own; nodes with CPUs are {with}")]
    NodeWithoutCpus { nodes: NodeSet, with: NodeSet },
    #[error("no CPU of node {nodes} may be used; allowed are CPUs {allowed}")]
    NodeCpusNotAllowed { nodes: NodeSet, allowed: CpuSet, limits: Vec<MachineNotice> },
    #[error("no CPU is left: CPUs {cpus} are not on nodes {nodes}")]
    NothingLeft { cpus: CpuSet, nodes: NodeSet },
    #[error(
        "no CPU is left: of CPUs {usable}, which could be used, all are to be skipped ({skipped}); skip fewer, or let more \
         CPUs be used"
    )]
    AllSkipped { usable: CpuSet, skipped: SkippedCpus },
    #[error("no CPU of this machine may be used")]
    NoCpu { limits: Vec<MachineNotice> },
    #[error("there is no high-bandwidth memory that may be used: {found}")]
    NoHbm { found: String },
    #[error(
        "there is no memory remote from CPUs {cpus}: node {node} is the only one with memory that may be used"
    )]
    NothingRemote { cpus: CpuSet, node: NodeId },
    #[error(
        "CPUs {cpus} are on all nodes with memory ({nodes}), so that none is remote from them; keep the task on some of \
         the nodes"
    )]
    NothingRemoteFromAll { cpus: CpuSet, nodes: NodeSet },
    #[error(
        "no memory remote from CPUs {cpus} is known to be a processor's: that of node {nodes} is a GPU's, or nothing is known of it, \
         and it is used by name only"
    )]
    NothingRemoteButNamed { cpus: CpuSet, nodes: NodeSet },
    #[error(
        "NUMA balancing cannot be switched on with memory policy {policy}: the kernel takes it (MPOL_F_NUMA_BALANCING) with \
         bind (Linux 5.12) and preferred-many (Linux 6.10) alone"
    )]
    BalancingPolicy { policy: MemoryRequest },
    #[error(transparent)]
    Near(#[from] NearError),
    #[error("no node with memory may be used")]
    NoMemory { limits: Vec<MachineNotice> },
}

/// The CPUs that a request leaves out; prints as a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedCpus {
    pub listed: CpuSet,
    pub os_core: CpuSet,
}

impl fmt::Display for SkippedCpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |f: &mut fmt::Formatter<'_>| write!(f, "by their numbers {}", self.listed);
        match (self.listed.is_empty(), self.os_core.is_empty()) {
            (_, true) => listed(f),
            (true, false) => write!(f, "the core of the system's own work, {}", self.os_core),
            (false, false) => {
                listed(f)?;
                write!(f, ", and the core of the system's own work, {}", self.os_core)
            }
        }
    }
}

impl PlacementError {
    /// The limits of the machine that are in the way; the face that shows the error says what each does and who can lift it.
    pub fn limits(&self) -> &[MachineNotice] {
        match self {
            PlacementError::CpuNotAllowed { limits, .. }
            | PlacementError::NodeNotAllowed { limits, .. }
            | PlacementError::NodeCpusNotAllowed { limits, .. }
            | PlacementError::NoCpu { limits }
            | PlacementError::NoMemory { limits } => limits,
            _ => &[],
        }
    }
}

/// The limits that keep CPUs from us.
pub fn cpu_limits(machine: &Machine) -> Vec<MachineNotice> {
    machine.limits.iter().filter(|limit| limit.takes_cpus()).cloned().collect()
}

/// The limits that keep memory of nodes from us.
pub fn memory_limits(machine: &Machine) -> Vec<MachineNotice> {
    machine.limits.iter().filter(|limit| limit.takes_nodes()).cloned().collect()
}
