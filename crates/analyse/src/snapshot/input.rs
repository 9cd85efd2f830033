//! What a run left behind.

use std::collections::BTreeMap;

use numawise_facts::{Activity, Machine, Reading, SourcePlaces};
use numawise_tables::snapshot::ProcessMemory;
use numawise_units::{CpuSet, Pid};

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
