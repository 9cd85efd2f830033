use super::*;

fn trial(why: &str) -> Trial {
    Trial {
        number: 0,
        block: 1,
        point: "os".into(),
        started: Nanoseconds(0),
        wall: Nanoseconds(1),
        outcome: Outcome::Measured { per_task: vec![1.0] },
        observation: Reading::unavailable(why.to_owned()),
        disturbances: vec![],
        left_behind: None,
    }
}

#[test]
fn reasons_that_differ_in_their_numbers_are_one() {
    let mut study = crate::sample::study(crate::sample::two_sockets(), &[("os", 1.0)], &[], 5);
    study.trials = [
        "it ended within 980 µs",
        "it ended within 1.02 ms",
        "it ended within 1.02 ms (17 of 20 looks)",
        "it ended within 980 µs",
        "it ended within 3 s",
        "move_pages is forbidden",
        "move_pages is forbidden",
    ]
    .map(trial)
    .to_vec();
    let expected = |reason: &'static str, others| {
        let reason = Reason(reason.into());
        Notice::from(StudyNotice::NotObserved { what: ObservedFigure::Everything, reason, others })
    };
    assert_eq!(
        unavailable(&study),
        [
            expected("it ended within 980 µs", 2),
            expected("it ended within 1.02 ms (17 of 20 looks)", 0),
            expected("move_pages is forbidden", 0),
        ]
    );
}
