use std::num::NonZeroU32;

use numawise_facts::{Device, DeviceLocality, Notice, PciVendor, PlacementRequest, Reading, Smt, Strategy};

use super::*;
use crate::place;
use crate::testing::{dram, machine, request};

/// Four nodes of two cores with two threads, two nodes to a package; GPUs by the node that each is near to, `None` where nobody knows.
fn with_gpus(nodes: &[Option<u32>]) -> Machine {
    let mut machine = machine(&[
        dram(0, 0, &[&[0, 8], &[1, 9]]),
        dram(1, 0, &[&[2, 10], &[3, 11]]),
        dram(2, 1, &[&[4, 12], &[5, 13]]),
        dram(3, 1, &[&[6, 14], &[7, 15]]),
    ]);
    let near = |node: u32| DeviceLocality {
        cpus: machine.node(NodeId(node)).unwrap().cpus.clone(),
        nodes: NodeSet::single(NodeId(node)),
    };
    let gpu = |(number, node): (usize, &Option<u32>)| Device {
        kind: DeviceKind::Gpu,
        number: number as u32,
        names: vec![],
        pci: Some(format!("{:x}:0", number + 16).parse().unwrap()),
        vendor: Some(PciVendor::NVIDIA),
        model: None,
        locality: node.map_or(Reading::unavailable("-1"), |node| Reading::Measured(near(node))),
    };
    machine.devices = Reading::Measured(nodes.iter().enumerate().map(gpu).collect());
    machine
}

/// So many tasks on all hardware threads.
fn asked(strategy: Strategy, tasks: u32) -> PlacementRequest {
    let mut request = PlacementRequest { tasks, ..request(strategy, None) };
    request.choice.smt = Smt::PerCore(NonZeroU32::new(2).unwrap());
    request
}

/// The GPUs of each task, `0,1;2`, and the warnings that are about GPUs.
fn shared(machine: &Machine, request: &PlacementRequest) -> (String, Vec<PlanNotice>) {
    let mut placement = place(machine, request).unwrap();
    let before = placement.warnings.len();
    share_gpus(machine, &mut placement, &|_| true).unwrap();
    let list =
        |task: &TaskPlacement| task.gpus.iter().map(|gpu| gpu.gpu.to_string()).collect::<Vec<_>>().join(",");
    let warnings = placement.warnings[before..].iter().map(|warning| match warning {
        Notice::Plan(notice) => notice.clone(),
        other => panic!("{other:?}"),
    });
    (placement.tasks.iter().map(list).collect::<Vec<_>>().join(";"), warnings.collect())
}

fn gpus_of(nodes: &[u32], strategy: Strategy, tasks: u32) -> String {
    let nodes: Vec<Option<u32>> = nodes.iter().copied().map(Some).collect();
    shared(&with_gpus(&nodes), &asked(strategy, tasks)).0
}

#[test]
fn tasks_of_a_node_share_its_gpus_and_a_task_of_several_nodes_has_theirs() {
    for (nodes, strategy, tasks, expected) in [
        (&[0, 1, 2, 3][..], Strategy::Semi, 4, "0;1;2;3"),
        (&[0, 1, 2, 3], Strategy::Semi, 8, "0;0;1;1;2;2;3;3"),
        (&[0, 0, 2, 2], Strategy::Local, 2, "0,1;2,3"),
        (&[0, 1, 2, 3], Strategy::Local, 1, "0,1,2,3"),
        (&[0, 0, 0, 0, 2, 2, 2, 2], Strategy::Local, 2, "0,1,2,3;4,5,6,7"),
        // Each task is on all nodes: one share for all.
        (&[0, 1, 2, 3], Strategy::Distributed, 4, "0;1;2;3"),
        (&[0, 1, 2, 3], Strategy::Distributed, 2, "0,1;2,3"),
        (&[0, 2], Strategy::Distributed, 4, "0;0;1;1"),
        (&[0, 1, 2, 3], Strategy::None, 2, "0,1;2,3"),
    ] {
        assert_eq!(gpus_of(nodes, strategy, tasks), expected, "{nodes:?} {strategy} {tasks}");
    }
}

#[test]
fn a_task_between_nodes_gets_no_gpu_of_a_node_where_it_is_not() {
    // The second of three tasks is on nodes 1 and 2.
    let (found, warnings) =
        shared(&with_gpus(&[Some(0), Some(3), Some(3), Some(3)]), &asked(Strategy::Local, 3));
    assert_eq!(
        (found.as_str(), &warnings[..]),
        ("0;0;1,2,3", &[PlanNotice::GpusFar { tasks: vec![TaskId(1)] }][..])
    );
    let (found, _) = shared(&with_gpus(&[Some(0), Some(2), Some(2), Some(2)]), &asked(Strategy::Local, 3));
    assert!(found.starts_with("0;"), "GPUs 1 to 3 are not near to task 0: {found}");
}

#[test]
fn who_is_near_to_no_gpu_shares_the_nearest_and_the_plan_says_so() {
    let (found, warnings) = shared(&with_gpus(&[Some(1), Some(3)]), &asked(Strategy::Semi, 4));
    assert_eq!(found, "0;0;1;1", "by distance: nodes 0 and 1 are of one package");
    assert_eq!(warnings, [PlanNotice::GpusFar { tasks: vec![TaskId(0), TaskId(2)] }]);
    let near = PlacementRequest { nodes: Some("1,3".parse().unwrap()), ..asked(Strategy::Semi, 4) };
    assert_eq!(shared(&with_gpus(&[Some(1), Some(3)]), &near), ("0;0;1;1".to_owned(), vec![]));
}

#[test]
fn gpus_that_no_task_is_near_to_are_named() {
    let one = PlacementRequest { nodes: Some("1".parse().unwrap()), ..asked(Strategy::Local, 1) };
    let (found, warnings) = shared(&with_gpus(&[Some(1), Some(3)]), &one);
    assert_eq!((found.as_str(), warnings), ("0", vec![PlanNotice::GpusUnused { gpus: vec![1] }]));
}

#[test]
fn gpus_of_which_nobody_knows_where_they_are_are_shared_by_all() {
    let (found, warnings) = shared(&with_gpus(&[None, None]), &asked(Strategy::Semi, 4));
    assert_eq!(
        (found.as_str(), warnings),
        ("0;0;1;1", vec![PlanNotice::GpusOfUnknownLocality { gpus: vec![0, 1] }])
    );
}

#[test]
fn each_runtime_counts_its_own_gpus() {
    let mut machine = with_gpus(&[Some(0), Some(1), Some(2)]);
    let Reading::Measured(devices) = &mut machine.devices else { panic!() };
    devices[1].vendor = Some(PciVendor::AMD);
    let mut placement = place(&machine, &asked(Strategy::Local, 1)).unwrap();
    share_gpus(&machine, &mut placement, &|_| true).unwrap();
    let numbers: Vec<(GpuRuntime, u32)> =
        placement.tasks[0].gpus.iter().map(|gpu| (gpu.runtime, gpu.number)).collect();
    assert_eq!(numbers, [(GpuRuntime::Cuda, 0), (GpuRuntime::Rocr, 0), (GpuRuntime::Cuda, 1)]);
    share_gpus(&machine, &mut placement, &|gpu| gpu.number == 1).unwrap();
    assert_eq!(placement.tasks[0].gpus.len(), 1, "what may not be used is not given");
    assert_eq!(share_gpus(&machine, &mut placement, &|_| false), Err(NearError::NoGpu));
    machine.devices = Reading::unavailable("not read");
    let error = share_gpus(&machine, &mut placement, &|_| true).unwrap_err();
    assert!(error.to_string().contains("not known: not read"), "{error}");
}

/// The machine of one whose published mappings are the reference: 8 nodes of 6 cores, GPUs on nodes 1, 2, 5 and 7. By its own rule the
/// reference puts tasks on nodes in proportion to their GPUs, which is what a plan on the nodes of the GPUs does.
#[test]
fn eight_nodes_with_four_gpus_are_shared_as_the_reference_does() {
    let cores: Vec<Vec<Vec<u32>>> =
        (0..8).map(|node| (node * 6..node * 6 + 6).map(|core| vec![core, core + 48]).collect()).collect();
    let cores: Vec<Vec<&[u32]>> = cores.iter().map(|node| node.iter().map(Vec::as_slice).collect()).collect();
    let specs: Vec<_> = (0..8).map(|node| dram(node, node / 4, &cores[node as usize])).collect();
    let mut eight = machine(&specs);
    let Reading::Measured(mut gpus) = with_gpus(&[Some(0); 4]).devices else { panic!() };
    for (gpu, node) in gpus.iter_mut().zip([1, 2, 5, 7]) {
        let cpus = eight.node(NodeId(node)).unwrap().cpus.clone();
        gpu.locality = Reading::Measured(DeviceLocality { cpus, nodes: NodeSet::single(NodeId(node)) });
        gpu.vendor = Some(PciVendor::AMD);
    }
    eight.devices = Reading::Measured(gpus);
    let near = |number: u32, smt: u32| {
        let mut request =
            crate::near(&eight, &asked(Strategy::Semi, number), &"gpu".parse().unwrap()).unwrap();
        request.choice.smt = Smt::PerCore(NonZeroU32::new(smt).unwrap());
        let mut placement = place(&eight, &request).unwrap();
        share_gpus(&eight, &mut placement, &|_| true).unwrap();
        let list = |of: &dyn Fn(&TaskPlacement) -> String| {
            placement.tasks.iter().map(of).collect::<Vec<_>>().join(";")
        };
        (list(&|task| task.cpus.to_string()), list(&|task| task.gpus[0].number.to_string()))
    };
    let (cpus, gpus) = near(8, 1);
    assert_eq!(cpus, "6-8;9-11;12-14;15-17;30-32;33-35;42-44;45-47");
    assert_eq!(gpus, "0;0;1;1;2;2;3;3");
    let (cpus, gpus) = near(48, 2);
    assert_eq!(
        cpus,
        "6;54;7;55;8;56;9;57;10;58;11;59;12;60;13;61;14;62;15;63;16;64;17;65;30;78;31;79;32;80;33;81;34;82;35;83;\
         42;90;43;91;44;92;45;93;46;94;47;95"
    );
    assert_eq!(gpus, [vec!["0"; 12], vec!["1"; 12], vec!["2"; 12], vec!["3"; 12]].concat().join(";"));
}
