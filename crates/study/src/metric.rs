//! A number out of the program's output.

use numawise_facts::Metric;
use regex::Regex;

#[cfg(test)]
mod tests;

/// Why a metric cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MetricError {
    #[error("--metric '{regex}' is not a regular expression: {problem}")]
    Syntax { regex: String, problem: String },
    #[error(
        "--metric '{regex}' has {found} groups; expected exactly one, around the number, e.g. 'time: ([0-9.]+)'"
    )]
    Groups { regex: String, found: usize },
    #[error("--metric '{regex}' matches nothing in the program's output")]
    NoMatch { regex: String },
    #[error("--metric '{regex}' matched '{text}', which is not a positive number")]
    NotANumber { regex: String, text: String },
}

/// Reads the metric of a trial from what the program printed.
#[derive(Debug, Clone)]
pub struct Extractor {
    regex: Option<Regex>,
}

impl Extractor {
    pub fn new(metric: &Metric) -> Result<Self, MetricError> {
        let Metric::Output { regex, .. } = metric else {
            return Ok(Extractor { regex: None });
        };
        let compiled = Regex::new(regex)
            .map_err(|e| MetricError::Syntax { regex: regex.clone(), problem: e.to_string() })?;
        match compiled.captures_len() - 1 {
            1 => Ok(Extractor { regex: Some(compiled) }),
            found => Err(MetricError::Groups { regex: regex.clone(), found }),
        }
    }

    /// The metric of one task: its wall time in seconds, or the last match in its output. Values must be finite and
    /// above zero, since effects are ratios.
    pub fn value(&self, wall_seconds: f64, output: &str) -> Result<f64, MetricError> {
        let Some(regex) = &self.regex else {
            return Ok(wall_seconds);
        };
        let name = || regex.as_str().to_owned();
        let last = regex.captures_iter(output).last();
        let Some(text) = last.as_ref().and_then(|captures| captures.get(1)) else {
            return Err(MetricError::NoMatch { regex: name() });
        };
        match text.as_str().trim().parse::<f64>() {
            Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
            _ => Err(MetricError::NotANumber { regex: name(), text: text.as_str().to_owned() }),
        }
    }
}
