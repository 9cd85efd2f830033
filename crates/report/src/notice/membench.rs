//! Texts of the notices of the memory benchmark and of its profiles, and of what it does step by step.

use numawise_facts::notice::{MembenchNotice, MlcLineGap, MlcTable, MlcTableGap};
use numawise_facts::{MeasurementStep, Target, Workers};
use numawise_units::{Nanoseconds, NodeSet, Ratio};

#[cfg(test)]
#[path = "membench_tests.rs"]
mod tests;

/// Steps that are named in a sentence.
const MOST_STEPS: usize = 3;

/// A step of a measurement as a person would name it.
pub fn step(step: &MeasurementStep) -> String {
    match step {
        MeasurementStep::GetMemory { nodes } => match nodes.len() {
            1 => format!("getting memory of node {nodes}"),
            _ => "getting memory of all nodes".to_owned(),
        },
        MeasurementStep::GetBasePages { node } => format!("getting memory of node {node} in base pages"),
        MeasurementStep::Bandwidth { workers, target, mix } => {
            let to = match target {
                Target::Node(to) => format!("memory of node {to}"),
                Target::Local => "their local memory".to_owned(),
            };
            let from = match workers {
                Workers::Core(node) => format!("one core of node {node}"),
                Workers::Node(node) => format!("node {node}"),
                Workers::Machine => "all nodes".to_owned(),
            };
            format!("bandwidth, {mix}, {from} to {to}")
        }
        MeasurementStep::LoadedLatency { from, to, mix } => {
            format!("latency under load, {mix}, node {from} to memory of node {to}")
        }
        MeasurementStep::IdleLatency { from, to } => {
            format!("idle latency, node {from} to memory of node {to}")
        }
        MeasurementStep::WorkingSets { from, to } => {
            format!("latency by working set, node {from} to memory of node {to}")
        }
        MeasurementStep::TlbMisses { from, to } => {
            format!("latency with TLB misses, node {from} to memory of node {to}")
        }
        MeasurementStep::Transfer { owner, reader } => {
            format!("transfer of a changed line, CPU {owner} to CPU {reader}")
        }
    }
}

pub fn text(notice: &MembenchNotice) -> String {
    let fixed = match notice {
        MembenchNotice::CpuQuotaMayHaveSlowed { cpus, file } => {
            return format!("A CPU quota of {cpus:.2} CPUs ({file}) may have slowed this down");
        }
        MembenchNotice::CachesUnknown { taken } => {
            return format!("The machine names no caches: they are taken to hold {taken} in each node");
        }
        MembenchNotice::NodeNotInPeak { node } => {
            return format!("Node {node} has no local memory: its CPUs take no part in the machine's peak");
        }
        MembenchNotice::TransfersBetweenSomeCores { measured, cores } => {
            return format!(
                "Transfers between cores are measured among {measured} of {cores} cores, the first of each node"
            );
        }
        MembenchNotice::BufferNearCaches { node, buffer, caches, because } => {
            return format!(
                "Memory of node {node} was measured with {buffer} ({because}); the caches are said to hold {caches}, so some \
                 of what was measured is theirs"
            );
        }
        MembenchNotice::NoHugePages { nodes } => return no_huge_pages(nodes),
        MembenchNotice::RingWithinCaches { node, ring } => {
            return format!(
                "Memory is so slow here that latency was measured in {ring} of node {node} only, less than the caches are \
                 said to hold; its lines were thrown out of them before, where the processor does that"
            );
        }
        MembenchNotice::OtherProgramsRan { cpus } => {
            return format!(
                "Other programs used {cpus:.1} CPUs on average meanwhile: measure again on a quiet machine"
            );
        }
        MembenchNotice::ProcessorChangedSpeed { cpu, longer, during } => {
            return format!(
                "The processor changed its speed: a loop that needs no memory took up to {} longer on CPU {cpu} than at its \
                 fastest (during: {}). What lies in caches, and what one core can draw, follows it; fix the frequency where \
                 that matters",
                percent(*longer),
                step(during)
            );
        }
        MembenchNotice::DisturbedRepetitionsCount { steps } => return disturbed(steps),
        MembenchNotice::StepsLeftOut { steps, budget } => return steps_left_out(steps, *budget),
        MembenchNotice::BuffersDiffer { differ, figures, limit, most } => {
            let (noun, verb) = if *differ == 1 { ("figure", "has") } else { ("figures", "have") };
            return format!(
                "{differ} {noun} of {figures} {verb} another level on another buffer, by more than {} and at most {}: where \
                 the kernel, or the host of a virtual machine, puts memory decides, and another run may come to another level",
                percent(*limit),
                percent(*most)
            );
        }
        MembenchNotice::ReadFromMlc { version } => {
            return format!(
                "Read from the output of Intel Memory Latency Checker {version}: single figures without intervals"
            );
        }
        MembenchNotice::RepetitionsThrownAway { thrown, counted } => {
            let were = if *thrown == 1 { "repetition was" } else { "repetitions were" };
            return format!("{thrown} {were} thrown away because the machine was disturbed; {counted} count");
        }
        MembenchNotice::WideIntervals { wide, intervals, limit, widest, vague, vague_limit } => {
            let (noun, are) = if *wide == 1 { ("interval", "is") } else { ("intervals", "are") };
            let left = match vague {
                0 => String::new(),
                n => format!(
                    ". {n} wider than ±{} are in the tables, but no sentence rests on them",
                    percent(*vague_limit)
                ),
            };
            return format!(
                "{wide} {noun} of {intervals} {are} wider than ±{} of the median, {}: measure again on a quiet \
                 machine if these figures matter{left}",
                percent(*limit),
                if widest.0 < 1.0 {
                    format!("at most ±{}", percent(*widest))
                } else {
                    "some wider than the figure itself".to_owned()
                }
            );
        }
        MembenchNotice::FiguresUnavailable { unavailable, figures } => {
            return format!(
                "{unavailable} of {figures} figures could not be measured; each has its reason in the tables"
            );
        }
        MembenchNotice::MlcLineLeftOut { line, because } => {
            let because = match because {
                MlcLineGap::NodesNotNamed => "MLC does not say of which nodes",
                MlcLineGap::NotKnown => "it is not known here",
            };
            return format!("Left out, for {because}: '{line}'");
        }
        MembenchNotice::MlcTableLeftOut { table, because } => return left_out(*table, because),
        MembenchNotice::MlcUnchangedLine { latency } => {
            return format!(
                "MLC also reported the latency of a line that a neighbour holds unchanged: {latency}"
            );
        }
        MembenchNotice::PlacedByFirstTouch => {
            "Memory policies are forbidden to us (mbind): memory lies where a thread of the node touched it first"
        }
        MembenchNotice::StoppedBeforeItsEnd => {
            "The measurement was stopped before all was measured; what is missing is not in the tables"
        }
        MembenchNotice::MlcWithPrefetchers => {
            "MLC could not switch the hardware prefetchers off (no root, or no msr driver), and chased lines at random instead"
        }
        MembenchNotice::MlcInSequence => "MLC chased lines in sequence, with the hardware prefetchers off",
        MembenchNotice::MlcSocketsTakenForNodes => {
            "MLC numbered sockets, which are taken for nodes of the same numbers"
        }
        MembenchNotice::MlcMaximumBandwidths => {
            "The bandwidths of the machine are MLC's greatest over several rates of injection (its --max_bandwidth)"
        }
    };
    fixed.to_owned()
}

fn no_huge_pages(nodes: &NodeSet) -> String {
    let noun = if nodes.len() == 1 { "node" } else { "nodes" };
    format!(
        "No huge pages were to be had on {noun} {nodes}: TLB misses are part of the idle latency of that memory"
    )
}

fn disturbed(steps: &[MeasurementStep]) -> String {
    format!(
        "Too few repetitions were quiet, so that disturbed ones count in {} of the measurements: {}",
        steps.len(),
        named(steps)
    )
}

fn steps_left_out(steps: &[MeasurementStep], budget: Nanoseconds) -> String {
    let noun = if steps.len() == 1 { "step was" } else { "steps were" };
    format!(
        "Steps take so long on this machine that {} {noun} left out to keep to {budget}, the least important of all: {}; \
         measure more thoroughly, or fewer nodes or mixes, where they matter",
        steps.len(),
        named(steps)
    )
}

/// The first of some steps, and how many more there are.
fn named(steps: &[MeasurementStep]) -> String {
    let named: Vec<String> = steps.iter().take(MOST_STEPS).map(step).collect();
    let more = match steps.len() {
        count if count > MOST_STEPS => format!("; and {} more", count - MOST_STEPS),
        _ => String::new(),
    };
    format!("{}{more}", named.join("; "))
}

fn left_out(table: MlcTable, because: &MlcTableGap) -> String {
    let name = mlc_table(table);
    match because {
        MlcTableGap::OtherTable(other) => {
            format!("MLC's {name} are left out, for there are its {} too", mlc_table(*other))
        }
        MlcTableGap::Twice => format!("The text has MLC's {name} twice; the first are taken"),
        MlcTableGap::CutOff => format!("The text is cut off: MLC's {name} are not there"),
        MlcTableGap::Unit(unit) => format!("MLC's {name} are in {unit}, which cannot be turned into times"),
        MlcTableGap::Traffic(option) => {
            format!("MLC's {name} are left out, for its traffic -W{option} is none of our mixes")
        }
    }
}

fn mlc_table(table: MlcTable) -> &'static str {
    match table {
        MlcTable::IdleLatencies => "idle latencies",
        MlcTable::PeakBandwidths => "peak bandwidths",
        MlcTable::MaximumBandwidths => "maximum bandwidths",
        MlcTable::Bandwidths => "bandwidths between nodes",
        MlcTable::LoadedLatencies => "loaded latencies",
        MlcTable::Transfers => "cache-to-cache latencies",
    }
}

/// A share without decimals.
fn percent(share: Ratio) -> String {
    format!("{:.0} %", share.0 * 100.0)
}
