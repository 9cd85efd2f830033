//! What a profile means: statements on its machine.

use numawise_facts::{Estimate, Mix, Profile, Target, Workers};
use numawise_tables::{LatencySpread, LineHome, NodeCores, ProfileStatement, ProfileTables, TransferLatency};
use numawise_units::{Arrange, BytesPerSecond, Latency, NodeId, Ratio};

use super::distance;
use super::figures::{ALIKE, certain, has_cpus, span, value_span};
use super::matrices::bandwidth;

/// A cache that is not faster than memory by this factor is none that shows.
const HIDDEN: f64 = 1.15;

/// Every statement that the figures carry, the most important first.
pub(super) fn statements(profile: &Profile, tables: &ProfileTables) -> Vec<ProfileStatement> {
    let mut all = Vec::new();
    all.extend(peak(profile));
    all.extend(distance::statements(profile));
    all.extend(one_core(profile));
    all.extend(declared(tables));
    all.extend(tlb(profile));
    all.extend(load(tables));
    all.extend(hidden_cache(profile, tables));
    all.extend(transfers(tables));
    all
}

/// The nodes of a profile in ascending order.
fn nodes(profile: &Profile) -> impl Iterator<Item = NodeId> {
    let mut nodes: Vec<NodeId> = profile.header.nodes.iter().map(|node| node.id).collect();
    nodes.arrange();
    nodes.into_iter()
}

/// What the whole machine draws.
fn peak(profile: &Profile) -> Option<ProfileStatement> {
    let of = |mix| certain(&profile.bandwidth_of(Workers::Machine, Target::Local, mix)?.rate);
    let read: Estimate<BytesPerSecond> = of(Mix::Read)?;
    let nodes_with_cpus =
        profile.header.nodes.iter().filter(|node| has_cpus(profile, node.id)).count() as u32;
    let best = Mix::ALL.into_iter().filter_map(|mix| Some((mix, of(mix)?)));
    let best = best.max_by(|one, other| one.1.median.0.total_cmp(&other.1.median.0))?;
    let best = (best.1.median.0 > read.median.0 * ALIKE).then_some(best);
    Some(ProfileStatement::PeakBandwidth { nodes_with_cpus, read, best })
}

/// What a single thread can have of its node.
fn one_core(profile: &Profile) -> Option<ProfileStatement> {
    let mut rates = Vec::new();
    let mut shares = Vec::new();
    let mut threads = Vec::new();
    for node in nodes(profile) {
        let of = |cores| bandwidth(profile, cores, node, node, Mix::Read);
        let (Some(core), Some(all)) = (of(NodeCores::One), of(NodeCores::All)) else { continue };
        let (Some(one), Some(together)) = (certain(&core.rate), certain(&all.rate)) else { continue };
        // Of one core there is nothing to compare.
        let of = all.threads.measured().copied();
        if of != Some(1) {
            rates.push(one.median.0);
            shares.push(one.median.0 / together.median.0);
            threads.push(of);
        }
    }
    let (_, most) = span(shares.iter().copied())?;
    threads.dedup();
    let cores = match threads.as_slice() {
        [one] => *one,
        _ => None,
    };
    Some(ProfileStatement::SingleCoreBandwidth {
        rate: value_span(&rates, BytesPerSecond)?,
        share: value_span(&shares, Ratio)?,
        cores,
        no_less_than_all: most > 1.0,
    })
}

/// What bounds the bandwidth, as far as the firmware says.
fn declared(tables: &ProfileTables) -> Option<ProfileStatement> {
    let local = |workers, target| match (workers, target) {
        (Workers::Node(from), Target::Node(to)) => from == to,
        (Workers::Node(_), Target::Local) => true,
        (Workers::Core(_) | Workers::Machine, _) => false,
    };
    let reads = tables.declared.measured()?.iter();
    let shares: Vec<f64> = reads
        .filter(|cell| cell.mix == Mix::Read && local(cell.workers, cell.target))
        .filter_map(|cell| Some(cell.share.measured()?.0))
        .collect();
    let (_, most) = span(shares.iter().copied())?;
    Some(ProfileStatement::ShareOfDeclared { share: value_span(&shares, Ratio)?, exceeded: most > ALIKE })
}

/// What base pages cost programs that use memory at random.
fn tlb(profile: &Profile) -> Option<ProfileStatement> {
    let (mut base_pages, mut huge_pages) = (Vec::new(), Vec::new());
    for node in nodes(profile) {
        let Some(cell) = profile.latency_of(node, node) else { continue };
        if let (Some(huge), Some(base)) = (certain(&cell.latency), certain(&cell.with_tlb_misses)) {
            huge_pages.push(huge.median.0);
            base_pages.push(base.median.0);
        }
    }
    let ratios: Vec<f64> = base_pages.iter().zip(&huge_pages).map(|(base, huge)| base / huge).collect();
    let (_, most) = span(ratios.iter().copied())?;
    if most < ALIKE {
        return None;
    }
    Some(ProfileStatement::TlbMisses {
        base_pages: value_span(&base_pages, Latency)?,
        huge_pages: value_span(&huge_pages, Latency)?,
        ratio: value_span(&ratios, Ratio)?,
    })
}

/// Where local memory begins to answer late; of several nodes that where it is first.
fn load(tables: &ProfileTables) -> Option<ProfileStatement> {
    let reads = tables.loaded.iter().filter(|curve| curve.from == curve.to && curve.mix == Mix::Read);
    let knees = reads.filter_map(|curve| Some((curve, *curve.knee.measured()?)));
    let (curve, knee) = knees.min_by(|one, other| one.1.share.0.total_cmp(&other.1.share.0))?;
    let (peak, _) = *curve.peak.measured()?;
    let idle = *curve.unloaded.measured()?;
    Some(ProfileStatement::LoadedLatency { workers: curve.workers, node: curve.to, idle, peak, knee })
}

/// A cache that the machine has by its own word, and that does not show: guests are shown caches that they share with others.
fn hidden_cache(profile: &Profile, tables: &ProfileTables) -> Option<ProfileStatement> {
    tables.working_sets.iter().find_map(|curve| {
        let memory: Estimate<Latency> = certain(&profile.latency_of(curve.from, curve.to)?.latency)?;
        let step = curve.caches.measured()?.last()?;
        let latency = *step.latency.measured()?;
        (latency.0 * HIDDEN >= memory.median.0).then_some(ProfileStatement::HiddenCache {
            level: step.level,
            size: step.size,
            latency,
            memory,
        })
    })
}

/// What a line costs that goes from core to core.
fn transfers(tables: &ProfileTables) -> Option<ProfileStatement> {
    let of = |same_node| {
        let mut groups = tables.transfers.iter();
        let group = groups.find(|group| group.same_node == same_node && group.home == LineHome::Owner)?;
        let LatencySpread { median, least, most } = *group.spread.measured()?;
        let between = (most.0 > least.0 * ALIKE).then_some((least, most));
        Some(TransferLatency { median, between })
    };
    match (of(true), of(false)) {
        (None, None) => None,
        (same_node, other_node) => Some(ProfileStatement::Transfers { same_node, other_node }),
    }
}
