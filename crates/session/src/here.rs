//! The machine we may use: as the kernel and hwloc describe it, with what limits us on it, and with what was measured of it.
//!
//! Every use case takes its machine from here, so that none plans with a machine that lacks its limits.

use numawise_facts::notice::SessionNotice;
use numawise_facts::{Machine, Notice};
use numawise_machine::Roots;

use crate::Error;
use crate::profiles::{self, SavedProfile};

#[cfg(test)]
#[path = "here_tests.rs"]
mod tests;

/// This machine, and what a person should know of how it was read.
#[derive(Debug, Clone)]
pub struct Here {
    pub machine: Machine,
    pub notices: Vec<Notice>,
}

/// Reads the machine in full, with its limits. Without hwloc the kernel's files must do: they give all that placing and measuring
/// need, and the same limits; a notice says why hwloc was not used.
///
/// # Errors
/// When the kernel's files cannot be read.
pub fn full() -> Result<Here, Error> {
    full_by(numawise_machine::live, numawise_machine::live_without_hwloc)
}

type Read = Result<Machine, numawise_machine::Error>;

fn full_by(with_hwloc: impl FnOnce() -> Read, without_hwloc: impl FnOnce() -> Read) -> Result<Here, Error> {
    match with_hwloc() {
        Ok(machine) => Ok(Here { machine, notices: Vec::new() }),
        Err(error) => {
            let notice = SessionNotice::HwlocNotUsed { problem: error.to_string() };
            Ok(Here { machine: without_hwloc()?, notices: vec![notice.into()] })
        }
    }
}

/// Reads what sampling needs: nodes, CPUs and who may use them, without hwloc, since starting it takes longer than a sample. Only
/// where a node has no CPUs is the machine read in full, for the kind of that node's memory.
///
/// # Errors
/// When the kernel's files cannot be read.
pub fn for_sampling() -> Result<Machine, Error> {
    let quick = numawise_machine::quick(&Roots::live())?;
    let special = quick.nodes.iter().any(|node| node.cpus.is_empty());
    if special {
        return Ok(full()?.machine);
    }
    let limits = numawise_machine::rehearsal(&Roots::live()).into_iter().collect();
    Ok(Machine { limits, ..quick })
}

/// Merges the newest saved profile of `machine` into it, where there is one.
pub fn with_newest_profile(machine: Machine) -> (Machine, Option<SavedProfile>) {
    match profiles::newest_of(&machine) {
        Some(saved) => (numawise_machine::with_measured(machine, &saved.profile), Some(saved)),
        None => (machine, None),
    }
}
