//! Identifiers. Each wraps the number or name that the operating system, a launcher or (for tasks) numawise gave.

use std::fmt;

use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

/// A number that names something and can stand in an [`IdSet`](crate::IdSet).
pub trait Id: Copy + Ord + fmt::Debug {
    /// What one of these is called in messages, e.g. `CPU`.
    const NOUN: &'static str;
    /// The first index that there is not: what is read from a stored file is below it.
    const LIMIT: u32;
    /// Who gives none from there on, in messages.
    const GIVER: &'static str;
    /// Wraps an index.
    fn from_index(index: u32) -> Self;
    /// The index inside.
    fn index(self) -> u32;
}

/// `CONFIG_NR_CPUS` is at most 8192 on every architecture.
const CPUS: u32 = 8192;
/// `CONFIG_NODES_SHIFT` is at most 10.
const NODES: u32 = 1024;
/// Six times the cores of the largest computer of the Top500 list of 2025; a set of all of them has 8 MiB.
const RANKS: u32 = 1 << 26;
/// Of what numawise counts there is no bound but that of the number.
pub(crate) const UNBOUNDED: u32 = u32::MAX;

/// An index that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{noun} {index} is above {}, the highest that {giver}", limit - 1)]
pub struct IndexTooLarge {
    noun: &'static str,
    index: u64,
    limit: u32,
    giver: &'static str,
}

/// An index of a file that may hold any number.
pub fn stored<T: Id>(index: u64) -> Result<T, IndexTooLarge> {
    match u32::try_from(index) {
        Ok(index) if index < T::LIMIT => Ok(T::from_index(index)),
        _ => Err(IndexTooLarge { noun: T::NOUN, index, limit: T::LIMIT, giver: T::GIVER }),
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $noun:literal, $limit:ident, $giver:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                stored(u64::deserialize(deserializer)?).map_err(de::Error::custom)
            }
        }

        impl Id for $name {
            const NOUN: &'static str = $noun;
            const LIMIT: u32 = $limit;
            const GIVER: &'static str = $giver;
            fn from_index(index: u32) -> Self {
                $name(index)
            }
            fn index(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A logical CPU by its OS index (a hardware thread; hwloc calls it a PU).
    #[doc(alias = "PU")]
    CpuId,
    "CPU",
    CPUS,
    "Linux gives"
);
id!(
    /// A NUMA node by its OS index.
    NodeId,
    "node",
    NODES,
    "Linux gives"
);
id!(
    /// A task of a job, counted from 0: an MPI rank or one of N copies.
    TaskId,
    "task",
    UNBOUNDED,
    "numawise takes"
);
id!(
    /// A process of an MPI job by its number in `MPI_COMM_WORLD`, over all hosts of the job.
    #[doc(alias = "PMI_RANK")]
    #[doc(alias = "OMPI_COMM_WORLD_RANK")]
    Rank,
    "rank",
    RANKS,
    "numawise takes"
);

/// A host of a job by its node name (`uname -n`), which launchers and batch systems use and keep unique within a job.
#[doc(alias = "hostname")]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct HostId(String);

impl HostId {
    /// Takes the name as it stands; `None` for an empty one, which no host has.
    pub fn new(name: impl Into<String>) -> Option<Self> {
        Some(HostId(name.into())).filter(|host| !host.0.is_empty())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for HostId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        HostId::new(String::deserialize(deserializer)?)
            .ok_or_else(|| de::Error::invalid_value(Unexpected::Str(""), &"the node name of a host"))
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A process or thread identifier of the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pid(pub i32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::value;

    use super::*;

    #[test]
    fn a_stored_index_is_one_that_a_kernel_gives() {
        assert_eq!(serde_json::from_str::<CpuId>("8191").unwrap(), CpuId(8191));
        assert_eq!(serde_json::from_str::<Rank>("4000000").unwrap(), Rank(4_000_000));
        for (error, said) in [
            (serde_json::from_str::<CpuId>("8192").unwrap_err(), "CPU 8192 is above 8191"),
            (serde_json::from_str::<CpuId>("99999999999").unwrap_err(), "CPU 99999999999 is above 8191"),
            (serde_json::from_str::<NodeId>("1024").unwrap_err(), "node 1024 is above 1023"),
            (serde_json::from_str::<NodeId>("-1").unwrap_err(), "invalid value: integer `-1`"),
        ] {
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn a_host_has_a_name() {
        assert_eq!(HostId::new("node017").unwrap().to_string(), "node017");
        assert_eq!(HostId::new(""), None);
        let host = value::StrDeserializer::<value::Error>::new("node017");
        assert_eq!(HostId::deserialize(host), Ok(HostId("node017".to_owned())));
        let error = HostId::deserialize(value::StrDeserializer::<value::Error>::new(""));
        assert!(error.unwrap_err().to_string().contains("expected the node name of a host"));
    }
}
