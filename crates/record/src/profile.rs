//! Profiles of machines: JSON files (`docs/formats/profile-json.md`), and the folder in which every machine finds its own.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use numawise_facts::{Estimate, PROFILE_SCHEMA, Profile, Reading};
use serde::Serialize;
use serde_json::Value;

use crate::RecordError;
use crate::mlc::{self, Broken, MlcError};
use numawise_linux::replace;

mod folder;
#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;

pub use folder::{Found, PassedOver, PassedOverReason, Profiles};

/// No profile is so long: transfers between all of 256 cores take an eighth of it.
const LONGEST: u64 = 256 << 20;

/// The file as it is kept: the schema first, then the parts of the profile.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'a str,
    #[serde(flatten)]
    profile: &'a Profile,
}

/// Writes a profile. What was there before stays whole until the new one is on the disk; a device or a pipe is written to as it
/// is, and a link is followed.
///
/// # Errors
/// [`RecordError::NotToReplace`] when there is a file that is no profile; [`RecordError::Full`], [`RecordError::ReadOnly`], or
/// what else the file system says. Nothing is left behind.
pub fn save_profile(path: &Path, profile: &Profile) -> Result<(), RecordError> {
    profile_may_be_saved(path)?;
    replace::write(path, text(profile)?.as_bytes()).map_err(|error| RecordError::io(path, "write it", error))
}

fn text(profile: &Profile) -> Result<String, RecordError> {
    let text = serde_json::to_string_pretty(&Document { schema: PROFILE_SCHEMA, profile });
    text.map(|text| text + "\n").map_err(|error| RecordError::Unstorable(error.to_string()))
}

/// Whether a profile may be written there, as far as can be told before there is one: so that nobody measures for an hour for
/// nothing.
///
/// # Errors
/// As [`save_profile`]; also when there is no such folder.
pub fn profile_may_be_saved(path: &Path) -> Result<(), RecordError> {
    if path.is_dir() {
        return Err(RecordError::Directory(path.to_owned()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(RecordError::Missing(folder.to_owned()));
    }
    let file = path.metadata().ok();
    if file.as_ref().is_none_or(|file| file.is_file()) {
        replace::possible_in(folder).map_err(|error| RecordError::io(path, "write it", error))?;
    }
    if !file.is_some_and(|file| file.is_file() && file.len() > 0) {
        return Ok(());
    }
    match read_profile(path) {
        Err(RecordError::NotAProfile { path, found }) => Err(RecordError::NotToReplace { path, found }),
        Err(RecordError::SqliteNotAProfile(path)) => {
            Err(RecordError::NotToReplace { path, found: "it is an SQLite file".to_owned() })
        }
        _ => Ok(()), // a profile, be it damaged or of a newer numawise
    }
}

/// Reads a profile: our JSON, or the text of Intel's Memory Latency Checker. Which of them it is, its content tells.
///
/// # Errors
/// [`RecordError::Missing`], [`RecordError::NotAProfile`], [`RecordError::SqliteNotAProfile`],
/// [`RecordError::DamagedProfile`], [`RecordError::Newer`], [`RecordError::BrokenMlc`], [`RecordError::MlcWithoutTables`], or what else the file system says.
pub fn read_profile(path: &Path) -> Result<Profile, RecordError> {
    let not = |found: &str| RecordError::NotAProfile { path: path.to_owned(), found: found.to_owned() };
    let bytes = contents(path)?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Err(RecordError::SqliteNotAProfile(path.to_owned()));
    }
    if bytes.len() as u64 > LONGEST {
        return Err(not("it is longer than any profile"));
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(not("it is not text"));
    };
    match text.trim_start_matches('\u{feff}').trim_start() {
        "" => Err(not("the file is empty")),
        json if json.starts_with(['{', '[']) => from_json(path, json),
        _ if mlc::recognised(&text) => mlc::profile(&text).map_err(|error| match error {
            MlcError::NoTable { line } => RecordError::MlcWithoutTables { path: path.to_owned(), line },
            MlcError::Table(Broken { line, problem }) => {
                RecordError::BrokenMlc { path: path.to_owned(), line, problem }
            }
        }),
        _ => Err(not("it is some other text")),
    }
}

fn contents(path: &Path) -> Result<Vec<u8>, RecordError> {
    let failed = |error: io::Error| RecordError::io(path, "open it", error);
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn from_json(path: &Path, text: &str) -> Result<Profile, RecordError> {
    let damaged = |problem: String| RecordError::DamagedProfile { path: path.to_owned(), problem };
    let not = |found: String| RecordError::NotAProfile { path: path.to_owned(), found };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) if error.is_eof() && text.contains(stem()) => {
            return Err(damaged(format!("it is cut off in line {}", error.line())));
        }
        Err(error) if text.contains(stem()) => return Err(damaged(format!("its JSON is broken: {error}"))),
        Err(error) => return Err(not(format!("its JSON is broken: {error}"))),
    };
    let Some(schema) = value.get("schema").and_then(Value::as_str) else {
        return Err(not("it is JSON without a schema".to_owned()));
    };
    if schema != PROFILE_SCHEMA {
        let version = schema.strip_prefix(stem()).and_then(|version| version.parse::<i64>().ok());
        return Err(match version {
            Some(found) if found > 1 => RecordError::Newer { path: path.to_owned(), found, known: 1 },
            _ => not(format!("its schema is '{}'", schema.chars().take(60).collect::<String>())),
        });
    }
    let profile: Profile = serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
    match nonsense(&profile) {
        Some(problem) => Err(damaged(problem)),
        None => Ok(profile),
    }
}

/// The schema without its version.
fn stem() -> &'static str {
    PROFILE_SCHEMA.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// The first figure that nobody can have measured. Others divide by these.
fn nonsense(profile: &Profile) -> Option<String> {
    let mut figures: Vec<(&str, [f64; 3])> = Vec::new();
    let mut take = |what, figure: Option<[f64; 3]>| figures.extend(figure.map(|figure| (what, figure)));
    for cell in &profile.latency {
        take("latency", of(&cell.latency, |latency| latency.0));
        take("latency", of(&cell.with_tlb_misses, |latency| latency.0));
    }
    for point in profile.working_sets.iter().flat_map(|curve| &curve.points) {
        take("latency of a working set", of(&point.latency, |latency| latency.0));
    }
    for cell in &profile.bandwidth {
        take("bandwidth", of(&cell.rate, |rate| rate.0));
    }
    for point in profile.loaded.iter().filter_map(|curve| curve.points.measured()).flatten() {
        take("latency under load", Some(bounds(&point.latency, |latency| latency.0)));
        take("bandwidth under load", Some(bounds(&point.bandwidth, |rate| rate.0)));
    }
    for transfer in &profile.transfers {
        take("latency of a transfer", of(&transfer.latency, |latency| latency.0));
    }
    let sane =
        |[low, median, high]: &[f64; 3]| *low > 0.0 && low <= median && median <= high && high.is_finite();
    let (what, [low, median, high]) = figures.into_iter().find(|(_, figure)| !sane(figure))?;
    Some(format!("a {what} of {median} with an interval from {low} to {high} cannot be"))
}

fn of<T: Copy>(reading: &Reading<Estimate<T>>, number: impl Fn(T) -> f64) -> Option<[f64; 3]> {
    reading.measured().map(|estimate| bounds(estimate, number))
}

fn bounds<T: Copy>(estimate: &Estimate<T>, number: impl Fn(T) -> f64) -> [f64; 3] {
    [estimate.low, estimate.median, estimate.high].map(number)
}
