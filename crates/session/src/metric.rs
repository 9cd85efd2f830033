//! What to try where the first run gave no metric, from what that run shows.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use numawise_facts::{Argument, Metric, MetricProblem, Outcome, RunSpec, Trial};
use numawise_launch::FileBefore;
use numawise_study::{metric_suggestion, number_is_found};
use numawise_units::{Arrange, Nanoseconds, TaskId};

#[cfg(test)]
#[path = "metric_tests.rs"]
mod tests;

/// What the first run shows of where its metric is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricClues {
    /// Files that were written meanwhile, by their names in the folder where the program ran.
    pub written: Vec<PathBuf>,
    /// One of them in which the metric is found.
    pub found_in: Option<PathBuf>,
    /// The metric is found in the output, though a file was to hold it.
    pub found_in_output: bool,
    /// A regular expression that finds a number in the end of the output.
    pub suggested: Option<String>,
    /// A word of the command that a shell would act on, and that the program got as an argument.
    pub shell_word: Option<String>,
}

/// So many entries of a folder are looked at, and so many files are shown and searched.
const ENTRIES: usize = 2000;
const SHOWN: usize = 4;

/// The kernel stamps files with a clock that ticks every 10 ms at the slowest.
const TICK: Nanoseconds = Nanoseconds(20_000_000);

impl MetricClues {
    /// What `trial` shows, a run of `command` that gave no `metric`; `record` is our own file.
    pub(crate) fn of(command: &RunSpec, record: &Path, metric: &Metric, trial: &Trial) -> Self {
        let Outcome::NoMetric { problem, output_tail } = &trial.outcome else {
            return MetricClues::default();
        };
        let (regex, output) = (metric.regex(), output_tail.as_str());
        let written = written_since(command, record, trial.started.saturating_sub(TICK));
        let holds = |name: &&PathBuf| {
            let text = FileBefore::unknown(command.directory.join(name)).written().unwrap_or_default().added;
            number_is_found(regex, &text)
        };
        let own = |name: &&PathBuf| metric.file().is_none_or(|file| file.0 != name.as_os_str());
        let of_file = matches!(problem, MetricProblem::File(_));
        MetricClues {
            found_in: written.iter().filter(own).find(holds).cloned(),
            found_in_output: of_file && regex.is_some() && number_is_found(regex, output),
            suggested: regex.filter(|_| !of_file).and_then(|regex| metric_suggestion(regex, output)),
            shell_word: command.command.iter().find(|word| is_of_a_shell(&word.0)).map(Argument::to_string),
            written,
        }
    }
}

/// Plain files in the folder of the program, and those that its arguments name, that were written since; the record is none.
fn written_since(command: &RunSpec, record: &Path, since: Nanoseconds) -> Vec<PathBuf> {
    let folder = &command.directory;
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(ENTRIES).flatten();
    let inside = entries.map(|entry| PathBuf::from(entry.file_name()));
    let named = command.command.iter().map(|word| PathBuf::from(word.for_task(1, TaskId(0))));
    let ours = record.file_name().unwrap_or_default().as_encoded_bytes();
    let is_ours = |name: &Path| name.as_os_str().as_encoded_bytes().starts_with(ours);
    let is_new = |name: &PathBuf| {
        let meta = std::fs::metadata(folder.join(name));
        meta.is_ok_and(|meta| meta.is_file() && !is_ours(name) && modified(&meta) >= since)
    };
    let mut written: Vec<PathBuf> = inside.chain(named).filter(is_new).collect();
    written.arrange();
    written.dedup();
    written.truncate(SHOWN);
    written
}

fn modified(meta: &Metadata) -> Nanoseconds {
    Nanoseconds((meta.mtime().max(0) as u64).saturating_mul(1_000_000_000) + meta.mtime_nsec().max(0) as u64)
}

/// A word by itself that a shell takes for its own.
fn is_of_a_shell(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    let redirects = |text: &str| text.starts_with(['>', '<']) && text.len() > 1;
    matches!(&*text, "|" | "||" | "&&" | "&" | ";" | ">" | ">>" | "<" | "|&")
        || redirects(&text)
        || redirects(text.trim_start_matches(['1', '2', '&']))
        || text.starts_with("$(")
}

/// True when the metric is looked for in a text that the program wrote itself.
pub(crate) fn is_of_a_file(metric: &Metric, problem: &MetricProblem) -> bool {
    metric.file().is_some() && !matches!(problem, MetricProblem::File(_))
}
