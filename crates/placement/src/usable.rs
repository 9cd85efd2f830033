//! What of the machine a request may use: the CPUs, node by node, in the order in which they are taken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numawise_facts::{CpuChoice, Machine, Order, PlacementRequest};
use numawise_units::{Arrange, CpuId, CpuSet, NodeId, NodeSet};

use crate::PlacementError;
use crate::choice::stepped;
use crate::error::cpu_limits;

#[cfg(test)]
#[path = "usable_tests.rs"]
mod tests;

/// The usable CPUs of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// `None` for CPUs of which the machine does not say where they are.
    pub node: Option<NodeId>,
    /// In the order in which they are taken: without a word on it, one CPU of every core first, then the second ones, ...
    pub cpus: Vec<Place>,
}

/// A CPU and its core, by position in the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub cpu: CpuId,
    pub core: usize,
    /// How many usable CPUs of the core come before this one.
    pub round: usize,
}

/// The CPUs that the request may use. Never empty.
///
/// # Errors
/// When the request names CPUs or nodes that do not exist or may not be used, or when nothing is left.
pub fn cpus(machine: &Machine, request: &PlacementRequest) -> Result<CpuSet, PlacementError> {
    let mut usable = machine.allowed_cpus.clone();
    if usable.is_empty() {
        return Err(PlacementError::NoCpu { limits: cpu_limits(machine) });
    }
    if let Some(cpus) = &request.cpus {
        check_cpus(machine, cpus)?;
        usable = usable.intersection(cpus);
    }
    if let Order::Listed(list) = &request.choice.order {
        let listed = list.iter().copied().collect();
        check_cpus(machine, &listed)?;
        usable = usable.intersection(&listed);
    }
    if let Some(nodes) = &request.nodes {
        let of_nodes = cpus_of(machine, nodes)?;
        usable = usable.intersection(&of_nodes);
        if usable.is_empty() {
            let cpus = request.cpus.clone().unwrap_or_default();
            return Err(PlacementError::NothingLeft { cpus, nodes: nodes.clone() });
        }
    }
    Ok(usable)
}

fn check_cpus(machine: &Machine, cpus: &CpuSet) -> Result<(), PlacementError> {
    if cpus.is_empty() {
        return Err(PlacementError::EmptyList("CPUs"));
    }
    let forbidden = cpus.difference(&machine.allowed_cpus);
    if forbidden.is_empty() {
        return Ok(());
    }
    let exist = machine.online();
    let missing = cpus.difference(&exist);
    Err(if !missing.is_empty() {
        PlacementError::NoSuchCpu { cpus: missing, exist }
    } else {
        PlacementError::CpuNotAllowed {
            cpus: forbidden,
            allowed: machine.allowed_cpus.clone(),
            limits: cpu_limits(machine),
        }
    })
}

/// The usable CPUs of these nodes. Those without CPUs are passed over, as long as one has some.
fn cpus_of(machine: &Machine, nodes: &NodeSet) -> Result<CpuSet, PlacementError> {
    if nodes.is_empty() {
        return Err(PlacementError::EmptyList("nodes"));
    }
    check_nodes_exist(machine, nodes)?;
    let own = |node: NodeId| machine.node(node).map(|node| node.cpus.clone()).unwrap_or_default();
    let all = nodes.iter().fold(CpuSet::new(), |all, node| all.union(&own(node)));
    if all.is_empty() {
        let with = machine.nodes.iter().filter(|node| !node.cpus.is_empty()).map(|node| node.id);
        return Err(PlacementError::NodeWithoutCpus { nodes: nodes.clone(), with: with.collect() });
    }
    let usable = all.intersection(&machine.allowed_cpus);
    if usable.is_empty() {
        return Err(PlacementError::NodeCpusNotAllowed {
            nodes: nodes.clone(),
            allowed: machine.allowed_cpus.clone(),
            limits: cpu_limits(machine),
        });
    }
    Ok(usable)
}

/// # Errors
/// Names the nodes that the machine does not have.
pub fn check_nodes_exist(machine: &Machine, nodes: &NodeSet) -> Result<(), PlacementError> {
    let exist: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let missing = nodes.difference(&exist);
    if missing.is_empty() { Ok(()) } else { Err(PlacementError::NoSuchNode { nodes: missing, exist }) }
}

/// The CPUs of `usable` by node, the nodes by package and number, CPUs of no known node last.
pub fn groups(machine: &Machine, usable: &CpuSet, choice: &CpuChoice) -> Vec<Group> {
    let mut by_node: BTreeMap<(bool, u32, Option<NodeId>), Vec<CpuId>> = BTreeMap::new();
    let mut package_of: BTreeMap<NodeId, u32> = BTreeMap::new();
    for cpu in usable.iter() {
        let known = machine.cpu(cpu);
        let node = known.and_then(|cpu| cpu.node);
        let package = known.and_then(|cpu| cpu.package).unwrap_or(u32::MAX);
        // A node has one place even where its CPUs are of several packages: the first one's.
        let package = node.map_or(0, |node| *package_of.entry(node).or_insert(package));
        by_node.entry((node.is_none(), package, node)).or_default().push(cpu);
    }
    by_node
        .into_iter()
        .map(|((_, _, node), cpus)| Group {
            node,
            cpus: stepped(&ordered(machine, &cpus, &choice.order), choice),
        })
        .collect()
}

/// Fast cores first. Spread, those that are alike get one thread each before any gets a second one, and all cores before
/// any gets a second one; compact, a core gets all its threads before the next.
fn ordered(machine: &Machine, cpus: &[CpuId], order: &Order) -> Vec<Place> {
    let mut cores: BTreeMap<u32, usize> = BTreeMap::new(); // core number -> position by its lowest usable CPU
    let mut used: Vec<usize> = Vec::new();
    let mut places: Vec<(Reverse<u32>, Place)> = Vec::new();
    for &id in cpus {
        let known = machine.cpu(id);
        let next = cores.len();
        let core = match known {
            Some(cpu) => *cores.entry(cpu.core).or_insert(next),
            None => *cores.entry(u32::MAX - id.0).or_insert(next),
        };
        used.resize(used.len().max(core + 1), 0);
        let efficiency = known.and_then(|cpu| cpu.efficiency.measured().copied()).unwrap_or(0);
        places.push((Reverse(efficiency), Place { cpu: id, core, round: used[core] }));
        used[core] += 1;
    }
    match order {
        Order::Compact => {
            // A core is as fast as its fastest thread, so that it stays in one piece.
            let mut of_core = vec![Reverse(0); cores.len()];
            for (speed, place) in &places {
                of_core[place.core] = of_core[place.core].min(*speed);
            }
            places.arrange_by_key(|(_, place)| (of_core[place.core], place.core, place.round));
        }
        _ => places.arrange_by_key(|(speed, place)| (place.round, *speed, place.core)),
    }
    places.into_iter().map(|(_, place)| place).collect()
}
