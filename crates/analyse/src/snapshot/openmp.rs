//! Parallel regions over all processes: their time, what their threads waited for, their loops.

mod constructs;
mod region;

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::OpenMpRuntimes;
use numawise_tables::snapshot::{OpenMpSummary, RegionRow};
use numawise_units::{Nanoseconds, Ratio};

use super::process::Process;
use super::{Run, rating, sum};
use constructs::Constructs;
use region::{RegionSum, Surrounding};

#[cfg(test)]
#[path = "openmp_tests.rs"]
mod tests;

/// Rows of regions, so that what is shown stays bounded.
const MOST_REGIONS: usize = 200;
/// So much of the time may be in constructs of which it is not known where they stand.
const UNKNOWN: f64 = 0.01;

pub fn summary(run: &Run<'_>) -> Reading<OpenMpSummary> {
    let with: Vec<(&Process<'_>, Constructs)> = run
        .processes
        .iter()
        .filter(|process| process.uses_openmp())
        .map(|process| (process, Constructs::of(run.parts, process)))
        .collect();
    if with.is_empty() {
        return not_used(run);
    }
    let mut regions: BTreeMap<Surrounding, RegionSum> = BTreeMap::new();
    let mut most = Nanoseconds(0);
    for (_, constructs) in &with {
        let mut gain = Nanoseconds(0);
        for key in constructs.regions() {
            let (surrounding, one) = region::of_process(constructs, key);
            gain = gain + one.gain();
            regions.entry(surrounding).or_default().add(one);
        }
        most = most.max(gain);
    }
    let mut rows: Vec<RegionRow> =
        regions.into_iter().map(|(surrounding, sum)| sum.row(surrounding, run)).collect();
    rows.sort_by_key(|row| {
        let gain = row.potential_gain.measured().copied().unwrap_or_default();
        (std::cmp::Reverse(gain), std::cmp::Reverse(row.time))
    });
    let further = rows.len().saturating_sub(MOST_REGIONS) as u64;
    rows.truncate(MOST_REGIONS);
    let is_whole = with.iter().all(|(process, _)| process.activity.threads.measured().is_some());
    let gain = if is_whole {
        Reading::Measured(most)
    } else {
        Reading::unavailable("the times of some processes are not known")
    };
    Reading::Measured(OpenMpSummary {
        runtimes: runtimes(&with),
        processes: with.len() as u64,
        serial: rating::loss(serial(&with)),
        imbalance_share: rating::loss(gain.as_ref().and_then(|gain| run.share(gain.seconds()))),
        potential_gain: gain,
        regions: rows,
        further_regions: further,
        lost: sum(with.iter().flat_map(|(process, _)| process.threads()).map(|one| one.lost_constructs)),
    })
}

fn not_used(run: &Run<'_>) -> Reading<OpenMpSummary> {
    for process in &run.processes {
        match &process.activity.openmp {
            Reading::Measured(_) => {
                return Reading::unavailable("the OpenMP runtime told another tool what it did");
            }
            Reading::Unavailable { .. } => {}
        }
    }
    let why = run.processes.iter().find_map(|process| process.activity.openmp.reason());
    why.map_or_else(
        || Reading::unavailable("no process was watched"),
        |why| Reading::Unavailable { unavailable: why.clone() },
    )
}

fn runtimes(with: &[(&Process<'_>, Constructs)]) -> OpenMpRuntimes {
    let mut all = OpenMpRuntimes { libgomp: false, ompt: false, has_other_tool: false };
    for one in with.iter().filter_map(|(process, _)| process.activity.openmp.measured()) {
        all.libgomp |= one.libgomp;
        all.ompt |= one.ompt;
        all.has_other_tool |= one.has_other_tool;
    }
    all
}

/// The mean share over processes of the time in which the first thread computes outside of regions.
fn serial(with: &[(&Process<'_>, Constructs)]) -> Reading<Ratio> {
    let mut sum = 0.0;
    for (process, constructs) in with {
        match serial_of(process, constructs) {
            Reading::Measured(share) => sum += share.0,
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    Reading::Measured(Ratio(sum / with.len() as f64))
}

fn serial_of(process: &Process<'_>, constructs: &Constructs) -> Reading<Ratio> {
    let Some(first) = process.threads().find(|thread| thread.is_first) else {
        return Reading::unavailable("its first thread found no place in the tables");
    };
    if !first.constructs.iter().any(|row| row.opened > 0 && constructs::is_region(row.name)) {
        return Reading::unavailable("its first thread opened no parallel region");
    }
    let known = first.times.as_ref().zip(process.span.as_ref());
    known.and_then(|(times, span)| {
        let useful = |rows: &dyn Fn(u64) -> bool| {
            let rows = first.constructs.iter().filter(|row| rows(row.key));
            rows.fold(Nanoseconds(0), |sum, row| sum + row.times.useful).seconds()
        };
        let (all, span) = (times.useful.saturating_sub(process.useful_outside()).seconds(), span.seconds());
        let inside = useful(&|key| constructs.region_of(key).is_some());
        let unknown = useful(&|key| constructs.is_of_others(key));
        if span <= 0.0 || unknown > UNKNOWN * span {
            return Reading::unavailable("too much of its time is in constructs that found no row");
        }
        Reading::Measured(Ratio(((all - inside - unknown) / span).clamp(0.0, 1.0)))
    })
}
