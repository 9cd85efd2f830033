//! Figures that a run and its phases both have, as JSON.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::{CpuTime, Efficiencies, RatedShare};
use serde_json::{Map, Value, json as object};

use super::words;
use crate::object::reading;

pub fn cpu_time(of: &CpuTime) -> Value {
    object!({
        "useful_seconds": of.useful.seconds(),
        "mpi_seconds": of.mpi.seconds(),
        "imbalance_seconds": of.imbalance.seconds(),
        "lock_seconds": of.lock.seconds(),
        "scheduling_seconds": of.scheduling.seconds(),
        "serial_seconds": of.serial.seconds(),
        "serial_in_mpi_seconds": of.serial_in_mpi.seconds(),
        "waiting_seconds": of.waiting.seconds(),
        "without_cpu_seconds": reading(&of.without_cpu(), |time| object!(time.seconds())),
    })
}

/// One efficiency: its name in JSON and CSV, its title, and what it means. When it is good, and who says so, travels with its value.
pub struct Efficiency<'a> {
    pub scope: EfficiencyScope,
    pub name: &'static str,
    pub title: &'static str,
    pub share: &'a RatedShare,
    pub meaning: &'static str,
}

/// What it is an efficiency of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EfficiencyScope {
    All,
    Mpi,
    /// Of MPI, where there are several computers.
    Computers,
    OpenMp,
}

macro_rules! efficiencies {
    ($($scope:ident $name:ident $title:literal: $meaning:literal;)+) => {
        /// As POP and TALP define them.
        pub fn rated(of: &Efficiencies) -> Vec<Efficiency<'_>> {
            vec![$(Efficiency {
                scope: EfficiencyScope::$scope,
                name: stringify!($name),
                title: $title,
                share: &of.$name,
                meaning: $meaning,
            }),+]
        }
    };
}

efficiencies! {
    All with_cpu "  time with a CPU":
        "of the time in which threads had something to do, that in which they had a CPU: as POP and TALP have it, useful time is all of it";
    All parallel "parallel efficiency": "useful time, of all the time that the CPUs had";
    Mpi mpi_parallel "MPI parallel efficiency": "what MPI leaves of the time, on average over CPUs";
    Mpi mpi_communication "  MPI communication efficiency":
        "what it leaves to the rank that is in MPI least: the rest moves data, or waits in turn";
    Mpi mpi_load_balance "  MPI load balance":
        "what all ranks compute, of what they would if each computed as long as the longest";
    Computers mpi_load_balance_in "    inside computers": "the same among ranks of a computer";
    Computers mpi_load_balance_out "    between computers": "the same among computers";
    OpenMp openmp_parallel "OpenMP parallel efficiency": "what OpenMP leaves of the CPUs' time";
    OpenMp openmp_serialization "  OpenMP serialization": "lost while no parallel region is open";
    OpenMp openmp_load_balance "  OpenMP load balance": "lost by threads that wait for others, or for locks";
    OpenMp openmp_scheduling "  OpenMP scheduling": "lost to waking threads and handing out work";
}

/// Each by its name.
pub fn efficiency(of: &Efficiencies) -> Value {
    rated(of).into_iter().map(|of| (of.name.to_owned(), share(of.share))).collect::<Map<_, _>>().into()
}

pub fn share(of: &RatedShare) -> Value {
    reading(&of.value, |share| object!(share.0))
}

/// Where something is in the code: the same names wherever that is told.
pub fn place(of: &Reading<CodePlace>) -> Value {
    let missing = |reason: &str| object!({ "unavailable": reason });
    let mut value = match of {
        Reading::Measured(place) => {
            let source = &place.source;
            object!({
                "function": source.function, "file": source.file, "line": source.line,
                "loaded_file": place.file, "address": format!("{:#x}", place.address),
            })
        }
        Reading::Unavailable { unavailable } => {
            let all = ["function", "file", "line", "loaded_file", "address"];
            all.into_iter()
                .map(|name| (name.to_owned(), missing(&unavailable.0)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
    };
    value["text"] = of.measured().map(words::place_in_short).into();
    value
}
