use super::*;

fn outcome(suite: &str, verdicts: &[Verdict], good: bool) -> Outcome {
    let tests = verdicts.iter().enumerate().map(|(k, verdict)| Test {
        name: format!("test{k}"),
        time: Duration::from_secs(1 + k as u64),
        verdict: *verdict,
    });
    let tests: Vec<Test> = tests.collect();
    let time = tests.iter().map(|test| test.time).sum();
    let output = format!("SKIPPED: no such tool\nlines of {suite}\n");
    Outcome { suite: suite.to_owned(), name: format!("{suite} module"), good, time, tests, output }
}

#[test]
fn all_is_well_only_where_tests_ran_and_none_failed() {
    use Verdict::{Failed, Ignored, Passed};
    let good = outcome("cli/run", &[Passed, Ignored, Passed], true);
    let bad = outcome("units", &[Passed, Failed], false);
    let killed = outcome("linux", &[Passed], false);
    assert_eq!(closing(&[good]), ("2 passed, 0 failed, 1 skipped".to_owned(), true));
    assert_eq!(closing(&[bad, killed]), ("2 passed, 2 failed, 0 skipped".to_owned(), false));
    assert_eq!(closing(&[]), ("0 passed, 0 failed, 0 skipped".to_owned(), false));
}

#[test]
fn the_table_has_suites_slow_tests_what_was_skipped_and_what_failed() {
    let all = [outcome("units", &[Verdict::Passed], true), outcome("linux", &[Verdict::Failed; 2], false)];
    let table = suites(&all, Duration::from_secs(60), Duration::from_secs(4));
    assert!(table.contains("built in 60 s, run in 4 s") && table.contains("beside the code"), "{table}");
    assert!(table.lines().last().unwrap().contains("3      4.0"), "{table}");
    assert!(slowest(&all).lines().nth(2).unwrap().contains("2.0  linux test1"), "{}", slowest(&all));
    assert_eq!(skipped(&all).matches("SKIPPED").count(), 1);
    let failed = failures(&all);
    assert!(failed.contains("== linux module\n") && !failed.contains("lines of units"), "{failed}");
}
