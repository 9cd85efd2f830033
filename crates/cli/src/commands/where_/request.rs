//! From what was typed to what is to be done.

use std::path::PathBuf;

use numawise_units::Nanoseconds;

use super::Arguments;
use crate::commands::Failure;

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

/// Looking more often than this is all that a CPU would do.
const SHORTEST: Nanoseconds = Nanoseconds(50_000_000);
/// The interval when none was typed.
const USUAL: Nanoseconds = Nanoseconds(1_000_000_000);
/// As many mappings as a person looks through.
const LISTED: usize = 200;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub mode: Mode,
    pub format: Format,
    pub record: Option<PathBuf>,
    pub threads: bool,
    /// As many of the largest mappings of each task.
    pub mappings: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One look.
    Once,
    /// So many looks, each told as what happened since the one before.
    Repeat { interval: Nanoseconds, count: u64 },
    /// The full-screen view; `fixed` when the interval was typed.
    Watch { interval: Nanoseconds, fixed: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Csv,
}

impl Request {
    pub fn new(arguments: &Arguments) -> Result<Request, Failure> {
        if arguments.targets.is_empty() && arguments.user.is_none() && arguments.job.is_none() {
            return Err(Failure::new(
                "nothing to look for; expected a process number, a program's name, --user NAME or --job ID, for \
                 example: numawise where $(pidof app)",
            ));
        }
        if let Some(interval) = arguments.interval.filter(|interval| *interval < SHORTEST) {
            return Err(Failure::new(format!(
                "--interval {interval} is too short; expected at least {SHORTEST}, for example 0.5 or 2s"
            )));
        }
        if arguments.count == Some(0) {
            return Err(Failure::new("--count 0 would show nothing; expected at least 1"));
        }
        let interval = arguments.interval.unwrap_or(USUAL);
        let mode = match (arguments.watch, arguments.interval, arguments.count) {
            (true, fixed, _) => Mode::Watch { interval, fixed: fixed.is_some() },
            (false, None, None) => Mode::Once,
            (false, _, count) => Mode::Repeat { interval, count: count.unwrap_or(1) },
        };
        Ok(Request {
            mode,
            format: match (arguments.json, arguments.csv) {
                (true, _) => Format::Json,
                (_, true) => Format::Csv,
                _ => Format::Text,
            },
            record: arguments.record.clone(),
            threads: arguments.threads,
            mappings: match mode {
                Mode::Watch { .. } => arguments.mappings.unwrap_or(LISTED),
                _ => arguments.mappings.unwrap_or(0),
            },
        })
    }
}
