//! What is printed when all jobs have ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use super::running::{Outcome, Test, Verdict};
use super::suites;

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;

/// So many of the slowest tests are shown.
const SLOWEST: usize = 20;

/// A suite a line: its tests, what they took, and what they may take.
pub fn suites(outcomes: &[Outcome], built: Duration, ran: Duration) -> String {
    let mut rows: BTreeMap<&str, (Duration, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let row = rows.entry(suites::of(&outcome.suite)).or_default();
        row.0 += outcome.time;
        row.1 += outcome.tests.iter().filter(|test| test.verdict != Verdict::Ignored).count();
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(_, (time, _))| std::cmp::Reverse(*time));
    let mut text = format!(
        "\nTests built in {:.0} s, run in {:.0} s\n{:36}{:>7}{:>9}{:>9}\n",
        built.as_secs_f64(),
        ran.as_secs_f64(),
        "suite",
        "tests",
        "took s",
        "may s"
    );
    for (suite, (time, count)) in rows {
        let may = suites::budget(suite).map_or("-".to_owned(), |seconds| seconds.to_string());
        let _ = writeln!(text, "{suite:36}{count:7}{:9.1}{may:>9}", time.as_secs_f64());
    }
    text
}

pub fn slowest(outcomes: &[Outcome]) -> String {
    let mut all: Vec<(&str, &Test)> = outcomes
        .iter()
        .flat_map(|outcome| outcome.tests.iter().map(|test| (outcome.suite.as_str(), test)))
        .collect();
    all.sort_by_key(|(_, test)| std::cmp::Reverse(test.time));
    let mut text = "\nThe slowest tests, in seconds\n".to_owned();
    for (suite, test) in all.into_iter().take(SLOWEST) {
        let _ = writeln!(text, "{:7.1}  {suite} {}", test.time.as_secs_f64(), test.name);
    }
    text
}

/// What could not run here, each reason once.
pub fn skipped(outcomes: &[Outcome]) -> String {
    let lines = outcomes.iter().flat_map(|outcome| outcome.output.lines());
    let said: BTreeSet<&str> = lines.filter(|line| line.starts_with("SKIPPED")).collect();
    said.into_iter().fold(String::new(), |text, line| text + "\n" + line) + "\n"
}

/// All that the jobs that failed printed.
pub fn failures(outcomes: &[Outcome]) -> String {
    let failed = outcomes.iter().filter(|outcome| !outcome.good);
    failed.fold(String::new(), |text, outcome| format!("{text}\n== {}\n{}", outcome.name, outcome.output))
}

/// The last line, and whether all is well: where nothing ran, it is not.
pub fn closing(outcomes: &[Outcome]) -> (String, bool) {
    let count = |verdict| {
        outcomes.iter().flat_map(|outcome| &outcome.tests).filter(|test| test.verdict == verdict).count()
    };
    // A job that was killed names no test that failed.
    let nameless = |outcome: &&Outcome| {
        !outcome.good && !outcome.tests.iter().any(|test| test.verdict == Verdict::Failed)
    };
    let failed = count(Verdict::Failed) + outcomes.iter().filter(nameless).count();
    let passed = count(Verdict::Passed);
    let text = format!("{passed} passed, {failed} failed, {} skipped", count(Verdict::Ignored));
    (text, failed == 0 && passed > 0)
}
