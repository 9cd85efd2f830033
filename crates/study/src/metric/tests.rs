use super::*;

fn extractor(regex: &str) -> Result<Extractor, MetricError> {
    Extractor::new(&Metric::Output { regex: regex.to_owned(), higher_is_better: true })
}

#[test]
fn the_last_match_counts() {
    let metric = extractor(r"throughput: ([0-9.e+]+)").unwrap();
    assert_eq!(metric.value(1.0, "throughput: 10\nthroughput: 1.5e+3 MPoints/s\n"), Ok(1500.0));
}

#[test]
fn wall_time_needs_no_output() {
    assert_eq!(Extractor::new(&Metric::WallTime).unwrap().value(0.25, ""), Ok(0.25));
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
    assert_eq!(metric.value(1.0, "nothing"), Err(MetricError::NoMatch { regex: "t=(.*)".to_owned() }));
    for text in ["", "abc", "nan", "inf", "-1", "0"] {
        let error = metric.value(1.0, &format!("t={text}\n")).unwrap_err();
        assert_eq!(error, MetricError::NotANumber { regex: "t=(.*)".to_owned(), text: text.to_owned() });
    }
}
