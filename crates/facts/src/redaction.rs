//! Leaving out what looks like a credential, wherever arguments, variables, paths and output are recorded or shown.
//!
//! Records and reports are mailed around. A value is judged by the name that stands before it (`--password`, `api_key=`), by
//! its own shape (the keys and tokens of well-known services, private keys, passwords in a URL), or because it is known
//! already: what was left out of the arguments or stands in a variable such as `DB_PASSWORD` is left out of the output too.
//! Only the value is replaced, by [`MARKER`]; the text around it stays, and what was redacted once stays as it is.

mod arguments;
mod name;
mod shape;
mod text;
mod value;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_units::Arrange;
use serde::Serialize;

use crate::{
    Argument, FactorKind, GridStudy, MetricProblem, OtherValue, Outcome, Reading, RunSpec, Study,
    StudyHeader, Trial,
};

#[cfg(test)]
#[path = "redaction_tests.rs"]
mod tests;

/// What stands in the place of a value that was left out.
pub const MARKER: &str = "<left out: looks like a credential>";

/// How much of the end of an output is searched before it is cut to what is kept: the beginning of a private key may lie far
/// before its end.
const SEARCHED: usize = 64 << 10;

/// A text without its credentials.
pub fn text(of: &str) -> String {
    Redactor::default().text(of)
}

/// The words of a command without their credentials.
pub fn arguments(of: &[Argument]) -> Vec<Argument> {
    Redactor::default().arguments(of)
}

/// What leaves credentials out. It also knows the values of one run that are left out wherever they appear.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    /// Without what is known.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} values)", self.known.len())
    }
}

impl Redactor {
    /// For a run of this command in this environment.
    pub fn of_run(command: &[Argument], environment: impl Iterator<Item = (String, String)>) -> Redactor {
        let mut known = Vec::new();
        arguments::redact(command, &mut known);
        for (name, value) in environment {
            variable(&name, &value, &mut known);
        }
        known.retain(|value| value::is_distinctive(value) && !MARKER.contains(value.as_str()));
        // A longer one may hold a shorter one.
        known.arrange_by_key(|value| std::cmp::Reverse(value.len()));
        known.dedup();
        Redactor { known }
    }

    pub fn text(&self, of: &str) -> String {
        self.without_known(text::redact(of, &mut Vec::new()))
    }

    pub fn arguments(&self, of: &[Argument]) -> Vec<Argument> {
        let redacted = arguments::redact(of, &mut Vec::new());
        redacted
            .into_iter()
            .map(|word| match word.0.to_str() {
                Some(text) => Argument(self.without_known(text.to_owned()).into()),
                None => word,
            })
            .collect()
    }

    pub fn command(&self, of: &RunSpec) -> RunSpec {
        RunSpec { command: self.arguments(&of.command), directory: self.path(&of.directory) }
    }

    pub fn path(&self, of: &Path) -> PathBuf {
        match of.to_str() {
            Some(text) => PathBuf::from(self.text(text)),
            None => of.to_owned(),
        }
    }

    /// The value of a variable of the environment.
    pub fn variable(&self, name: &str, value: &str) -> String {
        self.without_known(variable(name, value, &mut Vec::new()))
    }

    /// The end of an output, of at most `limit` bytes from the beginning of a line where that leaves something.
    pub fn end_of_output(&self, output: &str, limit: usize) -> String {
        let redacted = self.text(end(output, SEARCHED.max(limit)));
        end(&redacted, limit).to_owned()
    }

    /// What keeps `output` from giving the metric: what was matched is left out where it is left out of the output.
    pub fn metric_problem(&self, problem: MetricProblem, output: &str) -> MetricProblem {
        match problem {
            MetricProblem::NotANumber { text } => {
                let around = self.text(end(output, SEARCHED));
                let text = if around.contains(&text) { self.text(&text) } else { MARKER.to_owned() };
                MetricProblem::NotANumber { text }
            }
            other => other,
        }
    }

    /// The header of a study. The regular expression of the metric stays: trials are read by it.
    pub fn header(&self, header: &mut StudyHeader) {
        header.command = self.command(&header.command);
        for (name, value) in &mut header.host.environment {
            *value = self.variable(name, value);
        }
        if let Some(grid) = &mut header.grid {
            self.grid(grid);
        }
    }

    /// What is run at the points of a grid.
    pub fn grid(&self, grid: &mut GridStudy) {
        for run in &mut grid.runs {
            run.command = self.command(&run.command);
            for (name, value) in &mut run.environment {
                *value = self.variable(name, value);
            }
        }
        for template in &mut grid.templates {
            template.text = self.text(&template.text);
        }
        for factor in grid.factors.iter_mut().filter(|factor| factor.kind == FactorKind::Variable) {
            for value in &mut factor.levels {
                *value = self.variable(&factor.name, value);
            }
        }
    }

    /// What a program has printed, what it calls its threads and the processes that it leaves, and the files that it maps.
    pub fn trial(&self, trial: &mut Trial) {
        match &mut trial.outcome {
            Outcome::Measured { .. } => {}
            Outcome::Failed { output_tail, .. } => *output_tail = self.text(output_tail),
            Outcome::NoMetric { problem, output_tail } => {
                *output_tail = self.text(output_tail);
                if let MetricProblem::NotANumber { text } = problem {
                    *text = self.text(text);
                }
            }
        }
        for value in &mut trial.other_values {
            if let OtherValue::Missing(MetricProblem::NotANumber { text }) = value {
                *text = self.text(text);
            }
        }
        for name in trial.left_behind.iter_mut().flat_map(|left| &mut left.names) {
            *name = self.text(name);
        }
        let Reading::Measured(observation) = &mut trial.observation else { return };
        if let Reading::Measured(threads) = &mut observation.threads {
            for thread in threads {
                thread.name = self.text(&thread.name);
            }
        }
        let Reading::Measured(pages) = &mut observation.pages else { return };
        let Reading::Measured(memory) = &mut pages.memory else { return };
        for mapping in &mut memory.largest {
            mapping.file = mapping.file.take().map(|file| self.text(&file));
        }
    }

    /// All of a study.
    pub fn study(&self, study: &mut Study) {
        self.header(&mut study.header);
        study.trials.iter_mut().for_each(|trial| self.trial(trial));
        let Some(lines) = &mut study.lines else { return };
        lines.lines.iter_mut().for_each(|printed| printed.line = self.text(&printed.line));
        lines.trials.iter_mut().for_each(|trial| self.trial(trial));
    }

    fn without_known(&self, mut text: String) -> String {
        for known in &self.known {
            if text.contains(known.as_str()) {
                text = text.replace(known.as_str(), MARKER);
            }
        }
        text
    }
}

/// The value of a variable, as that of an option with its name.
fn variable(name: &str, value: &str, found: &mut Vec<String>) -> String {
    let class = name::class(name);
    match class {
        Some(class) if value::is_credential(class, value, value::Context::Argument) => {
            found.push(value.to_owned());
            MARKER.to_owned()
        }
        _ => text::redact(value, found),
    }
}

/// True when something was left out of a text.
pub fn is_redacted(text: &str) -> bool {
    text.contains(MARKER)
}

/// True when something was left out of a word of a command.
fn is_argument_redacted(word: &Argument) -> bool {
    word.0.to_str().is_some_and(is_redacted)
}

/// What was left out of a study, as far as it holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// How many words of the command something was left out of.
    pub arguments: usize,
    /// The variables of the environment whose values were left out, whole or in part.
    pub variables: Vec<String>,
    /// In how many trials something was left out of the output.
    pub outputs: usize,
}

impl LeftOut {
    pub fn of(study: &Study) -> LeftOut {
        let StudyHeader { command, host, .. } = &study.header;
        let redacted = |(_, value): &&(String, String)| is_redacted(value);
        let variables = host.environment.iter().filter(redacted).map(|(name, _)| name.clone());
        let output = |trial: &&Trial| match &trial.outcome {
            Outcome::Measured { .. } => false,
            Outcome::Failed { output_tail, .. } => is_redacted(output_tail),
            Outcome::NoMetric { problem, output_tail } => {
                let matched = matches!(problem, MetricProblem::NotANumber { text } if is_redacted(text));
                matched || is_redacted(output_tail)
            }
        };
        let of_lines = study.lines.iter().flat_map(|lines| &lines.trials);
        LeftOut {
            arguments: command.command.iter().filter(|word| is_argument_redacted(word)).count(),
            variables: variables.collect(),
            outputs: study.trials.iter().chain(of_lines).filter(output).count(),
        }
    }

    pub fn is_nothing(&self) -> bool {
        *self == LeftOut::default()
    }
}

/// A word whose text was changed, or the word itself with all its bytes.
fn changed(word: &Argument, redacted: String) -> Argument {
    if word.0.to_string_lossy() == redacted { word.clone() } else { Argument(OsString::from(redacted)) }
}

/// The end of a text, from the beginning of a line where that leaves something.
fn end(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut from = text.len() - limit;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let cut = &text[from..];
    let line = cut.find('\n').map_or(0, |at| at + 1);
    &cut[if line < cut.len() { line } else { 0 }..]
}

/// The beginning of a text, of at most `limit` bytes.
fn start(text: &str, limit: usize) -> &str {
    let mut to = limit.min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}
