//! Requests that say all by themselves: a list of CPUs or nodes and a memory policy with its nodes, as numactl's options.
//!
//! A program that starts touches its code for the first time, and each part of it costs a page fault. The planner is most of
//! what such a request would touch, so it is carried out as it is, from what we may use and the CPUs of the nodes that were named
//! (docs/decisions/0003-start-up.md). Whatever needs a notice or an explanation is left to the planner, which gives the same
//! plan: a test compares the two on machines and requests of every kind.

use numawise_facts::{
    CpuChoice, Machine, MemoryMode, MemoryPlan, MemoryRequest, Placement, PlacementRequest, Strategy,
    TaskPlacement, ThreadBinding,
};
use numawise_units::{CpuSet, TaskId};

use crate::{balancing, memory};

#[cfg(test)]
#[path = "lists_tests.rs"]
mod tests;

/// How much of a machine a request needs, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineDetail {
    /// What we may use, and the CPUs of the nodes that the request names.
    Lists,
    /// Nodes, cores, packages and distances.
    Topology,
    /// The kinds of memory too, for which measurements count.
    MemoryKinds,
    /// Bandwidths too, declared and measured.
    Bandwidths,
}

/// How much of the machine [`place`](crate::place) needs for this request. Errors are explained better with all of it.
pub fn needs(request: &PlacementRequest) -> MachineDetail {
    match &request.memory {
        MemoryRequest::Weighted(_) => MachineDetail::Bandwidths,
        MemoryRequest::Hbm => MachineDetail::MemoryKinds,
        policy if takes_cpus_by_number(request) && memory::named(policy).is_some() => MachineDetail::Lists,
        _ => MachineDetail::Topology,
    }
}

fn takes_cpus_by_number(request: &PlacementRequest) -> bool {
    matches!(request.strategy, Strategy::None | Strategy::Explicit) && request.choice == CpuChoice::default()
}

/// The plan for one task with free threads, all of which the request says; `None` for all others.
pub fn place(machine: &Machine, request: &PlacementRequest) -> Option<Placement> {
    if (request.tasks, request.binding) != (1, ThreadBinding::Free) || !takes_cpus_by_number(request) {
        return None;
    }
    let memory = memory(machine, request)?;
    let cpus = cpus(machine, request)?;
    let number = cpus.len();
    let threads = request.threads.map_or(number, |threads| threads as usize);
    if threads > number {
        return None;
    }
    let threads = vec![cpus.clone(); threads];
    let tasks = vec![TaskPlacement { task: TaskId(0), cpus, threads, memory, gpus: Vec::new() }];
    Some(Placement { strategy: request.strategy, binding: request.binding, tasks, warnings: Vec::new() })
}

fn cpus(machine: &Machine, request: &PlacementRequest) -> Option<CpuSet> {
    let allowed = &machine.allowed_cpus;
    let mut cpus = match &request.cpus {
        Some(cpus) => cpus.is_subset(allowed).then(|| cpus.clone())?,
        None => allowed.clone(),
    };
    if let Some(nodes) = &request.nodes {
        let mut of_nodes = CpuSet::new();
        for node in nodes.iter() {
            let of_node = &machine.node(node)?.cpus;
            of_node.intersects(allowed).then_some(())?;
            of_nodes = of_nodes.union(of_node);
        }
        cpus = cpus.intersection(&of_nodes);
    }
    (!cpus.is_empty()).then_some(cpus)
}

fn memory(machine: &Machine, request: &PlacementRequest) -> Option<MemoryPlan> {
    if memory::follows_bandwidths(&request.memory) {
        return None;
    }
    let (mode, nodes) = memory::named(&request.memory)?;
    let takes_nodes = !matches!(mode, MemoryMode::Default | MemoryMode::Local);
    if takes_nodes && (nodes.is_empty() || !nodes.is_subset(&machine.allowed_nodes)) {
        return None;
    }
    let mut plan = MemoryPlan { pages: request.pages, ..MemoryPlan::new(mode, nodes) };
    let mut notices = Vec::new();
    balancing::add(request, &mut plan, &mut notices).ok()?;
    notices.is_empty().then_some(plan)
}
