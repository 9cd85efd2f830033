use numawise_facts::finding::{EvidenceQuantity, GridQuantity, GridSubject};
use numawise_facts::{Exit, FindingId, Outcome};

use super::super::tests::{grid_of, is_close};
use super::*;
use crate::grid::grid as tables;

fn of(study: &Study) -> Vec<Finding> {
    tables(study).unwrap().findings
}

fn ids(findings: &[Finding]) -> Vec<FindingId> {
    findings.iter().map(|finding| finding.id).collect()
}

#[track_caller]
fn one(findings: &[Finding], id: FindingId) -> &Finding {
    let mut here = findings.iter().filter(|finding| finding.id == id);
    let first = here.next().unwrap_or_else(|| panic!("no {id} among {:?}", ids(findings)));
    assert!(here.next().is_none(), "{id} twice");
    first
}

fn evidence(finding: &Finding, quantity: GridQuantity) -> &Evidence {
    let quantity = EvidenceQuantity::Grid(quantity);
    finding.evidence.iter().find(|one| one.quantity == quantity).unwrap()
}

fn cure(finding: &Finding) -> &str {
    finding.cured_by().unwrap().0.as_str()
}

#[test]
fn more_threads_bring_nothing_from_where_none_does_better_on() {
    let study = grid_of(&[[8.0, 4.0, 2.0, 2.0]]);
    let findings = of(&study);
    let found = one(&findings, FindingId::MoreWorkersBringNothing);
    assert_eq!(cure(found), "place=local threads=4");
    let cost = found.cost.measured().unwrap();
    is_close(cost.ratio.0, 1.0, 0.01);
    assert!(cost.low.0 < 1.0 && cost.high.0 > 1.0);
    let workers = evidence(found, GridQuantity::Workers);
    assert_eq!((&workers.value, workers.of), (&Reading::Measured(Amount::Count(4)), Some(Amount::Count(8))));
    let before = evidence(found, GridQuantity::DoublingBefore);
    let Reading::Measured(Amount::Ratio(before)) = before.value else { panic!("{before:?}") };
    is_close(before.0, 2.0, 0.05);
    assert!(!ids(&findings).contains(&FindingId::MoreWorkersBringLess), "it is in the other one");
    let slower = of(&grid_of(&[[8.0, 4.0, 2.0, 4.0]]));
    let slower = one(&slower, FindingId::MoreWorkersBringNothing);
    is_close(slower.cost.measured().unwrap().ratio.0, 2.0, 0.02);
}

#[test]
fn threads_that_go_on_to_help_or_may_do_so_are_no_finding() {
    assert_eq!(ids(&of(&grid_of(&[[8.0, 4.0, 2.0, 1.0]]))), []);
    let mut few = grid_of(&[[8.0, 4.0, 2.0, 2.0]]);
    few.trials.retain(|trial| trial.block <= 1);
    assert_eq!(ids(&of(&few)), [], "one block has no interval");
    let middle = of(&grid_of(&[[8.0, 8.0, 8.0, 4.0]]));
    assert_eq!(ids(&middle), [], "the most threads are the best");
}

#[test]
fn a_bend_behind_which_threads_still_help_is_told() {
    let findings = of(&grid_of(&[[8.0, 4.0, 2.0, 1.6]]));
    let found = one(&findings, FindingId::MoreWorkersBringLess);
    assert!(found.cost.measured().is_none() && found.cured_by().is_none());
    assert_eq!(ids(&findings), [FindingId::MoreWorkersBringLess]);
}

#[test]
fn a_level_that_is_better_is_found_with_the_point_that_was_run() {
    let findings = of(&grid_of(&[[8.0, 4.0, 2.0, 1.0], [4.0, 2.0, 1.0, 0.5], [8.0, 4.0, 2.0, 1.0]]));
    let found = one(&findings, FindingId::LevelMatters);
    is_close(found.cost.measured().unwrap().ratio.0, 2.0, 0.02);
    assert_eq!(cure(found), "place=semi threads=8");
    let combinations = evidence(found, GridQuantity::Combinations);
    assert_eq!(combinations.value, Reading::Measured(Amount::Count(4)));
    let worse = of(&grid_of(&[[8.0, 4.0, 2.0, 1.0], [16.0, 8.0, 4.0, 2.0]]));
    let worse = one(&worse, FindingId::LevelMatters);
    assert_eq!(cure(worse), "place=local threads=8", "the first level is the better one");
    is_close(worse.cost.measured().unwrap().ratio.0, 2.0, 0.02);
    let alike = of(&grid_of(&[[8.0, 4.0, 2.0, 1.0], [8.0, 4.0, 2.0, 1.0]]));
    assert_eq!(ids(&alike), []);
}

#[test]
fn a_level_that_is_better_here_and_worse_there_depends_on_the_others() {
    let findings = of(&grid_of(&[[8.0, 4.0, 2.0, 1.0], [4.0, 2.0, 4.0, 2.0]]));
    let found = one(&findings, FindingId::LevelDepends);
    assert_eq!(found.evidence.len(), 2);
    assert!(found.cost.measured().is_none());
    let one_way = of(&grid_of(&[[8.0, 4.0, 2.0, 1.0], [4.0, 2.0, 1.9, 0.9]]));
    assert!(!ids(&one_way).contains(&FindingId::LevelDepends), "{one_way:?}");
}

#[test]
fn a_level_that_changes_the_scatter_only_is_told_from_one_that_changes_times() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0], [8.0, 4.0, 2.0, 1.0]]);
    for trial in study.trials.iter_mut().filter(|trial| trial.point.0.starts_with("place=local")) {
        let Outcome::Measured { per_task } = &mut trial.outcome else { unreachable!() };
        let round = 2.0_f64.powf(per_task[0].log2().round());
        per_task[0] = round * (per_task[0] / round).powf(6.0);
    }
    let findings = of(&study);
    let found = one(&findings, FindingId::LevelScatters);
    assert!(cure(found).starts_with("place=semi"), "{found:?}");
    let ratio = evidence(found, GridQuantity::ScatterOfLevel);
    let Some((_, Amount::Ratio(high))) = ratio.interval else { panic!("{ratio:?}") };
    assert!(high.0 < 0.5, "{ratio:?}");
    assert!(found.cost.reason().is_some_and(|reason| reason.0.contains("scatter")), "{:?}", found.cost);
    assert_eq!(ids(&findings), [FindingId::LevelScatters]);
}

#[test]
fn points_that_were_given_up_are_counted_with_how_they_failed() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    let failed = |trial: &&mut numawise_facts::Trial| trial.point.0.ends_with("threads=8");
    for trial in study.trials.iter_mut().filter(failed) {
        trial.outcome = Outcome::Failed {
            failure: Exit::Code(3).into(),
            output_tail: "first\nout of memory\n\n".to_owned(),
        };
    }
    let findings = of(&study);
    let found = one(&findings, FindingId::PointsGivenUp);
    assert_eq!(found.evidence[0].value, Reading::Measured(Amount::Count(1)));
    let EvidenceSubject::Grid(GridSubject::Failure { point, failure, said, .. }) = &found.evidence[1].subject
    else {
        panic!("{found:?}")
    };
    assert_eq!((point.0.as_str(), failure), ("place=local threads=8", &Some(Exit::Code(3).into())));
    assert_eq!(said.as_deref(), Some("out of memory"));
    // Two failures are no such point.
    let mut kept = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    for trial in kept.trials.iter_mut().filter(failed).rev().take(2) {
        trial.outcome = Outcome::Failed { failure: Exit::Code(3).into(), output_tail: String::new() };
    }
    assert_eq!(ids(&of(&kept)), []);
}

/// Grids with noise of so much at each point: the share of them for which something is said that is not so.
fn said_wrongly(seconds: &[[f64; 4]], noise: f64, wrong: impl Fn(&[Finding]) -> bool) -> f64 {
    const STUDIES: u32 = 200;
    let mut random = 1_u64;
    let mut uniform = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64
    };
    let first = grid_of(seconds);
    let said = (0..STUDIES).filter(|_| {
        let mut study = first.clone();
        for trial in &mut study.trials {
            let k = study.header.points.iter().position(|point| point.id == trial.point).unwrap();
            let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
            let seconds = seconds[k / 4][k % 4] * (noise * normal).exp();
            trial.outcome = Outcome::Measured { per_task: vec![seconds] };
        }
        wrong(&of(&study))
    });
    said.count() as f64 / f64::from(STUDIES)
}

/// 5 % are promised; of 200 more than 9 % would be a chance of one in a hundred.
#[test]
fn chance_makes_few_findings() {
    let curve = [8.0, 4.0, 2.0, 1.0];
    let has = |id: FindingId| move |found: &[Finding]| ids(found).contains(&id);
    let alike = [curve, curve, curve];
    let rate = said_wrongly(&alike, 0.1, |found| !found.is_empty());
    assert!(rate <= 0.09, "{rate} of studies in which only threads matter");
    // Eight threads bring 6 %, which is beyond the margin.
    let rising = [8.0, 4.0, 2.0, 2.0 / 1.06];
    let rate = said_wrongly(&[rising], 0.03, has(FindingId::MoreWorkersBringNothing));
    assert!(rate <= 0.09, "{rate} of studies in which the last step is worth while");
}
