//! hwloc's XML, version 2, becomes a [`Machine`]. This is the only place that knows the format; files of hwloc 1,
//! synthetic descriptions and the live machine come here after hwloc has written them anew.

mod attributes;
mod bitmap;
mod devices;
mod distances;
mod efficiency;
mod figures;
mod objects;

use std::collections::BTreeMap;

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::notice::MachineNotice;
use numawise_facts::{Cache, Cpu, Machine, Node, Package, Reading, Source};
use numawise_units::{Arrange, Bytes, CpuId, CpuSet, NodeId, NodeSet};
use roxmltree::{Document, ParsingOptions};

use crate::error::{Error, XmlError};
use crate::kinds::{self, Locality};
pub(crate) use figures::with_figures;
use objects::Objects;

#[cfg(test)]
#[path = "xml_tests.rs"]
mod tests;

/// The machine in a text that hwloc wrote. `kernel`: the same machine by the kernel's files, where there are some.
pub(crate) fn machine(text: &str, source: Source, kernel: Option<&Machine>) -> Result<Machine, Error> {
    let name = match &source {
        Source::Live => "this machine".to_owned(),
        Source::Xml(path) => format!("the machine file '{path}'"),
        Source::Synthetic(words) => format!("'{words}'"),
    };
    read(text, source, kernel).map_err(|problem| Error::Nonsense { input: name, problem })
}

fn read(text: &str, source: Source, kernel: Option<&Machine>) -> Result<Machine, XmlError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    let topology = document.root_element();
    let objects = Objects::read(topology)?;
    let online = objects.cpus.clone();
    if online.is_empty() {
        return Err(XmlError::Lacks("CPUs"));
    }
    if objects.nodes.is_empty() {
        return Err(XmlError::Lacks("NUMA node"));
    }
    let mut nodes: Vec<Node> = objects.nodes.iter().map(|found| node(found, &objects)).collect();
    let attributes = match kernel.map(|kernel| &kernel.attributes) {
        // hwloc has its figures from the same files, and reads them with less care.
        Some(figures) if !figures.is_empty() => figures.clone(),
        _ => attributes::read(topology, &objects)?,
    };
    let subtypes: BTreeMap<NodeId, String> =
        objects.nodes.iter().filter_map(|found| Some((found.id, found.subtype.clone()?))).collect();
    let local = match kernel {
        Some(kernel) => {
            let cpus = |node: &Node| kernel.node(node.id).map(|node| node.cpus.clone());
            nodes.iter().map(|node| cpus(node).unwrap_or_default()).collect()
        }
        None => {
            let homes: Vec<CpuSet> = objects.nodes.iter().map(|found| found.complete.clone()).collect();
            kinds::local_cpus(&nodes, &homes, &subtypes, &attributes)
        }
    };
    for (node, local) in nodes.iter_mut().zip(&local) {
        node.cpus = local.intersection(&online);
    }
    let described = objects.root_set("complete_cpuset")?.is_none_or(|all: CpuSet| all.is_subset(&online));
    kinds::derive(&mut nodes, &local, &subtypes, &attributes, described);
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let distances = distances::read(topology, &ids)?;
    for (node, row) in nodes.iter_mut().zip(distances) {
        node.distances = row;
    }
    let packages = packages(&objects);
    let cpus = cpus(&objects, &packages, &nodes, &efficiency::read(topology, &online)?);
    let allowed_nodes = allowed_nodes(&nodes, objects.root_set("allowed_nodeset")?);
    let allowed_cpus = match objects.root_set("allowed_cpuset")? {
        Some(allowed) => allowed.intersection(&online),
        None => online.clone(),
    };
    let devices = match source {
        Source::Xml(_) => devices::read(topology, &objects, &ids)?,
        // The kernel's files tell them, without the libraries of vendors.
        Source::Live => Reading::unavailable("the kernel's files tell them"),
        Source::Synthetic(_) => Reading::unavailable("a synthetic description has none"),
    };
    let limits = match source {
        Source::Xml(_) => recorded_limits(&objects, &ids)?,
        Source::Live | Source::Synthetic(_) => Vec::new(),
    };
    Ok(Machine {
        source,
        packages,
        nodes,
        cpus,
        caches: caches(&objects),
        attributes,
        devices,
        allowed_cpus,
        allowed_nodes,
        limits,
    })
}

fn node(found: &objects::XmlNode, objects: &Objects<'_, '_>) -> Node {
    // hwloc leaves the size out when it is 0 and when it does not know it.
    let memory = match (found.memory, objects.knows_memory()) {
        (Some(bytes), _) => Reading::Measured(Bytes(bytes)),
        (None, true) => Reading::Measured(Bytes(0)),
        (None, false) => Reading::unavailable("hwloc's description does not give the size"),
    };
    Node {
        id: found.id,
        cpus: CpuSet::new(),
        near: found.cpus.intersection(&objects.cpus),
        memory,
        free: Reading::unavailable("only the live machine has it"),
        kind: numawise_facts::MemoryKind::Unknown,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("hwloc's description has no distances"),
    }
}

fn packages(objects: &Objects<'_, '_>) -> Vec<Package> {
    let mut sets: Vec<CpuSet> = objects
        .packages
        .iter()
        .map(|set| set.intersection(&objects.cpus))
        .filter(|set| !set.is_empty())
        .collect();
    sets.arrange_by_key(CpuSet::first);
    (0..).zip(sets).map(|(index, cpus)| Package { index, cpus }).collect()
}

fn caches(objects: &Objects<'_, '_>) -> Vec<Cache> {
    let mut caches: Vec<Cache> = objects
        .caches
        .iter()
        .map(|cache| Cache { cpus: cache.cpus.intersection(&objects.cpus), ..cache.clone() })
        .filter(|cache| !cache.cpus.is_empty())
        .collect();
    caches.arrange_by_key(|cache| (cache.level, cache.cpus.first()));
    caches
}

fn cpus(
    objects: &Objects<'_, '_>,
    packages: &[Package],
    nodes: &[Node],
    efficiency: &dyn Fn(CpuId) -> Reading<u32>,
) -> Vec<Cpu> {
    let cores = Locality::of_sets(&objects.cpus, &objects.cores);
    let owner = |id| nodes.iter().find(|node| node.cpus.contains(id)).map(|node| node.id);
    let package = |id| packages.iter().find(|p| p.cpus.contains(id)).map(|p| p.index);
    objects
        .cpus
        .iter()
        .map(|id| {
            let (core, smt) = cores.place(id);
            Cpu { id, node: owner(id), package: package(id), core, smt, efficiency: efficiency(id) }
        })
        .collect()
}

/// The nodes with memory among those allowed.
fn allowed_nodes(nodes: &[Node], allowed: Option<NodeSet>) -> NodeSet {
    let has_memory = |node: &&Node| node.memory.measured() != Some(&Bytes(0));
    let with_memory: NodeSet = nodes.iter().filter(has_memory).map(|node| node.id).collect();
    match allowed {
        Some(allowed) => allowed.intersection(&with_memory),
        None => with_memory,
    }
}

/// What was kept from whoever recorded the machine. hwloc leaves those parts out of the tree and keeps their numbers.
fn recorded_limits(objects: &Objects<'_, '_>, nodes: &[NodeId]) -> Result<Vec<MachineNotice>, XmlError> {
    let mut limits = Vec::new();
    let all_nodes: NodeSet = objects.root_set("complete_nodeset")?.unwrap_or_default();
    let described: NodeSet = nodes.iter().copied().collect();
    let missing_nodes = all_nodes.difference(&described);
    let all_cpus: CpuSet = objects.root_set("complete_cpuset")?.unwrap_or_default();
    let missing = all_cpus.difference(&objects.cpus);
    if !missing.is_empty() {
        // Nodes do not go offline with their CPUs: where nodes are missing too, it was a cpuset.
        let by_cpuset = !missing_nodes.is_empty();
        limits.push(MachineNotice::CpusNotRecorded { described: objects.cpus.clone(), missing, by_cpuset });
    }
    if !missing_nodes.is_empty() {
        limits.push(MachineNotice::NodesNotRecorded { described, missing: missing_nodes });
    }
    Ok(limits)
}
