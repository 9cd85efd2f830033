//! What is analysed: the processes of a run, whose threads have traces.

use std::collections::BTreeMap;

use numawise_facts::{Activity, Machine, SourcePlaces, TracePart};

/// The processes that count, ranks in their order.
#[derive(Clone)]
pub struct Run<'a> {
    pub processes: Vec<Process<'a>>,
    pub places: &'a SourcePlaces,
    /// What is asked for; none where all is.
    pub part: Option<&'a TracePart>,
    /// By host, as far as they are known.
    pub machines: &'a BTreeMap<String, &'a Machine>,
}

/// A process of the run.
#[derive(Clone)]
pub struct Process<'a> {
    pub activity: &'a Activity,
    /// The number of its world, and from 1 on where there are several.
    pub world: usize,
    pub numbered_world: Option<u32>,
    /// It has threads of OpenMP.
    pub has_team: bool,
}

impl Process<'_> {
    pub fn rank(&self) -> Option<u32> {
        Some(self.activity.mpi.measured()?.rank.measured()?.rank)
    }
}
