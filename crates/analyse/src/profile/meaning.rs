//! What a profile means, in sentences.

use numawise_facts::{Estimate, MemoryKind, Mix, Profile, Reading, Target, Workers};
use numawise_tables::{KneeReason, LineHome, NodeCores, ProfileTables};
use numawise_units::{BytesPerSecond, Latency, NodeId, Ratio};

use super::distance;
use super::figures::{is_vague, plain, span};
use super::matrices::bandwidth;

/// Figures that lie closer together than this are told as one.
const ALIKE: f64 = 1.05;
/// A cache that is not faster than memory by this factor is none that shows.
const HIDDEN: f64 = 1.15;

pub(super) fn sentences(profile: &Profile, tables: &ProfileTables) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(peak(profile));
    all.extend(distance::sentences(profile));
    all.extend(one_core(profile));
    all.extend(declared(tables));
    all.extend(tlb(profile));
    all.extend(load(tables));
    all.extend(hidden_cache(profile, tables));
    all.extend(transfers(tables));
    all
}

pub(super) fn rate(value: f64) -> BytesPerSecond {
    BytesPerSecond(value)
}

/// One figure, or the span of several that differ.
pub(super) fn told(values: &[f64], show: impl Fn(f64) -> String) -> Option<String> {
    let (least, most) = span(values.iter().copied())?;
    Some(if most <= least * ALIKE {
        show(numawise_stats::median(values).unwrap_or(least))
    } else {
        format!("{} to {}", show(least), show(most))
    })
}

/// A share without decimals.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// The median of a figure that is sure enough to be told in a sentence.
pub(super) fn median<T: super::figures::Figure>(reading: &Reading<Estimate<T>>) -> Option<f64> {
    plain(reading).measured().filter(|estimate| !is_vague(estimate)).map(|estimate| estimate.median)
}

/// Nodes with CPUs whose local memory has a figure.
fn with_local(profile: &Profile) -> impl Iterator<Item = NodeId> {
    let mut nodes: Vec<NodeId> = profile.header.nodes.iter().map(|node| node.id).collect();
    nodes.sort_unstable();
    nodes.into_iter()
}

/// Whether a node has CPUs that measured; where nobody names them, whether anything was measured from it.
pub(super) fn has_cpus(profile: &Profile, node: NodeId) -> bool {
    let known = profile.header.nodes.iter().find(|known| known.id == node);
    match known.map(|known| &known.cpus) {
        Some(Reading::Measured(cpus)) => !cpus.is_empty(),
        Some(Reading::Unavailable { .. }) | None => profile.latency.iter().any(|cell| cell.from == node),
    }
}

/// What the whole machine draws.
fn peak(profile: &Profile) -> Option<String> {
    let of = |mix| median(&profile.bandwidth_of(Workers::Machine, Target::Local, mix)?.rate);
    let read = of(Mix::Read)?;
    let nodes = profile.header.nodes.iter().filter(|node| has_cpus(profile, node.id)).count();
    let who = match nodes {
        0 | 1 => "All cores together read",
        _ => "All cores together, each on the memory of its own node, read",
    };
    let best = Mix::ALL.into_iter().filter_map(|mix| Some((mix, of(mix)?)));
    let best = best.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(if best.1 > read * ALIKE {
        format!("{who} {}; with the mix {} they move most, {}.", rate(read), best.0, rate(best.1))
    } else {
        format!("{who} {}.", rate(read))
    })
}

/// What a single thread can have of its node.
fn one_core(profile: &Profile) -> Option<String> {
    let mut cores = Vec::new();
    let mut shares = Vec::new();
    let mut threads = Vec::new();
    for node in with_local(profile) {
        let of = |cores| bandwidth(profile, cores, node, node, Mix::Read);
        let (Some(core), Some(all)) = (of(NodeCores::One), of(NodeCores::All)) else { continue };
        let (Some(one), Some(together)) = (median(&core.rate), median(&all.rate)) else { continue };
        // Of how many is told where it is known; of one core there is nothing to tell.
        let of = all.threads.measured().copied();
        if of != Some(1) {
            cores.push(one);
            shares.push(one / together);
            threads.push(of);
        }
    }
    let (_, most) = span(shares.iter().copied())?;
    let (cores, shares) = (told(&cores, |v| rate(v).to_string())?, told(&shares, percent)?);
    threads.dedup();
    let threads = match threads.as_slice() {
        [Some(2)] => "both cores".to_owned(),
        [Some(all)] => format!("all {all} cores"),
        _ => "all cores".to_owned(),
    };
    Some(if most > 1.0 {
        format!("One core reads {cores} of its node's memory: no less than {threads} of the node together.")
    } else {
        format!(
            "One core reads {cores} of its node's memory, {shares} of what {threads} of the node read together."
        )
    })
}

/// What bounds the bandwidth, as far as the firmware says.
fn declared(tables: &ProfileTables) -> Option<String> {
    let own = |workers, target| match (workers, target) {
        (Workers::Node(from), Target::Node(to)) => from == to,
        (Workers::Node(_), Target::Local) => true,
        (Workers::Core(_) | Workers::Machine, _) => false,
    };
    let reads = tables.declared.measured()?.iter();
    let shares: Vec<f64> = reads
        .filter(|cell| cell.mix == Mix::Read && own(cell.workers, cell.target))
        .filter_map(|cell| Some(cell.share.measured()?.0))
        .collect();
    let (_, most) = span(shares.iter().copied())?;
    let told = told(&shares, percent)?;
    Some(if most > ALIKE {
        format!(
            "Reads of local memory reach {told} of what the firmware declares: its figure is no bound of this memory."
        )
    } else {
        format!("Reads of local memory reach {told} of what the firmware declares.")
    })
}

/// What base pages cost programs that use memory at random.
fn tlb(profile: &Profile) -> Option<String> {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for node in with_local(profile) {
        let Some(cell) = profile.latency_of(node, node) else { continue };
        if let (Some(huge), Some(base)) = (median(&cell.latency), median(&cell.with_tlb_misses)) {
            without.push(huge);
            with.push(base);
        }
    }
    let ratios: Vec<f64> = with.iter().zip(&without).map(|(with, without)| with / without).collect();
    let (_, most) = span(ratios.iter().copied())?;
    if most < ALIKE {
        return None;
    }
    let ns = |value| Latency(value).to_string();
    Some(format!(
        "At random over base pages local memory answers in {} instead of {}: that is {} as long, for almost every load misses \
         the TLB too. Huge pages avoid it.",
        told(&with, ns)?,
        told(&without, ns)?,
        told(&ratios, |v| Ratio(v).to_string())?
    ))
}

/// Where local memory begins to answer late; of several nodes that where it is first.
fn load(tables: &ProfileTables) -> Option<String> {
    let own: Vec<_> = tables.loaded.iter().filter(|curve| curve.from == curve.to).collect();
    let reads = own.iter().filter(|curve| curve.mix == Mix::Read);
    let knees = reads.filter_map(|curve| Some((curve, curve.knee.measured()?)));
    let (curve, knee) = knees.min_by(|one, other| one.1.share.0.total_cmp(&other.1.share.0))?;
    let (peak, _) = curve.peak.measured()?;
    let idle = curve.unloaded.measured()?;
    let place = match curve.workers {
        Workers::Machine => "memory of all nodes together".to_owned(),
        Workers::Node(_) | Workers::Core(_) => format!("memory of node {}", curve.to),
    };
    Some(match knee.why {
        KneeReason::LatencyDoubled => format!(
            "Under reads {place} takes twice as long to answer ({} instead of {idle}) from {} on, {} of the peak of {peak}.",
            knee.latency,
            knee.bandwidth,
            percent(knee.share.0)
        ),
        KneeReason::NearPeak => format!(
            "Under reads {place} still answers in {} ({idle} without load) at {}, {} of the peak of {peak}.",
            knee.latency,
            knee.bandwidth,
            percent(knee.share.0)
        ),
    })
}

/// A cache that the machine has by its own word, and that does not show: guests are shown caches that they share with others.
fn hidden_cache(profile: &Profile, tables: &ProfileTables) -> Option<String> {
    tables.working_sets.iter().find_map(|curve| {
        let memory = median(&profile.latency_of(curve.from, curve.to)?.latency)?;
        let step = curve.caches.measured()?.last()?;
        let inside = step.latency.measured()?;
        (inside.0 * HIDDEN >= memory).then(|| {
            format!(
                "The L{} of {} that the machine reports does not show: working sets that fit into it take {inside}, memory \
                 {}. A virtual machine may have but a part of it.",
                step.level,
                step.size,
                Latency(memory)
            )
        })
    })
}

fn transfers(tables: &ProfileTables) -> Option<String> {
    let of = |same_node| {
        let group = tables
            .transfers
            .iter()
            .find(|group| group.same_node == same_node && group.home == LineHome::Owner);
        group.and_then(|group| group.spread.measured())
    };
    let span = |spread: &numawise_tables::LatencySpread| {
        if spread.most.0 <= spread.least.0 * ALIKE {
            spread.median.to_string()
        } else {
            format!("{} ({} to {})", spread.median, spread.least, spread.most)
        }
    };
    match (of(true), of(false)) {
        (Some(same), Some(other)) => Some(format!(
            "A line that a core has changed reaches another core of its node in {}, a core of another node in {}, {} as long.",
            span(same),
            span(other),
            Ratio(other.median.0 / same.median.0)
        )),
        (Some(same), None) => Some(format!(
            "A line that a core has changed reaches another core of its node in {}.",
            span(same)
        )),
        (None, Some(other)) => {
            Some(format!("A line that a core has changed reaches a core of another node in {}.", span(other)))
        }
        (None, None) => None,
    }
}

/// How a node's memory is called in a sentence.
pub(super) fn memory_of(profile: &Profile, node: NodeId) -> String {
    let kind = profile.header.nodes.iter().find(|known| known.id == node).map(|known| known.kind);
    match kind {
        None | Some(MemoryKind::Dram | MemoryKind::Unknown) => format!("memory of node {node}"),
        Some(kind) => format!("memory of node {node} ({kind})"),
    }
}
