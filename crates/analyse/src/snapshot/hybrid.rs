//! Divisions of the same CPUs into ranks and threads, compared.

use numawise_facts::{Exit, RanksByThreads, Reading};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{HybridBest, HybridComparison, HybridReason, HybridRow, HybridTimePart};
use numawise_units::{Arrange, Nanoseconds, Ratio, TimeSum};

#[cfg(test)]
#[path = "hybrid_tests.rs"]
mod tests;

/// A division with its runs.
#[derive(Debug, Clone)]
pub struct DivisionRuns {
    pub division: RanksByThreads,
    /// How each ended, and how long it took.
    pub runs: Vec<(Exit, Nanoseconds)>,
    /// What the run with the median time says.
    pub tables: Option<RunSnapshot>,
}

/// The run whose time is the median of those that went well; the shorter one of two in the middle.
pub fn median_run(runs: &[(Exit, Nanoseconds)]) -> Option<usize> {
    let mut well: Vec<usize> = (0..runs.len()).filter(|run| runs[*run].0.success()).collect();
    well.arrange_by_key(|run| runs[*run].1);
    well.get(well.len().saturating_sub(1) / 2).copied()
}

/// Puts divisions side by side, with their runs.
pub fn compare_divisions(divisions: &[DivisionRuns]) -> HybridComparison {
    let rows: Vec<HybridRow> = divisions.iter().map(row).collect();
    let best = best(&rows);
    HybridComparison { rows, best }
}

fn row(of_one: &DivisionRuns) -> HybridRow {
    let DivisionRuns { division, runs, tables } = of_one;
    let median = median_run(runs).and_then(|run| runs.get(run));
    // One that failed says nothing of the others.
    let tables = tables.as_ref().filter(|_| median.is_some());
    let of = |figure: fn(&RunSnapshot) -> Reading<Ratio>| {
        tables.map_or_else(|| Reading::unavailable("no run of it went well"), figure)
    };
    HybridRow {
        division: *division,
        walls: runs.iter().map(|(_, wall)| *wall).collect(),
        median: median.map_or_else(
            || Reading::unavailable("no run of it went well"),
            |(_, wall)| Reading::Measured(*wall),
        ),
        failed: runs.iter().map(|(exit, _)| *exit).find(|exit| !exit.success()),
        useful: of(|tables| tables.useful.value.clone()),
        mpi: of(mpi_share),
        mpi_load_balance: of(|tables| tables.efficiency.mpi_load_balance.value.clone()),
        openmp_load_balance: of(|tables| tables.efficiency.openmp_load_balance.value.clone()),
        openmp_serialization: of(|tables| tables.efficiency.openmp_serialization.value.clone()),
        parts: tables.map_or_else(Vec::new, parts),
    }
}

fn mpi_share(tables: &RunSnapshot) -> Reading<Ratio> {
    tables.efficiency.mpi_parallel.value.as_ref().map(|efficiency| Ratio(1.0 - efficiency.0))
}

/// What each CPU did, on average; nothing where that is not known.
fn parts(tables: &RunSnapshot) -> Vec<(HybridTimePart, Nanoseconds)> {
    let (Some(time), Some(cpus)) = (tables.time.measured(), tables.cpus.measured()) else {
        return Vec::new();
    };
    let of_a_cpu = |time: TimeSum| time.each_of(cpus.count);
    [
        (HybridTimePart::Useful, time.on_cpu()),
        (HybridTimePart::WithoutCpu, time.delayed),
        (HybridTimePart::Mpi, time.mpi),
        (HybridTimePart::OpenMpWaiting, time.imbalance),
        (HybridTimePart::OpenMpScheduling, time.scheduling),
        (HybridTimePart::OpenMpSerial, time.serial),
    ]
    .map(|(part, time)| (part, of_a_cpu(time)))
    .to_vec()
}

fn best(rows: &[HybridRow]) -> Option<HybridBest> {
    let mut timed: Vec<(Nanoseconds, usize)> =
        rows.iter().enumerate().filter_map(|(number, row)| Some((*row.median.measured()?, number))).collect();
    timed.arrange();
    let (&(_, row), &(_, longest)) = (timed.first()?, timed.last()?);
    (row != longest).then(|| HybridBest { row, longest, why: why(&rows[row], &rows[longest]) })
}

/// The part of which the longest has the most more.
fn why(best: &HybridRow, longest: &HybridRow) -> Option<HybridReason> {
    let both = best.parts.iter().zip(&longest.parts);
    let reason = both
        .map(|((part, best), (_, longest))| HybridReason { part: *part, best: *best, longest: *longest })
        .max_by_key(|reason| reason.longest.saturating_sub(reason.best))?;
    (reason.longest > reason.best).then_some(reason)
}
