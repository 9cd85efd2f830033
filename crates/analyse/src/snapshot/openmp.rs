//! Parallel regions over all processes: their time, what their threads waited for, their loops.

mod constructs;
mod merged;
mod region;
mod serial;

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::OpenMpRuntimes;
use numawise_tables::snapshot::{OpenMpSummary, RegionRow};
use numawise_units::{Arrange, Nanoseconds, Ratio};

use super::process::Process;
use super::{Run, rating, sum};
use constructs::Constructs;
use region::{RegionSum, Surrounding};

pub use merged::{merge, of_rank};

#[cfg(test)]
#[path = "openmp_tests.rs"]
mod tests;

/// Why there are no tables: a sum of times would be cut off.
const TOO_LONG: &str =
    "the times of a region over all threads together are more than 584 years, which these tables do not hold";
/// Rows of regions, so that what is shown stays bounded.
const MOST_REGIONS: usize = 200;

pub fn summary(run: &Run<'_>) -> Reading<OpenMpSummary> {
    if let Some(of) = run.parts.merged.map(|merged| &merged.openmp).filter(|of| of.ranks > 0) {
        return merged::summary(run, of);
    }
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
    if rows.iter().any(is_cut_off) {
        return Reading::unavailable(TOO_LONG);
    }
    sort(&mut rows);
    let further = Reading::Measured(shorten(&mut rows));
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

/// A sum over threads is as long as a span can be, or longer.
fn is_cut_off(row: &RegionRow) -> bool {
    let sums = [row.useful, row.mpi, row.imbalance, row.lock, row.scheduling];
    sums.contains(&Nanoseconds(u64::MAX))
}

/// The most potential gain first.
fn sort(rows: &mut [RegionRow]) {
    rows.arrange_by_key(|row| {
        let gain = row.potential_gain.measured().copied().unwrap_or_default();
        (std::cmp::Reverse(gain), std::cmp::Reverse(row.time))
    });
}

/// Leaves so many rows as are shown; gives the number of the others.
fn shorten(rows: &mut Vec<RegionRow>) -> u64 {
    let further = rows.len().saturating_sub(MOST_REGIONS) as u64;
    rows.truncate(MOST_REGIONS);
    further
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
        match serial::of(process, constructs) {
            Reading::Measured(share) => sum += share.0,
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    Reading::Measured(Ratio(sum / with.len() as f64))
}
