use numawise_facts::Outcome;

use super::*;
use crate::sample::{study, two_sockets};

fn of(points: &[(&str, f64)]) -> Study {
    study(two_sockets(), points, &[], 8)
}

fn row<'a>(comparison: &'a StudyComparison, point: &str) -> &'a ComparedPoint {
    comparison.rows.iter().find(|row| row.point.0 == point).unwrap()
}

#[test]
fn points_of_both_are_compared_and_the_others_named() {
    let before = of(&[("os", 2.0), ("interleave", 1.0), ("hbm", 1.0)]);
    let after = of(&[("os", 1.0), ("interleave", 1.0), ("pinned", 1.0)]);
    let comparison = compare_studies(&before, &after);
    let os = row(&comparison, "os");
    assert_eq!(os.call, ContrastCall::Better);
    let effect = os.effect.measured().unwrap();
    assert!((effect.ratio.0 - 2.0).abs() < 0.02 && effect.low.0 > 1.9, "{effect:?}");
    assert_eq!(row(&comparison, "interleave").call, ContrastCall::Same);
    assert_eq!((comparison.only_first, comparison.only_second), (vec!["hbm".into()], vec!["pinned".into()]));
    assert!(!comparison.other_machine && !comparison.other_command);
    assert_eq!(compare_studies(&after, &before).rows[0].call, ContrastCall::Worse);
}

#[test]
fn too_few_runs_are_no_difference() {
    let before = of(&[("os", 2.0)]);
    let mut after = of(&[("os", 1.0)]);
    after.trials.truncate(1);
    let comparison = compare_studies(&before, &after);
    let os = row(&comparison, "os");
    assert!(os.effect.measured().is_none() && os.call == ContrastCall::Open);
    assert_eq!(os.repeats, [8, 1]);
    for trial in &mut after.trials {
        trial.outcome = Outcome::Measured { per_task: vec![] };
    }
    assert!(compare_studies(&before, &after).rows[0].second.measured().is_none());
}

#[test]
fn another_command_is_noted() {
    let before = of(&[("os", 1.0)]);
    let mut after = before.clone();
    after.header.command.command.push("-x".into());
    assert!(compare_studies(&before, &after).other_command);
}
