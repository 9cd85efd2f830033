//! As much of the machine as a request needs.
//!
//! Lists of CPUs and nodes need only what we may use, and the CPUs of the nodes that were named: two or three small files
//! instead of hundreds on a large machine.

use std::fs;

use numawise_facts::{
    Cpu, CpuChoice, Machine, MachineNotice, MemoryKind, MemoryKindEvidence, MemoryRequest, Node, Reading,
    Source, Strategy,
};
use numawise_machine::Roots;
use numawise_units::{CpuSet, NodeId, NodeSet};

use super::super::Failure;
use super::request::Request;

/// What this process may use, as the kernel tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    pub cpus: CpuSet,
    pub nodes: NodeSet,
}

const STATUS: &str = "/proc/self/status";

impl Allowed {
    /// Asks the kernel with two calls; where one is forbidden, reads what it writes into /proc.
    pub fn read() -> Result<Allowed, Failure> {
        match (numawise_launch::affinity(), numawise_launch::memory_nodes()) {
            (Ok(cpus), Ok(nodes)) => Ok(Allowed { cpus, nodes }),
            _ => Allowed::read_status(),
        }
    }

    fn read_status() -> Result<Allowed, Failure> {
        let text = fs::read_to_string(STATUS).map_err(|error| {
            Failure::new(format!("cannot read {STATUS}: {error}; expected /proc to be mounted"))
        })?;
        Allowed::parse(&text).ok_or_else(|| {
            Failure::new(format!(
                "{STATUS} does not tell the CPUs allowed; expected a line Cpus_allowed_list"
            ))
        })
    }

    fn parse(status: &str) -> Option<Allowed> {
        let list = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        Some(Allowed {
            cpus: list("Cpus_allowed_list:")?.trim().parse().ok()?,
            // Kernels without cpusets do not have the line: there is one node then.
            nodes: list("Mems_allowed_list:").unwrap_or("0").trim().parse().ok()?,
        })
    }
}

/// As many CPUs as any kernel is built for (`CONFIG_NR_CPUS` is at most 8192).
const MOST_CPUS: usize = 8192;

/// The CPUs that the kernel would let us have, whatever our mask is: those online in the cpuset of our cgroup.
///
/// The kernel cuts a mask to what the cpuset allows, so a thread that asks for all and then looks at what it got knows,
/// also where no cgroup can be seen. It then takes its mask back: this thread is to become the program, or to start it.
/// Where a call is forbidden the files of the cgroup are asked.
pub fn widest() -> CpuSet {
    asked().unwrap_or_else(|| {
        let online: CpuSet = fs::read_to_string("/sys/devices/system/cpu/online")
            .ok()
            .and_then(|list| list.parse().ok())
            .unwrap_or_default();
        numawise_machine::cgroup_cpus(&Roots::live(), &online)
    })
}

fn asked() -> Option<CpuSet> {
    let before = numawise_launch::affinity().ok()?;
    set_mask(&[u64::MAX; MOST_CPUS / 64]).then_some(())?;
    let widest = numawise_launch::affinity().ok();
    // Fails only when the cpuset has lost all these CPUs meanwhile, and then the kernel gives others by itself.
    set_mask(before.words());
    widest
}

fn set_mask(mask: &[u64]) -> bool {
    // SAFETY: the kernel reads the given number of bytes from the live slice; 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(mask), mask.as_ptr()) == 0 }
}

/// The machine as far as lists need it; `None` when the request needs to know more.
pub fn narrow(request: &Request, allowed: &Allowed) -> Option<Machine> {
    let placement = &request.placement;
    let by_list = matches!(placement.strategy, Strategy::None | Strategy::Explicit)
        && request.location.is_none()
        && placement.choice == CpuChoice::default();
    let decided = match &placement.memory {
        MemoryRequest::Default
        | MemoryRequest::Local
        | MemoryRequest::PreferredMany(_)
        | MemoryRequest::KernelWeighted(_) => true,
        MemoryRequest::Bind(nodes) | MemoryRequest::Interleave(nodes) => nodes.is_some(),
        MemoryRequest::Weighted(_) => false,
        MemoryRequest::Preferred(node) => node.is_some(),
        MemoryRequest::Hbm | MemoryRequest::Remote => false,
    };
    if !by_list || !decided {
        return None;
    }
    let named = placement.nodes.clone().unwrap_or_default();
    let nodes = allowed.nodes.union(&named);
    let nodes: Option<Vec<Node>> = nodes.iter().map(|id| node(id, named.contains(id))).collect();
    Some(Machine {
        source: Source::Live,
        packages: Vec::new(),
        nodes: nodes?,
        cpus: allowed.cpus.iter().map(cpu).collect(),
        caches: Vec::new(),
        attributes: Vec::new(),
        allowed_cpus: allowed.cpus.clone(),
        allowed_nodes: allowed.nodes.clone(),
        limits: Vec::new(),
    })
}

const NOT_READ: &str = "not read for a placement by list";

/// The CPUs online of a node; `None` where there is no such node.
pub fn cpus_of_node(id: NodeId) -> Option<CpuSet> {
    fs::read_to_string(format!("/sys/devices/system/node/node{id}/cpulist")).ok()?.parse().ok()
}

fn node(id: NodeId, with_cpus: bool) -> Option<Node> {
    let cpus = if with_cpus { cpus_of_node(id)? } else { CpuSet::new() };
    Some(Node {
        id,
        near: cpus.clone(),
        cpus,
        memory: Reading::unavailable(NOT_READ),
        free: Reading::unavailable(NOT_READ),
        kind: MemoryKind::Unknown,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable(NOT_READ),
    })
}

fn cpu(id: numawise_units::CpuId) -> Cpu {
    Cpu { id, node: None, package: None, core: id.0, smt: 0, efficiency: Reading::unavailable(NOT_READ) }
}

/// Nodes, cores and packages, from the kernel's files; and what the firmware says of bandwidth where weights need it.
pub fn quick(request: &Request, allowed: &Allowed) -> Result<Machine, Failure> {
    let weighted = matches!(request.placement.memory, MemoryRequest::Weighted(_));
    let machine = if weighted {
        numawise_machine::quick_with_figures(&Roots::live())?
    } else {
        numawise_machine::quick(&Roots::live())?
    };
    Ok(under(machine, allowed))
}

/// All there is to know of this machine, with what limits us on it.
pub fn full(allowed: &Allowed) -> Result<Machine, Failure> {
    Ok(under(numawise_session::here::full()?.machine, allowed))
}

/// The machine with these CPUs allowed, which may be more than our mask has.
fn under(mut machine: Machine, allowed: &Allowed) -> Machine {
    let cpus = allowed.cpus.intersection(&machine.online());
    if !cpus.is_subset(&machine.allowed_cpus) {
        // The mask no longer counts, so it must not be named as what keeps us from a CPU.
        machine.limits.retain(|limit| !matches!(limit, MachineNotice::AffinityMask { .. }));
    }
    machine.allowed_cpus = cpus;
    machine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_files_tell_the_same() {
        assert_eq!(Allowed::read().unwrap(), Allowed::read_status().unwrap());
    }

    #[test]
    fn what_is_allowed_is_read_from_status() {
        let text = "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-1,8\nMems_allowed_list:\t0,2\n";
        let allowed = Allowed::parse(text).unwrap();
        assert_eq!(
            (allowed.cpus.to_string(), allowed.nodes.to_string()),
            ("0-1,8".to_owned(), "0,2".to_owned())
        );
        let without_cpusets = Allowed::parse("Cpus_allowed_list:\t0\n").unwrap();
        assert_eq!(without_cpusets.nodes.to_string(), "0");
    }

    #[test]
    fn a_status_that_makes_no_sense_is_refused() {
        for text in [
            "",
            "Mems_allowed_list:\t0\n",
            "Cpus_allowed_list:\tx\n",
            "Cpus_allowed_list:\t0\nMems_allowed_list:\t-\n",
        ] {
            assert_eq!(Allowed::parse(text), None, "{text}");
        }
    }
}
