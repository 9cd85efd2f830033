//! Machines and requests for tests.

use numawise_facts::{Depth, Fingerprint, Machine, Reading};
use numawise_units::NodeSet;

use crate::MeasurementRequest;

/// A recorded machine of the repository.
pub fn machine(name: &str) -> Machine {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines").join(name);
    let machine = numawise_machine::from_xml_file(&file);
    machine.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A machine in hwloc's synthetic words.
pub fn synthetic(text: &str) -> Machine {
    numawise_machine::from_synthetic(text).unwrap()
}

/// The machine that runs.
pub fn live() -> Machine {
    numawise_machine::live().or_else(|_| numawise_machine::live_without_hwloc()).unwrap()
}

pub fn request(depth: Depth) -> MeasurementRequest {
    let unknown = || Reading::unavailable("a test");
    MeasurementRequest {
        depth,
        fingerprint: Fingerprint {
            topology: unknown(),
            processor: unknown(),
            kernel: unknown(),
            firmware: unknown(),
        },
        version: "0".to_owned(),
        mixes: Vec::new(),
        nodes: NodeSet::new(),
        most_memory: None,
        seed: 1,
    }
}
