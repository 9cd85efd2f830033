//! What is taken of each trial, as it was typed: `REGEX` alone, or one and more of `NAME=REGEX`.

use std::ffi::OsString;

use numawise_facts::{Argument, Metric, NamedMetric};
use numawise_units::harmless::quoted;

use crate::exit::Failure;
use crate::metric::{has_text, is_name, named_alone};

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;

/// The first is what is compared.
#[derive(Debug)]
pub struct TypedMetrics {
    pub compared: Metric,
    pub name: Option<String>,
    pub others: Vec<NamedMetric>,
}

/// `higher` has the names of rates; empty, it means the first.
///
/// # Errors
/// What was typed that means nothing, or may mean two things.
pub fn typed(
    texts: &[String],
    file: Option<&OsString>,
    higher: Option<&str>,
) -> Result<TypedMetrics, Failure> {
    if file.is_some_and(|file| file.is_empty()) {
        return Err(Failure::new("--metric-file '': expected the name of a file that the program writes"));
    }
    let metric = |regex: Option<&str>, higher_is_better: bool| match (file, regex) {
        (Some(file), regex) => {
            Metric::File { file: Argument(file.clone()), regex: regex.map(str::to_owned), higher_is_better }
        }
        (None, Some(regex)) => Metric::Output { regex: regex.to_owned(), higher_is_better },
        (None, None) => Metric::WallTime,
    };
    // A name alone in front of the number is what the program prints: `x=([0-9]+)`.
    if texts.len() < 2 && !texts.iter().any(|text| named_alone(text).is_some()) {
        let rate = match higher {
            None => false,
            Some("") => true,
            Some(name) => {
                return Err(Failure::new(format!(
                    "--higher-is-better={}: the metric has no name; expected --higher-is-better alone",
                    quoted(name)
                )));
            }
        };
        let compared = metric(texts.first().map(String::as_str), rate);
        return Ok(TypedMetrics { compared, name: None, others: Vec::new() });
    }
    let named: Vec<(&str, &str)> = texts.iter().map(|text| named(text)).collect::<Result<_, _>>()?;
    for (k, (name, _)) in named.iter().enumerate() {
        if named[..k].iter().any(|(other, _)| other == name) {
            return Err(Failure::new(format!(
                "--metric: the name {name} is there twice; expected each once"
            )));
        }
    }
    let rates: Vec<&str> = match higher {
        None => Vec::new(),
        Some("") => vec![named[0].0],
        Some(names) => names.split(',').map(str::trim).collect(),
    };
    if let Some(name) = rates.iter().find(|rate| !named.iter().any(|(name, _)| name == *rate)) {
        let known: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new(format!(
            "--higher-is-better: no metric is called '{}'; there are: {}",
            quoted(name),
            known.join(", ")
        )));
    }
    let mut all = named.into_iter().map(|(name, regex)| NamedMetric {
        name: name.to_owned(),
        metric: metric(Some(regex), rates.contains(&name)),
    });
    let (compared, name) = match all.next() {
        Some(first) => (first.metric, Some(first.name)),
        None => (Metric::WallTime, None),
    };
    Ok(TypedMetrics { compared, name, others: all.collect() })
}

fn named(text: &str) -> Result<(&str, &str), Failure> {
    let failed = |problem: String| Err(Failure::new(format!("--metric '{}': {problem}", quoted(text))));
    let several = "several metrics each need a name, as in time='time: ([0-9.]+)'";
    let Some((name, regex)) = text.split_once('=').filter(|(name, _)| is_name(name)) else {
        return failed(format!("it has no name; {several}"));
    };
    if NamedMetric::OF_TRIALS.contains(&name) {
        return failed(format!("{name} is taken of every trial already; expected another name"));
    }
    if !has_text(regex) {
        return failed(format!(
            "{name}= may be its name, or what stands before the number in the output; {several}, here {name}='{name}={regex}'"
        ));
    }
    Ok((name, regex))
}
