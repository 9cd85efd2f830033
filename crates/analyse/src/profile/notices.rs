//! What should be known of a profile before it is believed.

use numawise_facts::notice::MembenchNotice;
use numawise_facts::{BufferPages, BufferSpread, Estimate, Notice, Profile, ProfileOrigin, Reading};
use numawise_units::{NodeSet, Ratio};

use super::figures::{Figure, VAGUE, half, plain};

/// Levels of buffers further apart than this part of the median are worth a notice.
const DIFFER: f64 = 0.05;
/// Half an interval wider than this part of its median is worth a notice.
const WIDE: f64 = 0.05;

pub(super) fn notices(profile: &Profile) -> Vec<Notice> {
    let figures = figures(profile);
    let mut of_tables: Vec<MembenchNotice> = Vec::new();
    if !profile.header.complete {
        of_tables.push(MembenchNotice::StoppedBeforeItsEnd);
    }
    if let ProfileOrigin::Mlc(version) = &profile.header.origin {
        of_tables.push(MembenchNotice::ReadFromMlc { version: version.clone() });
    }
    of_tables.extend(disturbed(&figures));
    of_tables.extend(wide(&figures));
    of_tables.extend(buffers(profile));
    let of_header = profile.header.notices.iter();
    let no_huge_pages =
        |notice: &&Notice| matches!(notice, Notice::Membench(MembenchNotice::NoHugePages { .. }));
    of_tables.extend(base_pages(profile, of_header.clone().filter(no_huge_pages)));
    of_tables.extend(unavailable(&figures));
    // Nodes without huge pages are named once, together.
    let of_header = of_header.filter(|notice| !no_huge_pages(notice));
    of_header.cloned().chain(of_tables.into_iter().map(Notice::from)).collect()
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

fn disturbed(figures: &[Reading<Estimate<f64>>]) -> Option<MembenchNotice> {
    let known = figures.iter().filter_map(Reading::measured);
    let (mut thrown, mut counted) = (0u64, 0u64);
    for estimate in known {
        thrown += u64::from(estimate.disturbed);
        counted += u64::from(estimate.samples);
    }
    (thrown > 0).then_some(MembenchNotice::RepetitionsThrownAway { thrown, counted })
}

fn wide(figures: &[Reading<Estimate<f64>>]) -> Option<MembenchNotice> {
    let known: Vec<f64> = figures.iter().filter_map(Reading::measured).filter_map(half).collect();
    let wider_than = |limit: f64| known.iter().filter(|half| **half > limit).count() as u32;
    let wide = wider_than(WIDE);
    (wide > 0).then(|| MembenchNotice::WideIntervals {
        wide,
        intervals: known.len() as u32,
        limit: Ratio(WIDE),
        widest: Ratio(known.iter().copied().fold(0.0, f64::max)),
        vague: wider_than(VAGUE),
        vague_limit: Ratio(VAGUE),
    })
}

/// How far figures differ between buffers, each as a part of its median, where repetitions do not explain it.
fn buffers(profile: &Profile) -> Option<MembenchNotice> {
    let latencies = profile.latency.iter().filter_map(|cell| share(&cell.latency, &cell.buffers));
    let rates = profile.bandwidth.iter().filter_map(|cell| share(&cell.rate, &cell.buffers));
    let all: Vec<f64> = latencies.chain(rates).collect();
    let differ = all.iter().filter(|share| **share > DIFFER).count() as u32;
    (differ > 0).then(|| MembenchNotice::BuffersDiffer {
        differ,
        figures: all.len() as u32,
        limit: Ratio(DIFFER),
        most: Ratio(all.iter().copied().fold(0.0, f64::max)),
    })
}

/// How far buffers are apart; 0 where repetitions differ as much.
fn share<T: Figure>(figure: &Reading<Estimate<T>>, buffers: &Reading<BufferSpread<T>>) -> Option<f64> {
    let (spread, median) = (buffers.measured()?, plain(figure).measured()?.median);
    let apart = spread.highest.plain() - spread.lowest.plain();
    Some(if spread.apart { apart / median } else { 0.0 })
}

/// Idle latency on base pages is partly that of the TLB. `known` are notices of the same from the measurement.
fn base_pages<'a>(profile: &Profile, known: impl Iterator<Item = &'a Notice>) -> Option<MembenchNotice> {
    let on_base_pages = profile.latency.iter().filter(|cell| {
        cell.latency.measured().is_some() && cell.pages.measured() == Some(&BufferPages::Small)
    });
    let mut nodes: NodeSet = on_base_pages.map(|cell| cell.to).collect();
    for notice in known {
        if let Notice::Membench(MembenchNotice::NoHugePages { nodes: others }) = notice {
            nodes = nodes.union(others);
        }
    }
    (!nodes.is_empty()).then_some(MembenchNotice::NoHugePages { nodes })
}

fn unavailable(figures: &[Reading<Estimate<f64>>]) -> Option<MembenchNotice> {
    let unavailable = figures.iter().filter(|figure| figure.measured().is_none()).count() as u32;
    let figures = figures.len() as u32;
    (unavailable > 0).then_some(MembenchNotice::FiguresUnavailable { unavailable, figures })
}
