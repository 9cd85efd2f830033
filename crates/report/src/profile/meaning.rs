//! The sentences of what a profile means, and of what two compared come to.

use std::fmt::Display;

use numawise_facts::{MemoryKind, Workers};
use numawise_tables::{
    ComparisonStatement, FigureUnit, KneeReason, LoadKnee, ProfileComparison, ProfileStatement, RemoteNodes,
    TransferLatency, ValueSpan, VsLocal,
};
use numawise_units::{BytesPerSecond, Latency, NodeId, Ratio};

/// A statement on a machine as a sentence.
pub fn of_profile(statement: &ProfileStatement) -> String {
    match statement {
        ProfileStatement::PeakBandwidth { nodes_with_cpus, read, best } => {
            let who = match nodes_with_cpus {
                0 | 1 => "All cores together read",
                _ => "All cores together, each on the memory of its own node, read",
            };
            match best {
                Some((mix, best)) => {
                    format!("{who} {}; with the mix {mix} they move most, {}.", read.median, best.median)
                }
                None => format!("{who} {}.", read.median),
            }
        }
        ProfileStatement::RemoteMemory { memory, latency, read_bandwidth } => {
            let clauses = [latency.as_ref().map(latency_clause), read_bandwidth.as_ref().map(rate_clause)];
            let clauses: Vec<String> = clauses.into_iter().flatten().collect();
            format!("{} {}.", remote(memory), clauses.join(" and "))
        }
        ProfileStatement::SingleCoreBandwidth { rate, share, cores, no_less_than_all } => {
            let (rate, cores) = (span(rate), self::cores(*cores));
            if *no_less_than_all {
                format!(
                    "One core reads {rate} of its node's memory: no less than {cores} of the node together."
                )
            } else {
                let share = percent_span(share);
                format!(
                    "One core reads {rate} of its node's memory, {share} of what {cores} of the node read together."
                )
            }
        }
        ProfileStatement::ShareOfDeclared { share, exceeded } => {
            let share = percent_span(share);
            let remark = if *exceeded { ": its figure is no bound of this memory" } else { "" };
            format!("Reads of local memory reach {share} of what the firmware declares{remark}.")
        }
        ProfileStatement::TlbMisses { base_pages, huge_pages, ratio } => format!(
            "At random over base pages local memory answers in {} instead of {}: that is {} as long, for almost every load \
             misses the TLB too. Huge pages avoid it.",
            span(base_pages),
            span(huge_pages),
            span(ratio)
        ),
        ProfileStatement::LoadedLatency { workers, node, idle, peak, knee } => {
            loaded(*workers, *node, *idle, *peak, knee)
        }
        ProfileStatement::HiddenCache { level, size, latency, memory } => format!(
            "The L{level} of {size} that the machine reports does not show: working sets that fit into it take {latency}, \
             memory {}. A virtual machine may have but a part of it.",
            memory.median
        ),
        ProfileStatement::Transfers { same_node, other_node } => {
            transfers(same_node.as_ref(), other_node.as_ref())
        }
    }
}

/// One value, or the least and the greatest.
fn span<T: Display>(values: &ValueSpan<T>) -> String {
    match values {
        ValueSpan::Alike(value) => value.to_string(),
        ValueSpan::Between(least, most) => format!("{least} to {most}"),
    }
}

/// A share without decimals.
fn percent(share: Ratio) -> String {
    format!("{:.0} %", share.0 * 100.0)
}

fn percent_span(shares: &ValueSpan<Ratio>) -> String {
    match shares {
        ValueSpan::Alike(share) => percent(*share),
        ValueSpan::Between(least, most) => format!("{} to {}", percent(*least), percent(*most)),
    }
}

/// All cores of a node, with their number where it is known.
fn cores(cores: Option<u32>) -> String {
    match cores {
        Some(2) => "both cores".to_owned(),
        Some(all) => format!("all {all} cores"),
        None => "all cores".to_owned(),
    }
}

/// The memory that is compared with local memory, as the subject of a sentence.
fn remote(memory: &RemoteNodes) -> String {
    match memory {
        RemoteNodes::Pair { from, to, memory: MemoryKind::Dram | MemoryKind::Unknown } => {
            format!("From node {from}, memory of node {to}")
        }
        RemoteNodes::Pair { from, to, memory } => format!("From node {from}, memory of node {to} ({memory})"),
        RemoteNodes::WithCpus { nodes: 2 } => "Memory of the other node".to_owned(),
        RemoteNodes::WithCpus { .. } => "Memory of other nodes".to_owned(),
        RemoteNodes::WithoutCpus { nodes, memory } => {
            let memory = match memory {
                MemoryKind::Unknown => String::new(),
                known => format!(" ({known})"),
            };
            format!("Memory of the {nodes} nodes without CPUs{memory}, from the nearest node,")
        }
    }
}

fn latency_clause(latency: &VsLocal<Latency>) -> String {
    format!("takes {} as long as local memory to answer ({})", span(&latency.ratio), example(latency))
}

fn rate_clause(rate: &VsLocal<BytesPerSecond>) -> String {
    format!("gives {} of its read bandwidth ({})", span(&rate.ratio), example(rate))
}

/// The figures behind a ratio; where ratios differ, those of the worst, with its nodes.
fn example<T: Display>(figure: &VsLocal<T>) -> String {
    let figures = format!("{} vs {}", figure.remote.median, figure.local.median);
    match figure.ratio {
        ValueSpan::Alike(_) => figures,
        ValueSpan::Between(..) => {
            format!("at worst {figures}, from node {} to node {}", figure.from, figure.to)
        }
    }
}

fn loaded(workers: Workers, node: NodeId, idle: Latency, peak: BytesPerSecond, knee: &LoadKnee) -> String {
    let place = match workers {
        Workers::Machine => "memory of all nodes together".to_owned(),
        Workers::Node(_) | Workers::Core(_) => format!("memory of node {node}"),
    };
    let LoadKnee { bandwidth, latency, share, why } = *knee;
    let share = percent(share);
    match why {
        KneeReason::LatencyDoubled => format!(
            "Under reads {place} takes twice as long to answer ({latency} instead of {idle}) from {bandwidth} on, {share} of the \
             peak of {peak}."
        ),
        KneeReason::NearPeak => format!(
            "Under reads {place} still answers in {latency} ({idle} without load) at {bandwidth}, {share} of the peak of {peak}."
        ),
    }
}

fn transfers(same_node: Option<&TransferLatency>, other_node: Option<&TransferLatency>) -> String {
    let takes = |latency: &TransferLatency| match latency.between {
        None => latency.median.to_string(),
        Some((least, most)) => format!("{} ({least} to {most})", latency.median),
    };
    let mut ends = Vec::new();
    ends.extend(same_node.map(|same| format!("another core of its node in {}", takes(same))));
    ends.extend(other_node.map(|other| format!("a core of another node in {}", takes(other))));
    let vs = match (same_node, other_node) {
        (Some(same), Some(other)) => format!(", {} as long", Ratio(other.median.0 / same.median.0)),
        _ => String::new(),
    };
    format!("A line that a core has changed reaches {}{vs}.", ends.join(", "))
}

/// What a comparison comes to as a sentence.
pub fn of_comparison(statement: &ComparisonStatement) -> String {
    match statement {
        ComparisonStatement::MachinesUnknown { property } => format!(
            "Whether these are machines of one shape is not known: of one the {property} is unavailable."
        ),
        ComparisonStatement::DifferentMachines { property } => {
            format!("These are different machines: their {property} differs.")
        }
        ComparisonStatement::SameMachineType { changed, unknown } => {
            let changed = changed.iter().map(|property| format!("; the {property} is not the same"));
            let unknown = unknown.iter().map(|property| format!("; of one the {property} is not known"));
            let rest: String = changed.chain(unknown).collect();
            format!("Machines of one shape{rest}.")
        }
        ComparisonStatement::NothingInCommon => "They have no figure in common.".to_owned(),
        ComparisonStatement::NoClearDifference { figures, margin } => format!(
            "None of the {figures} figures that both have is clearly different: further than {} apart, and intervals apart.",
            percent(*margin)
        ),
        ComparisonStatement::ClearDifferences { figures, better, worse } => format!(
            "Of the {figures} figures that both have, the second profile is clearly better in {better} and clearly worse in \
             {worse}."
        ),
        ComparisonStatement::GreatestDifference { cell, ratio } => {
            let noun = match cell.unit() {
                FigureUnit::BytesPerSecond => "bandwidth",
                FigureUnit::Nanoseconds | FigureUnit::Ratio => "latency",
            };
            format!("The {noun} that differs most: {cell}, {}.", ratio.ratio)
        }
        ComparisonStatement::Undecided { figures, margin } => {
            let noun = if *figures == 1 { "figure lies" } else { "figures lie" };
            format!(
                "{figures} {noun} further apart than {}, but the intervals are too wide to call it a difference.",
                percent(*margin)
            )
        }
        ComparisonStatement::OnlyInOne { first, second } => {
            format!("{first} figures are only in the first, {second} only in the second.")
        }
    }
}

/// How the ratios and intervals of a comparison were computed.
pub fn method(comparison: &ProfileComparison) -> Vec<String> {
    let limit = 1.0 + comparison.margin;
    vec![
        "A ratio is the second's median divided by the first's.".to_owned(),
        "Its bounds are the second's lower bound divided by the first's upper bound, and the second's upper by the first's \
         lower: wherever in their 95 % intervals both medians are, the ratio lies between. For two independent measurements \
         that is wider than a 95 % interval of the ratio: it calls too few differences clear rather than too many."
            .to_owned(),
        format!(
            "Clearly different: the intervals are apart, and the ratio is above {limit:.2} or below 1/{limit:.2}."
        ),
    ]
}
