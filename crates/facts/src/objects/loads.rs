//! Loads that the processor sampled itself, and where their data came from.

use numawise_units::Cycles;
use serde::{Deserialize, Serialize};

/// How loads were sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadSamples {
    pub sampler: LoadSampler,
    /// From one sample to the next, of what the event counts: loads, or cycles.
    pub period: u64,
    /// Loads of the program that were sampled.
    pub samples: u64,
    /// Of these, without an address: they belong to no object.
    pub without_address: u64,
}

/// What sampled them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadSampler {
    /// The kernel's event `mem-loads`, which on processors of Intel is PEBS: loads that took so many cycles and more, or all where that cannot
    /// be chosen.
    MemLoads { least: Option<Cycles> },
    /// Instruction-based sampling of AMD: loads among all instructions.
    Ibs,
    /// Statistical profiling of Arm: loads among all operations, those that took so many cycles and more, or all where that cannot be chosen. A cache
    /// and the memory of another chip are not told apart there.
    Spe { least: Option<Cycles> },
}

/// Sampled loads of an object whose data came from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledLoads {
    pub from: DataSource,
    pub samples: u64,
    /// Of these, found modified in the cache of another core: it had been written there just before.
    pub modified: u64,
    /// Of these, with a known time, and how many cycles these took together.
    pub timed: u64,
    pub cycles: Cycles,
}

/// Where the data of a load came from, as the processor says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataSource {
    L1,
    /// It was already on its way to the first cache, for an access before.
    LineFillBuffer,
    L2,
    L3,
    /// The cache of another core of the same node.
    OtherCore,
    /// A cache of another node.
    RemoteCache,
    LocalMemory,
    RemoteMemory,
    /// Memory behind CXL.
    CxlMemory,
    PersistentMemory,
    /// Memory that no cache keeps, and devices.
    Uncached,
    /// The processor did not tell it.
    Unknown,
}

impl DataSource {
    /// Nearest first.
    pub const ALL: [DataSource; 12] = [
        DataSource::L1,
        DataSource::LineFillBuffer,
        DataSource::L2,
        DataSource::L3,
        DataSource::OtherCore,
        DataSource::RemoteCache,
        DataSource::LocalMemory,
        DataSource::RemoteMemory,
        DataSource::CxlMemory,
        DataSource::PersistentMemory,
        DataSource::Uncached,
        DataSource::Unknown,
    ];

    /// A cache that the core has, or shares with others.
    pub fn is_own_cache(self) -> bool {
        matches!(self, DataSource::L1 | DataSource::LineFillBuffer | DataSource::L2 | DataSource::L3)
    }

    /// It came from another node; none where that is not told.
    pub fn is_remote(self) -> Option<bool> {
        match self {
            DataSource::RemoteCache | DataSource::RemoteMemory => Some(true),
            DataSource::CxlMemory
            | DataSource::PersistentMemory
            | DataSource::Uncached
            | DataSource::Unknown => None,
            _ => Some(false),
        }
    }
}
