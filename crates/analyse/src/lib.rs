//! What a study says: contrasts, the verdict, the findings. And what a profile of a machine says: tables, sentences,
//! differences from another.
//!
//! This crate is pure: a [`Study`](numawise_facts::Study) in, an [`Analysis`](numawise_tables::Analysis) out. It knows
//! what the numbers mean for a person. It does not know where a study is kept, how a trial was run, or how an analysis
//! is shown; it starts nothing.

mod comparison;
mod contrasts;
mod expected;
mod findings;
mod inside;
#[cfg(test)]
mod labels_tests;
mod mpi;
mod obeyed;
mod profile;
mod residency;
#[cfg(test)]
mod sample;
mod series;
mod start;
mod summary;
mod verdict;

use numawise_facts::{Reading, Study};
use numawise_tables::{Analysis, VerdictKind};
use numawise_units::Ratio;

pub use contrasts::decided;
pub use mpi::uses_mpi;
pub use profile::{compare_profiles, profile};
pub use residency::residency;
pub use series::Series;
pub use summary::left_out;

/// Everything that the study says, from its raw trials.
pub fn analyse(study: &Study) -> Analysis {
    let judged = contrasts::judge(study);
    let verdict = verdict::verdict(study, &judged);
    let recommended = match verdict.kind {
        VerdictKind::Affected => verdict::gain(&study.header, &judged).map(|c| c.to.clone()),
        VerdictKind::NotAffected | VerdictKind::Undecided | VerdictKind::TooShort => None,
    };
    let points = summary::points(study);
    let expected = expected::expected(study, &points, &judged.contrasts);
    let findings = findings::all(study, &judged, &points, &verdict, &expected);
    Analysis {
        findings,
        expected,
        recommended,
        sampling_cost: summary::sampling_cost(study),
        stopped: study.stopped,
        unavailable: summary::unavailable(study),
        contrasts: judged.contrasts,
        points,
        verdict,
    }
}

/// The share of `part` in `whole`; `None` when the whole is zero.
fn share(part: f64, whole: f64) -> Option<Ratio> {
    (whole > 0.0).then(|| Ratio(part / whole))
}

/// The middle value by rank (the lower of two), for counts that have no half.
fn middle<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// A reading from what may be missing.
fn reading<T>(value: Option<T>, why: &'static str) -> Reading<T> {
    value.map_or_else(|| Reading::unavailable(why), Reading::Measured)
}
