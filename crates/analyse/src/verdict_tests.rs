use numawise_facts::notice::StudyNotice;
use numawise_facts::{ContrastRole, Disturbance};
use numawise_tables::{MoreRepeats, PlacedWell, VerdictCase, VerdictKind};

use crate::sample::{PAIRS, observation, ready_together, see, study, two_node_check, two_sockets};
use crate::{analyse, decided};

#[test]
fn a_gain_is_affected_and_names_the_best() {
    let study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let analysis = analyse(&study);
    let verdict = &analysis.verdict;
    assert_eq!((verdict.kind, verdict.to.0.as_str()), (VerdictKind::Affected, "interleave"));
    assert_eq!(verdict.placed_well, PlacedWell::No);
    assert_eq!(analysis.recommended.unwrap().0, "interleave");
    let effect = verdict.effect.measured().unwrap();
    assert!((effect.ratio.0 - 2.0 / 1.1).abs() < 0.02 && effect.low.0 < effect.ratio.0, "{effect}");
    assert!(decided(&study, &[]), "at six blocks this is beyond doubt");
}

#[test]
fn placed_well_still_says_that_placement_matters() {
    let study = two_node_check(1.0, 1.0, 1.2, 1.9, 3.4, 1.0);
    let analysis = analyse(&study);
    assert_eq!(analysis.verdict.kind, VerdictKind::Affected);
    assert_eq!(analysis.verdict.placed_well, PlacedWell::Yes);
    assert_eq!((analysis.verdict.from.0.as_str(), analysis.verdict.to.0.as_str()), ("one-node", "remote"));
    assert_eq!(analysis.recommended, None);
}

#[test]
fn equal_placements_are_not_affected_whatever_fewer_cpus_or_copies_do() {
    let study = two_node_check(1.0, 1.0, 1.0, 1.9, 1.9, 0.6);
    let analysis = analyse(&study);
    assert_eq!(analysis.verdict.kind, VerdictKind::NotAffected);
    assert_eq!(analysis.verdict.placed_well, PlacedWell::Yes);
}

#[test]
fn fewer_cpus_that_are_faster_all_the_same_do_count() {
    let study = two_node_check(1.0, 1.0, 1.0, 0.7, 0.7, 1.0);
    let verdict = analyse(&study).verdict;
    assert_eq!((verdict.kind, verdict.to.0.as_str()), (VerdictKind::Affected, "one-node"));
}

#[test]
fn noise_is_undecided_and_says_how_much_more() {
    let mut study = two_node_check(1.0, 1.04, 1.0, 1.0, 1.0, 1.0);
    for trial in study.trials.iter_mut().filter(|t| t.block % 2 == 0 && t.point.0 != "os") {
        if let numawise_facts::Outcome::Measured { per_task } = &mut trial.outcome {
            per_task[0] *= 1.3;
        }
    }
    let verdict = analyse(&study).verdict;
    assert_eq!(verdict.kind, VerdictKind::Undecided);
    assert!(matches!(verdict.more_repeats, Some(MoreRepeats::About(_) | MoreRepeats::OutOfReach)));
    assert!(matches!(verdict.placed_well, PlacedWell::NotDecided { .. }));
    assert!(!decided(&study, &[]));
}

#[test]
fn repeats_that_are_alike_and_few_do_not_say_that_it_is_placed_well() {
    for (blocks, is_known) in [(3, false), (5, true)] {
        let pairs = [("os", "pinned", ContrastRole::BothWays)];
        let study = study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &pairs, blocks);
        let verdict = analyse(&study).verdict;
        assert_eq!(verdict.placed_well == PlacedWell::Yes, is_known, "{blocks}: {verdict:?}");
        assert_eq!(verdict.case() == VerdictCase::CannotTell, !is_known, "{blocks}: {verdict:?}");
    }
}

#[test]
fn one_placement_cannot_matter_and_has_no_effect() {
    let mut only = study(two_sockets(), &[("os", 1.0)], &[], 5);
    only.header.not_tried = vec![StudyNotice::OneCpu.into()];
    let verdict = analyse(&only).verdict;
    assert_eq!(verdict.kind, VerdictKind::NotAffected);
    assert!(verdict.effect.measured().is_none() && verdict.placed_well == PlacedWell::Yes);
    assert!(decided(&only, &[]));
}

#[test]
fn no_trials_are_undecided_not_a_number() {
    let empty =
        study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &[("os", "pinned", ContrastRole::BothWays)], 0);
    let analysis = analyse(&empty);
    assert_eq!(analysis.verdict.kind, VerdictKind::Undecided);
    assert!(analysis.verdict.effect.measured().is_none());
    assert!(analysis.points[0].median.measured().is_none() && analysis.sampling_cost.measured().is_none());
}

#[test]
fn disturbed_trials_are_left_out_only_when_enough_stay() {
    let mut few = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    few.trials[3].disturbances = vec![Disturbance::Steal(0.3)];
    if let numawise_facts::Outcome::Measured { per_task } = &mut few.trials[3].outcome {
        per_task[0] *= 10.0;
    }
    assert_eq!(analyse(&few).verdict.kind, VerdictKind::NotAffected);
    assert_eq!(analyse(&few).verdict.caveats, [StudyNotice::DisturbedLeftOut { trials: 1 }.into()]);
    let mut all = study(two_sockets(), &[("os", 1.0), ("all-nodes", 0.5)], &PAIRS[..1], 6);
    all.trials.iter_mut().for_each(|trial| trial.disturbances = vec![Disturbance::OtherLoad(0.5)]);
    let verdict = analyse(&all).verdict;
    assert_eq!(verdict.kind, VerdictKind::Affected);
    assert_eq!(verdict.caveats, [StudyNotice::DisturbedCounted { trials: 12 }.into()]);
}

#[test]
fn a_small_difference_is_called_small() {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let verdict = analyse(&study(two_sockets(), &[("os", 1.0), ("pinned", 1.0495)], &pairs, 6)).verdict;
    assert_eq!((verdict.kind, verdict.placed_well), (VerdictKind::Affected, PlacedWell::Yes));
    assert!(verdict.slight && (verdict.effect.measured().unwrap().inverse().ratio.0 - 1.047).abs() < 0.001);
}

#[test]
fn a_point_that_is_dropped_is_not_waited_for() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    study.trials.retain(|trial| trial.point.0 != "remote" || trial.block <= 1);
    assert!(!decided(&study, &[]) && decided(&study, &["remote".into()]));
}

#[test]
fn a_point_that_is_given_up_is_not_waited_for() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let failed = numawise_facts::Outcome::Failed {
        failure: numawise_facts::Exit::Code(1).into(),
        output_tail: String::new(),
    };
    for trial in study.trials.iter_mut().filter(|trial| trial.point.0 == "remote") {
        trial.outcome = failed.clone();
    }
    assert!(decided(&study, &[]));
    let verdict = analyse(&study).verdict;
    assert_eq!((verdict.kind, verdict.to.0.as_str()), (VerdictKind::Affected, "interleave"));
}

#[test]
fn a_program_with_more_threads_than_planned_is_named() {
    let caveats = |seen: &numawise_facts::Observation| {
        let mut check = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
        see(&mut check, "one-node", seen);
        analyse(&check).verdict.caveats
    };
    let mismatch = |ran| StudyNotice::ThreadCountMismatch {
        point: "one-node".into(),
        ran,
        planned: 4,
        in_command: false,
    };
    assert_eq!(caveats(&ready_together(100, 80, &[80; 4])), [], "four threads were planned, and four ran");
    assert_eq!(caveats(&ready_together(100, 80, &[80; 8])), [mismatch(8).into()]);
    let mut everywhere = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    for point in ["os", "one-node", "remote"] {
        see(&mut everywhere, point, &ready_together(100, 80, &[80; 8]));
    }
    let said = analyse(&everywhere).verdict.caveats;
    let mismatches = said
        .iter()
        .filter(|one| matches!(one, numawise_facts::Notice::Study(StudyNotice::ThreadCountMismatch { .. })));
    assert_eq!(mismatches.count(), 1, "of one program it is said once: {said:?}");
    see(&mut everywhere, "os", &ready_together(100, 80, &[80; 4]));
    everywhere.header.command.command.push("{threads}".into());
    let said = analyse(&everywhere).verdict.caveats;
    assert!(said.iter().any(|one| format!("{one:?}").contains("in_command: true")), "{said:?}");
    // The main thread made the data and then waited for four others.
    assert_eq!(caveats(&ready_together(100, 70, &[1, 70, 70, 69, 68])), []);
    // Five threads with CPU time, of which nobody knows when they had it.
    assert_eq!(caveats(&observation(&[], &[(0, 1), (1, 1), (2, 1), (3, 1), (0, 1)])), []);
}

/// Two blocks that happen to agree are no answer, whatever their interval says.
#[test]
fn fewer_repeats_than_data_may_be_judged_by_decide_nothing() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    study.trials.retain(|trial| trial.block <= 4);
    let analysis = analyse(&study);
    assert_eq!((analysis.verdict.kind, analysis.recommended), (VerdictKind::Undecided, None));
    assert!(analysis.verdict.effect.measured().is_some(), "what was seen is shown all the same");
    assert_eq!(analysis.verdict.more_repeats, Some(MoreRepeats::AFew), "nothing is foreseen from a few");
}
