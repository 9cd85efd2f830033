//! A number out of the program's output.

use numawise_facts::{Metric, MetricProblem};
use numawise_units::harmless::quoted;
use regex::{Regex, RegexBuilder};

#[cfg(test)]
#[path = "metric_tests.rs"]
mod tests;

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

/// How large a compiled expression may be, in bytes, and how deep its groups may nest: ten times what a person types. Beyond, it takes
/// seconds and a gigabyte to compile (`\pL{1000}`).
const LARGEST: usize = 1 << 20;
const DEEPEST: u32 = 50;
const LONGEST: usize = 4096;

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
        let broken = |problem: String| MetricError::Syntax { regex: quoted(regex), problem };
        if regex.len() > LONGEST {
            return Err(broken(format!("it has {} bytes, and {LONGEST} is the most", regex.len())));
        }
        let compiled = RegexBuilder::new(regex).size_limit(LARGEST).nest_limit(DEEPEST).build();
        let compiled = compiled.map_err(|error| broken(flaw(&error)))?;
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
