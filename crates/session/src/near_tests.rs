use numawise_facts::{Levels, PointRole, Strategy};
use numawise_study::PlannedPoint;

use super::*;

/// Four nodes of four cores with two threads; one GPU on node 1, two on node 3, a network card on node 2.
fn machine() -> Machine {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/machines/gpus.xml");
    numawise_machine::from_input(file).unwrap()
}

fn name(text: &str) -> DeviceName {
    text.parse().unwrap()
}

fn point(request: PlacementRequest, near: Option<&str>) -> PlannedPoint {
    let mut levels = Levels::of(&request, 2);
    levels.placement.near = near.map(name);
    PlannedPoint { id: "one".into(), levels, role: PointRole::Candidate, request, ranks: None }
}

fn design(points: Vec<PlannedPoint>) -> StudyDesign {
    StudyDesign { points, pairs: Vec::new(), not_tried: Vec::new() }
}

#[test]
fn a_device_has_the_cpus_that_a_run_near_to_it_has() {
    let cpus = |text: &str| device(&machine(), &name(text)).unwrap().cpus.to_string();
    assert_eq!((cpus("gpu:0").as_str(), cpus("nic:mlx5_0").as_str()), ("4-7,20-23", "8-11,24-27"));
    assert_eq!(cpus("gpu"), "4-7,12-15,20-23,28-31");
    let mut masked = machine();
    masked.allowed_cpus = "0-4".parse().unwrap();
    assert_eq!(device(&masked, &name("gpu:0")).unwrap().cpus.to_string(), "4");
}

#[test]
fn what_a_run_refuses_is_refused() {
    let refused = |machine: &Machine, text: &str| device(machine, &name(text)).unwrap_err().to_string();
    assert!(refused(&machine(), "gpu:7").contains("there is gpu:0 (cuda0, nvml0, 0000:41:00.0)"));
    let mut masked = machine();
    masked.allowed_cpus = "0-3".parse().unwrap();
    let said = refused(&masked, "gpu:0");
    assert!(said.contains("node 1"), "{said}");
}

#[test]
fn a_device_that_no_node_is_far_from_makes_no_difference() {
    assert_eq!(near_everywhere(&machine(), &name("gpu:0")).unwrap(), None);
    let mut masked = machine();
    masked.allowed_cpus = "4-7,12".parse().unwrap();
    let all = SessionNotice::NearEverywhere { device: name("gpu"), nodes: "1,3".parse().unwrap() };
    assert_eq!(near_everywhere(&masked, &name("gpu")).unwrap(), Some(all.into()));
    assert_eq!(near_everywhere(&masked, &name("gpu:0")).unwrap(), None);
    assert!(near_everywhere(&masked, &name("gpu:7")).is_err());
}

#[test]
fn points_of_a_grid_are_kept_to_what_is_near() {
    let local = PlacementRequest {
        strategy: Strategy::Local,
        threads: Some(2),
        ..PlacementRequest::as_the_os_does()
    };
    let mut design = design(vec![point(local.clone(), None), point(local.clone(), Some("gpu:0"))]);
    resolve(&machine(), &mut design).unwrap();
    assert_eq!(design.points[0].request, local);
    let near = &design.points[1];
    assert_eq!(near.request.nodes, Some("1".parse().unwrap()));
    assert_eq!(near.levels.placement.nodes, near.request.nodes);
    let mut unknown = self::design(vec![point(local.clone(), None), point(local, Some("gpu:7"))]);
    assert!(resolve(&machine(), &mut unknown).is_err(), "also where it is not the first");
}

#[test]
fn without_a_number_of_threads_points_near_and_anywhere_have_as_many() {
    let anywhere = PlacementRequest::as_the_os_does();
    let there = PlacementRequest { strategy: Strategy::Explicit, ..anywhere.clone() };
    let two = PlacementRequest { tasks: 2, ..anywhere.clone() };
    let threads = |points: Vec<PlannedPoint>| {
        let mut design = design(points);
        resolve(&machine(), &mut design).unwrap();
        let of = |point: &PlannedPoint| (point.request.threads, point.levels.threads);
        design.points.iter().map(of).collect::<Vec<_>>()
    };
    // One on each CPU: node 1 has eight of them, nodes 1 and 3 have sixteen.
    let all =
        vec![point(anywhere.clone(), None), point(there.clone(), Some("gpu")), point(there, Some("gpu:0"))];
    assert_eq!(threads(all), [(Some(8), 8); 3]);
    let apart = vec![point(anywhere.clone(), None), point(two, Some("gpu:0"))];
    assert_eq!(threads(apart)[0], (None, 2), "one task is not compared with two");
    assert_eq!(threads(vec![point(anywhere, None)]), [(None, 2)], "no device, no change");
}
