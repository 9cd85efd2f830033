use numawise_facts::Metric;

use super::*;
use crate::sample::{PAIRS, study, two_node_check, two_sockets};

/// A check whose trials take longer by the factor `whole` at the end, whatever their point.
fn drifting(whole: f64, blocks: u32) -> Study {
    let mut study = study(two_sockets(), &[("os", 1.0), ("all-nodes", 1.0)], &PAIRS[..1], blocks);
    let slope = whole.ln() / f64::from(blocks - 1);
    for trial in study.trials.iter_mut().filter(|trial| !trial.is_warm_up()) {
        if let Outcome::Measured { per_task } = &mut trial.outcome {
            per_task.iter_mut().for_each(|value| *value *= (slope * f64::from(trial.block - 1)).exp());
        }
    }
    study
}

#[test]
fn a_machine_that_becomes_slower_is_told_with_how_much() {
    let study = drifting(1.1, 10);
    let Some(StudyNotice::Drifted { point, effect, repeats }) = drifted(&study) else { panic!() };
    assert_eq!((point.0.as_str(), repeats), ("os", 10));
    assert!((effect.ratio.0 - 1.0 / 1.1).abs() < 0.01, "{effect:?}");
    assert!(
        effect.low.0 < effect.ratio.0 && effect.ratio.0 < effect.high.0 && effect.high.0 < 1.0,
        "{effect:?}"
    );
    let analysis = crate::analyse(&study);
    let caveats = &analysis.verdict.caveats;
    assert!(caveats.iter().any(|notice| notice.code() == "NW524"), "{caveats:?}");
    // Blocks compare runs side by side.
    assert_eq!(analysis.verdict.kind, numawise_tables::VerdictKind::NotAffected);
    let Some(StudyNotice::Drifted { effect, .. }) = drifted(&drifting(0.8, 10)) else { panic!() };
    assert!(effect.ratio.0 > 1.2, "faster at the end: {effect:?}");
    let mut rate = drifting(1.1, 10);
    rate.header.metric = Metric::Output { regex: "(.)".to_owned(), higher_is_better: true };
    let Some(StudyNotice::Drifted { effect, .. }) = drifted(&rate) else { panic!() };
    assert!(effect.ratio.0 > 1.09, "a rate that grows is better: {effect:?}");
}

#[test]
fn what_is_small_or_chance_is_no_drift() {
    for (whole, blocks) in [(1.0, 10), (1.03, 10), (1.5, 4)] {
        assert_eq!(drifted(&drifting(whole, blocks)), None, "{whole} {blocks}");
    }
}

#[test]
fn what_was_dropped_on_the_way_is_told_from_the_record() {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.5, 1.0);
    assert_eq!(dropped(&study).count(), 0);
    study.trials.retain(|trial| trial.point.0 != "remote" || trial.block <= 2);
    let expected = StudyNotice::RanLess { point: "remote".into(), ran: 2, baseline: 6 };
    assert_eq!(dropped(&study).collect::<Vec<_>>(), [expected]);
    assert!(crate::analyse(&study).verdict.caveats.iter().any(|notice| notice.code() == "NW525"));
    // With five runs it may have been known well enough, which is no want of time.
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.5, 1.0);
    study.trials.retain(|trial| trial.point.0 != "remote" || trial.block <= 5);
    let mut then = study.clone();
    then.trials.retain(|trial| trial.block <= 5);
    assert!(crate::finished(&then, &[]).contains(&"remote".into()));
    assert_eq!(dropped(&study).count(), 0);
    study.trials.retain(|trial| trial.point.0 != "remote" || trial.block <= 4);
    assert_eq!(dropped(&study).count(), 1);
    // The last block may have been broken off.
    study.trials.retain(|trial| trial.block <= 3);
    assert_eq!(dropped(&study).count(), 0);
}
