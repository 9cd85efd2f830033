//! Points that failed each time.

use numawise_facts::finding::{
    Advice, Amount, Evidence, EvidenceSubject, GridAdvice, GridQuantity, GridSubject,
};
use numawise_facts::{Finding, FindingId, Outcome, Reading, Study, Trial};

use numawise_tables::GridRow;

use super::{Case, finding, plain};
use crate::summary;

/// So many are shown; all are counted.
const MOST: usize = 8;
/// Of the last line of what a program said.
const MOST_CHARACTERS: usize = 200;

/// Of the points, in their order, whether all their trials failed, or so many in the end that they are run no more.
pub fn failed(study: &Study, rows: &[GridRow]) -> Vec<bool> {
    let given_up = study.all_given_up();
    rows.iter().map(|row| given_up.contains(&row.point) || row.repeats == 0 && row.failures > 0).collect()
}

pub fn finding_of(case: &Case<'_>) -> Option<Finding> {
    let rows: Vec<usize> = (0..case.rows.len()).filter(|row| case.failed[*row]).collect();
    let first = *rows.first()?;
    let by_point = summary::by_point(case.study);
    let number = |of: usize| Amount::Count(of as u64);
    let all = Some(number(case.rows.len()));
    let mut evidence =
        vec![plain(GridQuantity::PointsGivenUp, number(rows.len()), all, EvidenceSubject::Study)];
    evidence.extend(rows.iter().take(MOST).map(|row| failed_trials(case, *row, &by_point[*row])));
    let cost = Reading::unavailable("a trial that failed has no time");
    let point = case.rows[first].point.clone();
    let advice = vec![Advice::Grid(GridAdvice::MendPoint { point }).into()];
    Some(finding(FindingId::PointsGivenUp, evidence, cost, advice))
}

/// How often it failed, and how the last time.
fn failed_trials(case: &Case<'_>, row: usize, trials: &[&Trial]) -> Evidence {
    let last = trials.last().map(|trial| &trial.outcome);
    let (failure, problem) = match last {
        Some(Outcome::Failed { failure, .. }) => (Some(failure.clone()), None),
        Some(Outcome::NoMetric { problem, .. }) => (None, Some(problem.clone())),
        Some(Outcome::Measured { .. }) | None => (None, None),
    };
    let said = last.and_then(Outcome::last_line).map(|line| line.chars().take(MOST_CHARACTERS).collect());
    let subject = GridSubject::Failure { point: case.rows[row].point.clone(), failure, problem, said };
    let count = |of: usize| Amount::Count(of as u64);
    let counted = trials.iter().filter(|trial| !trial.is_warm_up()).count();
    let failed = count(case.rows[row].failures as usize);
    plain(GridQuantity::FailedTrials, failed, Some(count(counted)), EvidenceSubject::Grid(subject))
}
