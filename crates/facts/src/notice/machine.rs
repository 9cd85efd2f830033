//! Notices of a machine: what keeps us from using all of it, who reported it, and who can lift it.

use numawise_units::{Bytes, CpuId, CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

use super::EmulationNotice;
use crate::Reading;

super::notices! {
    /// NW2xx: of what keeps us from using the whole machine.
    Machine: MachineNotice {
        /// CPUs are there but offline.
        "NW201" OfflineCpus { online: CpuSet, offline: CpuSet, /** The kernel's folder of CPUs. */ folder: String },
        /// The cpuset of the cgroup leaves only some CPUs of those online.
        "NW202" CgroupCpus { allowed: CpuSet, online: CpuSet, file: String },
        /// The affinity mask that we were started with leaves only some CPUs of those that the cgroup leaves.
        "NW203" AffinityMask { allowed: CpuSet, cgroup: CpuSet, /** The kernel's file of the mask. */ file: String },
        /// Memory may be taken from some nodes only.
        "NW204" CgroupMemory {
            allowed: NodeSet,
            with_memory: NodeSet,
            /// The file of the cgroup, where there is one.
            cgroup_file: Option<String>,
            /// That of the process.
            file: String,
        },
        /// The CPU time of all threads together is limited to that of so many CPUs.
        "NW205" CpuQuota { cpus: f64, file: String },
        /// The memory of the cgroup is limited.
        "NW206" MemoryLimit { limit: Bytes, /** Of the whole machine. */ memory: Reading<Bytes>, file: String },
        /// A memory policy was set before we were started, and programs inherit it.
        "NW207" InheritedPolicy { /** As the kernel's documentation calls it. */ mode: String, nodes: NodeSet },
        /// The calls that set memory policies are forbidden, as by the seccomp filter of many containers.
        "NW208" PolicyCallsForbidden,
        /// The kernel has no memory policies.
        "NW209" PolicyCallsMissing { /** The kernel's folder of nodes, which it lacks. */ folder: String },
        /// The call that reads the memory policy failed in an unexpected way.
        "NW210" PolicyCallsUnknown { problem: String },
        /// Only some hardware threads of a core may be used.
        "NW211" PartialCores {
            cores: u32,
            /// Hardware threads of these cores that may be used.
            usable: CpuSet,
            /// Those that may not.
            others: CpuSet,
            folder: String,
        },
        /// Some of the CPUs that may be used are power-efficient cores, slower than the others.
        "NW212" EfficientCores { efficient: CpuSet, fastest: CpuSet },
        /// Nodes have CPUs and no memory.
        "NW213" NodesWithoutMemory { nodes: NodeSet, folder: String },
        /// Nodes have memory and no CPUs that are online.
        "NW214" NodesWithoutCpus { nodes: NodeSet, folder: String },
        /// CPU numbers are beyond what the C library's `cpu_set_t` holds.
        "NW215" CpusBeyondCpuSet { last: CpuId, /** CPUs that it holds. */ holds: u32, folder: String },
        /// Numbers of CPUs or of nodes are left out; only the sets with gaps are named.
        "NW216" NumberingGaps { cpus: Option<CpuSet>, nodes: Option<NodeSet>, /** Where the numbers are. */ files: Vec<String> },
        /// CPUs of a recorded machine are not described: offline, or kept from whoever recorded it.
        "NW217" CpusNotRecorded { described: CpuSet, missing: CpuSet, /** They can only have been kept by a cpuset. */ by_cpuset: bool },
        /// Nodes of a recorded machine are not described.
        "NW218" NodesNotRecorded { described: NodeSet, missing: NodeSet },
        /// The call that sets the CPUs of a thread (`sched_setaffinity`) has no effect here.
        "NW219" AffinityCallsRefused { by: AffinityRefusal },
        /// The machine is emulated, as another one that was described: what is measured on it is rehearsed.
        "NW220" Rehearsed {
            /// The machine that it stands for, as it was named.
            machine: String,
            /// So many times longer than on that machine takes an access to memory.
            slowdown: f64,
            /// In what it differs from that machine.
            differences: Vec<EmulationNotice>,
            /// Where this is written in the guest.
            file: String,
        },
    }
}

/// How the call that sets the CPUs of a thread is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AffinityRefusal {
    /// It is forbidden, as by a seccomp filter.
    Forbidden,
    /// The kernel, or what stands for it, says that it has no such call.
    Missing,
    /// It reports success whatever is asked for: a sandbox answers in place of the kernel.
    Ignored,
}

/// Person or program that can lift a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiftedBy {
    Administrator,
    /// Whoever made the cgroup: the batch system, the container, systemd.
    CgroupOwner,
    /// Whoever started us: a launcher, taskset, numactl.
    Caller,
    ContainerOwner,
    KernelBuilder,
    /// Whoever owns the hardware.
    MachineOwner,
    ProgramAuthor,
    /// Whoever recorded the machine.
    Recorder,
    /// The user, by a request.
    User,
    Nobody,
}

impl MachineNotice {
    /// Who can lift the limit.
    pub fn lifted_by(&self) -> LiftedBy {
        match self {
            MachineNotice::OfflineCpus { .. } | MachineNotice::PolicyCallsUnknown { .. } => {
                LiftedBy::Administrator
            }
            MachineNotice::CgroupCpus { .. }
            | MachineNotice::CgroupMemory { .. }
            | MachineNotice::CpuQuota { .. }
            | MachineNotice::MemoryLimit { .. }
            | MachineNotice::PartialCores { .. } => LiftedBy::CgroupOwner,
            MachineNotice::AffinityMask { .. } | MachineNotice::InheritedPolicy { .. } => LiftedBy::Caller,
            MachineNotice::PolicyCallsForbidden | MachineNotice::AffinityCallsRefused { .. } => {
                LiftedBy::ContainerOwner
            }
            MachineNotice::PolicyCallsMissing { .. } => LiftedBy::KernelBuilder,
            MachineNotice::EfficientCores { .. } | MachineNotice::NodesWithoutCpus { .. } => LiftedBy::User,
            MachineNotice::NodesWithoutMemory { .. } => LiftedBy::MachineOwner,
            MachineNotice::CpusBeyondCpuSet { .. } => LiftedBy::ProgramAuthor,
            MachineNotice::NumberingGaps { .. } | MachineNotice::Rehearsed { .. } => LiftedBy::Nobody,
            MachineNotice::CpusNotRecorded { .. } | MachineNotice::NodesNotRecorded { .. } => {
                LiftedBy::Recorder
            }
        }
    }

    /// Whether it takes CPUs of the machine from us.
    pub fn takes_cpus(&self) -> bool {
        matches!(
            self,
            MachineNotice::AffinityMask { .. }
                | MachineNotice::CgroupCpus { .. }
                | MachineNotice::OfflineCpus { .. }
                | MachineNotice::CpusNotRecorded { .. }
        )
    }

    /// Whether the machine is not a real one.
    pub fn is_rehearsal(&self) -> bool {
        matches!(self, MachineNotice::Rehearsed { .. })
    }

    /// Whether it takes memory nodes of the machine from us.
    pub fn takes_nodes(&self) -> bool {
        matches!(self, MachineNotice::CgroupMemory { .. } | MachineNotice::NodesNotRecorded { .. })
    }

    /// How the call that sets the CPUs of a thread is refused, where it is.
    pub fn affinity_refusal(&self) -> Option<AffinityRefusal> {
        match self {
            MachineNotice::AffinityCallsRefused { by } => Some(*by),
            _ => None,
        }
    }

    /// Whether memory policies cannot be set, or may not.
    pub fn keeps_policies_from_us(&self) -> bool {
        matches!(
            self,
            MachineNotice::PolicyCallsForbidden
                | MachineNotice::PolicyCallsMissing { .. }
                | MachineNotice::PolicyCallsUnknown { .. }
        )
    }
}
