//! Machines made by hand for the tests of this crate.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::notice::MachineNotice;
use numawise_facts::{
    Cpu, CpuChoice, Machine, MemoryKind, MemoryRequest, Node, Package, PlacementRequest, Reading, Smt,
    Source, Strategy, ThreadBinding,
};
use numawise_units::{Arrange, Bytes, CpuId, CpuSet, NodeId, NodeSet};

/// A node to be: its number, package, cores (each a list of CPUs), kind and memory in MiB.
pub struct NodeSpec<'a> {
    pub id: u32,
    pub package: u32,
    pub cores: &'a [&'a [u32]],
    pub kind: MemoryKind,
    pub mib: u64,
}

pub fn dram<'a>(id: u32, package: u32, cores: &'a [&'a [u32]]) -> NodeSpec<'a> {
    NodeSpec { id, package, cores, kind: MemoryKind::Dram, mib: 1024 }
}

/// Memory without CPUs, attached to a package.
pub fn memory_only(id: u32, package: u32, kind: MemoryKind) -> NodeSpec<'static> {
    NodeSpec { id, package, cores: &[], kind, mib: 512 }
}

/// The machine of these nodes. Distances: 10 to itself, 16 to memory attached to the package, 21 and more between
/// packages, growing with the difference of their numbers.
pub fn machine(specs: &[NodeSpec<'_>]) -> Machine {
    let mut specs: Vec<&NodeSpec<'_>> = specs.iter().collect();
    specs.arrange_by_key(|spec| spec.id);
    let cpus = cpus_of(&specs);
    let of_package = |package: u32| -> CpuSet {
        cpus.iter().filter(|cpu| cpu.package == Some(package)).map(|cpu| cpu.id).collect()
    };
    let distance = |a: &NodeSpec<'_>, b: &NodeSpec<'_>| match (a.id == b.id, a.package.abs_diff(b.package)) {
        (true, _) => 10,
        (false, 0) => 16,
        (false, far) => 20 + far,
    };
    let nodes: Vec<Node> = specs
        .iter()
        .map(|spec| {
            let own: CpuSet = spec.cores.iter().flat_map(|core| core.iter().copied().map(CpuId)).collect();
            Node {
                id: NodeId(spec.id),
                near: if own.is_empty() { of_package(spec.package) } else { own.clone() },
                cpus: own,
                memory: Reading::Measured(Bytes::mib(spec.mib)),
                free: Reading::unavailable("made by hand"),
                kind: spec.kind,
                kind_evidence: MemoryKindEvidence::NotRead,
                distances: Reading::Measured(specs.iter().map(|other| distance(spec, other)).collect()),
            }
        })
        .collect();
    let mut packages: Vec<u32> = specs.iter().map(|spec| spec.package).collect();
    packages.arrange();
    packages.dedup();
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: packages.into_iter().map(|index| Package { index, cpus: of_package(index) }).collect(),
        allowed_cpus: cpus.iter().map(|cpu| cpu.id).collect(),
        allowed_nodes: nodes
            .iter()
            .filter(|n| n.memory != Reading::Measured(Bytes(0)))
            .map(|n| n.id)
            .collect(),
        nodes,
        cpus,
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        limits: vec![],
    }
}

/// All CPUs by number; cores are counted in the order of the nodes.
fn cpus_of(specs: &[&NodeSpec<'_>]) -> Vec<Cpu> {
    let mut cpus = Vec::new();
    for (core, (spec, threads)) in
        specs.iter().flat_map(|spec| spec.cores.iter().map(move |threads| (spec, threads))).enumerate()
    {
        for (smt, &id) in threads.iter().enumerate() {
            cpus.push(Cpu {
                id: CpuId(id),
                node: Some(NodeId(spec.id)),
                package: Some(spec.package),
                core: core as u32,
                smt: smt as u32,
                efficiency: Reading::unavailable("all alike"),
            });
        }
    }
    cpus.arrange_by_key(|cpu| cpu.id);
    cpus
}

/// Two sockets of two cores with two hardware threads each, numbered as Linux does on most servers.
pub fn two_sockets() -> Machine {
    machine(&[dram(0, 0, &[&[0, 4], &[1, 5]]), dram(1, 1, &[&[2, 6], &[3, 7]])])
}

/// The same, with high-bandwidth memory without CPUs at each socket.
pub fn with_hbm() -> Machine {
    machine(&[
        dram(0, 0, &[&[0], &[1]]),
        dram(1, 1, &[&[2], &[3]]),
        memory_only(2, 0, MemoryKind::Hbm),
        memory_only(3, 1, MemoryKind::Hbm),
    ])
}

/// Leaves only some CPUs by the cpuset of a cgroup.
pub fn in_cgroup(mut machine: Machine, cpus: &str) -> Machine {
    let (allowed, online): (CpuSet, CpuSet) = (cpus.parse().unwrap(), machine.online());
    machine.allowed_cpus = allowed.clone();
    machine.limits.push(MachineNotice::CgroupCpus { allowed, online, file: "cpuset.cpus".to_owned() });
    machine
}

/// Leaves only some CPUs by an affinity mask.
pub fn masked(mut machine: Machine, cpus: &str) -> Machine {
    let (allowed, cgroup): (CpuSet, CpuSet) = (cpus.parse().unwrap(), machine.online());
    machine.allowed_cpus = allowed.clone();
    machine.limits.push(MachineNotice::AffinityMask { allowed, cgroup, file: "status".to_owned() });
    machine
}

/// All hardware threads of a core also where the number of threads is ours.
pub fn all_threads() -> CpuChoice {
    CpuChoice { smt: Smt::All, ..CpuChoice::default() }
}

/// With [`all_threads`].
pub fn request(strategy: Strategy, threads: Option<u32>) -> PlacementRequest {
    PlacementRequest {
        choice: all_threads(),
        strategy,
        binding: ThreadBinding::Pinned,
        threads,
        ..PlacementRequest::as_the_os_does()
    }
}

pub fn cpus(text: &str) -> CpuSet {
    text.parse().unwrap()
}

pub fn nodes(text: &str) -> NodeSet {
    text.parse().unwrap()
}

pub fn memory(text: &str) -> MemoryRequest {
    text.parse().unwrap()
}
