use numawise_facts::{ContrastRole, Outcome, PointRole, Study};

use crate::better_placement;
use crate::sample::{study, two_sockets};

/// A check whose runs with pinned threads vary by so much around 1.2 times as fast.
fn noisy(sd: f64) -> Study {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut study = study(two_sockets(), &[("os", 1.2), ("pinned", 1.0)], &pairs, 6);
    let noise = [1.0, -1.0, 0.7, -0.7, 0.2, -0.2];
    for trial in study.trials.iter_mut().filter(|trial| trial.point.0 == "pinned") {
        let factor = (sd * noise[(trial.block as usize + 5) % 6]).exp();
        if let Outcome::Measured { per_task } = &mut trial.outcome {
            per_task.iter_mut().for_each(|value| *value *= factor);
        }
    }
    study
}

#[test]
fn only_a_clear_gain_ends_the_trials_while_there_is_time() {
    let found = |sd| better_placement(&noisy(sd)).map(|better| (better.point.0, better.is_clear));
    assert_eq!(found(0.05), Some(("pinned".to_owned(), true)));
    assert_eq!(found(0.19), Some(("pinned".to_owned(), false)));
    assert_eq!(found(0.5), None);
}

#[test]
fn a_diagnosis_that_is_known_well_enough_is_finished() {
    let points = [("os", 1.0), ("pinned", 1.0), ("remote", 2.5)];
    let pairs = [("os", "pinned", ContrastRole::BothWays), ("pinned", "remote", ContrastRole::BothWays)];
    let mut study = study(two_sockets(), &points, &pairs, 6);
    let pinned = noisy(0.3);
    for (trial, noisy) in study
        .trials
        .iter_mut()
        .filter(|trial| trial.point.0 == "pinned")
        .zip(pinned.trials.iter().filter(|trial| trial.point.0 == "pinned"))
    {
        trial.outcome = noisy.outcome.clone();
    }
    study.header.pairs[1].from = "os".into();
    study.header.points[2].role = PointRole::Candidate;
    assert_eq!(crate::finished(&study, &[]), []);
    study.header.points[2].role = PointRole::Diagnosis;
    assert_eq!(crate::finished(&study, &[]), ["remote".into()]);
    assert_eq!(crate::finished(&study, &["remote".into()]), []);
}
