//! Profiles of machines: JSON files (`docs/formats/profile-json.md`), and the folder in which every machine finds its own.

use std::io::{self, Read};
use std::path::Path;

use numawise_facts::{PROFILE_SCHEMA, Profile};
use numawise_units::harmless::quoted;
use serde::{Deserialize, Serialize};

use numawise_linux::{replace, source};

use mlc::{Broken, MlcError};

mod error;
mod folder;
mod mlc;
mod owner;
mod sense;
#[cfg(test)]
#[path = "lib_tests.rs"]
mod tests;

pub use error::ProfileError;
pub use folder::{Found, PassedOver, PassedOverReason, Profiles};
pub use owner::{ProfileOwner, owner};

/// No profile is so long: transfers between all of 256 cores take a quarter of it.
const LONGEST: u64 = 128 << 20;

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
/// [`ProfileError::NotToReplace`] when there is a file that is no profile; [`ProfileError::Full`], [`ProfileError::ReadOnly`], or
/// what else the file system says. Nothing is left behind.
pub fn save_profile(path: &Path, profile: &Profile) -> Result<(), ProfileError> {
    profile_may_be_saved(path)?;
    replace::write(path, text(profile)?.as_bytes()).map_err(|error| ProfileError::io(path, "write it", error))
}

fn text(profile: &Profile) -> Result<String, ProfileError> {
    let pretty = || {
        // By way of the plain text, for which the code is there anyway.
        let plain = serde_json::to_string(&Document { schema: PROFILE_SCHEMA, profile })?;
        let mut written = Vec::new();
        let mut serializer = serde_json::Serializer::pretty(&mut written);
        serde_transcode::transcode(&mut serde_json::Deserializer::from_str(&plain), &mut serializer)?;
        written.push(b'\n');
        String::from_utf8(written).map_err(serde::ser::Error::custom)
    };
    pretty().map_err(|error: serde_json::Error| ProfileError::Unstorable(error.to_string()))
}

/// Whether a profile may be written there, as far as can be told before there is one: so that nobody measures for an hour for
/// nothing.
///
/// # Errors
/// As [`save_profile`]; also when there is no such folder.
pub fn profile_may_be_saved(path: &Path) -> Result<(), ProfileError> {
    if path.is_dir() {
        return Err(ProfileError::Directory(path.to_owned()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(ProfileError::Missing(folder.to_owned()));
    }
    let file = path.metadata().ok();
    if file.as_ref().is_none_or(|file| file.is_file()) {
        replace::possible_in(folder).map_err(|error| ProfileError::io(path, "write it", error))?;
    }
    if !file.is_some_and(|file| file.is_file() && file.len() > 0) {
        return Ok(());
    }
    match read_profile(path) {
        Err(ProfileError::NotAProfile { path, found }) => Err(ProfileError::NotToReplace { path, found }),
        Err(ProfileError::SqliteNotAProfile(path)) => {
            Err(ProfileError::NotToReplace { path, found: "it is an SQLite file".to_owned() })
        }
        _ => Ok(()), // a profile, be it damaged or of a newer numawise
    }
}

/// Reads a profile: our JSON, or the text of Intel's Memory Latency Checker. Which of them it is, its content tells.
///
/// # Errors
/// [`ProfileError::Missing`], [`ProfileError::NotAProfile`], [`ProfileError::SqliteNotAProfile`],
/// [`ProfileError::DamagedProfile`], [`ProfileError::Newer`], [`ProfileError::BrokenMlc`], [`ProfileError::MlcWithoutTables`], or what else the file system says.
pub fn read_profile(path: &Path) -> Result<Profile, ProfileError> {
    let not = |found: &str| ProfileError::NotAProfile { path: path.to_owned(), found: found.to_owned() };
    let bytes = contents(path)?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Err(ProfileError::SqliteNotAProfile(path.to_owned()));
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
            MlcError::NoTable { line } => ProfileError::MlcWithoutTables { path: path.to_owned(), line },
            MlcError::Table(Broken { line, problem }) => {
                ProfileError::BrokenMlc { path: path.to_owned(), line, problem }
            }
        }),
        _ => Err(not("it is some other text")),
    }
}

fn contents(path: &Path) -> Result<Vec<u8>, ProfileError> {
    let failed = |error: io::Error| ProfileError::io(path, "open it", error);
    let mut bytes = Vec::new();
    source::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn from_json(path: &Path, text: &str) -> Result<Profile, ProfileError> {
    let damaged = |problem: String| ProfileError::DamagedProfile { path: path.to_owned(), problem };
    let not = |found: String| ProfileError::NotAProfile { path: path.to_owned(), found };
    // Without the rest, which may be anything: a tree of all values takes ten times the memory of the text.
    let schema = match serde_json::from_str::<SchemaOnly>(text) {
        Ok(only) => only.schema,
        Err(error) if error.is_data() => None,
        Err(error) if is_cut_off(&error, text) && text.contains(stem()) => {
            return Err(damaged(format!("it is cut off in line {}", error.line())));
        }
        Err(error) if text.contains(stem()) => return Err(damaged(format!("its JSON is broken: {error}"))),
        Err(error) => return Err(not(format!("its JSON is broken: {error}"))),
    };
    let Some(schema) = schema else {
        return Err(not("it is JSON without a schema".to_owned()));
    };
    if schema != PROFILE_SCHEMA {
        let version = schema.strip_prefix(stem()).and_then(|version| version.parse::<i64>().ok());
        return Err(match version {
            Some(found) if found > 1 => ProfileError::Newer { path: path.to_owned(), found, known: 1 },
            _ => not(format!("its schema is '{}'", quoted(&schema))),
        });
    }
    let profile = Profile::of_json(text).map_err(|error| damaged(quoted(&error.to_string())))?;
    match sense::nonsense(&profile) {
        Some(problem) => Err(damaged(problem)),
        None => Ok(profile),
    }
}

/// Whether the error is at the end of the text: a number that ends there is broken rather than missing.
fn is_cut_off(error: &serde_json::Error, text: &str) -> bool {
    let (lines, last) = (text.lines().count(), text.lines().next_back().unwrap_or_default());
    let at_end = error.line() >= lines && error.column() >= last.len() && !text.trim_end().ends_with('}');
    error.is_eof() || at_end
}

/// What tells the kind of a document and its version.
#[derive(Deserialize)]
struct SchemaOnly {
    schema: Option<String>,
}

/// The schema without its version.
fn stem() -> &'static str {
    PROFILE_SCHEMA.trim_end_matches(|c: char| c.is_ascii_digit())
}
