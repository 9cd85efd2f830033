use numawise_facts::{Argument, Exit};
use numawise_launch::WrittenText;
use numawise_units::Nanoseconds;

use super::*;

fn printed(output: &str) -> TaskRun {
    let wall = Nanoseconds(250_000_000);
    TaskRun { exit: Exit::Code(0), ended_by: None, wall, output: output.to_owned(), dropped: 0, file: None }
}

fn wrote(before: &str, added: &str) -> TaskRun {
    let text = WrittenText { before: before.to_owned(), added: added.to_owned(), dropped: 0 };
    TaskRun { file: Some(Ok(text)), ..printed("t=7\n") }
}

/// What `regex` finds in an output.
fn of(regex: &str, output: &str) -> Result<f64, MetricProblem> {
    extractor(regex).unwrap().value(&printed(output))
}

/// What is found in a file that holds `before`, and then `added` too.
fn of_file(regex: Option<&str>, before: &str, added: &str) -> Result<f64, MetricProblem> {
    let (file, regex) = (Argument::from("result"), regex.map(str::to_owned));
    let metric = Metric::File { file, regex, higher_is_better: false };
    MetricReader::new(&metric).unwrap().value(&wrote(before, added))
}

fn extractor(regex: &str) -> Result<MetricReader, MetricError> {
    MetricReader::new(&Metric::Output { regex: regex.to_owned(), higher_is_better: true })
}

#[test]
fn the_last_match_counts() {
    let metric = extractor(r"throughput: ([0-9.e+]+)").unwrap();
    assert_eq!(metric.value(&printed("throughput: 10\nthroughput: 1.5e+3 MPoints/s\n")), Ok(1500.0));
}

#[test]
fn wall_time_needs_no_output() {
    assert_eq!(MetricReader::new(&Metric::WallTime).unwrap().value(&printed("")), Ok(0.25));
}

/// Seconds and a gigabyte without bounds.
#[test]
fn an_expression_that_nobody_types_is_refused_before_it_costs_much() {
    for (regex, part) in [
        (r"(\pL{10000})".to_owned(), "exceeds size limit"),
        (format!("{}x{}", "(".repeat(60), ")".repeat(60)), "nest"),
        (format!("(x){}", "s+".repeat(10_000)), "it has 20003 bytes, and 4096 is the most"),
    ] {
        let error = extractor(&regex).unwrap_err().to_string();
        assert!(error.contains(part) && error.len() < 600, "{error}");
    }
}

#[test]
fn what_is_wrong_with_a_metric_is_said() {
    for (regex, part) in
        [("(", "not a regular expression"), ("x", "has 0 groups"), ("(a)(b)", "has 2 groups")]
    {
        let error = extractor(regex).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains(regex), "{error}");
    }
    let metric = extractor("t=(.*)").unwrap();
    assert_eq!(metric.value(&printed("nothing")), Err(MetricProblem::NoMatch));
    for text in ["", "abc", "nan", "inf", "-1", "0", "-0.0", "1e-320", "1e308"] {
        let error = metric.value(&printed(&format!("t={text}\n"))).unwrap_err();
        assert_eq!(error, MetricProblem::NotANumber { text: text.to_owned() });
    }
}

#[test]
fn numbers_are_read_as_programs_print_them() {
    for (text, value) in
        [("1e-3", 1e-3), ("1.5D+02", 150.0), ("0.25d0", 0.25), ("+4", 4.0), (".5", 0.5), ("  7 ", 7.0)]
    {
        assert_eq!(of("t=(.*)", &format!("t={text}\n")), Ok(value), "{text}");
    }
    for text in ["1,5", "1,234.5", "12s", "12 s", "0x1p3", "d", "1.2.3"] {
        let problem = MetricProblem::NotANumber { text: text.to_owned() };
        assert_eq!(of("t=(.*)", &format!("t={text}\n")), Err(problem));
    }
}

#[test]
fn lines_are_taken_as_grep_takes_them() {
    assert_eq!(of("^t=([0-9]+)$", "a\nt=1\nb\n"), Ok(1.0));
    assert_eq!(of("^t=([0-9]+)$", "a\r\nt=1\r\nb\r\n"), Ok(1.0));
    assert_eq!(of("t=(.*)", "t=2\r\n"), Ok(2.0));
    assert_eq!(of("t=([0-9]+)", "t=3"), Ok(3.0), "no newline at the end");
    assert_eq!(of("t=([0-9]+)|done", "t=4\ndone\n"), Ok(4.0), "the last match that has the group");
}

#[test]
fn colours_do_not_stand_between_a_word_and_its_number() {
    assert_eq!(of("time: ([0-9.]+) s", "\x1b[1mtime:\x1b[0m \x1b[38;5;2m1.5\x1b[0m s\n"), Ok(1.5));
    assert_eq!(of("t=([0-9]+)", "\x1b]0;title\x07\x1b(Bt=1\x1b"), Ok(1.0));
    for text in ["\x1b", "\x1b[", "\x1b[31", "\x1bé", "\x1b]0;never", "\x1b\x1b[mx", "\x1b[é"] {
        assert_eq!(of("t=([0-9]+)", &format!("t=2 {text}")), Ok(2.0), "{text:?}");
    }
}

#[test]
fn why_nothing_matches_is_told() {
    assert_eq!(of("TIME: ([0-9]+)", "Time: 5\n"), Err(MetricProblem::OtherCase));
    assert_eq!(of("(?s)(x.*)", &"x\n".repeat(99)), Err(MetricProblem::TooLong { characters: 197 }));
    let cut = TaskRun { dropped: 77, ..printed("the end\n") };
    let problem = MetricProblem::NotKept { dropped: Bytes(77) };
    assert_eq!(extractor("t=([0-9]+)").unwrap().value(&cut), Err(problem));
}

#[test]
fn of_a_file_only_what_the_trial_wrote_counts() {
    assert_eq!(of_file(Some("t=([0-9]+)"), "", "t=1\nt=2\n"), Ok(2.0));
    assert_eq!(of_file(Some("t=([0-9]+)"), "t=1\n", "t=2\n"), Ok(2.0));
    let problem = MetricProblem::File(MetricFileProblem::OnlyBefore);
    assert_eq!(of_file(Some("t=([0-9]+)"), "t=1\n", "failed\n"), Err(problem));
    // A longer number that begins as the one before.
    assert_eq!(of_file(Some("([0-9]+)"), "12", "3"), Ok(123.0));
    assert_eq!(of_file(Some("t=([0-9]+)"), "t=1\n", "t=\x1b[1m2\n"), Ok(2.0));
}

#[test]
fn a_file_without_an_expression_holds_one_number() {
    assert_eq!(of_file(None, "", " 1.5\n\n"), Ok(1.5));
    assert_eq!(of_file(None, "12", "3"), Ok(123.0));
    for text in ["", "1 2", "t=1", "1\n2\n"] {
        assert!(matches!(of_file(None, "", text), Err(MetricProblem::NotANumber { .. })), "{text:?}");
    }
}
