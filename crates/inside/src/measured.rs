//! What a memory benchmark has measured of the machine, and a profile keeps.

use std::path::Path;

use numawise_facts::{AttributeKind, Fingerprint, Machine, Profile};
use numawise_linux::Roots;
use numawise_profiles::{ProfileOwner, Profiles, owner, read_profile};
use numawise_units::{BytesPerSecond, Latency};

use crate::Error;
use crate::machine::{known, node, open};

#[cfg(test)]
#[path = "measured_tests.rs"]
mod tests;

/// The machine with the figures of a profile: of a file, or of this machine's newest one.
///
/// # Errors
/// As of [`open`]; where there is no profile, or it is of another machine, or cannot be read.
pub fn open_measured(file: Option<&Path>) -> Result<Machine, Error> {
    let machine = open()?;
    let here = numawise_machine::fingerprint(&Roots::live(), &machine);
    let profile = match file {
        Some(file) => of_here(read_profile(file)?, file, &here)?,
        None => newest(&here)?,
    };
    Ok(numawise_machine::with_measured(machine, &profile))
}

fn newest(here: &Fingerprint) -> Result<Profile, Error> {
    let folder = Profiles::of_this_user().ok_or_else(|| {
        let text = "where profiles are kept is not known: neither XDG_DATA_HOME nor HOME is an absolute path";
        Error::Unavailable(text.to_owned())
    })?;
    let topology = known(&here.topology)?;
    let found = folder.latest(here)?.ok_or_else(|| {
        let folder = folder.folder().display();
        Error::Unavailable(format!(
            "there is no profile of this machine (topology {topology}) in {folder}; measure the machine and save its profile first"
        ))
    })?;
    Ok(found.profile)
}

/// Refuses the profile of another machine. The text of Intel's Memory Latency Checker does not say of which one it is.
fn of_here(profile: Profile, file: &Path, here: &Fingerprint) -> Result<Profile, Error> {
    if owner(&profile, here) != ProfileOwner::AnotherMachine {
        return Ok(profile);
    }
    let (there, here) = (known(&profile.header.fingerprint.topology)?, known(&here.topology)?);
    Err(Error::Text {
        argument: "profile",
        problem: format!(
            "{} is of another machine (topology {there}; this one has {here}); expected one that was measured on this machine",
            file.display()
        ),
    })
}

/// The measured latency of loads by the CPUs of one node from the memory of another.
///
/// # Errors
/// Where there is no such node, or it was not measured.
pub fn latency(machine: &Machine, from: u32, to: u32) -> Result<Latency, Error> {
    let figure = machine.measured(AttributeKind::ReadLatency, node(machine, from)?.id, node(machine, to)?.id);
    let found = figure.and_then(|figure| figure.latency());
    found.map(|estimate| estimate.median).ok_or_else(|| not_measured(machine, "latency", from, to))
}

/// The measured bandwidth of reads by all CPUs of one node from the memory of another.
///
/// # Errors
/// As of [`latency`].
pub fn bandwidth(machine: &Machine, from: u32, to: u32) -> Result<BytesPerSecond, Error> {
    let (of, at) = (node(machine, from)?.id, node(machine, to)?.id);
    let figure = machine.measured(AttributeKind::ReadBandwidth, of, at);
    let found = figure.and_then(|figure| figure.bandwidth());
    found.map(|estimate| estimate.median).ok_or_else(|| not_measured(machine, "bandwidth", from, to))
}

fn not_measured(machine: &Machine, what: &str, from: u32, to: u32) -> Error {
    let why = if machine.is_measured() { "its profile has none" } else { "it was opened without a profile" };
    Error::Unavailable(format!("the {what} from node {from} to the memory of node {to} is not known: {why}"))
}
