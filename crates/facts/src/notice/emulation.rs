//! Notices of an emulated machine: in what it differs from the real one that it was derived from.

use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, NodeId, NodeSet};

super::notices! {
    /// NW8xx: of an emulated machine.
    Emulation: EmulationNotice {
        /// The emulated machine has other numbers of nodes; these are the real ones of 0, 1, 2, ...
        "NW801" NodesRenumbered { nodes: Vec<NodeId> },
        /// The emulated machine has other numbers of CPUs; these are the real ones of 0, 1, 2, ...
        "NW802" CpusRenumbered { cpus: Vec<CpuId> },
        /// CPUs whose node is unknown are not emulated.
        "NW803" CpusLeftOut { cpus: CpuSet },
        /// Hardware threads that share a core became cores.
        "NW804" HardwareThreadsAsCores { cpus: CpuSet },
        /// The nodes have a fraction of their memory.
        "NW805" MemoryScaled { real: Bytes, emulated: Bytes },
        /// Nothing tells the kernel of the guest that these nodes have another kind of memory.
        "NW806" MemoryKindsLost { nodes: NodeSet },
        /// The machine gives no usable distances, and this one stands between all nodes.
        "NW807" DistancesAssumed { distance: u32 },
        /// What one core can draw was not measured.
        "NW808" CoreBandwidthAssumed { bandwidth: BytesPerSecond },
    }
}
