use std::process::Command;

use super::*;

fn shell(script: &str, guests: bool) -> Job {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Job { suite: "cli/run".to_owned(), module: script.to_owned(), command, guests }
}

#[test]
fn verdicts_are_read_also_behind_what_a_test_printed_past_the_harness() {
    let script = "echo 'running 4 tests'; echo 'test a::one ... ok'; echo 'test two ... noise'; echo 'more'; echo 'FAILED'
                  echo 'test three ... ignored, timing: a clock'; echo 'test four ... a lineok'; echo 'look'; exit 101";
    let outcome = one(shell(script, false), NEVER_ENDS);
    let found: Vec<_> = outcome.tests.iter().map(|test| (test.name.as_str(), test.verdict)).collect();
    let expected = [
        ("a::one", Verdict::Passed),
        ("two", Verdict::Failed),
        ("three", Verdict::Ignored),
        ("four", Verdict::Passed),
    ];
    assert_eq!(found, expected);
    assert!(
        !outcome.good && outcome.output.contains("look") && outcome.output.contains("101"),
        "{outcome:?}"
    );
}

#[test]
fn what_cannot_be_started_or_is_killed_has_failed() {
    let mut job = shell("", false);
    job.command = Command::new("/no/such/program");
    let outcome = one(job, NEVER_ENDS);
    assert!(!outcome.good && outcome.output.contains("cannot be started"), "{outcome:?}");
    let outcome = one(shell("echo 'test one ... ok'; kill -9 $$", false), NEVER_ENDS);
    assert!(!outcome.good && outcome.tests.len() == 1 && outcome.output.contains("signal"), "{outcome:?}");
}

#[test]
fn a_job_that_never_ends_is_killed_and_has_failed() {
    let outcome = one(shell("echo 'test one ... ok'; exec sleep 1000", false), Duration::from_millis(200));
    assert!(!outcome.good && outcome.tests.len() == 1, "{outcome:?}");
    assert!(outcome.output.contains("killed: it had not ended"), "{outcome:?}");
}

#[test]
fn guests_are_few_at_a_time_and_others_go_on_beside_them() {
    let mut waiting = Waiting::default();
    waiting.jobs.extend((0..4).map(|_| shell("true", true)).chain([shell("false", false)]));
    let taken: Vec<bool> = std::iter::from_fn(|| waiting.next()).map(|job| job.guests).collect();
    assert_eq!((taken, waiting.jobs.len()), (vec![true, true, false], 2));
    let outcomes = run((0..9).map(|k| shell("true", k % 2 == 0)).collect(), 3);
    assert!(outcomes.len() == 9 && outcomes.iter().all(|outcome| outcome.good));
}
