use super::*;

fn extractor(regex: &str) -> Result<MetricReader, MetricError> {
    MetricReader::new(&Metric::Output { regex: regex.to_owned(), higher_is_better: true })
}

#[test]
fn the_last_match_counts() {
    let metric = extractor(r"throughput: ([0-9.e+]+)").unwrap();
    assert_eq!(metric.value(1.0, "throughput: 10\nthroughput: 1.5e+3 MPoints/s\n"), Ok(1500.0));
}

#[test]
fn wall_time_needs_no_output() {
    assert_eq!(MetricReader::new(&Metric::WallTime).unwrap().value(0.25, ""), Ok(0.25));
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
    assert_eq!(metric.value(1.0, "nothing"), Err(MetricProblem::NoMatch));
    for text in ["", "abc", "nan", "inf", "-1", "0", "-0.0", "1e-320", "1e308"] {
        let error = metric.value(1.0, &format!("t={text}\n")).unwrap_err();
        assert_eq!(error, MetricProblem::NotANumber { text: text.to_owned() });
    }
}
