//! A number out of what the program printed, or of a file that it wrote.

use std::borrow::Cow;

use numawise_facts::{Metric, MetricFileProblem, MetricProblem, OtherValue, Redactor, StudyHeader};
use numawise_units::Bytes;
use numawise_units::harmless::quoted;
use regex::{Captures, Match, Regex, RegexBuilder};

use crate::task::TaskRun;

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

/// No program prints a number of so many characters.
const LONGEST_NUMBER: usize = 100;

/// Reads the metric of a trial from what the program printed or wrote.
#[derive(Debug, Clone)]
pub struct MetricReader {
    source: MetricSource,
    regex: Option<Regex>,
}

#[derive(Debug, Clone, Copy)]
enum MetricSource {
    WallTime,
    Output,
    File,
}

/// Compiles an expression as people write it for grep: `^` and `$` stand at the ends of lines, with or without a carriage return.
fn compile(regex: &str, ignore_case: bool) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(regex);
    builder.multi_line(true).crlf(true).case_insensitive(ignore_case);
    builder.size_limit(LARGEST).nest_limit(DEEPEST).build()
}

fn compiled(regex: &str) -> Result<Regex, MetricError> {
    let broken = |problem: String| MetricError::Syntax { regex: quoted(regex), problem };
    if regex.len() > LONGEST {
        return Err(broken(format!("it has {} bytes, and {LONGEST} is the most", regex.len())));
    }
    compile(regex, false).map_err(|error| broken(flaw(&error)))
}

/// Whether a regular expression for the output of a right answer can be used.
///
/// # Errors
/// What is wrong with it.
pub fn check_answer(regex: &str) -> Result<(), MetricError> {
    compiled(regex).map(drop)
}

impl MetricReader {
    pub fn new(metric: &Metric) -> Result<Self, MetricError> {
        let source = match metric {
            Metric::WallTime => MetricSource::WallTime,
            Metric::Output { .. } => MetricSource::Output,
            Metric::File { .. } => MetricSource::File,
        };
        let Some(regex) = metric.regex() else { return Ok(MetricReader { source, regex: None }) };
        let compiled = compiled(regex)?;
        match compiled.captures_len() - 1 {
            1 => Ok(MetricReader { source, regex: Some(compiled) }),
            found => Err(MetricError::Groups { regex: quoted(regex), found }),
        }
    }

    /// The metric of one task: its wall time in seconds, or the number in what it printed or wrote. Values must be among
    /// [`Metric::VALUES`].
    pub fn value(&self, task: &TaskRun) -> Result<f64, MetricProblem> {
        match (self.source, &task.file) {
            (MetricSource::WallTime, _) => Ok(task.wall.seconds()),
            (MetricSource::Output, _) => self.number("", &task.output, task.dropped),
            (MetricSource::File, Some(Ok(text))) => self.number(&text.before, &text.added, text.dropped),
            (MetricSource::File, Some(Err(problem))) => Err(MetricProblem::File(problem.clone())),
            (MetricSource::File, None) => Err(MetricProblem::File(MetricFileProblem::Missing)),
        }
    }

    /// The number in `text`, in front of which `before` stands, which does not count.
    fn number(&self, before: &str, text: &str, dropped: u64) -> Result<f64, MetricProblem> {
        let before = without_escapes(before);
        let whole = format!("{before}{}", without_escapes(text));
        let Some(regex) = &self.regex else { return the_number(whole.trim()) };
        match self.last(regex, &whole) {
            Some(found) if found.end() > before.len() || before.is_empty() => number_of(found.as_str()),
            Some(_) => Err(MetricProblem::File(MetricFileProblem::OnlyBefore)),
            None if self.matches_in_other_case(&whole) => Err(MetricProblem::OtherCase),
            None if dropped > 0 => Err(MetricProblem::NotKept { dropped: Bytes(dropped) }),
            None => Err(MetricProblem::NoMatch),
        }
    }

    /// What the group holds in the last match that has it.
    fn last<'t>(&self, regex: &Regex, text: &'t str) -> Option<Match<'t>> {
        regex.captures_iter(text).filter_map(|captures: Captures<'t>| captures.get(1)).last()
    }

    fn matches_in_other_case(&self, text: &str) -> bool {
        let other = self.regex.as_ref().and_then(|regex| compile(regex.as_str(), true).ok());
        other.is_some_and(|regex| regex.is_match(text))
    }
}

/// Reads all metrics of a study.
#[derive(Debug, Clone)]
pub struct MetricReaders {
    /// Of what is compared.
    compared: MetricReader,
    others: Vec<MetricReader>,
    /// What the output of a right answer holds.
    answer: Option<Regex>,
}

impl MetricReaders {
    /// # Errors
    /// The first that cannot be read so.
    pub fn of(header: &StudyHeader) -> Result<MetricReaders, MetricError> {
        let others = header.grid.iter().flat_map(|grid| &grid.other_metrics);
        let answer = header.grid.as_ref().and_then(|grid| grid.around.verify_output.as_deref());
        Ok(MetricReaders {
            compared: MetricReader::new(&header.metric)?,
            others: others.map(|one| MetricReader::new(&one.metric)).collect::<Result<_, _>>()?,
            answer: answer.map(compiled).transpose()?,
        })
    }

    /// What is compared, of a task that ended well.
    ///
    /// # Errors
    /// Why there is none: above all, that its answer is not right.
    pub fn compared(&self, task: &TaskRun) -> Result<f64, MetricProblem> {
        let is_wrong = |answer: &Regex| !answer.is_match(&without_escapes(&task.output));
        match &self.answer {
            Some(answer) if is_wrong(answer) && task.dropped > 0 => {
                Err(MetricProblem::NotKept { dropped: Bytes(task.dropped) })
            }
            Some(answer) if is_wrong(answer) => Err(MetricProblem::AnswerNotRight),
            _ => self.compared.value(task),
        }
    }

    /// What a trial that ended well gave besides.
    pub fn others(&self, tasks: &[TaskRun], redactor: &Redactor) -> Vec<OtherValue> {
        let of_trial = |reader: &MetricReader| {
            let mut values = Vec::with_capacity(tasks.len());
            for task in tasks {
                match reader.value(task) {
                    Ok(value) => values.push(value),
                    Err(problem) => {
                        return OtherValue::Missing(redactor.metric_problem(problem, task.searched()));
                    }
                }
            }
            OtherValue::PerTask(values)
        };
        self.others.iter().map(of_trial).collect()
    }
}

/// All that a file holds, as a number.
fn the_number(text: &str) -> Result<f64, MetricProblem> {
    if text.len() > LONGEST_NUMBER {
        return Err(MetricProblem::File(MetricFileProblem::Longer));
    }
    number_of(text)
}

/// A number as C, C++ and Fortran print it: `1.5`, `1e-3`, `0.15D+01`.
fn number_of(text: &str) -> Result<f64, MetricProblem> {
    let text = text.trim();
    if text.len() > LONGEST_NUMBER {
        return Err(MetricProblem::TooLong { characters: text.chars().count() as u64 });
    }
    let parsed = text.parse::<f64>().or_else(|_| text.replace(['d', 'D'], "e").parse());
    match parsed {
        Ok(value) if Metric::VALUES.contains(&value) => Ok(value),
        _ => Err(MetricProblem::NotANumber { text: quoted(text) }),
    }
}

/// A text without the sequences that colour it on a terminal: they stand between a word and its number where nobody sees them.
fn without_escapes(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\x1b';
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(after_sequence(part));
    }
    Cow::Owned(plain)
}

/// What follows a sequence whose escape character is gone: `[1;31m` (ECMA-48), a title of the window, or one character.
fn after_sequence(part: &str) -> &str {
    let end = match part.chars().next() {
        Some('[') => part[1..].find(|c| ('@'..='~').contains(&c)).map(|at| at + 2),
        Some(']') => part.find('\x07').map(|at| at + 1),
        Some(c) => Some(c.len_utf8()),
        None => None,
    };
    end.and_then(|end| part.get(end..)).unwrap_or_default()
}

/// Whether a text holds the number: in a match of `regex`, or alone.
pub fn number_is_found(regex: Option<&str>, text: &str) -> bool {
    let regex = match regex.map(|regex| compile(regex, false)) {
        Some(Err(_)) => return false,
        Some(Ok(regex)) => Some(regex),
        None => None,
    };
    MetricReader { source: MetricSource::Output, regex }.number("", text, 0).is_ok()
}
