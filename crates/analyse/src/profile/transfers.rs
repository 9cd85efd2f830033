//! Transfers between cores: in groups, from node to node, from core to core.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{Estimate, Profile, Reading, Transfer};
use numawise_tables::{Cell, CoreMatrix, LatencySpread, LineHome, MatrixMeasure, NodeMatrix, TransferGroup};
use numawise_units::{Arrange, CpuId, Latency, NodeId};

use super::figures::{plain, range, span};

const HOMES: [LineHome; 3] = [LineHome::Owner, LineHome::Reader, LineHome::Elsewhere];

/// Groups of same and other node, by where the line's memory is.
pub(super) fn groups(profile: &Profile) -> Vec<TransferGroup> {
    let mut groups: BTreeMap<(bool, LineHome), Vec<&Transfer>> = BTreeMap::new();
    for transfer in &profile.transfers {
        // Same node first.
        groups.entry((!transfer.same_node, home(transfer))).or_default().push(transfer);
    }
    let group = |((other, home), all): ((bool, LineHome), Vec<&Transfer>)| {
        let known = medians(&all);
        let why = || all.iter().find_map(|transfer| transfer.latency.reason()).cloned();
        let spread = match spread(&known) {
            Some(spread) => Reading::Measured(spread),
            None => match why() {
                Some(unavailable) => Reading::Unavailable { unavailable },
                None => Reading::unavailable("no pair of cores has a figure"),
            },
        };
        let (pairs, unavailable) = (known.len() as u32, (all.len() - known.len()) as u32);
        TransferGroup { same_node: !other, home, pairs, unavailable, spread }
    };
    groups.into_iter().map(group).collect()
}

fn home(transfer: &Transfer) -> LineHome {
    let is =
        |node: &Reading<NodeId>| node.measured().is_some() && node.measured() == transfer.home.measured();
    match (is(&transfer.owner_node), is(&transfer.reader_node)) {
        (true, _) => LineHome::Owner,
        (false, true) => LineHome::Reader,
        // Whose memory it is of two cores of one node is no question.
        (false, false) if transfer.same_node && transfer.home.measured().is_none() => LineHome::Owner,
        (false, false) => LineHome::Elsewhere,
    }
}

fn medians(all: &[&Transfer]) -> Vec<f64> {
    all.iter().filter_map(|transfer| Some(plain(&transfer.latency).measured()?.median)).collect()
}

fn spread(known: &[f64]) -> Option<LatencySpread> {
    let (least, most) = span(known.iter().copied())?;
    let median = numawise_stats::median(known).ok()?;
    Some(LatencySpread { median: Latency(median), least: Latency(least), most: Latency(most) })
}

/// The pairs that a matrix of this home shows: pairs of one node have but one home.
fn shown(profile: &Profile, wanted: LineHome) -> Option<Vec<&Transfer>> {
    let mine = |transfer: &&Transfer| home(transfer) == wanted;
    profile.transfers.iter().find(mine)?;
    let own = |transfer: &&Transfer| transfer.same_node && home(transfer) == LineHome::Owner;
    Some(profile.transfers.iter().filter(|transfer| mine(transfer) || own(transfer)).collect())
}

/// From node to node: the median over the pairs of cores, between the least and the greatest of them.
pub(super) fn by_node(profile: &Profile) -> Vec<NodeMatrix> {
    let both =
        |transfer: &Transfer| Some((*transfer.owner_node.measured()?, *transfer.reader_node.measured()?));
    let all = profile.transfers.iter().filter_map(both).flat_map(|(owner, reader)| [owner, reader]);
    let ids: Vec<NodeId> = all.collect::<BTreeSet<_>>().into_iter().collect();
    if ids.len() < 2 {
        return Vec::new();
    }
    let matrix = |home| {
        let mut pairs: BTreeMap<(NodeId, NodeId), Vec<&Transfer>> = BTreeMap::new();
        for transfer in shown(profile, home)? {
            if let Some(pair) = both(transfer) {
                pairs.entry(pair).or_default().push(transfer);
            }
        }
        let cell = |owner: NodeId, reader: NodeId| -> Cell {
            let all = pairs.get(&(owner, reader))?;
            let known = medians(all);
            Some(match (spread(&known), all.first()) {
                (Some(LatencySpread { median, least, most }), _) => Reading::Measured(Estimate {
                    median: median.0,
                    low: least.0,
                    high: most.0,
                    samples: known.len() as u32,
                    disturbed: 0,
                }),
                (None, first) => plain(&first?.latency),
            })
        };
        let line = |owner: &NodeId| ids.iter().map(|reader| cell(*owner, *reader)).collect();
        let cells: Vec<Vec<Cell>> = ids.iter().map(line).collect();
        let measure = MatrixMeasure::Transfers(home);
        let (rows, columns, range) = (ids.clone(), ids.clone(), range(&cells));
        // The bounds are those of the pairs, no interval.
        Some(NodeMatrix { measure, rows, columns, range, widest: None, cells })
    };
    HOMES.into_iter().filter_map(matrix).collect()
}

/// From core to core.
pub(super) fn by_core(profile: &Profile) -> Vec<CoreMatrix> {
    let mut nodes: BTreeMap<CpuId, Option<NodeId>> = BTreeMap::new();
    for transfer in &profile.transfers {
        let ends = [(&transfer.owner, &transfer.owner_node), (&transfer.reader, &transfer.reader_node)];
        for (cpu, node) in ends {
            if let Some(cpu) = cpu.measured() {
                nodes.insert(*cpu, node.measured().copied());
            }
        }
    }
    let mut cpus: Vec<CpuId> = nodes.keys().copied().collect();
    if cpus.is_empty() {
        return Vec::new();
    }
    cpus.arrange_by_key(|cpu| (nodes.get(cpu).copied().flatten(), *cpu));
    let matrix = |home| {
        let transfers = shown(profile, home)?;
        let ends = |transfer: &Transfer| Some((*transfer.owner.measured()?, *transfer.reader.measured()?));
        let of: BTreeMap<(CpuId, CpuId), &Transfer> =
            transfers.into_iter().rev().filter_map(|transfer| Some((ends(transfer)?, transfer))).collect();
        let cell = |owner, reader| Some(plain(&of.get(&(owner, reader))?.latency));
        let line = |owner: &CpuId| cpus.iter().map(|reader| cell(*owner, *reader)).collect();
        let cells: Vec<Vec<Cell>> = cpus.iter().map(line).collect();
        let nodes = cpus.iter().map(|cpu| nodes.get(cpu).copied().flatten()).collect();
        Some(CoreMatrix { home, cpus: cpus.clone(), nodes, range: range(&cells), cells })
    };
    HOMES.into_iter().filter_map(matrix).collect()
}
