//! The quick reader: what a placement needs, from files below `/sys` and `/proc`.
//!
//! It reads three files a node and at most one a core, without listing directories, and asks nothing of hwloc. Caches are
//! left out, of kinds of cores it knows those of hybrid processors, and of memory kinds what the firmware's figures tell.

use std::collections::BTreeMap;
use std::io;

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Cpu, Machine, MemoryKind, Node, Package, Reading, Source};
use numawise_linux::memory::MemoryInfo;
use numawise_linux::proc::status::Status;
use numawise_units::{Bytes, CpuId, CpuSet, NodeId, NodeSet};

use crate::files::{CPUS, DISTANCES, MOST_MEMORY, NODES};
use crate::kinds::{self, Locality};
use crate::{Error, Roots, files, hmat};

mod devices;
mod efficiency;
mod gpu;
#[cfg(test)]
#[path = "sysfs_tests.rs"]
mod tests;

use devices::devices;

/// The machine with the devices that the kernel shows below `roots`.
pub fn with_devices(roots: &Roots, mut machine: Machine) -> Machine {
    machine.devices = devices(roots, &machine);
    machine
}

const LIST: &str = "a list such as 0-3,8";

/// The machine as far as a placement needs it: nodes, CPUs, cores, packages, and what is allowed. Caches and limits stay
/// empty; [`limits`](crate::limits) tells the limits.
///
/// # Errors
/// When a file that every Linux has cannot be read or makes no sense.
pub fn quick(roots: &Roots) -> Result<Machine, Error> {
    read(roots, Figures::OfNodesWithoutCpus)
}

/// The same with all that the firmware says of latency and bandwidth, not only of nodes without CPUs.
///
/// # Errors
/// As [`quick`].
pub fn quick_with_figures(roots: &Roots) -> Result<Machine, Error> {
    read(roots, Figures::Always)
}

/// When the firmware's figures are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figures {
    /// Where they tell the kind of a node.
    OfNodesWithoutCpus,
    Always,
}

pub(crate) fn read(roots: &Roots, figures: Figures) -> Result<Machine, Error> {
    let online = online(roots)?;
    let mut nodes = nodes(roots, &online)?;
    let wanted = figures == Figures::Always || nodes.iter().any(|node| node.cpus.is_empty());
    let attributes = if wanted { hmat::read(roots, &nodes) } else { Vec::new() };
    near_of_nodes_without_cpus(roots, &mut nodes);
    let local: Vec<CpuSet> = nodes.iter().map(|node| node.cpus.clone()).collect();
    let of_devices = device_memory(roots, &nodes);
    kinds::derive(&mut nodes, &local, &of_devices, &attributes, true);
    let packages = packages(roots, &online);
    let cpus = cpus(roots, &online, &nodes, &packages);
    let allowed = Allowed::read(roots)?;
    let with_memory = nodes.iter().filter(|node| node.memory != Reading::Measured(Bytes(0)));
    let with_memory: NodeSet = with_memory.map(|node| node.id).collect();
    Ok(Machine {
        source: Source::Live,
        packages,
        nodes,
        cpus,
        caches: Vec::new(),
        attributes,
        devices: Reading::unavailable("not read for a placement"),
        allowed_cpus: allowed.cpus.intersection(&online),
        allowed_nodes: match allowed.nodes {
            Some(nodes) => nodes.intersection(&with_memory),
            None => with_memory,
        },
        limits: Vec::new(),
    })
}

/// What the kernel says this process may use.
pub(crate) struct Allowed {
    pub cpus: CpuSet,
    /// Missing from kernels without cpusets.
    pub nodes: Option<NodeSet>,
}

pub(crate) const STATUS: &str = "/proc/self/status";

impl Allowed {
    /// From `Cpus_allowed_list` (what `sched_getaffinity` gives, whatever the number of CPUs) and `Mems_allowed_list`.
    pub(crate) fn read(roots: &Roots) -> Result<Self, Error> {
        let text = files::text(roots, STATUS)?;
        let wrong = |found: String, expected: &str| Error::SystemContent {
            path: roots.path(STATUS),
            found,
            expected: expected.to_owned(),
        };
        let status =
            Status::parse(text.as_bytes()).map_err(|problem| wrong(problem.found, problem.expected))?;
        let without = || wrong("something else".to_owned(), "a line Cpus_allowed_list with a list of CPUs");
        Ok(Allowed { cpus: status.cpus.ok_or_else(without)?, nodes: status.nodes })
    }
}

/// The CPUs online, of which there is one at least.
fn online(roots: &Roots) -> Result<CpuSet, Error> {
    let file = format!("{CPUS}/online");
    let online: CpuSet = files::value(roots, &file, LIST)?;
    if online.is_empty() {
        let expected = "the list of the CPUs that are online".to_owned();
        return Err(Error::SystemContent { path: roots.path(&file), found: String::new(), expected });
    }
    Ok(online)
}

fn nodes(roots: &Roots, online: &CpuSet) -> Result<Vec<Node>, Error> {
    let list = format!("{NODES}/online");
    if !roots.path(&list).exists() {
        return Ok(vec![only_node(roots, online)]);
    }
    let ids: NodeSet = files::value(roots, &list, LIST)?;
    if ids.is_empty() {
        return Ok(vec![only_node(roots, online)]);
    }
    let mut taken = CpuSet::new();
    let read = |id| {
        let mut node = node(roots, id, online, ids.len())?;
        // A CPU is local to one node; where two claim it, the first one has it.
        node.cpus = node.cpus.difference(&taken);
        taken = taken.union(&node.cpus);
        Ok(node)
    };
    ids.iter().map(read).collect()
}

/// `number`: how many nodes there are.
fn node(roots: &Roots, id: NodeId, online: &CpuSet, number: usize) -> Result<Node, Error> {
    let file = |name: &str| format!("{NODES}/node{id}/{name}");
    let cpus: CpuSet = files::value(roots, &file("cpulist"), LIST)?;
    let cpus = cpus.intersection(online);
    let (memory, free) = memory(MemoryInfo::of_node(roots, id));
    let distances = match roots.try_text(&file("distance")) {
        Some(text) => row(&text, number),
        None => Reading::unavailable("the kernel gives no distances"),
    };
    Ok(Node {
        id,
        near: cpus.clone(),
        cpus,
        memory,
        free,
        kind: MemoryKind::Unknown,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances,
    })
}

/// The distances to so many nodes.
fn row(text: &str, number: usize) -> Reading<Vec<u32>> {
    let distance =
        |word: &str| word.parse().ok().filter(|distance| DISTANCES.contains(&u64::from(*distance)));
    let row: Option<Vec<u32>> = text.split_whitespace().map(distance).collect();
    match row {
        Some(row) if row.len() == number => Reading::Measured(row),
        _ => Reading::unavailable("the kernel's distances make no sense"),
    }
}

/// Total and free memory from a `meminfo`, the machine's or a node's.
pub(crate) fn memory(info: io::Result<MemoryInfo>) -> (Reading<Bytes>, Reading<Bytes>) {
    match info {
        Ok(info) => {
            let reading = |value: Option<Bytes>| match value {
                Some(Bytes(MOST_MEMORY..)) => Reading::unavailable("meminfo makes no sense"),
                Some(bytes) => Reading::Measured(bytes),
                None => Reading::unavailable("meminfo does not tell"),
            };
            (reading(info.total), reading(info.free))
        }
        Err(_) => {
            let none = || Reading::unavailable("meminfo cannot be read");
            (none(), none())
        }
    }
}

/// A kernel without NUMA: one node for all.
fn only_node(roots: &Roots, online: &CpuSet) -> Node {
    let (memory, free) = memory(MemoryInfo::of_computer(roots));
    Node {
        id: NodeId(0),
        cpus: online.clone(),
        near: online.clone(),
        memory,
        free,
        kind: MemoryKind::Unknown,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("the kernel knows no NUMA nodes"),
    }
}

/// Memory of devices, by the names that hwloc has for it. Drivers are asked where there are nodes without CPUs.
fn device_memory(roots: &Roots, nodes: &[Node]) -> BTreeMap<NodeId, String> {
    let without: NodeSet = nodes.iter().filter(|node| node.cpus.is_empty()).map(|node| node.id).collect();
    if without.is_empty() {
        return BTreeMap::new();
    }
    let of_gpus = gpu::nodes(roots).intersection(&without);
    of_gpus.iter().map(|id| (id, kinds::GPU_MEMORY.to_owned())).collect()
}

/// A node without CPUs is near to the CPUs of the initiators that the firmware names, otherwise to those of the nodes at
/// the smallest distance.
fn near_of_nodes_without_cpus(roots: &Roots, nodes: &mut [Node]) {
    let near: Vec<Option<CpuSet>> = nodes
        .iter()
        .map(|node| {
            node.cpus.is_empty().then(|| {
                let named = hmat::initiators(roots, node.id, nodes);
                if named.is_empty() { nearest(node, nodes) } else { named }
            })
        })
        .collect();
    for (node, near) in nodes.iter_mut().zip(near) {
        node.near = near.unwrap_or_else(|| node.cpus.clone());
    }
}

fn nearest(node: &Node, nodes: &[Node]) -> CpuSet {
    let everywhere = || nodes.iter().fold(CpuSet::new(), |all, other| all.union(&other.cpus));
    let Some(row) = node.distances.measured() else {
        return everywhere();
    };
    let with_cpus =
        || row.iter().zip(nodes).filter(|(_, other)| other.id != node.id && !other.cpus.is_empty());
    match with_cpus().map(|(distance, _)| distance).min() {
        Some(least) => with_cpus()
            .filter(|(distance, _)| *distance == least)
            .fold(CpuSet::new(), |all, (_, other)| all.union(&other.cpus)),
        None => everywhere(),
    }
}

/// Packages by the list of each one's first CPU: as many reads as packages.
fn packages(roots: &Roots, online: &CpuSet) -> Vec<Package> {
    let lists = |cpu| {
        topology_list(roots, cpu, "package_cpus_list")
            .or_else(|| topology_list(roots, cpu, "core_siblings_list"))
    };
    let groups = groups(online, lists).unwrap_or_default();
    (0..).zip(groups).map(|(index, cpus)| Package { index, cpus }).collect()
}

fn cpus(roots: &Roots, online: &CpuSet, nodes: &[Node], packages: &[Package]) -> Vec<Cpu> {
    let cores = Locality::of_sets(online, &cores(roots, online));
    let efficiency = efficiency::read(roots, online);
    online
        .iter()
        .map(|id| {
            let (core, smt) = cores.place(id);
            Cpu {
                id,
                node: nodes.iter().find(|node| node.cpus.contains(id)).map(|node| node.id),
                package: packages.iter().find(|p| p.cpus.contains(id)).map(|p| p.index),
                core,
                smt,
                efficiency: efficiency.of(id),
            }
        })
        .collect()
}

/// The cores with several CPUs: nothing is read where the kernel says that there are none.
fn cores(roots: &Roots, online: &CpuSet) -> Vec<CpuSet> {
    if roots.try_text(&format!("{CPUS}/smt/active")).is_some_and(|text| text.trim() == "0") {
        return Vec::new();
    }
    groups(online, |cpu| topology_list(roots, cpu, "thread_siblings_list")).unwrap_or_default()
}

/// How many CPUs the core of `cpu` has; 1 where the kernel does not say.
pub fn threads_of_core(roots: &Roots, cpu: CpuId) -> usize {
    topology_list(roots, cpu, "thread_siblings_list").map_or(1, |siblings| siblings.len().max(1))
}

/// The CPUs online; `None` where the kernel does not say.
pub fn online_cpus(roots: &Roots) -> Option<CpuSet> {
    roots.try_value(&format!("{CPUS}/online"))
}

/// The nodes online, whether we may use their memory or not; `None` where the kernel knows no nodes.
pub fn online_nodes(roots: &Roots) -> Option<NodeSet> {
    roots.try_value(&format!("{NODES}/online"))
}

/// The CPUs online of a node; `None` where there is no such node.
pub fn cpus_of_node(roots: &Roots, node: NodeId) -> Option<CpuSet> {
    roots.try_value(&format!("{NODES}/node{node}/cpulist"))
}

fn topology_list(roots: &Roots, cpu: CpuId, name: &str) -> Option<CpuSet> {
    roots.try_value(&format!("{CPUS}/cpu{cpu}/topology/{name}"))
}

/// Disjoint sets that cover all CPUs online, by the list of each one's lowest CPU; none when a list is missing.
fn groups(online: &CpuSet, list: impl Fn(CpuId) -> Option<CpuSet>) -> Option<Vec<CpuSet>> {
    let mut left = online.clone();
    let mut groups = Vec::new();
    while let Some(cpu) = left.first() {
        let mut group = list(cpu)?.intersection(&left);
        group.insert(cpu);
        left = left.difference(&group);
        groups.push(group);
    }
    Some(groups)
}
