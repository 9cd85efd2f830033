//! What to think of a share.

use numawise_facts::Reading;
use numawise_tables::snapshot::{Grade, RatedShare, Rating, ThresholdSource};
use numawise_units::Ratio;

/// POP calls efficiencies of 0.8 and more acceptable (co-design.pop-coe.eu/metrics).
const GOOD_EFFICIENCY: f64 = 0.8;
/// Ours: two fifths of the CPUs do nothing useful.
const BAD_EFFICIENCY: f64 = 0.6;
/// Ours: a loss of a tenth of the time is worth a look, one of three tenths is the first thing to mend.
pub const GOOD_LOSS: f64 = 0.1;
pub const BAD_LOSS: f64 = 0.3;

/// More is better.
pub fn efficiency(value: Reading<Ratio>) -> RatedShare {
    efficiency_by(value, ThresholdSource::Pop)
}

/// The same of what POP does not know.
pub fn own_efficiency(value: Reading<Ratio>) -> RatedShare {
    efficiency_by(value, ThresholdSource::Numawise)
}

fn efficiency_by(value: Reading<Ratio>, source: ThresholdSource) -> RatedShare {
    let rating = value.measured().map(|share| Rating {
        grade: grade(-share.0, -GOOD_EFFICIENCY, -BAD_EFFICIENCY),
        good: Ratio(GOOD_EFFICIENCY),
        bad: Ratio(BAD_EFFICIENCY),
        is_efficiency: true,
        source,
    });
    RatedShare { value, rating }
}

/// Less is better.
pub fn loss(value: Reading<Ratio>) -> RatedShare {
    let rating = value.measured().map(|share| Rating {
        grade: grade(share.0, GOOD_LOSS, BAD_LOSS),
        good: Ratio(GOOD_LOSS),
        bad: Ratio(BAD_LOSS),
        is_efficiency: false,
        source: ThresholdSource::Numawise,
    });
    RatedShare { value, rating }
}

/// Less is better, by a threshold that others set.
fn limited(value: Reading<Ratio>, good: f64, bad: f64, source: ThresholdSource) -> RatedShare {
    let rating = value.measured().map(|of| Rating {
        grade: grade(of.0, good, bad),
        good: Ratio(good),
        bad: Ratio(bad),
        is_efficiency: false,
        source,
    });
    RatedShare { value, rating }
}

/// One cycle an instruction is acceptable in high-performance computing, says the reference of the metrics of Intel's Application
/// Performance Snapshot; twice as many is bad, say we.
pub fn cycles_per_instruction(value: Reading<Ratio>) -> RatedShare {
    limited(value, 1.0, 2.0, ThresholdSource::IntelSnapshot)
}

/// A fifth is the threshold of `tma_memory_bound` in perf's metrics; twice as much is bad, say we.
pub fn memory_bound(value: Reading<Ratio>) -> RatedShare {
    limited(value, 0.2, 0.4, ThresholdSource::Perf)
}

/// What nobody has set a threshold for.
pub fn unrated(value: Reading<Ratio>) -> RatedShare {
    RatedShare { value, rating: None }
}

fn grade(value: f64, good: f64, bad: f64) -> Grade {
    match value {
        value if value <= good => Grade::Good,
        value if value <= bad => Grade::LookHere,
        _ => Grade::Bad,
    }
}
