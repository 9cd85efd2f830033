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

/// All that are judged, by their names.
pub fn rated(of: &Efficiencies) -> [(&'static str, &RatedShare); 11] {
    [
        ("with_cpu", &of.with_cpu),
        ("parallel", &of.parallel),
        ("mpi_parallel", &of.mpi_parallel),
        ("mpi_communication", &of.mpi_communication),
        ("mpi_load_balance", &of.mpi_load_balance),
        ("mpi_load_balance_in", &of.mpi_load_balance_in),
        ("mpi_load_balance_out", &of.mpi_load_balance_out),
        ("openmp_parallel", &of.openmp_parallel),
        ("openmp_serialization", &of.openmp_serialization),
        ("openmp_load_balance", &of.openmp_load_balance),
        ("openmp_scheduling", &of.openmp_scheduling),
    ]
}

/// Each by its name.
pub fn efficiency(of: &Efficiencies) -> Value {
    rated(of).into_iter().map(|(name, of)| (name.to_owned(), share(of))).collect::<Map<_, _>>().into()
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
