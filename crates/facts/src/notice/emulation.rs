//! Notices of an emulated machine: in what it differs from the real one that it was derived from.

use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, Latency, NodeId, NodeSet};

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
        /// Latencies that nothing says are this one, and more by the distance of the nodes.
        "NW809" LatencyAssumed { local: Latency },
        /// Bandwidths that nothing says are this one, and less by the distance of the nodes.
        "NW810" BandwidthAssumed { local: BytesPerSecond },
        /// Each node has at most so many cores, and a core the bandwidth of those that it stands for.
        "NW811" CoresLeftOut { per_node: u32, real: u32, emulated: u32 },
        /// Nodes of whose memory nothing is known are taken to have this much.
        "NW812" MemoryAssumed { nodes: NodeSet, each: Bytes },
    }
}
