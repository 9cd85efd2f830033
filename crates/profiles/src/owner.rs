//! Of which machine a profile is.

use numawise_facts::{Fingerprint, Profile, Reading};

/// The machine that a profile was measured on, seen from the one that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileOwner {
    ThisMachine,
    AnotherMachine,
    /// The source does not say, as the text of Intel's Memory Latency Checker.
    Unknown,
}

/// Compares the topology of a profile's machine with that of this one.
pub fn owner(profile: &Profile, here: &Fingerprint) -> ProfileOwner {
    match (&profile.header.fingerprint.topology, &here.topology) {
        (Reading::Measured(there), Reading::Measured(here)) if there == here => ProfileOwner::ThisMachine,
        (Reading::Measured(_), Reading::Measured(_)) => ProfileOwner::AnotherMachine,
        _ => ProfileOwner::Unknown,
    }
}
