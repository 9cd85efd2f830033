//! Where more workers bring nothing, or less.

use numawise_facts::finding::{Amount, Evidence, GridQuantity};
use numawise_facts::{Finding, FindingId, Reading};
use numawise_stats::ContrastStanding;
use numawise_tables::{ScalingKnee, ScalingSeries, UsedUp};

use super::{Case, count, effect, finding, of_profile, plain};

/// Of more curves, that of the best point only is looked at.
const MOST_CURVES: usize = 8;
/// So many numbers of workers are looked at, from the most down.
const MOST_STEPS: usize = 200;
/// The most workers are at least so many times as many: of fewer nobody would expect a gain beyond the margin.
const LEAST_SAVED: f64 = 1.25;

const NO_PROFILE: &str =
    "no profile of the machine was saved when the study began, or it does not tell bandwidths by cores";

pub fn all(case: &Case<'_>) -> Vec<Finding> {
    let curves = case.scaling.iter();
    let best = case.best.map(|row| &case.rows[row].point);
    let has_best = |series: &&ScalingSeries| best.is_some_and(|best| series.points.contains(best));
    let chosen: Vec<&ScalingSeries> = match case.scaling.len() {
        ..=MOST_CURVES => curves.collect(),
        _ => curves.filter(has_best).collect(),
    };
    chosen
        .into_iter()
        .filter_map(|series| bring_nothing(case, series).or_else(|| less(case, series)))
        .collect()
}

/// The places of the points of a curve in the rows, with increasing workers.
fn rows(case: &Case<'_>, series: &ScalingSeries) -> Vec<usize> {
    let rows = series.points.iter().filter_map(|point| case.columns.get(point).copied());
    rows.filter(|row| case.counts(*row) && case.rows[*row].workers.is_some()).collect()
}

fn bring_nothing(case: &Case<'_>, series: &ScalingSeries) -> Option<Finding> {
    let rows = rows(case, series);
    let enough = fewest_that_suffice(case, &rows)?;
    let (last, of) = (*rows.last()?, case.scaling.len());
    let here = rows[enough];
    let workers = |row: usize| case.rows[row].workers.unwrap_or_default();
    if f64::from(workers(last)) < LEAST_SAVED * f64::from(workers(here)) {
        return None;
    }
    let next_best = case.best_of(&rows[enough + 1..])?;
    let (_, more) = case.compare_points(here, next_best, of)?;
    let (_, cost) = case.compare_points(last, here, of)?;
    let counted = (workers(here) as usize, Some(workers(last) as usize));
    let mut evidence = vec![
        effect(GridQuantity::EffectOfMoreWorkers, more, case.points(here, next_best)),
        count(GridQuantity::Workers, counted.0, counted.1, case.point(here)),
    ];
    if let Some(knee) = &series.knee {
        evidence.extend(bend(case, series, knee));
    }
    let cost = Reading::Measured(cost);
    let advice = vec![case.run(here, cost.clone())];
    Some(finding(FindingId::MoreWorkersBringNothing, evidence, cost, advice))
}

/// The place of the fewest workers that no greater number beats by the margin or more.
///
/// Looked for from the most down, up to the first of which that is not certain: so each number is tested only where all greater ones
/// have passed, and of one all greater ones have to pass, and neither is a further chance for chance.
fn fewest_that_suffice(case: &Case<'_>, rows: &[usize]) -> Option<usize> {
    let margin = 1.0 + case.study.header.margin;
    let suffices = |at: &usize| {
        rows[at + 1..].iter().all(|more| {
            let found = case.compare_points(rows[*at], *more, case.scaling.len());
            found.is_some_and(|(contrast, effect)| {
                contrast.standing != ContrastStanding::Better && effect.high.0 < margin
            })
        })
    };
    (0..rows.len().saturating_sub(1)).rev().take(MOST_STEPS).take_while(suffices).last()
}

fn less(case: &Case<'_>, series: &ScalingSeries) -> Option<Finding> {
    let evidence = bend(case, series, series.knee.as_ref()?);
    let cost = Reading::unavailable("what more threads would bring if they went on as before was not run");
    Some(finding(FindingId::MoreWorkersBringLess, evidence, cost, vec![]))
}

/// How a curve bends, and what of the machine is used up there.
fn bend(case: &Case<'_>, series: &ScalingSeries, knee: &ScalingKnee) -> Vec<Evidence> {
    let at = rows(case, series).into_iter().find(|row| case.rows[*row].workers == Some(knee.workers));
    let Some(at) = at else { return Vec::new() };
    let ratio = |quantity, of| plain(quantity, Amount::Ratio(of), None, case.point(at));
    let mut evidence = vec![
        ratio(GridQuantity::DoublingBefore, knee.before),
        ratio(GridQuantity::DoublingAfter, knee.after),
    ];
    if case.grid.saturating_cores.is_none() {
        evidence.push(of_profile(Reading::unavailable(NO_PROFILE), case.point(at)));
    }
    evidence.extend(knee.reasons.iter().map(|reason| {
        let (quantity, number) = match *reason {
            UsedUp::CoresOfNode(cores) => (GridQuantity::CoresOfNodeUsedUp, cores as usize),
            UsedUp::Cores(cores) => (GridQuantity::CoresUsedUp, cores as usize),
            UsedUp::Cpus(cpus) => (GridQuantity::CpusUsedUp, cpus as usize),
            UsedUp::MemoryBandwidth(cores) => {
                return of_profile(Reading::Measured(cores.round() as u64), case.point(at));
            }
        };
        count(quantity, number, None, case.point(at))
    }));
    evidence
}
