//! Texts of the notices of an emulated machine.

use numawise_facts::notice::EmulationNotice;

pub fn text(notice: &EmulationNotice) -> String {
    let list = |numbers: Vec<String>| numbers.join(", ");
    match notice {
        EmulationNotice::NodesRenumbered { nodes } => {
            let nodes = list(nodes.iter().map(ToString::to_string).collect());
            format!("the nodes of the emulated machine are numbered from 0; on the real one they are {nodes}")
        }
        EmulationNotice::CpusRenumbered { cpus } => {
            let cpus = list(cpus.iter().map(ToString::to_string).collect());
            format!("the CPUs of the emulated machine are numbered from 0; on the real one they are {cpus}")
        }
        EmulationNotice::CpusLeftOut { cpus } => {
            format!("CPUs {cpus} are not emulated: their node is unknown")
        }
        EmulationNotice::HardwareThreadsAsCores { cpus } => {
            format!("hardware threads are emulated as cores (CPUs {cpus})")
        }
        EmulationNotice::MemoryScaled { real, emulated } => {
            format!("the emulated machine has {emulated} of memory, the real one {real}")
        }
        EmulationNotice::MemoryKindsLost { nodes } => format!(
            "the kernel of the emulated machine cannot know the kind of memory of nodes {nodes}: the real machine has no \
             HMAT for all pairs of nodes"
        ),
        EmulationNotice::DistancesAssumed { distance } => {
            format!("distances that the real machine does not give are {distance}")
        }
        EmulationNotice::CoreBandwidthAssumed { bandwidth } => {
            format!("the bandwidth of one core was not measured; {bandwidth} is assumed")
        }
        EmulationNotice::LatencyAssumed { local } => format!(
            "latencies that nothing says are assumed: {local} to local memory, and more by the distance of the nodes"
        ),
        EmulationNotice::BandwidthAssumed { local } => format!(
            "bandwidths that nothing says are assumed: {local} from local memory, and less by the distance of the nodes"
        ),
        EmulationNotice::MemoryAssumed { nodes, each } => {
            format!("how much memory nodes {nodes} have is not known; {each} each are assumed")
        }
        EmulationNotice::CoresLeftOut { per_node, real, emulated } => format!(
            "{emulated} of {real} CPUs are emulated, at most {per_node} of a node; a core has the bandwidth of those that it stands \
             for, and waits for as many misses at once"
        ),
    }
}
