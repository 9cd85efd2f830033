//! A check near to a device, opened again.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;

use numawise_facts::notice::{PlacementGroup, StudyNotice};
use numawise_facts::{Device, DeviceKind, DeviceLocality, Ignore, Machine, Notice, Reading};
use numawise_session::Error;
use numawise_session::experiment::{Experiment, ExperimentRequest};

use crate::support;

/// Two nodes of one CPU, a GPU on the second. Nothing is placed here: the first run is the operating system's.
fn machine() -> Machine {
    let mut machine = numawise_machine::from_synthetic("pack:2 numa:1 core:1 pu:1").unwrap();
    let near = DeviceLocality { cpus: "1".parse().unwrap(), nodes: "1".parse().unwrap() };
    machine.devices = Reading::Measured(vec![Device {
        kind: DeviceKind::Gpu,
        number: 0,
        names: vec!["card0".to_owned()],
        pci: None,
        vendor: None,
        model: None,
        locality: Reading::Measured(near),
    }]);
    machine
}

fn open(request: ExperimentRequest) -> Result<Experiment, Error> {
    Experiment::open(request, machine(), &mut Ignore, &AtomicBool::new(false))
}

#[test]
fn a_check_goes_on_with_a_record_of_the_same_device_only() {
    let _alone = support::alone();
    // Where there is no time for the points near to the device, and where all are kept.
    for repeats in [None, Some(5)] {
        let folder = tempfile::tempdir().unwrap();
        let request = |near: Option<&str>| ExperimentRequest {
            threads: NonZeroU32::new(1),
            near: near.map(|near| near.parse().unwrap()),
            repeats,
            ..support::request(folder.path(), "true")
        };
        let begun = open(request(Some("gpu:0"))).unwrap();
        let header = &begun.study().header;
        let points: Vec<String> = header.points.iter().map(|point| point.id.to_string()).collect();
        let pinned = |notice: &Notice| {
            matches!(notice, Notice::Study(StudyNotice::NotTried { placements: PlacementGroup::Pinned, .. }))
        };
        if header.not_tried.iter().any(pinned) {
            eprintln!("SKIPPED: nothing can be placed here: {:?}", header.not_tried);
            return;
        }
        assert_eq!(points.contains(&"far".to_owned()), repeats.is_some(), "{points:?}");
        drop(begun);
        assert_eq!(open(request(Some("gpu:0"))).unwrap().study().trials.len(), 1, "it goes on");
        let refused = |near| open(request(near)).err().map(|error| error.to_string());
        assert!(refused(None).is_some_and(|text| text.contains("another study")), "{repeats:?}");
        assert!(refused(Some("gpu:7")).is_some_and(|text| text.contains("there is gpu:0 (card0)")));
    }
}
