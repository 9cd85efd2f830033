//! Why there is no plan for a device.

use numawise_facts::{DeviceName, Reason};
use numawise_units::{CpuSet, NodeSet};

/// Why a request cannot be kept near to a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NearError {
    #[error("the devices of the machine are not known: {reason}; name a node instead")]
    NotKnown { reason: Reason },
    #[error("there is no device {name} on this machine; {there}")]
    Missing { name: DeviceName, there: String },
    #[error("what {device} is near to is not known: {reason}; name a node instead")]
    NoLocality { device: String, reason: Reason },
    #[error("{name} is near to node {near}, which is none of the nodes asked for ({nodes})")]
    OtherNodes { name: DeviceName, near: NodeSet, nodes: NodeSet },
    #[error(
        "there is no GPU of NVIDIA, AMD or Intel that may be used; the variables that show a program its GPUs are theirs"
    )]
    NoGpu,
    #[error("{name} is near to CPUs {near}, which are none of those asked for ({cpus})")]
    OtherCpus { name: DeviceName, near: CpuSet, cpus: CpuSet },
}
