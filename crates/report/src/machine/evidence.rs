//! What the kind of a node's memory is derived from, in words.

use std::fmt::Display;

use numawise_facts::AttributeOrigin;
use numawise_facts::memory::{FigureVsOrdinary, MemoryKindEvidence, RecognisedMemory};
use numawise_units::Ratio;

/// A clause.
pub fn text(evidence: &MemoryKindEvidence) -> String {
    match evidence {
        MemoryKindEvidence::Recognised { memory } => recognised(*memory).to_owned(),
        MemoryKindEvidence::NoMemory => "no memory".to_owned(),
        MemoryKindEvidence::LocalMemory { cpus } => format!("the local memory of CPUs {cpus}"),
        MemoryKindEvidence::LocalMemoryOfOthers { cpus } => {
            format!("the local memory of CPUs {cpus}, which are offline or not described")
        }
        MemoryKindEvidence::CpusNotDescribed => {
            "near to no CPU that is described; some CPUs are not, and it may be theirs or a device's"
                .to_owned()
        }
        MemoryKindEvidence::Compared { ordinary, origin, bandwidth, latency } => {
            let who = match origin {
                AttributeOrigin::Firmware => "the firmware gives",
                AttributeOrigin::Measured => "measured were",
            };
            let bandwidth = bandwidth.map(|of| versus(&of, |rate| rate.0));
            let latency = latency.map(|of| versus(&of, |latency| latency.0));
            let figures: Vec<String> = bandwidth.into_iter().chain(latency).collect();
            format!("local to no CPUs; {who} {} of node {ordinary}", figures.join(" and "))
        }
        MemoryKindEvidence::NoFigures => {
            "local to no CPUs, and the firmware says nothing of its speed".to_owned()
        }
        MemoryKindEvidence::NotRead => "not read".to_owned(),
    }
}

fn recognised(memory: RecognisedMemory) -> &'static str {
    match memory {
        RecognisedMemory::Mcdram => "hwloc recognises MCDRAM by the processor",
        RecognisedMemory::Hbm => "hwloc recognises HBM",
        RecognisedMemory::Gpu => "its driver says that it is the memory of a GPU",
        RecognisedMemory::Cxl => "hwloc recognises CXL memory",
        RecognisedMemory::NonVolatile => "hwloc recognises non-volatile memory",
        RecognisedMemory::SpecialPurpose => "the firmware reserves it for special purposes",
    }
}

/// `400.0 GB/s vs 90.0 GB/s (4.44x)`
fn versus<T: Copy + Display>(figures: &FigureVsOrdinary<T>, number: fn(T) -> f64) -> String {
    let (node, ordinary) = (figures.node.median, figures.ordinary.median);
    format!("{node} vs {ordinary} ({})", Ratio(number(node) / number(ordinary)))
}

#[cfg(test)]
mod tests {
    use numawise_facts::Estimate;
    use numawise_units::{BytesPerSecond, Latency, NodeId};

    use super::*;

    #[test]
    fn compared_figures_are_named_with_their_ratio_and_whose_they_are() {
        let rate = |gb: f64| Estimate::single(BytesPerSecond(gb * 1e9));
        let evidence = MemoryKindEvidence::Compared {
            ordinary: NodeId(0),
            origin: AttributeOrigin::Measured,
            bandwidth: Some(FigureVsOrdinary { node: rate(400.0), ordinary: rate(90.0) }),
            latency: Some(FigureVsOrdinary {
                node: Estimate::single(Latency(100.0)),
                ordinary: Estimate::single(Latency(80.0)),
            }),
        };
        assert_eq!(
            text(&evidence),
            "local to no CPUs; measured were 400.0 GB/s vs 90.0 GB/s (4.44x) and 100.0 ns vs 80.0 ns (1.25x) of node 0"
        );
    }

    #[test]
    fn memory_of_cpus_names_them() {
        let evidence = MemoryKindEvidence::LocalMemory { cpus: "0-3".parse().unwrap() };
        assert_eq!(text(&evidence), "the local memory of CPUs 0-3");
    }
}
