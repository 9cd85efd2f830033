//! Notices of use cases: how the machine was read, which saved profile was chosen, what was given up on the way.

use std::path::PathBuf;

use numawise_units::NodeSet;
use serde::{Deserialize, Serialize};

use crate::{DeviceName, Fingerprint, Reason};

super::notices! {
    /// NW7xx: of a use case.
    Session: SessionNotice {
        /// The machine was read from the kernel's files alone; `problem` is what hwloc or its loader said.
        "NW701" HwlocNotUsed { problem: String },
        /// A newer file in the folder of profiles holds a profile of another machine than its name says.
        "NW702" ProfileUnderWrongName { path: PathBuf },
        /// A newer profile was stopped before its end, and an older complete one is used.
        "NW703" IncompleteProfileNotUsed { path: PathBuf },
        /// A newer file in the folder of profiles cannot be read; `problem` names it.
        "NW704" UnreadableProfile { problem: String },
        /// A profile is of another machine than this one.
        "NW705" ProfileOfAnotherMachine { path: PathBuf, there: Box<Fingerprint>, here: Box<Fingerprint> },
        /// Of which machine a profile is cannot be determined.
        "NW706" ProfileOfUnknownMachine { path: PathBuf, reason: Option<Reason> },
        /// The kernel or the firmware was changed since a profile of this machine was measured.
        "NW707" MachineChangedSinceProfile { path: PathBuf, part: ChangedPart, then: String, now: String },
        /// No node with CPUs that may be used is far from a device: to be near to it makes no difference.
        "NW708" NearEverywhere { device: DeviceName, nodes: NodeSet },
    }
}

/// Part of a machine that may change while its topology stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedPart {
    Kernel,
    Firmware,
}
