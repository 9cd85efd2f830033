//! The memory benchmark of this machine: from a request to a profile that is kept.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use numawise_facts::{Depth, Machine, Mix, Profile, Reading, Sink};
use numawise_machine::Roots;
use numawise_profiles::Profiles;
use numawise_units::{Arrange, Bytes, NodeSet};

use crate::{Error, profiles};

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;

/// What is to be measured, and where the profile goes.
#[derive(Debug, Clone)]
pub struct MeasureRequest {
    pub depth: Depth,
    /// Only these mixes of reads and writes; empty for those of the depth.
    pub mixes: Vec<Mix>,
    /// Only CPUs and memory of these nodes.
    pub nodes: Option<NodeSet>,
    /// Most memory to take on a node.
    pub max_memory: Option<Bytes>,
    /// Decides orders and permutations; drawn where it is not given.
    pub seed: Option<u64>,
    pub save: SaveRequest,
    /// Our own version, for the profile's header.
    pub version: String,
}

/// Where a profile is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveRequest {
    /// In the folder of profiles, where the newest one is what every use case takes.
    InFolder,
    File(PathBuf),
    Nowhere,
}

/// A benchmark that can be run: its request makes sense on its machine.
#[derive(Debug)]
pub struct MemoryBenchmark {
    machine: Machine,
    request: numawise_membench::MeasurementRequest,
    save: SaveRequest,
}

/// Where a profile goes, as far as is known before it is there.
#[derive(Debug)]
pub enum Destination {
    InFolder(Profiles),
    File(PathBuf),
    Nowhere(NotSaved),
}

/// Why a profile is not kept.
#[derive(Debug)]
pub enum NotSaved {
    NotWanted,
    /// It is of some nodes or some mixes only, and would hide a profile of the whole machine.
    Partial,
    Failed(Box<Error>),
}

impl MemoryBenchmark {
    /// Checks the request against `machine`, which is the one that runs.
    ///
    /// # Errors
    /// [`Error::NoNodes`] and [`Error::NoSuchNodes`]; when a profile cannot be written to the file that was named.
    pub fn new(request: MeasureRequest, machine: Machine) -> Result<Self, Error> {
        if let SaveRequest::File(path) = &request.save {
            numawise_profiles::profile_may_be_saved(path)?;
        }
        let nodes = known_nodes(request.nodes, &machine)?;
        let mut mixes = request.mixes;
        mixes.arrange();
        mixes.dedup();
        let request_of_benchmark = numawise_membench::MeasurementRequest {
            depth: request.depth,
            fingerprint: numawise_machine::fingerprint(&Roots::live(), &machine),
            version: request.version,
            mixes,
            nodes,
            most_memory: request.max_memory,
            seed: request.seed.unwrap_or_else(drawn_seed),
        };
        Ok(MemoryBenchmark { machine, request: request_of_benchmark, save: request.save })
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn depth(&self) -> Depth {
        self.request.depth
    }

    /// What will be measured, and how long it takes.
    pub fn plan(&self) -> numawise_membench::MeasurementPlan {
        numawise_membench::plan(&self.machine, &self.request)
    }

    /// Measures. Once `stop` is raised it ends soon, with the part that is done.
    ///
    /// # Errors
    /// [`Error::InterruptedBeforeMeasuring`] when no part is done; when nothing can be measured.
    pub fn run(&self, sink: &mut dyn Sink, stop: &AtomicBool) -> Result<Profile, Error> {
        let profile = numawise_membench::measure(&self.machine, &self.request, sink, stop);
        let interrupted = stop.load(Ordering::Relaxed);
        match profile {
            Ok(profile) if interrupted && is_empty(&profile) => Err(Error::InterruptedBeforeMeasuring),
            Err(_) if interrupted => Err(Error::InterruptedBeforeMeasuring),
            Ok(profile) => Ok(profile),
            Err(error) => Err(error.into()),
        }
    }

    /// Where the profile will go.
    pub fn destination(&self) -> Destination {
        let partial = !self.request.nodes.is_empty() || !self.request.mixes.is_empty();
        match &self.save {
            SaveRequest::File(path) => Destination::File(path.clone()),
            SaveRequest::Nowhere => Destination::Nowhere(NotSaved::NotWanted),
            SaveRequest::InFolder if partial => Destination::Nowhere(NotSaved::Partial),
            SaveRequest::InFolder => match profiles::folder() {
                Ok(folder) => Destination::InFolder(folder),
                Err(error) => Destination::Nowhere(NotSaved::Failed(Box::new(error))),
            },
        }
    }

    /// Saves the profile, and gives its file, or why there is none.
    ///
    /// # Errors
    /// When a file that was named cannot be written. That the folder of profiles cannot be written is no error: the profile is
    /// still there to be shown.
    pub fn save(&self, profile: &Profile) -> Result<Result<PathBuf, NotSaved>, Error> {
        Ok(match self.destination() {
            Destination::Nowhere(why) => Err(why),
            Destination::File(path) => {
                numawise_profiles::save_profile(&path, profile)?;
                Ok(path)
            }
            Destination::InFolder(folder) => {
                folder.save(profile).map_err(|error| NotSaved::Failed(Box::new(error.into())))
            }
        })
    }
}

/// The nodes asked for, which are all there; none where all are meant.
fn known_nodes(asked: Option<NodeSet>, machine: &Machine) -> Result<NodeSet, Error> {
    let exist: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    match asked {
        None => Ok(NodeSet::new()),
        Some(nodes) if nodes.is_empty() => Err(Error::NoNodes { exist }),
        Some(nodes) if !nodes.is_subset(&exist) => {
            Err(Error::NoSuchNodes { unknown: nodes.difference(&exist), exist })
        }
        Some(nodes) => Ok(nodes),
    }
}

/// The low digits of the clock, which are as good as drawn.
fn drawn_seed() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// Whether there is no figure at all.
fn is_empty(profile: &Profile) -> bool {
    fn is<T>(reading: &Reading<T>) -> bool {
        reading.measured().is_some()
    }
    let some = profile.latency.iter().any(|cell| is(&cell.latency) || is(&cell.with_tlb_misses))
        || profile.working_sets.iter().flat_map(|curve| &curve.points).any(|point| is(&point.latency))
        || profile.bandwidth.iter().any(|cell| is(&cell.rate))
        || profile
            .loaded
            .iter()
            .any(|curve| curve.points.measured().is_some_and(|points| !points.is_empty()))
        || profile.transfers.iter().any(|transfer| is(&transfer.latency));
    !some
}
