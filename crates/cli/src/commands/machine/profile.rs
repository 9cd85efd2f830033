//! Saved profiles: where they are, and which of them is meant.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use numawise_facts::{Fingerprint, Machine, Profile, Reading};
use numawise_machine::Roots;
use numawise_record::{Found, Profiles, read_profile};

use crate::commands::Failure;

/// A profile as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// This machine's newest complete one; a file of that name is `./latest`.
    Latest,
    File(PathBuf),
}

impl FromStr for Which {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "latest" => Which::Latest,
            path => Which::File(PathBuf::from(path)),
        })
    }
}

/// A profile that was read.
pub struct Loaded {
    pub profile: Profile,
    pub path: PathBuf,
}

impl Which {
    /// What the user typed.
    pub fn name(&self) -> String {
        match self {
            Which::Latest => "latest".to_owned(),
            Which::File(path) => path.display().to_string(),
        }
    }

    /// Reads it. `machine` is this machine's.
    pub fn load(&self, machine: &Fingerprint) -> Result<Loaded, Failure> {
        let path = match self {
            Which::File(path) => path.clone(),
            Which::Latest => {
                let Found { path, profile, passed_over } = newest(machine)?;
                for problem in passed_over {
                    eprintln!("numawise: passed over {problem}");
                }
                eprintln!("numawise: latest is {}", path.display());
                return Ok(Loaded { profile, path });
            }
        };
        Ok(Loaded { profile: read_profile(&path)?, path })
    }
}

fn newest(machine: &Fingerprint) -> Result<Found, Failure> {
    let profiles = folder()?;
    let none = |why: &str| {
        Failure::new(format!(
            "there is no saved profile of this machine{why}; numawise machine measure makes one, --load FILE shows another"
        ))
    };
    if let Some(reason) = machine.topology.reason() {
        return Err(none(&format!(", for it cannot be told from others ({reason})")));
    }
    let found = profiles.latest(machine)?;
    found.ok_or_else(|| none(&format!(" (topology {}) in {}", machine.topology, profiles.folder().display())))
}

/// Where profiles are kept: `$XDG_DATA_HOME/numawise/profiles`, which is below `~/.local/share` where that is not set.
pub fn folder() -> Result<Profiles, Failure> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    match data_folder(variable("XDG_DATA_HOME"), variable("HOME")) {
        Some(data) => Ok(Profiles::of(data.join("numawise/profiles"))),
        None => Err(Failure::new(
            "where profiles are kept cannot be told: neither XDG_DATA_HOME nor HOME is an absolute path; set one of them, or \
             name the file (--save FILE, --load FILE)",
        )),
    }
}

/// As the XDG base directory specification has it: paths that are not absolute do not count.
fn data_folder(data: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    data.filter(absolute).or_else(|| Some(home.filter(absolute)?.join(".local/share")))
}

/// What tells this machine from others, read at once.
pub fn fingerprint() -> Result<Fingerprint, Failure> {
    let roots = Roots::live();
    Ok(numawise_machine::fingerprint(&roots, &numawise_machine::quick(&roots)?))
}

/// Whose a profile is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    ThisMachine,
    Another,
    /// The source does not tell, as MLC's text.
    Unknown,
}

pub fn of(profile: &Profile, here: &Fingerprint) -> Of {
    match (&profile.header.fingerprint.topology, &here.topology) {
        (Reading::Measured(there), Reading::Measured(here)) if there == here => Of::ThisMachine,
        (Reading::Measured(_), Reading::Measured(_)) => Of::Another,
        _ => Of::Unknown,
    }
}

/// What should be said on stderr before a profile is shown: that it is of another machine, or of another state of this one.
pub fn warning(profile: &Profile, path: &Path, here: &Fingerprint) -> Option<String> {
    let there = &profile.header.fingerprint;
    let path = path.display();
    match of(profile, here) {
        Of::Another => Some(format!(
            "{path} is of another machine: {} (topology {}); this one is {} (topology {})",
            there.processor, there.topology, here.processor, here.topology
        )),
        Of::Unknown => {
            let reason = there.topology.reason().or(here.topology.reason());
            let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
            Some(format!("{path}: of which machine it is cannot be told{reason}"))
        }
        Of::ThisMachine => {
            let states =
                [("kernel", &there.kernel, &here.kernel), ("firmware", &there.firmware, &here.firmware)];
            let changed = states.iter().find_map(|(what, then, now)| {
                let (then, now) = (then.measured()?, now.measured()?);
                (then != now).then(|| format!("{path} was measured with {what} {then}; now it is {now}"))
            });
            changed.map(|changed| changed + "; measure again where that matters")
        }
    }
}

/// What `numawise machine` says of a profile of this machine.
pub fn paragraph(profile: &Profile, machine: &Machine) -> String {
    numawise_report::profile::brief(profile, &numawise_analyse::profile(profile, Some(machine)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Option<PathBuf> {
        Some(PathBuf::from(text))
    }

    #[test]
    fn profiles_are_kept_where_the_specification_says() {
        assert_eq!(data_folder(path("/data"), path("/home/me")), path("/data"));
        assert_eq!(data_folder(None, path("/home/me")), path("/home/me/.local/share"));
        for relative in ["", "data", "./data"] {
            assert_eq!(data_folder(path(relative), path("/home/me")), path("/home/me/.local/share"));
            assert_eq!(data_folder(path(relative), path(relative)), None);
        }
        assert_eq!(data_folder(None, None), None);
    }

    #[test]
    fn a_word_or_a_file() {
        assert_eq!("latest".parse(), Ok(Which::Latest));
        assert_eq!("./latest".parse(), Ok(Which::File(PathBuf::from("./latest"))));
        assert_eq!(Which::File(PathBuf::from("a.json")).name(), "a.json");
    }
}
