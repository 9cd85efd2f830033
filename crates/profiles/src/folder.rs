//! The folder of profiles: `TOPOLOGY-YYYYMMDD-HHMMSS.json`, so that a machine finds its own by their names alone.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use numawise_facts::{Fingerprint, Profile};

use numawise_linux::replace;
use numawise_units::Arrange;

use crate::{ProfileError, read_profile};

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;

/// A folder of profiles. It need not be there before the first one is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiles {
    folder: PathBuf,
}

/// A profile from the folder.
#[derive(Debug)]
pub struct Found {
    pub path: PathBuf,
    pub profile: Profile,
    /// Newer files of the same machine that were passed over.
    pub passed_over: Vec<PassedOver>,
}

/// A file that might have been the newest profile.
#[derive(Debug)]
pub struct PassedOver {
    pub path: PathBuf,
    pub reason: PassedOverReason,
}

#[derive(Debug)]
pub enum PassedOverReason {
    /// Its content names another machine than its name.
    OtherMachine,
    /// It was stopped before its end, and an older one was not.
    Incomplete,
    Unreadable(ProfileError),
}

impl Profiles {
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Profiles { folder: folder.into() }
    }

    /// `$XDG_DATA_HOME/numawise/profiles`, which is below `~/.local/share` where that is not set; none when neither variable holds an
    /// absolute path.
    pub fn of_this_user() -> Option<Self> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let data = data_folder(variable("XDG_DATA_HOME"), variable("HOME"))?;
        Some(Profiles::of(data.join("numawise/profiles")))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a profile under the machine and the time that its header names.
    ///
    /// # Errors
    /// [`ProfileError::Unstorable`] when the header names no machine; else as [`save_profile`](super::save_profile).
    pub fn save(&self, profile: &Profile) -> Result<PathBuf, ProfileError> {
        let header = &profile.header;
        let Some(topology) = header.fingerprint.topology.measured() else {
            return Err(ProfileError::Unstorable(
                "the profile does not tell of which machine it is".to_owned(),
            ));
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700) // as the XDG base directory specification asks
            .create(&self.folder)
            .map_err(|error| ProfileError::io(&self.folder, "make this folder", error))?;
        let taken = header.taken.measured().map_or("unknown-time".to_owned(), |taken| stamp(*taken));
        let name = |n: u32| match n {
            1 => format!("{topology}-{taken}.json"),
            n => format!("{topology}-{taken}-{n}.json"),
        };
        let text = crate::text(profile)?;
        let mut number = 1;
        // Two that are saved in one second both stay.
        loop {
            let path = self.folder.join(name(number));
            match replace::create(&path, text.as_bytes()) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(ProfileError::io(&path, "write it", error)),
            }
        }
    }

    /// The newest complete profile of the machine; where there is none, the newest one that was stopped before its end. What
    /// cannot be read is passed over.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn latest(&self, machine: &Fingerprint) -> Result<Option<Found>, ProfileError> {
        let Some(topology) = machine.topology.measured() else {
            return Ok(None);
        };
        let mut passed_over = Vec::new();
        let mut incomplete: Option<(PathBuf, Profile)> = None;
        for path in self.newest_first(topology)? {
            let reason = match read_profile(&path) {
                Ok(profile) if profile.header.fingerprint.topology.measured() != Some(topology) => {
                    PassedOverReason::OtherMachine
                }
                Ok(profile) if profile.header.complete => {
                    return Ok(Some(Found { path, profile, passed_over }));
                }
                Ok(profile) if incomplete.is_none() => {
                    incomplete = Some((path.clone(), profile));
                    PassedOverReason::Incomplete
                }
                Ok(_) => continue,
                Err(error) => PassedOverReason::Unreadable(error),
            };
            passed_over.push(PassedOver { path, reason });
        }
        Ok(incomplete.map(|(path, profile)| {
            passed_over.retain(|passed| passed.path != path);
            Found { path, profile, passed_over }
        }))
    }

    fn newest_first(&self, topology: &str) -> Result<Vec<PathBuf>, ProfileError> {
        let failed = |error| ProfileError::io(&self.folder, "read this folder", error);
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let rest =
                name.strip_prefix(topology).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".json"));
            if let Some(rest) = rest {
                found.push((order(rest), path));
            }
        }
        found.arrange();
        Ok(found.into_iter().rev().map(|(_, path)| path).collect())
    }
}

/// The rule of the XDG base directory specification: paths that are not absolute do not count.
fn data_folder(data: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    data.filter(absolute).or_else(|| Some(home.filter(absolute)?.join(".local/share")))
}

/// What sorts by time: the date and time, then the number that tells files of one second apart.
fn order(rest: &str) -> (String, u32) {
    let mut parts = rest.splitn(3, '-');
    let (day, time) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let number = parts.next().and_then(|number| number.parse().ok()).unwrap_or(1);
    // A name without a time is older than any with one.
    let time =
        if day.starts_with(|c: char| c.is_ascii_digit()) { format!("{day}-{time}") } else { String::new() };
    (time, number)
}

/// Seconds since 1970 as a date and a time of day in UTC: `20250304-050607`.
fn stamp(seconds: u64) -> String {
    // Days to a date, as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the
    // day that may be missing is the last one.
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + next;
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}
