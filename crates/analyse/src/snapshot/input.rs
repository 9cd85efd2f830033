//! What a run left behind.

use std::collections::BTreeMap;

use numawise_facts::activity::SourcePlace;
use numawise_facts::{Activity, Machine, Reading};
use numawise_tables::snapshot::ProcessMemory;
use numawise_units::{CpuSet, Pid};

/// Names of the places in the code of a run: by file, as [`place_key`] has it, and address in it.
pub type SourcePlaces = BTreeMap<(String, u64), SourcePlace>;

/// What the collector noted in the processes of a run, and what else is known of them.
#[derive(Debug, Clone, Copy)]
pub struct RunParts<'a> {
    pub activities: &'a [Activity],
    pub places: &'a SourcePlaces,
    /// By host, as far as they are known.
    pub machines: &'a BTreeMap<String, Machine>,
    /// By host and process.
    pub surroundings: &'a BTreeMap<(String, Pid), Surroundings>,
}

/// What is known of a process beside its own notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The CPUs on which it may run.
    pub mask: Reading<CpuSet>,
    pub memory: Reading<ProcessMemory>,
}

/// The file that a place of a process lies in, as [`SourcePlaces`] names it: the end of its path; the program's own for the program.
pub fn place_key(activity: &Activity, file: u32) -> Option<&str> {
    let path = activity.files.get(file as usize)?.path.as_str();
    Some(if path.is_empty() { &activity.program } else { path })
}
