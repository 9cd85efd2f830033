//! What all of these say in the same words.

use numawise_facts::{MemoryKind, Mix, Notice, Profile, ProfileOrigin, Reading, Target, Workers};
use numawise_tables::{
    CellCall, FigureUnit, KneeReason, LineHome, LoadedCurve, MatrixMeasure, NodeCores, TransferGroup,
};
use numawise_units::{Bytes, CpuSet, Nanoseconds, NodeId};

use crate::amount::{self, many};
use crate::notice;

/// Notices as sentences.
pub fn notices(notices: &[Notice]) -> Vec<String> {
    notices.iter().map(|one| format!("{}.", notice::text(one))).collect()
}

/// What it is: a processor and its nodes.
pub fn heading(profile: &Profile) -> String {
    let header = &profile.header;
    let processor = header.fingerprint.processor.measured().map_or("a machine", String::as_str);
    format!("Memory of {processor}, {}", many(header.nodes.len() as u64, "node"))
}

/// Which machine, when and how: pairs of a name and a text.
pub fn summary(profile: &Profile) -> Vec<(&'static str, String)> {
    let header = &profile.header;
    let print = &header.fingerprint;
    vec![
        ("Measured", measured(profile)),
        ("Processor", print.processor.to_string()),
        ("Kernel", print.kernel.to_string()),
        ("Firmware", print.firmware.to_string()),
        ("Topology", print.topology.to_string()),
        ("Vectors", header.vectors.to_string()),
    ]
}

/// When, by whom, how far.
pub fn measured(profile: &Profile) -> String {
    let header = &profile.header;
    let when = header.taken.as_ref().map(|seconds| {
        // A number that no clock gives is shown as the last moment that there is.
        amount::moment(Nanoseconds(seconds.saturating_mul(1_000_000_000)))
    });
    let who = match &header.origin {
        ProfileOrigin::Numawise(version) => format!("numawise {version}, depth {}", header.depth),
        ProfileOrigin::Mlc(version) => format!("Intel Memory Latency Checker {version}"),
    };
    let mut text = match when {
        Reading::Measured(when) => format!("{when} by {who}"),
        Reading::Unavailable { unavailable } => format!("by {who}; when is unavailable ({unavailable})"),
    };
    if let Some(took) = header.took.measured() {
        text += &format!(", in {took}");
    }
    if !header.complete {
        text += ", stopped before its end";
    }
    text
}

/// Rows of the table of nodes.
pub fn node_rows(profile: &Profile) -> Vec<[String; 4]> {
    let cpus = |cpus: &CpuSet| if cpus.is_empty() { "none".to_owned() } else { cpus.to_string() };
    let row = |node: &numawise_facts::ProfileNode| {
        [
            node.id.to_string(),
            node.kind.to_string(),
            node.memory.measured().map_or_else(|| "unknown".to_owned(), Bytes::to_string),
            node.cpus.measured().map_or_else(|| "unknown".to_owned(), cpus),
        ]
    };
    profile.header.nodes.iter().map(row).collect()
}

/// `node 2 (hbm)`: ordinary memory needs no word.
pub fn node(profile: &Profile, id: NodeId) -> String {
    match kind(profile, id) {
        None => format!("node {id}"),
        Some(kind) => format!("node {id} ({kind})"),
    }
}

/// What memory it is, if it is not the ordinary.
pub fn kind(profile: &Profile, id: NodeId) -> Option<MemoryKind> {
    let known = profile.header.nodes.iter().find(|node| node.id == id)?;
    (!matches!(known.kind, MemoryKind::Dram | MemoryKind::Unknown)).then_some(known.kind)
}

/// What a mix does, in words.
pub fn mix(mix: Mix) -> &'static str {
    match mix {
        Mix::Read => "reads",
        Mix::Read3Write1 => "3 reads to 1 write",
        Mix::Read2Write1 => "2 reads to 1 write",
        Mix::Read1Write1 => "1 read to 1 write",
        Mix::Triad => "triad",
        Mix::NonTemporalWrite => "non-temporal writes",
    }
}

/// What a matrix is called.
pub fn matrix(measure: MatrixMeasure) -> String {
    match measure {
        MatrixMeasure::IdleLatency => "Idle latency, ns".to_owned(),
        MatrixMeasure::LatencyVsLocal => "Idle latency vs local memory".to_owned(),
        MatrixMeasure::LatencyWithTlbMisses => "Idle latency with TLB misses, ns".to_owned(),
        MatrixMeasure::Bandwidth { cores: NodeCores::All, mix: of } => {
            format!("Bandwidth of {}, all cores of a node, GB/s", mix(of))
        }
        MatrixMeasure::Bandwidth { cores: NodeCores::One, mix: of } => {
            format!("Bandwidth of {}, one core, GB/s", mix(of))
        }
        MatrixMeasure::ReadVsLocal => "Bandwidth of reads vs local memory".to_owned(),
        MatrixMeasure::Transfers(home) => {
            format!("A changed line from node to node, ns; {}", line_home(home))
        }
    }
}

/// What a reader of a matrix may want to know beyond its title.
pub fn about(measure: MatrixMeasure) -> Option<&'static str> {
    match measure {
        MatrixMeasure::LatencyWithTlbMisses => {
            Some("Base pages, lines at random over the whole buffer: almost every load misses the TLB too.")
        }
        MatrixMeasure::Transfers(_) => Some(
            "From cores of the row's node, which changed the line, to cores of the column's: the median over the pairs.",
        ),
        _ => None,
    }
}

pub fn cores(same_node: bool) -> &'static str {
    if same_node { "of one node" } else { "of two nodes" }
}

/// Where the line's memory is, short.
pub fn home(group: &TransferGroup) -> &'static str {
    match (group.same_node, group.home) {
        (true, LineHome::Owner | LineHome::Reader) => "their node's",
        (false, LineHome::Owner) => "the owner's node's",
        (false, LineHome::Reader) => "the reader's node's",
        (_, LineHome::Elsewhere) => "another, or unknown",
    }
}

pub fn line_home(home: LineHome) -> &'static str {
    match home {
        LineHome::Owner => "the line's memory is with the core that changed it",
        LineHome::Reader => "the line's memory is with the core that reads it",
        LineHome::Elsewhere => "the line's memory is elsewhere",
    }
}

/// Whose threads on which memory, short: `node 0 -> 1`.
pub fn pair(workers: Workers, target: Target) -> String {
    let to = match target {
        Target::Local => "local".to_owned(),
        Target::Node(to) => to.to_string(),
    };
    match workers {
        Workers::Machine => format!("all cores -> {to}"),
        Workers::Node(from) => format!("node {from} -> {to}"),
        Workers::Core(from) => format!("core of {from} -> {to}"),
    }
}

/// The same of a curve: of all cores together its memory is everybody's local.
pub fn pair_loaded(curve: &LoadedCurve) -> String {
    match curve.workers {
        Workers::Machine => "all cores -> local".to_owned(),
        Workers::Node(_) | Workers::Core(_) => format!("node {} -> {}", curve.from, curve.to),
    }
}

/// A number with as many decimals as its size needs.
pub fn number(unit: FigureUnit, value: f64) -> String {
    match unit {
        FigureUnit::Ratio => format!("{value:.2}x"),
        FigureUnit::Nanoseconds if value < 10.0 => format!("{value:.2}"),
        FigureUnit::Nanoseconds => format!("{value:.1}"),
        FigureUnit::BytesPerSecond if value < 1e9 => format!("{:.3}", value / 1e9),
        FigureUnit::BytesPerSecond => format!("{:.1}", value / 1e9),
    }
}

/// The same in three or four characters, for many columns.
pub fn short(unit: FigureUnit, value: f64) -> String {
    let value = if unit == FigureUnit::BytesPerSecond { value / 1e9 } else { value };
    match value {
        0.0..0.995 => format!("{value:.2}").trim_start_matches('0').to_owned(),
        0.995..9.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Half of an interval, with at least the decimals of its median, and so many that it is not shown as zero; nothing for a
/// single measurement.
pub fn half(unit: FigureUnit, estimate: &numawise_facts::Estimate<f64>) -> Option<String> {
    if estimate.samples <= 1 {
        return None;
    }
    let scale = if unit == FigureUnit::BytesPerSecond { 1e9 } else { 1.0 };
    let half = (estimate.high - estimate.low) / 2.0 / scale;
    let least =
        number(unit, estimate.median).split('.').nth(1).map_or(0, |part| part.trim_end_matches('x').len());
    let enough = (least..4).find(|decimals| half * 10f64.powi(*decimals as i32) >= 0.5).unwrap_or(least);
    Some(format!("{half:.enough$}"))
}

/// With its unit.
pub fn quantity(unit: FigureUnit, value: f64) -> String {
    match unit {
        FigureUnit::Ratio => number(unit, value),
        FigureUnit::Nanoseconds => format!("{} ns", number(unit, value)),
        FigureUnit::BytesPerSecond => format!("{} GB/s", number(unit, value)),
    }
}

pub fn knee(why: KneeReason) -> &'static str {
    match why {
        KneeReason::LatencyDoubled => "latency doubled",
        KneeReason::NearPeak => "95 % of the peak",
    }
}

pub fn call(call: CellCall) -> &'static str {
    match call {
        CellCall::Better => "better",
        CellCall::Worse => "worse",
        CellCall::Same => "no difference",
        CellCall::Open => "not decided",
        CellCall::Unknown => "unknown",
    }
}

pub const LOADED: &str = "One core measures latency while others load the same memory more and more. The knee is where latency \
                          has doubled, or 95 % of the peak where that comes first.";
pub const TRANSFERS: &str = "A line that one core has changed is read by another.";
