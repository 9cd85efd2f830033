//! The metric as it is typed, and what to type where the first run gave none.

use std::path::{Path, PathBuf};

use numawise_facts::{Argument, Metric, MetricFileProblem, MetricProblem, NamedMetric};
use numawise_session::MetricClues;

#[cfg(test)]
#[path = "metric_tests.rs"]
mod tests;

/// What to try, from what the run shows.
pub fn advice(metric: &Metric, problem: &MetricProblem, output: &str, clues: &MetricClues) -> String {
    let mut tries: Vec<String> = Vec::new();
    match problem {
        MetricProblem::OtherCase => {
            let regex = metric.regex().unwrap_or_default();
            tries.push(option("--metric", &format!("(?i){regex}")));
        }
        MetricProblem::NoMatch if metric.file().is_none() => nothing_matches(output, clues, &mut tries),
        MetricProblem::NoMatch => tries.extend(suggestion(clues)),
        MetricProblem::NotKept { .. } => tries.push(
            "let the program print its figure at the end, or take it from a file (--metric-file FILE) or a pipeline (-- sh -c \
             'PROGRAM | FILTER')"
                .to_owned(),
        ),
        MetricProblem::AnswerNotRight => tries.push("look at what it prints; expected --verify-output REGEX to match it".to_owned()),
        MetricProblem::TooLong { .. } => tries.push(THE_NUMBER_ALONE.to_owned()),
        MetricProblem::NotANumber { text } => tries.push(not_a_number(metric, text).to_owned()),
        MetricProblem::File(problem) => of_file(problem, clues, &mut tries),
    }
    format!("try: {}", tries.join("; "))
}

const THE_NUMBER_ALONE: &str =
    "expected the group around the number alone, e.g. ([-+.0-9eE]+), with its unit outside";

const WHICH_NUMBER: &str =
    "--metric REGEX says which number of the file it is, e.g. --metric 'time: ([-+.0-9eE]+)'";

/// Both streams were searched, so it is elsewhere, called otherwise, or made by another program.
fn nothing_matches(output: &str, clues: &MetricClues, tries: &mut Vec<String>) {
    tries.extend(suggestion(clues));
    match (&clues.found_in, clues.written.as_slice()) {
        (Some(file), _) => {
            tries.push(format!("the program wrote it to a file: {}", option("--metric-file", &name(file))));
        }
        (None, []) => tries.push("--metric-file FILE, where the program writes it to a file".to_owned()),
        (None, written) => tries.push(format!("--metric-file FILE reads a file instead; {}", wrote(written))),
    }
    if let Some(word) = &clues.shell_word {
        tries.push(format!(
            "no shell reads {word} here, the program got it as an argument: -- sh -c 'PROGRAM {} ...'",
            word.trim_matches('\'')
        ));
    } else if !output.trim().is_empty() {
        tries.push("-- sh -c 'PROGRAM | FILTER', where another program makes the number of it".to_owned());
    }
}

fn suggestion(clues: &MetricClues) -> Option<String> {
    clues.suggested.as_ref().map(|regex| format!("{} finds a number there", option("--metric", regex)))
}

fn of_file(problem: &MetricFileProblem, clues: &MetricClues, tries: &mut Vec<String>) {
    match problem {
        MetricFileProblem::Missing | MetricFileProblem::IsAFolder => {
            if let Some(file) = &clues.found_in {
                tries.push(format!("it is in another file: {}", option("--metric-file", &name(file))));
            } else if !clues.written.is_empty() {
                tries.push(wrote(&clues.written));
            }
            tries.push(
                "expected a file that the program writes in each run; its name is relative to the folder where you are, and {threads} and \
                 {task} in it stand for what they stand for in the command"
                    .to_owned(),
            );
        }
        MetricFileProblem::Longer => tries.push(WHICH_NUMBER.to_owned()),
        MetricFileProblem::NotAPlainFile => {
            tries.push("what the program prints, to /dev/stdout or /dev/stderr too, is searched by --metric alone".to_owned());
        }
        MetricFileProblem::NotWritten | MetricFileProblem::OnlyBefore => tries.push(
            "nothing of an earlier run counts: expected a file that the program writes in each run; a program that writes to another place \
             each time can be run with one of its own that is copied from there (-- sh -c 'PROGRAM && cp ... FILE')"
                .to_owned(),
        ),
        MetricFileProblem::Unreadable { .. } => tries.push("expected a file that you may read".to_owned()),
    }
    if clues.found_in_output {
        tries.push("leave --metric-file out: it matches in what the program printed".to_owned());
    }
}

fn not_a_number(metric: &Metric, text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let digits = text.contains(|c: char| c.is_ascii_digit());
    if digits && text.contains(',') {
        "numbers are read with a decimal point and without other separators: LC_ALL=C in front of numawise makes most programs print \
         them so"
    } else if lower.contains("nan") || lower.contains("inf") {
        "look at what the program computed there: effects are ratios, which such a result has not"
    } else if text.parse::<f64>().is_ok() {
        "expected a number from 1e-30 to 1e30: effects are ratios, so that 0 and what is below have none; take another figure of the program"
    } else if metric.regex().is_none() {
        WHICH_NUMBER
    } else if text.is_empty() {
        "the group matched nothing: expected at least one character in it, e.g. + instead of *"
    } else {
        THE_NUMBER_ALONE
    }
}

fn wrote(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| name(file)).collect();
    format!("the run wrote {}", names.join(", "))
}

fn name(file: &Path) -> String {
    file.display().to_string()
}

/// An option with a value as a shell needs it.
fn option(name: &str, value: &str) -> String {
    format!("{name} {}", Argument::from(value))
}

/// Name and expression of `NAME=REGEX`, where it can be nothing else: `x=([0-9]+)` alone is what the program prints.
pub fn named_alone(text: &str) -> Option<(&str, &str)> {
    let parts = text.split_once('=').filter(|(name, regex)| is_name(name) && has_text(regex));
    parts.filter(|(name, _)| !NamedMetric::OF_TRIALS.contains(name))
}

/// True for what can name a metric.
pub fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

/// True where an expression says what stands around its number: a letter or a digit outside of groups and classes, or a begin or an end.
pub fn has_text(regex: &str) -> bool {
    let mut depth = 0_u32;
    let mut is_escaped = false;
    for c in regex.chars() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match c {
            '\\' => is_escaped = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '^' | '$' if depth == 0 => return true,
            c if depth == 0 && (c.is_alphanumeric() || ":=%/_".contains(c)) => return true,
            _ => {}
        }
    }
    false
}
