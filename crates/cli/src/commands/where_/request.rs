//! From what was typed to what is to be done.

use std::path::{Path, PathBuf};

use numawise_session::watch::{SHORTEST_INTERVAL, TargetRequest, WatchRequest};
use numawise_units::Nanoseconds;

use super::Arguments;
use crate::commands::Failure;

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

/// The sampling interval when none was typed.
const USUAL: Nanoseconds = Nanoseconds(1_000_000_000);
/// As many mappings as a person looks through.
const LISTED: usize = 200;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub watch: WatchRequest,
    pub mode: Mode,
    pub format: Format,
    /// Each sample is written there too, as JSON.
    pub json: Option<PathBuf>,
    pub threads: bool,
    /// What was asked for, in one line.
    pub title: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One sample.
    Once,
    /// So many samples, each of what happened since the one before.
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
    pub fn new(typed: Arguments) -> Result<Request, Failure> {
        typed.interval.map(interval).transpose()?;
        if typed.count == Some(0) {
            return Err(Failure::new("--count 0 would show nothing; expected at least 1"));
        }
        let interval = typed.interval.unwrap_or(USUAL);
        let mode = match (typed.watch, typed.interval, typed.count) {
            (true, fixed, _) => Mode::Watch { interval, fixed: fixed.is_some() },
            (false, None, None) => Mode::Once,
            (false, _, count) => Mode::Repeat { interval, count: count.unwrap_or(1) },
        };
        let usual_mappings = if let Mode::Watch { .. } = mode { LISTED } else { 0 };
        Ok(Request {
            title: title(&typed),
            watch: WatchRequest {
                targets: TargetRequest { processes: typed.targets, user: typed.user, job: typed.job },
                mappings: typed.mappings.unwrap_or(usual_mappings),
                record: typed.record,
            },
            mode,
            format: match (typed.json.is_printed(), typed.csv) {
                (true, _) => Format::Json,
                (_, true) => Format::Csv,
                _ => Format::Text,
            },
            json: typed.json.file().map(Path::to_owned),
            threads: typed.threads,
        })
    }
}

/// An interval that is not too short.
pub fn interval(typed: Nanoseconds) -> Result<Nanoseconds, Failure> {
    if typed < SHORTEST_INTERVAL {
        return Err(Failure::new(format!(
            "--interval {typed} is too short; expected at least {SHORTEST_INTERVAL}, for example 0.5 or 2s"
        )));
    }
    Ok(typed)
}

fn title(typed: &Arguments) -> String {
    let mut words = typed.targets.clone();
    words.extend(typed.user.iter().map(|user| format!("user {user}")));
    words.extend(typed.job.iter().map(|job| format!("job {job}")));
    words.join(" ")
}
