use numawise_facts::{Argument, Levels, MemoryRequest, PointRole, ThreadBinding};

use super::*;

/// Four nodes of four cores with two threads; one GPU on node 1, two on node 3.
fn machine() -> Machine {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/machines/gpus.xml");
    numawise_machine::from_input(file).unwrap()
}

fn line(nodes: &str, cpus: Option<&str>, near: Option<&str>) -> String {
    let request = PlacementRequest {
        strategy: Strategy::Local,
        binding: ThreadBinding::Pinned,
        threads: Some(2),
        nodes: nodes.parse().ok(),
        cpus: cpus.and_then(|cpus| cpus.parse().ok()),
        memory: MemoryRequest::Bind(None),
        ..PlacementRequest::as_the_os_does()
    };
    let mut levels = Levels::of(&request, 2);
    levels.placement.near = near.map(|near| near.parse().unwrap());
    let placement = numawise_placement::place(&machine(), &request).unwrap();
    let ranks = None;
    let point = Point { id: "near".into(), levels, role: PointRole::Candidate, request, placement, ranks };
    let command = RunSpec { command: vec![Argument::from("./app")], directory: "/".into() };
    our_line(&machine(), &point, &command)
}

/// Lines with a device; `tests/gpus.rs` runs the same words.
#[test]
fn a_line_names_the_device_that_chose_its_cpus() {
    for (near, nodes, cpus, expected) in [
        (None, "1", None, "--nodes 1"),
        (Some("gpu:0"), "1", None, "--near gpu:0"),
        (Some("gpu"), "3", None, "--near gpu --nodes 3"),
        (Some("gpu:0"), "1", Some("4-5"), "--near gpu:0 --cpus 4-5 --nodes 1"),
    ] {
        let expected =
            format!("numawise run --place local {expected} --memory bind --threads 2 --pin -- ./app");
        assert_eq!(line(nodes, cpus, near), expected);
    }
}
