//! Lists that need no plan: this mask and that policy, as numactl's options say them.
//!
//! A program that starts touches its code for the first time, and each part of it costs a page fault; the planner is most
//! of what `numawise run -C 0 -m 0` would touch. So a request that says all by itself is carried out as it is. Whatever is
//! not plain, forbidden CPUs and nodes above all, is the planner's to explain; a test compares the two.

use numawise_facts::{
    Balancing, CpuChoice, MemoryMode, MemoryPlan, MemoryRequest, PageSize, Strategy, TaskPlacement,
    ThreadBinding,
};
use numawise_units::{CpuSet, NodeSet, TaskId};

use super::machine::{Allowed, cpus_of_node};
use super::request::Request;

#[cfg(test)]
#[path = "direct_tests.rs"]
mod tests;

/// The task that the planner would give, but for its threads, which nobody asked for.
pub fn task(request: &Request, allowed: &Allowed) -> Option<TaskPlacement> {
    if !is_plain(request) {
        return None;
    }
    let memory = memory(request, &allowed.nodes)?;
    Some(TaskPlacement { task: TaskId(0), cpus: cpus(request, allowed)?, threads: Vec::new(), memory })
}

fn is_plain(request: &Request) -> bool {
    let asked = &request.placement;
    matches!(asked.strategy, Strategy::None | Strategy::Explicit)
        && asked.binding == ThreadBinding::Free
        && (asked.tasks, request.repeat) == (1, 1)
        && !request.steers_threads
        && !request.fills_in_threads
        && request.location.is_none()
        && request.ignored.is_none()
        && (asked.balancing == Balancing::Default || balances(request))
        && asked.pages == PageSize::Default
        && asked.choice == CpuChoice::default()
}

/// The policy that numactl balances, and of which there is nothing to say.
fn balances(request: &Request) -> bool {
    request.placement.balancing == Balancing::On
        && matches!(request.placement.memory, MemoryRequest::Bind(Some(_)))
}

/// None at all where they stay as they are.
fn cpus(request: &Request, allowed: &Allowed) -> Option<CpuSet> {
    if request.placement.cpus.is_none() && request.placement.nodes.is_none() {
        return Some(CpuSet::new());
    }
    let mut usable = allowed.cpus.clone();
    if let Some(cpus) = &request.placement.cpus {
        if cpus.is_empty() || !cpus.is_subset(&usable) {
            return None;
        }
        usable = cpus.clone();
    }
    if let Some(nodes) = &request.placement.nodes {
        let mut of_nodes = CpuSet::new();
        for node in nodes.iter() {
            let cpus = cpus_of_node(node)?;
            // Of a node that has nothing for us the planner gives warning.
            if !cpus.intersects(&allowed.cpus) {
                return None;
            }
            of_nodes = of_nodes.union(&cpus);
        }
        usable = usable.intersection(&of_nodes);
    }
    (!usable.is_empty()).then_some(usable)
}

fn memory(request: &Request, allowed: &NodeSet) -> Option<MemoryPlan> {
    let (mode, nodes) = match &request.placement.memory {
        MemoryRequest::Default => return Some(MemoryPlan::default_policy()),
        MemoryRequest::Local => return Some(MemoryPlan::new(MemoryMode::Local, NodeSet::new())),
        MemoryRequest::Bind(Some(nodes)) => (MemoryMode::Bind, nodes.clone()),
        MemoryRequest::Interleave(Some(nodes)) => (MemoryMode::Interleave, nodes.clone()),
        MemoryRequest::PreferredMany(nodes) => (MemoryMode::PreferredMany, nodes.clone()),
        MemoryRequest::Preferred(Some(node)) => (MemoryMode::Preferred, NodeSet::single(*node)),
        MemoryRequest::KernelWeighted(nodes) => (MemoryMode::WeightedInterleave, nodes.clone()),
        _ => return None,
    };
    let plan = || MemoryPlan { balancing: balances(request), ..MemoryPlan::new(mode, nodes.clone()) };
    (!nodes.is_empty() && nodes.is_subset(allowed)).then(plan)
}
