use std::fs;
use std::path::Path;

use numawise_facts::Reading;
use numawise_facts::notice::{MachineNotice, NotTriedReason, PlacementGroup, StudyNotice};
use numawise_machine::Policy;
use numawise_study::ProgramNeeds;

use super::*;

/// Kernel files of a machine with two packages and two nodes.
fn two_nodes() -> tempfile::TempDir {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machine/testdata/two-socket.tree");
    let folder = tempfile::tempdir().unwrap();
    for part in fs::read_to_string(tree).unwrap().split("== ").skip(1) {
        let (path, content) = part.split_once('\n').unwrap();
        let file = folder.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

fn hwloc_is_missing() -> Read {
    Err(numawise_machine::Error::HwlocMissing { problem: "no such file".to_owned() })
}

/// Docker's default seccomp profile, in an image without hwloc.
#[test]
fn without_hwloc_forbidden_memory_policies_are_still_a_limit() {
    let folder = two_nodes();
    let roots = Roots::at(folder.path());
    let here =
        full_by(hwloc_is_missing, || numawise_machine::without_hwloc(&roots, &Policy::Forbidden)).unwrap();
    assert!(here.machine.limits.contains(&MachineNotice::PolicyCallsForbidden));
    let missing = |notice: &Notice| matches!(notice, Notice::Session(SessionNotice::HwlocNotUsed { .. }));
    assert!(here.notices.iter().all(missing) && here.notices.len() == 1, "{:?}", here.notices);

    let needs = ProgramNeeds {
        threads: None,
        memory: Reading::unavailable("it has not run"),
        one_metric_file: false,
        pinning_library: true,
        seen: Default::default(),
        pages: numawise_study::FirstRunPages::unknown(),
        near: None,
    };
    let design = numawise_study::plan(&here.machine, &needs);
    let ids: Vec<String> = design.points.iter().map(|point| point.id.to_string()).collect();
    for forbidden in ["interleave", "remote"] {
        assert!(!ids.iter().any(|id| id == forbidden), "{ids:?}");
    }
    let forbidden = StudyNotice::NotTried {
        placements: PlacementGroup::InterleavedAndRemote,
        reason: NotTriedReason::PoliciesForbidden,
    };
    assert!(design.not_tried.contains(&forbidden.into()), "{:?}", design.not_tried);
    // What is tried can be run: no point asks for a memory policy.
    for point in &design.points {
        assert_eq!(point.request.memory, numawise_facts::MemoryRequest::Default, "{}", point.id);
    }
}

#[test]
fn the_same_machine_without_that_limit_shows_both() {
    let folder = two_nodes();
    let roots = Roots::at(folder.path());
    let here =
        full_by(hwloc_is_missing, || numawise_machine::without_hwloc(&roots, &Policy::Default)).unwrap();
    let needs = ProgramNeeds {
        threads: None,
        memory: Reading::unavailable("it has not run"),
        one_metric_file: false,
        pinning_library: true,
        seen: Default::default(),
        pages: numawise_study::FirstRunPages::unknown(),
        near: None,
    };
    let design = numawise_study::plan(&here.machine, &needs);
    let ids: Vec<String> = design.points.iter().map(|point| point.id.to_string()).collect();
    assert!(ids.contains(&"interleave".to_owned()) && ids.contains(&"remote".to_owned()), "{ids:?}");
}

#[test]
fn a_machine_that_cannot_be_read_at_all_is_an_error() {
    let nothing = tempfile::tempdir().unwrap();
    let roots = Roots::at(nothing.path());
    let read = full_by(hwloc_is_missing, || numawise_machine::without_hwloc(&roots, &Policy::Default));
    assert!(matches!(read, Err(Error::Machine(numawise_machine::Error::System { .. }))), "{read:?}");
}

#[test]
fn this_machine_is_read_with_its_limits() {
    let here = full().unwrap();
    let kernel = numawise_machine::live_without_hwloc().unwrap();
    assert_eq!(here.machine.limits, kernel.limits);
    assert_eq!(for_sampling().unwrap().online(), here.machine.online());
}
