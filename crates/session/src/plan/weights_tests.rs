use std::path::Path;

use numawise_facts::{MemoryPlan, Strategy, TaskPlacement, ThreadBinding};
use numawise_units::{NodeId, TaskId};

use super::*;

fn placement(weights: &[u8]) -> Placement {
    let mut memory = MemoryPlan::new(MemoryMode::WeightedInterleave, "0-1".parse().unwrap());
    memory.weights =
        (0..).zip(weights).map(|(node, weight)| NodeWeight { node: NodeId(node), weight: *weight }).collect();
    let task = TaskPlacement {
        task: TaskId(0),
        cpus: "0".parse().unwrap(),
        threads: vec!["0".parse().unwrap()],
        memory,
        gpus: Vec::new(),
    };
    Placement {
        strategy: Strategy::None,
        binding: ThreadBinding::Free,
        tasks: vec![task],
        warnings: vec![own(), PlanNotice::BalancingWithoutPolicy.into()],
    }
}

fn own() -> Notice {
    PlanNotice::BandwidthUnknown { nodes: "0".parse().unwrap(), machine_is_measured: false }.into()
}

fn compared(wanted: &[u8], now: &[&str]) -> Vec<Notice> {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(Path::new(numawise_machine::WEIGHTS).strip_prefix("/").unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    for (node, text) in now.iter().enumerate() {
        std::fs::write(folder.join(format!("node{node}")), text).unwrap();
    }
    let mut placement = placement(wanted);
    compare(&mut placement, &Roots::at(root.path()));
    placement.warnings
}

#[test]
fn weights_that_differ_are_told_with_those_of_now() {
    let warnings = compared(&[3, 1], &["1\n", "1\n"]);
    assert_eq!(warnings.len(), 3);
    let weights = |weights: [u8; 2]| {
        (0..).zip(weights).map(|(node, weight)| NodeWeight { node: NodeId(node), weight }).collect::<Vec<_>>()
    };
    let differ = PlanNotice::KernelWeightsDiffer { now: weights([1, 1]), planned: weights([3, 1]) };
    assert_eq!(warnings[2], differ.into());
}

#[test]
fn weights_that_share_alike_need_no_word() {
    for now in [["3\n", "1\n"], ["6\n", "2\n"], ["255\n", "85\n"]] {
        assert_eq!(compared(&[3, 1], &now), [PlanNotice::BalancingWithoutPolicy.into()], "{now:?}");
    }
}

#[test]
fn a_kernel_without_weights_is_left_to_the_call() {
    assert_eq!(compared(&[3, 1], &[]).len(), 2);
    assert_eq!(compared(&[3, 1], &["1\n"]).len(), 2, "one of them is missing");
    assert_eq!(compared(&[], &["1\n", "1\n"]).len(), 2, "the plan has none");
}

#[test]
fn weights_that_nobody_planned_are_not_written() {
    let refused = |words: &str, warnings: Vec<Notice>| {
        let mut plan = placement(&[]);
        plan.warnings = warnings;
        match write(&super::super::testing::request(words), &mut plan) {
            Err(Error::NoWeights(missing)) => missing,
            other => panic!("{words}: {other:?}"),
        }
    };
    assert_eq!(refused("memory=local", vec![]), WeightsMissing::NotAskedFor);
    assert_eq!(refused("weighted=0", vec![]), WeightsMissing::KernelsAreTaken);
    assert_eq!(refused("memory=weighted", vec![own()]), WeightsMissing::Unknown(Box::new(own())));
}
