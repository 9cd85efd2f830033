//! Saved profiles of memory benchmarks: where they are kept, which of them is meant, and of which machine one is.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use numawise_facts::notice::{ChangedPart, SessionNotice};
use numawise_facts::{Fingerprint, Machine, Notice, Profile, Reading};
use numawise_machine::Roots;
use numawise_profiles::{PassedOver, PassedOverReason, Profiles, read_profile};

pub use numawise_profiles::{ProfileOwner, owner};

use crate::Error;

#[cfg(test)]
#[path = "profiles_tests.rs"]
mod tests;

/// A profile as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileChoice {
    /// This machine's newest complete one. A file of that name is `./latest`.
    Latest,
    File(PathBuf),
}

impl FromStr for ProfileChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "latest" => ProfileChoice::Latest,
            path => ProfileChoice::File(PathBuf::from(path)),
        })
    }
}

impl fmt::Display for ProfileChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProfileChoice::Latest => f.write_str("latest"),
            ProfileChoice::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A profile with its file, and what a person should know of how it was chosen.
#[derive(Debug)]
pub struct SavedProfile {
    pub profile: Profile,
    pub path: PathBuf,
    pub notices: Vec<Notice>,
}

impl ProfileChoice {
    /// Reads the profile that is meant on the machine with this fingerprint.
    ///
    /// # Errors
    /// [`Error::MachineWithoutFingerprint`] and [`Error::NoProfile`] when there is no latest one, [`Error::NoDataFolder`], or
    /// what is wrong with the file.
    pub fn load(&self, here: &Fingerprint) -> Result<SavedProfile, Error> {
        let path = match self {
            ProfileChoice::File(path) => path.clone(),
            ProfileChoice::Latest => return latest(here),
        };
        Ok(SavedProfile { profile: read_profile(&path)?, path, notices: Vec::new() })
    }
}

fn latest(here: &Fingerprint) -> Result<SavedProfile, Error> {
    let profiles = folder()?;
    match &here.topology {
        Reading::Unavailable { unavailable } => {
            Err(Error::MachineWithoutFingerprint { reason: unavailable.clone() })
        }
        Reading::Measured(topology) => latest_in(&profiles, here)?.ok_or_else(|| Error::NoProfile {
            topology: topology.clone(),
            folder: profiles.folder().to_owned(),
        }),
    }
}

fn latest_in(profiles: &Profiles, here: &Fingerprint) -> Result<Option<SavedProfile>, Error> {
    let Some(found) = profiles.latest(here)? else { return Ok(None) };
    Ok(Some(SavedProfile {
        profile: found.profile,
        path: found.path,
        notices: found.passed_over.into_iter().map(passed_over).collect(),
    }))
}

fn passed_over(PassedOver { path, reason }: PassedOver) -> Notice {
    let notice = match reason {
        PassedOverReason::OtherMachine => SessionNotice::ProfileUnderWrongName { path },
        PassedOverReason::Incomplete => SessionNotice::IncompleteProfileNotUsed { path },
        PassedOverReason::Unreadable(error) => {
            SessionNotice::UnreadableProfile { problem: error.to_string() }
        }
    };
    notice.into()
}

/// The newest profile of a machine; none where nothing was saved, or where the folder cannot be read: no use case fails because
/// of what it can do without.
pub fn newest_of(machine: &Machine) -> Option<SavedProfile> {
    let profiles = folder().ok()?;
    // Most machines were never measured, and a fingerprint means reading more files.
    if !profiles.folder().is_dir() {
        return None;
    }
    latest_in(&profiles, &numawise_machine::fingerprint(&Roots::live(), machine)).ok().flatten()
}

/// The folder of profiles: `$XDG_DATA_HOME/numawise/profiles`, which is below `~/.local/share` where that is not set.
///
/// # Errors
/// [`Error::NoDataFolder`] when neither variable holds an absolute path.
pub fn folder() -> Result<Profiles, Error> {
    Profiles::of_this_user().ok_or(Error::NoDataFolder)
}

/// What tells this machine from others, read at once.
///
/// # Errors
/// When the kernel's files cannot be read.
pub fn fingerprint() -> Result<Fingerprint, Error> {
    let roots = Roots::live();
    Ok(numawise_machine::fingerprint(&roots, &numawise_machine::quick(&roots)?))
}

/// What a person should know before a profile is shown: that it is of another machine, or of another state of this one.
pub fn origin_notice(profile: &Profile, path: &Path, here: &Fingerprint) -> Option<Notice> {
    let there = &profile.header.fingerprint;
    let path = path.to_owned();
    let notice = match owner(profile, here) {
        ProfileOwner::AnotherMachine => SessionNotice::ProfileOfAnotherMachine {
            path,
            there: Box::new(there.clone()),
            here: Box::new(here.clone()),
        },
        ProfileOwner::Unknown => {
            let reason = there.topology.reason().or(here.topology.reason()).cloned();
            SessionNotice::ProfileOfUnknownMachine { path, reason }
        }
        ProfileOwner::ThisMachine => {
            let states = [
                (ChangedPart::Kernel, &there.kernel, &here.kernel),
                (ChangedPart::Firmware, &there.firmware, &here.firmware),
            ];
            let changed = states.into_iter().find_map(|(part, then, now)| {
                let (then, now) = (then.measured()?, now.measured()?);
                (then != now).then(|| (part, then.clone(), now.clone()))
            });
            let (part, then, now) = changed?;
            SessionNotice::MachineChangedSinceProfile { path, part, then, now }
        }
    };
    Some(notice.into())
}
