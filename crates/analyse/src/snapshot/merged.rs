//! What is said of ranks that were merged, beside MPI and OpenMP: the time of the run, its CPUs, how ranks differ.

use numawise_facts::merged::RankDistribution;
use numawise_facts::{MergedRanks, Reading};
use numawise_tables::snapshot::{
    CpuCount, CpuDefinition, EfficiencySpan, MergedRankTables, ProcessCounts, RankTimeSpread, SpanScope,
    SpreadQuantity,
};
use numawise_units::{Nanoseconds, Ratio};

use super::efficiency::unmeasured;
use super::merge::quantile;

/// Shares of the ranks whose times are named.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// The elapsed time, and that which efficiencies are of.
pub fn span(merged: &MergedRanks) -> (Reading<Nanoseconds>, Reading<EfficiencySpan>) {
    let elapsed = match merged.elapsed.most.first() {
        Some((longest, _)) => Reading::Measured(*longest),
        None => Reading::unavailable("no rank's time was measured"),
    };
    let scope = match merged.without_init {
        0 => SpanScope::BetweenInitAndFinalize,
        _ => SpanScope::WholeRun,
    };
    let time = match merged.unmeasured {
        all if all == merged.ranks => Reading::unavailable("no rank's time was measured"),
        _ => Reading::Measured(EfficiencySpan { time: merged.span, scope }),
    };
    (elapsed, time)
}

/// How many CPUs the threads take at once.
pub fn cpus(merged: &MergedRanks, allowed: Reading<u64>) -> Reading<CpuCount> {
    match unmeasured(merged) {
        Some(why) => Reading::unavailable(why),
        None => {
            Reading::Measured(CpuCount { count: merged.cpus, definition: CpuDefinition::Threads, allowed })
        }
    }
}

pub fn counts(merged: &MergedRanks, others: u64) -> ProcessCounts {
    ProcessCounts {
        counted: merged.ranks,
        ranks: merged.ranks,
        world: Some(merged.world),
        others,
        hosts: merged.hosts.len() as u64,
    }
}

/// How ranks differ; `in_full` of them are kept.
pub fn tables(merged: &MergedRanks, in_full: usize) -> MergedRankTables {
    let all = [
        (SpreadQuantity::Useful, &merged.useful),
        (SpreadQuantity::Mpi, &merged.mpi),
        (SpreadQuantity::Elapsed, &merged.elapsed),
    ];
    MergedRankTables {
        ranks: merged.ranks,
        in_full: in_full as u64,
        spreads: all.into_iter().filter_map(|(quantity, of)| spread(quantity, of)).collect(),
    }
}

fn spread(quantity: SpreadQuantity, of: &RankDistribution) -> Option<RankTimeSpread> {
    let (least, most) = (of.least.first()?, of.most.first()?);
    let quantiles = QUANTILES.into_iter();
    Some(RankTimeSpread {
        quantity,
        mean: of.sum.each_of(of.count),
        quantiles: quantiles.filter_map(|share| Some((Ratio(share), quantile(of, share)?))).collect(),
        least: (least.1, least.0),
        most: (most.1, most.0),
    })
}
