//! What should be known of a profile before it is believed.

use numawise_facts::{BufferPages, Estimate, Profile, ProfileOrigin, Reading};
use numawise_units::NodeSet;

use super::figures::{VAGUE, half, plain};

/// Half an interval wider than this part of its median is said.
const WIDE: f64 = 0.05;

pub(super) fn remarks(profile: &Profile) -> Vec<String> {
    let figures = figures(profile);
    let mut all = profile.header.remarks.clone();
    if !profile.header.complete {
        all.push(
            "The measurement was stopped before all was measured; what is missing is not in the tables."
                .to_owned(),
        );
    }
    if let ProfileOrigin::Mlc(version) = &profile.header.origin {
        all.push(format!(
            "Read from the output of Intel Memory Latency Checker {version}: single figures without intervals."
        ));
    }
    all.extend(disturbed(&figures));
    all.extend(wide(&figures));
    all.extend(base_pages(profile));
    all.extend(unavailable(&figures));
    all
}

/// Every figure of the profile.
fn figures(profile: &Profile) -> Vec<Reading<Estimate<f64>>> {
    let mut all: Vec<Reading<Estimate<f64>>> = Vec::new();
    for cell in &profile.latency {
        all.extend([plain(&cell.latency), plain(&cell.with_tlb_misses)]);
    }
    all.extend(profile.bandwidth.iter().map(|cell| plain(&cell.rate)));
    let sets = profile.working_sets.iter().flat_map(|curve| &curve.points);
    all.extend(sets.map(|point| plain(&point.latency)));
    for curve in &profile.loaded {
        match &curve.points {
            Reading::Unavailable { unavailable } => {
                all.push(Reading::Unavailable { unavailable: unavailable.clone() });
            }
            Reading::Measured(points) => all.extend(points.iter().flat_map(|point| {
                [plain(&Reading::Measured(point.bandwidth)), plain(&Reading::Measured(point.latency))]
            })),
        }
    }
    all.extend(profile.transfers.iter().map(|transfer| plain(&transfer.latency)));
    all
}

fn disturbed(figures: &[Reading<Estimate<f64>>]) -> Option<String> {
    let known = figures.iter().filter_map(Reading::measured);
    let (mut thrown, mut kept) = (0u64, 0u64);
    for estimate in known {
        thrown += u64::from(estimate.disturbed);
        kept += u64::from(estimate.samples);
    }
    (thrown > 0).then(|| {
        let were = if thrown == 1 { "repetition was" } else { "repetitions were" };
        format!("{thrown} {were} thrown away because the machine was disturbed; {kept} count.")
    })
}

fn wide(figures: &[Reading<Estimate<f64>>]) -> Option<String> {
    let known: Vec<f64> = figures.iter().filter_map(Reading::measured).filter_map(half).collect();
    let wide = known.iter().filter(|half| **half > WIDE).count();
    let most = known.iter().copied().fold(0.0, f64::max);
    let vague = known.iter().filter(|half| **half > VAGUE).count();
    (wide > 0).then(|| {
        let left = match vague {
            0 => String::new(),
            n => format!(" {n} wider than ±{:.0} % are in the tables, but no sentence rests on them.", VAGUE * 100.0),
        };
        let (noun, have) = if wide == 1 { ("interval", "is") } else { ("intervals", "are") };
        format!(
            "{wide} {noun} of {} {have} wider than ±{:.0} % of the median, at most ±{:.0} %: measure again on a quiet machine \
             if these figures matter.{left}",
            known.len(),
            WIDE * 100.0,
            most * 100.0
        )
    })
}

/// Idle latency on base pages is partly that of the TLB.
fn base_pages(profile: &Profile) -> Option<String> {
    let small: NodeSet = profile
        .latency
        .iter()
        .filter(|cell| {
            cell.latency.measured().is_some() && cell.pages.measured() == Some(&BufferPages::Small)
        })
        .map(|cell| cell.to)
        .collect();
    let noun = if small.len() == 1 { "node" } else { "nodes" };
    (!small.is_empty()).then(|| {
        format!(
            "No huge pages were to be had on {noun} {small}: TLB misses are part of the idle latency of that memory."
        )
    })
}

fn unavailable(figures: &[Reading<Estimate<f64>>]) -> Option<String> {
    let missing = figures.iter().filter(|figure| figure.measured().is_none()).count();
    (missing > 0).then(|| {
        format!("{missing} of {} figures could not be measured; why is said beside them.", figures.len())
    })
}
