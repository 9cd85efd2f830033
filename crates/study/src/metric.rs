//! A number out of the program's output.

use numawise_facts::{Metric, MetricProblem};
use numawise_units::harmless::quoted;
use regex::Regex;

/// Why a regular expression cannot give a metric.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MetricError {
    #[error("'{regex}' is not a regular expression: {problem}")]
    Syntax { regex: String, problem: String },
    #[error("'{regex}' has {found} groups; expected exactly one, around the number, e.g. 'time: ([0-9.]+)'")]
    Groups { regex: String, found: usize },
}

/// What is wrong, in one line: the last one says it, those before show the place.
fn flaw(error: &regex::Error) -> String {
    let text = error.to_string();
    quoted(text.lines().next_back().unwrap_or_default().trim_start_matches("error: "))
}

/// Reads the metric of a trial from what the program printed.
#[derive(Debug, Clone)]
pub struct MetricReader {
    regex: Option<Regex>,
}

impl MetricReader {
    pub fn new(metric: &Metric) -> Result<Self, MetricError> {
        let Metric::Output { regex, .. } = metric else {
            return Ok(MetricReader { regex: None });
        };
        let compiled =
            Regex::new(regex).map_err(|e| MetricError::Syntax { regex: quoted(regex), problem: flaw(&e) })?;
        match compiled.captures_len() - 1 {
            1 => Ok(MetricReader { regex: Some(compiled) }),
            found => Err(MetricError::Groups { regex: quoted(regex), found }),
        }
    }

    /// The metric of one task: its wall time in seconds, or the last match in its output. Values must be among
    /// [`Metric::VALUES`].
    pub fn value(&self, wall_seconds: f64, output: &str) -> Result<f64, MetricProblem> {
        let Some(regex) = &self.regex else {
            return Ok(wall_seconds);
        };
        let last = regex.captures_iter(output).last();
        let Some(text) = last.as_ref().and_then(|captures| captures.get(1)) else {
            return Err(MetricProblem::NoMatch);
        };
        match text.as_str().trim().parse::<f64>() {
            Ok(value) if Metric::VALUES.contains(&value) => Ok(value),
            _ => Err(MetricProblem::NotANumber { text: quoted(text.as_str()) }),
        }
    }
}

#[cfg(test)]
mod tests {
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
}
