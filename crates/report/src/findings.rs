//! The sentences of findings, made of their values: the same in the terminal, in HTML and in JSON.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject,
};
use numawise_facts::{Effect, Finding, FindingId, Levels, MemoryRequest, PointId, Reading, StudyHeader};
use numawise_units::{NodeId, Ratio};

mod clock;
mod grid;
pub mod json;
mod noise;
pub mod objects;
mod others;
mod pinning;
mod runs;
mod system;
mod titles;
pub mod watched;

use crate::amount::{many, times};
use crate::document::Entry;
use crate::levels::counted;
use crate::notice::study::why;

pub use titles::title;

/// A finding with all its sentences, as it is shown.
pub fn entry(header: &StudyHeader, finding: &Finding) -> Entry {
    let parts =
        [("seen", evidence(header, finding)), ("cost", vec![cost(finding)]), ("to do", advice(finding))];
    let parts = parts.into_iter().filter(|(_, texts)| !texts.is_empty()).collect();
    Entry { code: finding.id.code(), title: title(finding.id).to_owned(), parts }
}

/// What was seen, one sentence for each piece of evidence.
pub fn evidence(header: &StudyHeader, finding: &Finding) -> Vec<String> {
    finding.evidence.iter().map(|one| sentence(header, finding.id, one)).collect()
}

/// The same of a run, which has no header of a study.
pub fn evidence_of_run(finding: &Finding) -> Vec<String> {
    let sentence = |one: &Evidence| match one.quantity {
        EvidenceQuantity::Watched(quantity) => watched::sentence(quantity, one),
        EvidenceQuantity::Object(quantity) => objects::sentence(quantity, one),
        _ => value(one),
    };
    finding.evidence.iter().map(sentence).collect()
}

/// What a finding costs.
pub fn cost(finding: &Finding) -> String {
    finding.cost.to_string()
}

/// What to do, one sentence each.
pub fn advice(finding: &Finding) -> Vec<String> {
    finding.advice.iter().map(step).collect()
}

/// One piece of evidence as a sentence.
pub fn sentence(header: &StudyHeader, finding: FindingId, one: &Evidence) -> String {
    let value = value(one);
    let effect = effect(one);
    let of = one.of.map(amount).unwrap_or_default();
    match one.quantity {
        EvidenceQuantity::MemoryOnNode => {
            format!("{value} of the program's {of} lie on {}", one_node(&one.subject))
        }
        EvidenceQuantity::SharedMemory => {
            format!("{value} of it is memory that processes share, each page counted once")
        }
        EvidenceQuantity::MemoryOnNodes => high_bandwidth(one),
        EvidenceQuantity::CpuTimeElsewhere => format!("{value} of its CPU time is spent on other nodes"),
        EvidenceQuantity::PageFaultsOfThread => page_faults(one),
        EvidenceQuantity::Pinning(quantity) => pinning::sentence(header, quantity, one),
        EvidenceQuantity::SpreadRatio => spread_of_pinned(one),
        EvidenceQuantity::Threads if finding == FindingId::BetterTogether => together(one),
        EvidenceQuantity::EffectOfOneNode => {
            format!("with threads and memory on one node the program is {effect} as fast")
        }
        EvidenceQuantity::Threads => threads_on_cpus(one),
        EvidenceQuantity::EffectOfInterleaving => {
            format!("the same threads with interleaved memory are {effect} as fast")
        }
        EvidenceQuantity::EffectOfRemoteMemory => effect_of_remote_memory(finding, one),
        EvidenceQuantity::EffectOfPinning => format!("pinned threads are {effect} as fast"),
        EvidenceQuantity::EffectOfSpreading => {
            format!("spread over all nodes they are {effect} as fast as inside one node")
        }
        EvidenceQuantity::EffectOfCopies => copies(header, one, &effect),
        EvidenceQuantity::EffectOfHighBandwidthMemory => match &one.source {
            EvidenceSource::NotTried(reason) => format!("it was not tried: {}", why(reason)),
            _ => format!("with its memory there the program is {effect} as fast"),
        },
        EvidenceQuantity::RemoteMemory => remote_memory(one),
        EvidenceQuantity::ExpectedEffect => expected_effect(header, one),
        EvidenceQuantity::Noise(quantity) => noise::sentence(quantity, one, &value, &of),
        EvidenceQuantity::RunGroup(quantity) => runs::sentence(header, quantity, one),
        EvidenceQuantity::Obeyed(quantity) => others::sentence(quantity, one),
        EvidenceQuantity::System(quantity) => system::sentence(quantity, one),
        EvidenceQuantity::Clock(quantity) => clock::sentence(quantity, one),
        EvidenceQuantity::Grid(quantity) => grid::sentence(header, quantity, one),
        EvidenceQuantity::Watched(quantity) => watched::sentence(quantity, one),
        EvidenceQuantity::Object(quantity) => objects::sentence(quantity, one),
        EvidenceQuantity::EffectOfPlacement => effect_of_placement(one, &effect),
    }
}

fn spread_of_pinned(one: &Evidence) -> String {
    format!("unpinned runs spread {} times as much as pinned ones", spread(one))
}

fn effect_of_placement(one: &Evidence, effect: &str) -> String {
    match &one.subject {
        EvidenceSubject::Points { from, to } => format!("{to} is {effect} as fast as {from}"),
        _ => format!("another placement is {effect} as fast"),
    }
}

fn high_bandwidth(one: &Evidence) -> String {
    let nodes = nodes(&one.subject);
    match &one.value {
        Reading::Measured(_) => {
            format!("{nodes} are high-bandwidth memory, and {} of the program lie there", value(one))
        }
        Reading::Unavailable { .. } => {
            format!("{nodes} are high-bandwidth memory; where the program's pages are could not be seen")
        }
    }
}

fn effect_of_remote_memory(finding: FindingId, one: &Evidence) -> String {
    if finding == FindingId::ProcessPerNode {
        "remote memory was not seen to cost anything, so this is how the program scales with threads, rather than where its \
         memory lies"
            .to_owned()
    } else {
        format!("local memory is {} as fast as remote memory for the same threads", effect_inverse(one))
    }
}

fn page_faults(one: &Evidence) -> String {
    let (value, of) = (value(one), one.of.map(amount).unwrap_or_default());
    let name = match &one.subject {
        EvidenceSubject::Thread { name, .. } => format!(" ({name})"),
        _ => String::new(),
    };
    format!("one of {of} threads{name} took {value} of the page faults")
}

/// `1.24x (95 % interval 1.15x to 1.33x)`, or why there is none.
fn effect(one: &Evidence) -> String {
    match ratio_with_interval(one) {
        Some(effect) => effect.to_string(),
        None => value(one),
    }
}

fn effect_inverse(one: &Evidence) -> String {
    match ratio_with_interval(one) {
        Some(effect) => effect.inverse().to_string(),
        None => value(one),
    }
}

/// `1.9 times ... (95 % interval 1.2 to 2.9)` without the words.
fn spread(one: &Evidence) -> String {
    match ratio_with_interval(one) {
        Some(Effect { ratio, low, high }) => {
            format!("{:.1} (95 % interval {:.1} to {:.1})", ratio.0, low.0, high.0)
        }
        None => value(one),
    }
}

fn ratio_with_interval(one: &Evidence) -> Option<Effect> {
    match (one.value.measured(), one.interval) {
        (Some(Amount::Ratio(ratio)), Some((Amount::Ratio(low), Amount::Ratio(high)))) => {
            Some(Effect { ratio: *ratio, low, high })
        }
        _ => None,
    }
}

fn value(one: &Evidence) -> String {
    one.value.as_ref().map(|value| amount(*value)).to_string()
}

fn threads_on_cpus(one: &Evidence) -> String {
    let (threads, cpus) = (number_of(one.value.measured(), "thread"), number_of(one.of.as_ref(), "CPU"));
    format!("the program runs {threads} on {cpus} that it may use")
}

/// `1 thread`, `2 threads`; of what is no count, its amount.
fn number_of(value: Option<&Amount>, noun: &str) -> String {
    match value {
        Some(Amount::Count(count)) => many(*count, noun),
        Some(other) => format!("{} {noun}s", amount(*other)),
        None => format!("an unknown number of {noun}s"),
    }
}

/// `once`, `2 times`.
fn how_often(one: &Evidence) -> String {
    match one.value.measured() {
        Some(Amount::Count(count)) => times(*count),
        _ => format!("{} times", value(one)),
    }
}

/// A value with its unit.
fn amount(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => bytes.to_string(),
        Amount::Count(count) => count.to_string(),
        Amount::Share(share) => share.percent(),
        Amount::Ratio(ratio) => ratio.to_string(),
        Amount::Time(time) => time.to_string(),
        Amount::Frequency(frequency) => frequency.to_string(),
        Amount::Metric(value) => format!("{value}"),
        Amount::LatencyAndBandwidth { latency, bandwidth } => {
            bounds(latency, bandwidth, "as fast").unwrap_or_default()
        }
    }
}

/// `at most 1.75x as long if it is bound by latency, and 2.25x if it is bound by bandwidth`
pub fn bounds(latency: Option<Ratio>, bandwidth: Option<Ratio>, how: &str) -> Option<String> {
    Some(match (latency, bandwidth) {
        (Some(latency), Some(bandwidth)) => format!(
            "at most {latency} {how} if it is bound by latency, and {bandwidth} if it is bound by bandwidth"
        ),
        (Some(latency), None) => format!("at most {latency} {how} if it is bound by latency"),
        (None, Some(bandwidth)) => format!("at most {bandwidth} {how} if it is bound by bandwidth"),
        (None, None) => return None,
    })
}

/// What a placement could bring at most by the figures of the machine.
fn expected_effect(header: &StudyHeader, one: &Evidence) -> String {
    let to_remote = match &one.subject {
        EvidenceSubject::Points { to, .. } => {
            levels(header, to).is_some_and(|levels| levels.memory == MemoryRequest::Remote)
        }
        _ => false,
    };
    match one.value.measured() {
        Some(Amount::LatencyAndBandwidth { latency, bandwidth }) if to_remote => {
            let times = |ratio: &Option<Ratio>| ratio.map(Ratio::inverse);
            let bounds = bounds(times(latency), times(bandwidth), "as long").unwrap_or_default();
            format!(
                "by what was measured of the machine, a program with all its memory there could take {bounds}"
            )
        }
        _ => format!(
            "by what was measured of the machine, a program with CPUs and pages where they were seen could become {}",
            value(one)
        ),
    }
}

/// What the figures of the machine say of remote memory.
fn remote_memory(one: &Evidence) -> String {
    match (&one.subject, one.value.measured()) {
        (
            EvidenceSubject::NodePair { cpus_of, memory_of },
            Some(Amount::LatencyAndBandwidth { latency, bandwidth }),
        ) => memory_of_another_node(*cpus_of, *memory_of, *latency, *bandwidth),
        _ => value(one),
    }
}

/// `measured on this machine: to CPUs of node 0 the memory of node 1 takes 1.75x as long ...`
pub fn memory_of_another_node(
    cpus_of: NodeId,
    memory_of: NodeId,
    latency: Option<Ratio>,
    bandwidth: Option<Ratio>,
) -> String {
    let mut parts = Vec::new();
    parts.extend(latency.map(|ratio| format!("takes {ratio} as long to answer as local memory")));
    parts.extend(bandwidth.map(|ratio| format!("gives {ratio} the bandwidth of local memory")));
    format!(
        "measured on this machine: to CPUs of node {cpus_of} the memory of node {memory_of} {}",
        parts.join(" and ")
    )
}

fn nodes(subject: &EvidenceSubject) -> String {
    match subject {
        EvidenceSubject::Nodes { nodes, .. } => counted(nodes),
        _ => "the nodes".to_owned(),
    }
}

/// How many threads are meant, of how many, and what that shows.
fn together(one: &Evidence) -> String {
    match (one.value.measured(), one.of) {
        (Some(Amount::Count(inside)), Some(Amount::Count(all))) if *inside < all => format!(
            "{inside} threads on one node do better than {all} over all nodes: more threads bring less than their distance costs"
        ),
        _ => format!(
            "it runs {} threads in either case: they share data, or what they need fits together on one node",
            value(one)
        ),
    }
}

/// `node 0`; where it is not the same in all runs, `one node (in each run; nodes 0-1)`.
fn one_node(subject: &EvidenceSubject) -> String {
    match subject {
        EvidenceSubject::Nodes { nodes, .. } if nodes.len() > 1 => {
            format!("one node in each run (one of {})", counted(nodes))
        }
        _ => nodes(subject),
    }
}

fn levels<'a>(header: &'a StudyHeader, id: &PointId) -> Option<&'a Levels> {
    header.point(id).map(|point| &point.levels)
}

fn copies(header: &StudyHeader, one: &Evidence, effect: &str) -> String {
    let points = match &one.subject {
        EvidenceSubject::Points { from, to } => levels(header, from).zip(levels(header, to)),
        _ => None,
    };
    match points {
        Some((one_run, copies)) => format!(
            "{n} copies at once, one on each node with {} threads, get the work done {effect} as fast as {n} runs one after \
             the other with {} threads",
            copies.threads,
            one_run.threads,
            n = copies.tasks
        ),
        None => format!("copies at once, one on each node, get the work done {effect} as fast"),
    }
}

/// Something to do, with what it brought: `...: it brought 1.24x (95 % interval 1.15x to 1.33x)`.
pub fn step(step: &AdvisedStep) -> String {
    let text = advise(&step.advice);
    step.brought.measured().map_or_else(|| text.clone(), |effect| format!("{text}: brought {effect}"))
}

/// What initialising memory where it is used should bring.
fn promise(interleaving_helped: bool) -> &'static str {
    if interleaving_helped {
        "each page then lies where it is used, which should bring at least what interleaving brought"
    } else {
        "what it brings cannot be measured from outside"
    }
}

/// One piece of advice as a sentence.
fn advise(advice: &Advice) -> String {
    match advice {
        Advice::InitialiseInParallel { interleaving_helped } => format!(
            "initialise the large arrays in parallel, in a loop over the same indices with the same static schedule as the \
             loops that use them, and pin the threads; {}",
            promise(*interleaving_helped)
        ),
        Advice::InitialiseSharedMemory { interleaving_helped } => format!(
            "have each process initialise the part of the shared memory that it uses, before any other process touches it, \
             and pin the processes; {}",
            promise(*interleaving_helped)
        ),
        Advice::InterleaveMemory => {
            "without changing the program: interleave its memory over the nodes (--memory interleave)".to_owned()
        }
        Advice::PinThreads => {
            "pin the threads, one to a CPU (--place with --pin; OMP_PLACES and OMP_PROC_BIND do the same)".to_owned()
        }
        Advice::SpreadThreads => {
            "spread the threads over all nodes, so that every node's memory works (--place distributed --memory local)"
                .to_owned()
        }
        Advice::Obeyed(advice) => others::advise(advice).to_owned(),
        Advice::System(advice) => system::advise(advice),
        Advice::FixTheNode { placement } => {
            format!("bind it to one node, the same in every run, as placement {placement} does")
        }
        Advice::KeepTogether { placement } => {
            format!("keep all its threads and their memory on one node, as {placement} does")
        }
        Advice::UsePlacement { placement } => {
            format!("use placement {placement} (described under Placements)")
        }
        Advice::RunCopies { copies } => {
            format!("when there are several inputs, run {copies} at once, each inside a node (--place semi)")
        }
        Advice::RankPerNode => "it uses MPI: start one rank for each node, with threads inside it".to_owned(),
        Advice::UseHighBandwidthMemory { nodes } => {
            format!("put the program's memory there (--memory hbm, or numactl --membind={nodes})")
        }
        Advice::UseHighBandwidthMemoryInPart { nodes } => format!(
            "put the arrays that are streamed most there (memkind, or hwloc's allocators), or let it fill those nodes first \
             and spill over (--memory preferred-many:{nodes})"
        ),
        Advice::MeasureLonger => {
            "measure longer (--budget), keep other load off the machine, or let larger differences count (--margin)"
                .to_owned()
        }
        Advice::RepeatWhenQuiet => {
            "what was measured holds for a machine as busy as this one; for the program alone, repeat it when it is quiet"
                .to_owned()
        }
        Advice::Clock(advice) => clock::advise(advice),
        Advice::Grid(advice) => grid::advise(advice),
        Advice::Watched(advice) => watched::advise(advice),
        Advice::Object(advice) => objects::advise(advice),
        Advice::LengthenRuns => {
            "give the program more to do, or let it time its main loop and print that (--metric)".to_owned()
        }
    }
}
