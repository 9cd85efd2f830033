//! Identifiers. Each wraps the number or name that the operating system, a launcher or (for tasks) numawise gave.

use std::fmt;

use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

/// A number that names something and can stand in an [`IdSet`](crate::IdSet).
pub trait Id: Copy + Ord + fmt::Debug {
    /// What one of these is called in messages, e.g. `CPU`.
    const NOUN: &'static str;
    /// Wraps an index.
    fn from_index(index: u32) -> Self;
    /// The index inside.
    fn index(self) -> u32;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $noun:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl Id for $name {
            const NOUN: &'static str = $noun;
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
    "CPU"
);
id!(
    /// A NUMA node by its OS index.
    NodeId,
    "node"
);
id!(
    /// A task of a job, counted from 0: an MPI rank or one of N copies.
    TaskId,
    "task"
);
id!(
    /// A process of an MPI job by its number in `MPI_COMM_WORLD`, over all hosts of the job.
    #[doc(alias = "PMI_RANK")]
    #[doc(alias = "OMPI_COMM_WORLD_RANK")]
    Rank,
    "rank"
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
    fn a_host_has_a_name() {
        assert_eq!(HostId::new("node017").unwrap().to_string(), "node017");
        assert_eq!(HostId::new(""), None);
        let host = value::StrDeserializer::<value::Error>::new("node017");
        assert_eq!(HostId::deserialize(host), Ok(HostId("node017".to_owned())));
        let error = HostId::deserialize(value::StrDeserializer::<value::Error>::new(""));
        assert!(error.unwrap_err().to_string().contains("expected the node name of a host"));
    }
}
