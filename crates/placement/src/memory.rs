//! Where a task's pages go, given where its CPUs are.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::notice::PlanNotice;
use numawise_facts::{
    Machine, MemoryKind, MemoryMode, MemoryPlan, MemoryRequest, Node, Notice, PlacementRequest, Reading,
};
use numawise_units::{Arrange, Bytes, CpuId, CpuSet, NodeId, NodeSet};

use crate::error::memory_limits;
use crate::usable::check_nodes_exist;
use crate::{PlacementError, balancing, once, weights};

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;

/// What becomes of a request's memory, task by task.
pub struct Planner<'a> {
    machine: &'a Machine,
    request: &'a PlacementRequest,
    /// Policies that do not ask where a task runs are the same for all and worked out once.
    for_all: Option<MemoryPlan>,
}

impl<'a> Planner<'a> {
    pub fn new(machine: &'a Machine, request: &'a PlacementRequest) -> Self {
        Planner { machine, request, for_all: None }
    }

    /// The policy of a task on `cpus`, whose first thread runs on `first`.
    ///
    /// # Errors
    /// When nodes were named that do not exist, have no memory or may not be used, when the kind of memory asked for is not
    /// there, or when the kernel has no NUMA balancing for this policy.
    pub fn plan(
        &mut self,
        cpus: &CpuSet,
        first: &CpuSet,
        warnings: &mut Vec<Notice>,
    ) -> Result<MemoryPlan, PlacementError> {
        if let Some(plan) = &self.for_all {
            return Ok(plan.clone());
        }
        let (mode, nodes) = policy(self.machine, &self.request.memory, cpus, first, warnings)?;
        let mut plan = MemoryPlan { pages: self.request.pages, ..MemoryPlan::new(mode, nodes) };
        balancing::add(self.request, &mut plan, warnings)?;
        if follows_bandwidths(&self.request.memory) {
            plan.weights = weights::plan(self.machine, &plan.nodes, warnings);
        }
        if !asks_for_cpus(&self.request.memory) {
            self.for_all = Some(plan.clone());
        }
        Ok(plan)
    }
}

fn asks_for_cpus(request: &MemoryRequest) -> bool {
    named(request).is_none() && !matches!(request, MemoryRequest::Interleave(_) | MemoryRequest::Weighted(_))
}

/// The policy and its nodes where the request names them; `None` where they depend on the machine.
pub fn named(request: &MemoryRequest) -> Option<(MemoryMode, NodeSet)> {
    Some(match request {
        MemoryRequest::Default => (MemoryMode::Default, NodeSet::new()),
        MemoryRequest::Local => (MemoryMode::Local, NodeSet::new()),
        MemoryRequest::Bind(Some(nodes)) => (MemoryMode::Bind, nodes.clone()),
        MemoryRequest::Preferred(Some(node)) => (MemoryMode::Preferred, NodeSet::single(*node)),
        MemoryRequest::PreferredMany(nodes) => (MemoryMode::PreferredMany, nodes.clone()),
        MemoryRequest::Interleave(Some(nodes)) => (MemoryMode::Interleave, nodes.clone()),
        MemoryRequest::Weighted(Some(nodes)) | MemoryRequest::KernelWeighted(nodes) => {
            (MemoryMode::WeightedInterleave, nodes.clone())
        }
        MemoryRequest::Bind(None)
        | MemoryRequest::Preferred(None)
        | MemoryRequest::Interleave(None)
        | MemoryRequest::Weighted(None)
        | MemoryRequest::Hbm
        | MemoryRequest::Remote => return None,
    })
}

/// True when the weights of a weighted policy are to follow the bandwidths of the nodes.
pub fn follows_bandwidths(request: &MemoryRequest) -> bool {
    matches!(request, MemoryRequest::Weighted(_))
}

fn policy(
    machine: &Machine,
    request: &MemoryRequest,
    cpus: &CpuSet,
    first: &CpuSet,
    warnings: &mut Vec<Notice>,
) -> Result<(MemoryMode, NodeSet), PlacementError> {
    if let Some((mode, nodes)) = named(request) {
        if !matches!(mode, MemoryMode::Default | MemoryMode::Local) {
            check(machine, &nodes)?;
        }
        return Ok((mode, nodes));
    }
    Ok(match request {
        MemoryRequest::Preferred(_) => (MemoryMode::Preferred, one(nearest_to(machine, first)?)),
        MemoryRequest::Interleave(_) => (MemoryMode::Interleave, ordinary(machine)?),
        MemoryRequest::Weighted(_) => (MemoryMode::WeightedInterleave, weighable(machine)?),
        MemoryRequest::Hbm => (MemoryMode::Bind, hbm(machine, cpus)?),
        MemoryRequest::Remote => (MemoryMode::Bind, NodeSet::single(farthest(machine, cpus, warnings)?)),
        _ => (MemoryMode::Bind, nearest_to(machine, cpus)?),
    })
}

/// Whether the memory of these nodes may be used.
///
/// # Errors
/// Where a node is not there, has no memory or is not allowed.
pub fn check(machine: &Machine, nodes: &NodeSet) -> Result<(), PlacementError> {
    if nodes.is_empty() {
        return Err(PlacementError::EmptyList("nodes"));
    }
    let forbidden = nodes.difference(&machine.allowed_nodes);
    if forbidden.is_empty() {
        return Ok(());
    }
    check_nodes_exist(machine, nodes)?;
    let allowed = machine.allowed_nodes.clone();
    let empty =
        |id: &NodeId| machine.node(*id).is_some_and(|node| node.memory == Reading::Measured(Bytes(0)));
    let without: NodeSet = forbidden.iter().filter(empty).collect();
    Err(if !without.is_empty() {
        PlacementError::NodeWithoutMemory { nodes: without, allowed }
    } else {
        PlacementError::NodeNotAllowed { nodes: forbidden, allowed, limits: memory_limits(machine) }
    })
}

fn one(nodes: NodeSet) -> NodeSet {
    nodes.first().into_iter().collect()
}

fn allowed(machine: &Machine) -> impl Iterator<Item = &Node> {
    machine.nodes.iter().filter(|node| machine.allowed_nodes.contains(node.id))
}

/// Memory that programs get when they ask for nothing: that of nodes with CPUs, or ordinary by its kind.
fn is_ordinary(node: &Node) -> bool {
    !node.cpus.is_empty() || node.kind == MemoryKind::Dram
}

/// Memory of a device, or of which nothing is known: somebody has to name it. Figures that are like those of ordinary memory are
/// knowledge.
fn is_taken_by_name_only(node: &Node) -> bool {
    let compared = matches!(node.kind_evidence, MemoryKindEvidence::Compared { .. });
    match node.kind {
        MemoryKind::Gpu => true,
        MemoryKind::Unknown => node.cpus.is_empty() && !compared,
        MemoryKind::Dram | MemoryKind::Hbm | MemoryKind::Cxl => false,
    }
}

/// The nodes with ordinary memory that we may use, over which memory is interleaved; all that we may use where none has such memory.
///
/// # Errors
/// Where there is none.
pub fn ordinary(machine: &Machine) -> Result<NodeSet, PlacementError> {
    let nodes: NodeSet = allowed(machine).filter(|node| is_ordinary(node)).map(|node| node.id).collect();
    if !nodes.is_empty() {
        return Ok(nodes);
    }
    if !machine.allowed_nodes.is_empty() {
        Ok(machine.allowed_nodes.clone())
    } else {
        Err(no_memory(machine))
    }
}

/// Of every kind where the bandwidths of all are known: using kinds together is what weights are for. Without them a slow
/// kind would get as much as a fast one; then it is ordinary memory.
fn weighable(machine: &Machine) -> Result<NodeSet, PlacementError> {
    let own = allowed(machine).filter(|node| !is_taken_by_name_only(node));
    let nodes: NodeSet = own.map(|node| node.id).collect();
    let known = weights::bandwidths(machine, &nodes).is_ok();
    if known && !nodes.is_empty() { Ok(nodes) } else { ordinary(machine) }
}

fn no_memory(machine: &Machine) -> PlacementError {
    PlacementError::NoMemory { limits: memory_limits(machine) }
}

/// The nodes whose own CPUs these are; `None` stands for CPUs of which the machine does not say.
fn homes(machine: &Machine, cpus: &CpuSet) -> Vec<(Option<NodeId>, CpuId)> {
    let mut homes: Vec<(Option<NodeId>, CpuId)> =
        cpus.iter().map(|cpu| (machine.node_of(cpu), cpu)).collect();
    homes.arrange();
    homes.dedup_by_key(|(home, _)| *home);
    homes
}

/// For each CPU its own node, or the nearest with memory.
fn nearest_to(machine: &Machine, cpus: &CpuSet) -> Result<NodeSet, PlacementError> {
    let mut nodes = NodeSet::new();
    for (home, cpu) in homes(machine, cpus) {
        match home {
            Some(home) if machine.allowed_nodes.contains(home) => {
                nodes.insert(home);
            }
            _ => {
                let ordinary: Vec<&Node> = allowed(machine).filter(|node| is_ordinary(node)).collect();
                let any: Vec<&Node> = allowed(machine).collect();
                let candidates = if ordinary.is_empty() { any } else { ordinary };
                nodes.extend(one(nearest(machine, home, cpu, &candidates)).iter());
            }
        }
    }
    if nodes.is_empty() { Err(no_memory(machine)) } else { Ok(nodes) }
}

/// Those of `candidates` that are nearest to a CPU and its home: the machine's word on nearness first, then distances.
fn nearest(machine: &Machine, home: Option<NodeId>, cpu: CpuId, candidates: &[&Node]) -> NodeSet {
    let attached: Vec<&Node> = candidates.iter().copied().filter(|node| node.near.contains(cpu)).collect();
    let candidates = if attached.is_empty() { candidates } else { &attached };
    let distance = |node: &Node| home.and_then(|home| machine.distance(home, node.id)).unwrap_or(u32::MAX);
    let least = candidates.iter().map(|node| distance(node)).min();
    candidates.iter().filter(|node| Some(distance(node)) == least).map(|node| node.id).collect()
}

/// The nodes with high-bandwidth memory that are nearest to these CPUs.
///
/// # Errors
/// [`PlacementError::NoHbm`].
pub fn hbm(machine: &Machine, cpus: &CpuSet) -> Result<NodeSet, PlacementError> {
    let candidates: Vec<&Node> = allowed(machine).filter(|node| node.kind == MemoryKind::Hbm).collect();
    if candidates.is_empty() {
        let kinds: Vec<String> =
            machine.nodes.iter().map(|node| format!("node {} is {}", node.id, node.kind)).collect();
        return Err(PlacementError::NoHbm { found: kinds.join(", ") });
    }
    let near = homes(machine, cpus).into_iter().map(|(home, cpu)| nearest(machine, home, cpu, &candidates));
    Ok(near.fold(NodeSet::new(), |all, nodes| all.union(&nodes)))
}

/// The node with the largest distance from all CPUs of the task; ordinary memory where there is some elsewhere, since far
/// memory of another kind would show the kind and not the way.
fn farthest(machine: &Machine, cpus: &CpuSet, warnings: &mut Vec<Notice>) -> Result<NodeId, PlacementError> {
    let homes: Vec<NodeId> = homes(machine, cpus).into_iter().filter_map(|(home, _)| home).collect();
    let (named, elsewhere): (Vec<&Node>, Vec<&Node>) = allowed(machine)
        .filter(|node| !homes.contains(&node.id))
        .partition(|node| is_taken_by_name_only(node));
    let like: Vec<&Node> = elsewhere.iter().copied().filter(|node| is_ordinary(node)).collect();
    let candidates = if like.is_empty() { &elsewhere } else { &like };
    let distance = |node: &Node| -> u64 {
        homes.iter().map(|home| u64::from(machine.distance(*home, node.id).unwrap_or(0))).sum()
    };
    // max_by_key takes the last of equals; reversed, that is the lowest number.
    let Some(node) = candidates.iter().rev().max_by_key(|node| distance(node)) else {
        return Err(match machine.allowed_nodes.first() {
            _ if !named.is_empty() => PlacementError::NothingRemoteButNamed {
                cpus: cpus.clone(),
                nodes: named.iter().map(|node| node.id).collect(),
            },
            Some(_) if machine.allowed_nodes.len() > 1 => PlacementError::NothingRemoteFromAll {
                cpus: cpus.clone(),
                nodes: machine.allowed_nodes.clone(),
            },
            Some(node) => PlacementError::NothingRemote { cpus: cpus.clone(), node },
            None => no_memory(machine),
        });
    };
    // Every task asks; what holds for several is said once.
    if like.is_empty() {
        once(warnings, PlanNotice::FarthestIsOfOtherKind { node: node.id, kind: node.kind });
    }
    if homes.iter().all(|home| machine.distance(*home, node.id).is_none()) {
        once(warnings, PlanNotice::FarthestWithoutDistances { node: node.id });
    }
    Ok(node.id)
}
