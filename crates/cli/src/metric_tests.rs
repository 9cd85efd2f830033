use super::*;

fn output() -> Metric {
    Metric::Output { regex: "time: ([0-9]+)".to_owned(), higher_is_better: false }
}

fn of(problem: MetricProblem, output_text: &str, clues: &MetricClues) -> String {
    advice(&output(), &problem, output_text, clues)
}

#[test]
fn what_was_seen_says_what_to_try() {
    let none = MetricClues::default();
    let text = of(MetricProblem::NoMatch, "hello\n", &none);
    assert!(text.contains("--metric-file FILE") && text.contains("sh -c 'PROGRAM | FILTER'"), "{text}");
    let text = of(MetricProblem::NoMatch, "", &none);
    assert!(text.contains("--metric-file FILE") && !text.contains("sh -c"), "{text}");
    let wrote = MetricClues { written: vec!["a.log".into(), "b c".into()], ..none.clone() };
    assert!(of(MetricProblem::NoMatch, "x", &wrote).contains("the run wrote a.log, b c"));
    let found = MetricClues { found_in: Some("b c".into()), ..wrote };
    assert!(of(MetricProblem::NoMatch, "x", &found).contains("--metric-file 'b c'"));
    let piped = MetricClues { shell_word: Some("'|'".to_owned()), ..none.clone() };
    assert!(of(MetricProblem::NoMatch, "x", &piped).contains("no shell reads '|' here"));
    let near = MetricClues { suggested: Some("Time = ([0-9]+)".to_owned()), ..none.clone() };
    assert!(of(MetricProblem::NoMatch, "x", &near).contains("--metric 'Time = ([0-9]+)' finds a number"));
    assert!(of(MetricProblem::OtherCase, "x", &none).contains("--metric '(?i)time: ([0-9]+)'"));
}

#[test]
fn what_is_no_number_is_told_by_its_kind() {
    for (text, part) in [
        ("1,234.5", "LC_ALL=C"),
        ("nan", "what the program computed"),
        ("-inf", "what the program computed"),
        ("-3", "effects are ratios"),
        ("0", "effects are ratios"),
        ("", "+ instead of *"),
        ("12 s", "with its unit outside"),
    ] {
        let told = of(MetricProblem::NotANumber { text: text.to_owned() }, "x", &MetricClues::default());
        assert!(told.contains(part), "{text}: {told}");
    }
    let whole = Metric::File { file: "r".into(), regex: None, higher_is_better: false };
    let problem = MetricProblem::NotANumber { text: "t=1".to_owned() };
    let told = advice(&whole, &problem, "t=1", &MetricClues::default());
    assert!(told.contains("--metric REGEX says which number"), "{told}");
}
