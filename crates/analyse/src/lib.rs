//! What a study says: contrasts, the verdict, the findings. What a run says that was watched from inside. And what a profile of a
//! machine says: tables, sentences, differences from another.
//!
//! This crate is pure: a [`Study`](numawise_facts::Study) in, an [`Analysis`](numawise_tables::Analysis) out. It knows
//! what the numbers mean for a person. It does not know where a study is kept, how a trial was run, or how an analysis
//! is shown; it starts nothing.

mod comparison;
mod contrasts;
mod course;
mod expected;
mod findings;
mod grid;
mod held;
mod inside;
#[cfg(test)]
mod labels_tests;
mod lines;
mod mpi;
mod obeyed;
mod objects;
mod picture;
mod profile;
mod residency;
#[cfg(test)]
mod sample;
mod series;
mod snapshot;
mod start;
mod study_comparison;
mod summary;
mod survey;
mod verdict;

use numawise_facts::{Effect, ObjectRun, Point, PointId, Reading, Study};
use numawise_stats::Estimate;
use numawise_tables::{Analysis, Contrast, Verdict, VerdictKind};
use numawise_units::{Arrange, Ratio};

pub use contrasts::{decided, finished};
pub use grid::{Expectations, GridSearch, SearchChoice, grid, known_points, trial_table};
pub use mpi::uses_mpi;
pub use numawise_traces::{CallStreams, MEMORY_OF_AN_EVENT, StreamAt, StreamView, TraceView};
pub use objects::{
    can_be_put, choice_for, memory_bound, object_source_lines, objects, objects_of_processes,
    objects_of_ranks,
};
pub use picture::picture;
pub use profile::{compare_profiles, profile};
pub use residency::residency;
pub use series::Series;
pub use snapshot::{
    DivisionRuns, JobRanks, MOST_IN_FULL, RunParts, align_clocks, compare_divisions, compare_snapshots,
    is_for_memory_bound, median_run, merge as merged, mpi_jobs, run_snapshot, run_snapshot_in_slices,
    trace_events, trace_view, trace_view_of_streams,
};
pub use study_comparison::compare_studies;
pub use summary::left_out;
pub use survey::{output_change, survey};

/// Everything that the study says, from its raw trials.
pub fn analyse(study: &Study) -> Analysis {
    let judged = contrasts::judge(study);
    let verdict = verdict::verdict(study, &judged);
    let better = better_than_the_os(study, &judged, &verdict);
    let gain = better.as_ref().and_then(|contrast| contrast.effect.measured().copied());
    let lines = better.as_ref().and_then(|contrast| lines::effects(study, &contrast.to, gain));
    let verdict = verdict::with_lines(study, verdict, lines.as_ref());
    let recommended = better.map(|contrast| contrast.to).filter(|_| !verdict.not_by_its_line);
    let points = summary::points(study);
    let expected = expected::expected(study, &points, &judged.contrasts);
    let findings = findings::all(study, &judged, &points, &verdict, &expected);
    Analysis {
        findings,
        expected,
        pictures: picture::of_check(study, &points, recommended.as_ref()),
        recommended,
        lines,
        sampling_cost: summary::sampling_cost(study),
        stopped: study.stopped,
        unavailable: summary::unavailable(study),
        contrasts: judged.contrasts,
        points,
        verdict,
    }
}

/// The comparisons of a study, without what is made of them.
pub fn contrasts_of(study: &Study) -> Vec<Contrast> {
    contrasts::judge(study).contrasts
}

/// The memory objects of a check, with the cures that its trials have tried; `line` is what runs a placement, as it can be typed. Nothing
/// where they were not followed.
pub fn objects_of_check(study: &Study, line: &dyn Fn(&Point) -> String) -> Option<ObjectRun> {
    study.objects.as_ref()?;
    objects::named::of_check(study, &contrasts::judge(study), line)
}

/// A placement that is better than the operating system's.
#[derive(Debug, Clone, PartialEq)]
pub struct BetterPlacement {
    pub point: PointId,
    /// So clearly that trials may end here though there is time for more of them.
    pub is_clear: bool,
}

/// The placement that is better than the operating system's, from the trials alone: whose line is worth running.
pub fn better_placement(study: &Study) -> Option<BetterPlacement> {
    let judged = contrasts::judge(study);
    let verdict = verdict::verdict(study, &judged);
    let contrast = better_than_the_os(study, &judged, &verdict)?;
    let is_clear = judged.estimate(&contrast).is_some_and(Estimate::is_clear);
    Some(BetterPlacement { point: contrast.to, is_clear })
}

fn better_than_the_os(study: &Study, judged: &contrasts::Judged, verdict: &Verdict) -> Option<Contrast> {
    match verdict.kind {
        VerdictKind::Affected => verdict::gain(&study.header, judged).cloned(),
        VerdictKind::NotAffected | VerdictKind::Undecided | VerdictKind::TooShort => None,
    }
}

/// The share of `part` in `whole`; `None` when the whole is zero.
fn share(part: f64, whole: f64) -> Option<Ratio> {
    (whole > 0.0).then(|| Ratio(part / whole))
}

/// The middle value by rank (the lower of two), for counts that have no half.
fn middle<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.arrange();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// A reading from what may be missing.
fn reading<T>(value: Option<T>, why: &'static str) -> Reading<T> {
    value.map_or_else(|| Reading::unavailable(why), Reading::Measured)
}

/// What an estimate says; nothing where its interval holds 1 and reaches over so much that it says neither which is faster nor by how much.
fn effect_of(estimate: &Estimate) -> Reading<Effect> {
    /// From the lower to the upper end.
    const MOST: f64 = 100.0;
    let Estimate { ratio, low, high, .. } = *estimate;
    if low < 1.0 && high > 1.0 && high > MOST * low {
        return Reading::unavailable("not known yet: too few repeats for their scatter");
    }
    Reading::Measured(Effect::new(ratio, low, high))
}
