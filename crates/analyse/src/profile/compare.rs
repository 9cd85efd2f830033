//! Two profiles cell by cell.

use std::collections::{HashMap, HashSet};

use numawise_facts::{Estimate, LoadPoint, Profile, ProfileOrigin, Reading, Transfer};
use numawise_tables::{
    CellCall, CellKey, ComparedCell, ComparedRatio, ComparisonStatement, FigureUnit, ProfileComparison,
    ProfileDifference, ProfileProperty,
};
use numawise_units::Ratio;

use super::figures::{both, plain, quotient};

/// Less than this is no difference that anybody places a program by, and repetitions on one machine differ by as much.
const MARGIN: f64 = 0.03;

type Figure = Reading<Estimate<f64>>;

/// Two profiles cell by cell: the second vs the first.
pub fn compare_profiles(a: &Profile, b: &Profile) -> ProfileComparison {
    let (in_a, in_b) = (figures(a), figures(b));
    // Of a cell that is there twice, the first counts.
    let of_b: HashMap<CellKey, &Figure> = in_b.iter().rev().map(|(key, figure)| (*key, figure)).collect();
    let (mut cells, mut only_a, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for (key, figure) in in_a.iter().filter(|(key, _)| seen.insert(*key)) {
        match of_b.get(key) {
            Some(other) => cells.push(compared(*key, figure, other)),
            None => only_a.push(*key),
        }
    }
    let only_b: Vec<CellKey> = in_b.iter().map(|(key, _)| *key).filter(|key| seen.insert(*key)).collect();
    let differences = differences(a, b);
    let meaning = meaning(&cells, &differences, [only_a.len(), only_b.len()]);
    ProfileComparison { meaning, differences, cells, only_a, only_b, margin: MARGIN }
}

/// Every figure that two profiles may have in common. Of a curve under load these are its ends: what lies between depends on
/// how much load a delay makes, which is another thing on another machine.
fn figures(profile: &Profile) -> Vec<(CellKey, Figure)> {
    let mut all = Vec::new();
    for cell in &profile.latency {
        let (from, to) = (cell.from, cell.to);
        all.push((CellKey::IdleLatency { from, to }, plain(&cell.latency)));
        all.push((CellKey::LatencyWithTlbMisses { from, to }, plain(&cell.with_tlb_misses)));
    }
    for cell in &profile.bandwidth {
        let key = CellKey::Bandwidth { workers: cell.workers, target: cell.target, mix: cell.mix };
        all.push((key, plain(&cell.rate)));
    }
    for curve in &profile.working_sets {
        let key = |bytes| CellKey::WorkingSet { from: curve.from, to: curve.to, bytes };
        all.extend(curve.points.iter().map(|point| (key(point.bytes), plain(&point.latency))));
    }
    for curve in &profile.loaded {
        let (from, to, workers, mix) = (curve.from, curve.to, curve.workers, curve.mix);
        let peak = |points: &Vec<LoadPoint>| {
            points
                .iter()
                .max_by(|one, other| one.bandwidth.median.0.total_cmp(&other.bandwidth.median.0))
                .map(|point| plain(&Reading::Measured(point.bandwidth)))
        };
        let idle =
            |points: &Vec<LoadPoint>| points.first().map(|point| plain(&Reading::Measured(point.latency)));
        all.push((CellKey::LoadedIdle { from, to, workers, mix }, end(&curve.points, idle)));
        all.push((CellKey::LoadedPeak { from, to, workers, mix }, end(&curve.points, peak)));
    }
    for transfer in &profile.transfers {
        all.push((transfer_key(transfer), plain(&transfer.latency)));
    }
    all
}

fn transfer_key(transfer: &Transfer) -> CellKey {
    let known = (transfer.owner.measured(), transfer.reader.measured(), transfer.home.measured());
    if let (Some(&owner), Some(&reader), Some(&home)) = known {
        return CellKey::Transfer { owner, reader, home };
    }
    CellKey::TransferOfNodes {
        owner: transfer.owner_node.measured().copied(),
        reader: transfer.reader_node.measured().copied(),
        home: transfer.home.measured().copied(),
        same_node: transfer.same_node,
    }
}

fn end(points: &Reading<Vec<LoadPoint>>, which: impl Fn(&Vec<LoadPoint>) -> Option<Figure>) -> Figure {
    match points {
        Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable: unavailable.clone() },
        Reading::Measured(points) => {
            which(points).unwrap_or_else(|| Reading::unavailable("the profile has no point of this curve"))
        }
    }
}

fn compared(cell: CellKey, a: &Figure, b: &Figure) -> ComparedCell {
    let ratio = both(a, b).map(|(a, b)| {
        let quotient = quotient(b, a);
        let interval = match a.samples.min(b.samples) {
            0 | 1 => Reading::unavailable("one of the two is a single measurement, which has no interval"),
            _ => Reading::Measured((Ratio(quotient.low), Ratio(quotient.high))),
        };
        ComparedRatio { ratio: Ratio(quotient.median), interval }
    });
    let call = ratio.measured().map_or(CellCall::Unknown, |ratio| call(cell, ratio));
    ComparedCell { cell, a: a.clone(), b: b.clone(), ratio, call }
}

fn call(cell: CellKey, ratio: &ComparedRatio) -> CellCall {
    let Ratio(value) = ratio.ratio;
    if (1.0 / (1.0 + MARGIN)..=1.0 + MARGIN).contains(&value) {
        return CellCall::Same;
    }
    let apart = ratio.interval.measured().is_some_and(|(low, high)| low.0 > 1.0 || high.0 < 1.0);
    match (apart, (value > 1.0) == (cell.unit() == FigureUnit::BytesPerSecond)) {
        (false, _) => CellCall::Open,
        (true, true) => CellCall::Better,
        (true, false) => CellCall::Worse,
    }
}

/// The lines of the headers in which they differ.
fn differences(a: &Profile, b: &Profile) -> Vec<ProfileDifference> {
    let known = |text: String| Reading::Measured(text);
    let lines = |profile: &Profile| {
        let header = &profile.header;
        let print = &header.fingerprint;
        let origin = match &header.origin {
            ProfileOrigin::Numawise(version) => format!("numawise {version}"),
            ProfileOrigin::Mlc(version) => format!("Intel Memory Latency Checker {version}"),
        };
        let complete = if header.complete { "all that was planned" } else { "stopped before its end" };
        [
            (ProfileProperty::Topology, print.topology.clone()),
            (ProfileProperty::Processor, print.processor.clone()),
            (ProfileProperty::Kernel, print.kernel.clone()),
            (ProfileProperty::Firmware, print.firmware.clone()),
            (ProfileProperty::MeasuredBy, known(origin)),
            (ProfileProperty::Depth, known(header.depth.to_string())),
            (ProfileProperty::Completeness, known(complete.to_owned())),
            (ProfileProperty::Vectors, header.vectors.clone()),
        ]
    };
    let pairs = lines(a).into_iter().zip(lines(b));
    pairs
        .filter(|((_, a), (_, b))| a != b)
        .map(|((property, a), (_, b))| ProfileDifference { property, a, b })
        .collect()
}

/// What the cells and the headers come to.
fn meaning(
    cells: &[ComparedCell],
    differences: &[ProfileDifference],
    only: [usize; 2],
) -> Vec<ComparisonStatement> {
    let mut all = vec![machines(differences)];
    let count = |call| cells.iter().filter(|cell| cell.call == call).count() as u32;
    let (better, worse) = (count(CellCall::Better), count(CellCall::Worse));
    let figures = cells.len() as u32 - count(CellCall::Unknown);
    let margin = Ratio(MARGIN);
    all.push(match (cells.is_empty(), better + worse) {
        (true, _) => ComparisonStatement::NothingInCommon,
        (false, 0) => ComparisonStatement::NoClearDifference { figures, margin },
        (false, _) => ComparisonStatement::ClearDifferences { figures, better, worse },
    });
    for unit in [FigureUnit::Nanoseconds, FigureUnit::BytesPerSecond] {
        all.extend(furthest(cells, unit));
    }
    let undecided = count(CellCall::Open);
    if undecided > 0 {
        all.push(ComparisonStatement::Undecided { figures: undecided, margin });
    }
    let [first, second] = only.map(|only| only as u32);
    if (first, second) != (0, 0) {
        all.push(ComparisonStatement::OnlyInOne { first, second });
    }
    all
}

/// Whether this is one machine, as far as the fingerprints know.
fn machines(differences: &[ProfileDifference]) -> ComparisonStatement {
    let find =
        |property: ProfileProperty| differences.iter().find(|difference| difference.property == property);
    let one_lacks = |d: &ProfileDifference| d.a.measured().is_none() || d.b.measured().is_none();
    if let Some(difference) = find(ProfileProperty::Topology).or(find(ProfileProperty::Processor)) {
        let property = difference.property;
        return if one_lacks(difference) {
            ComparisonStatement::MachinesUnknown { property }
        } else {
            ComparisonStatement::DifferentMachines { property }
        };
    }
    let others = [ProfileProperty::Kernel, ProfileProperty::Firmware].into_iter().filter_map(find);
    let (unknown, changed): (Vec<_>, Vec<_>) = others.partition(|difference| one_lacks(difference));
    let properties = |all: Vec<&ProfileDifference>| all.into_iter().map(|one| one.property).collect();
    ComparisonStatement::SameMachineType { changed: properties(changed), unknown: properties(unknown) }
}

/// The clear difference that is greatest.
fn furthest(cells: &[ComparedCell], unit: FigureUnit) -> Option<ComparisonStatement> {
    let clear = cells
        .iter()
        .filter(|cell| matches!(cell.call, CellCall::Better | CellCall::Worse) && cell.cell.unit() == unit);
    let ratios = clear.filter_map(|cell| Some((cell, cell.ratio.measured()?)));
    let (cell, ratio) =
        ratios.max_by(|one, other| one.1.ratio.0.ln().abs().total_cmp(&other.1.ratio.0.ln().abs()))?;
    Some(ComparisonStatement::GreatestDifference { cell: cell.cell, ratio: ratio.clone() })
}
