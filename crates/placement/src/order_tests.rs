//! What libomp 14 does was asked for by `KMP_AFFINITY=verbose,granularity=fine,WORD`, with these machines in place of
//! /proc/cpuinfo (`KMP_TOPOLOGY_METHOD=cpuinfo`).

use numawise_facts::notice::PlanNotice;
use numawise_facts::{Smt, ThreadBinding};

use super::*;
use crate::place;
use crate::testing::{NodeSpec, cpus, dram, in_cgroup, machine, nodes, request};

/// Packages of so many cores, each with so many hardware threads, numbered as Linux does: first threads of all cores first.
fn packages(packages: u32, cores: u32, threads: u32) -> Machine {
    let numbers = |package: u32, core: u32| {
        (0..threads).map(|thread| thread * packages * cores + package * cores + core).collect::<Vec<u32>>()
    };
    let all: Vec<Vec<Vec<u32>>> =
        (0..packages).map(|package| (0..cores).map(|core| numbers(package, core)).collect()).collect();
    let slices: Vec<Vec<&[u32]>> =
        all.iter().map(|cores| cores.iter().map(Vec::as_slice).collect()).collect();
    let specs: Vec<NodeSpec<'_>> =
        slices.iter().zip(0..).map(|(cores, package)| dram(package, package, cores)).collect();
    machine(&specs)
}

fn ordered(order: &str, threads: Option<u32>) -> PlacementRequest {
    let choice = CpuChoice { order: order.parse().unwrap(), ..CpuChoice::default() };
    let strategy = if matches!(choice.order, Order::Listed(_)) { Strategy::Explicit } else { Strategy::None };
    PlacementRequest { choice, ..request(strategy, threads) }
}

fn threads(machine: &Machine, request: &PlacementRequest) -> String {
    let placement = place(machine, request).unwrap();
    let cpus: Vec<String> = placement.tasks[0].threads.iter().map(ToString::to_string).collect();
    cpus.join(" ")
}

fn error(request: &PlacementRequest) -> PlacementError {
    place(&packages(2, 4, 2), request).unwrap_err()
}

#[test]
fn words_mean_what_they_mean_to_libomp() {
    for (shape, order, number, expected) in [
        ([2, 4, 2], "compact", 6, "0 8 1 9 2 10"),
        ([2, 4, 2], "compact", 18, "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15 0 8"),
        ([2, 4, 2], "scatter", 6, "0 4 1 5 2 6"),
        ([2, 4, 2], "scatter", 11, "0 4 1 5 2 6 3 7 8 12 9"),
        ([2, 4, 2], "scatter", 18, "0 4 1 5 2 6 3 7 8 12 9 13 10 14 11 15 0 4"),
        ([2, 4, 2], "balanced", 6, "0 1 2 3 4 5"),
        ([2, 4, 2], "balanced", 11, "0 8 1 9 2 10 3 4 5 6 7"),
        ([2, 4, 2], "balanced", 18, "0 8 0 1 9 1 2 10 3 11 4 12 5 13 6 14 7 15"),
        ([2, 4, 2], "0,3-7:2", 6, "0 3 5 7 0 3"),
        ([2, 4, 2], "0,8,1,9,2,10", 6, "0 8 1 9 2 10"),
        ([2, 4, 1], "compact", 10, "0 1 2 3 4 5 6 7 0 1"),
        ([2, 4, 1], "scatter", 6, "0 4 1 5 2 6"),
        ([2, 4, 1], "balanced", 5, "0 1 2 4 5"),
        ([2, 4, 1], "balanced", 10, "0 1 2 3 0 4 5 6 7 4"),
        ([1, 4, 2], "scatter", 5, "0 1 2 3 4"),
        ([1, 4, 2], "balanced", 5, "0 4 1 2 3"),
        ([1, 4, 1], "balanced", 5, "0 0 1 2 3"),
        ([2, 3, 4], "compact", 7, "0 6 12 18 1 7 13"),
        ([2, 3, 4], "scatter", 15, "0 3 1 4 2 5 6 9 7 10 8 11 12 15 13"),
        ([2, 3, 4], "balanced", 7, "0 6 1 2 3 4 5"),
        ([2, 3, 4], "balanced", 15, "0 6 12 1 7 13 2 8 14 3 9 4 10 5 11"),
    ] {
        let [number_of_packages, cores, smt] = shape;
        let machine = packages(number_of_packages, cores, smt);
        assert_eq!(threads(&machine, &ordered(order, Some(number))), expected, "{order} on {shape:?}");
    }
}

#[test]
fn cpus_that_we_may_not_use_are_not_there() {
    for (shape, left, order, number, expected) in [
        ([2, 4, 2], "0-12", "compact", 13, "0 8 1 9 2 10 3 11 4 12 5 6 7"),
        ([2, 4, 2], "0-12", "scatter", 13, "0 4 1 5 2 6 3 7 8 12 9 10 11"),
        ([2, 4, 2], "0-12", "balanced", 5, "0 1 2 3 4"),
        ([2, 4, 2], "0-12", "balanced", 11, "0 8 1 9 2 10 3 4 5 6 7"),
        ([2, 4, 1], "0-6", "scatter", 7, "0 4 1 5 2 6 3"),
        ([2, 4, 1], "0-6", "balanced", 5, "0 1 2 4 5"),
        ([2, 4, 1], "0-6", "balanced", 7, "0 1 2 3 4 5 6"),
    ] {
        let [number_of_packages, cores, smt] = shape;
        let machine = in_cgroup(packages(number_of_packages, cores, smt), left);
        assert_eq!(threads(&machine, &ordered(order, Some(number))), expected, "{order} on {left}");
    }
    let listed = PlacementRequest { cpus: Some(cpus("2-5")), ..ordered("scatter", None) };
    assert_eq!(
        threads(&packages(2, 4, 2), &PlacementRequest { strategy: Strategy::Explicit, ..listed }),
        "2 4 3 5"
    );
}

#[test]
fn threads_are_counted_by_cores_where_nobody_says_how_many() {
    let machine = packages(2, 2, 2);
    assert_eq!(threads(&machine, &ordered("scatter", None)), "0 2 1 3");
    assert_eq!(threads(&machine, &ordered("balanced", None)), "0 1 2 3");
    assert_eq!(threads(&machine, &ordered("compact", None)), "0 4 1 5 2 6 3 7");
    assert_eq!(threads(&machine, &ordered("6,1,6", None)), "6 1 6");
    let mut all = ordered("scatter", None);
    all.choice.smt = Smt::All;
    assert_eq!(threads(&machine, &all), "0 2 1 3 4 6 5 7");
    all.choice.step = std::num::NonZeroU32::new(2).unwrap();
    assert_eq!(threads(&machine, &all), "0 1 4 5 2 3 6 7", "every second one of the order");
}

#[test]
fn tasks_follow_one_another_along_compact_only() {
    let two = PlacementRequest { tasks: 2, ..ordered("compact", Some(3)) };
    let placement = place(&packages(2, 4, 2), &two).unwrap();
    let masks: Vec<String> = placement.tasks.iter().map(|task| task.cpus.to_string()).collect();
    assert_eq!(masks, ["0-1,8", "2,9-10"]);
    for order in ["scatter", "balanced", "0-3"] {
        let two = PlacementRequest { tasks: 2, ..ordered(order, Some(2)) };
        let expected = PlacementError::OrderOfOneTask { order: two.choice.order.clone(), tasks: 2 };
        assert_eq!(error(&two), expected);
    }
}

#[test]
fn an_order_over_all_cpus_stands_without_a_strategy() {
    for strategy in [Strategy::Local, Strategy::Distributed, Strategy::Semi] {
        for order in ["scatter", "balanced", "0,3"] {
            let both = PlacementRequest { strategy, ..ordered(order, Some(2)) };
            let expected = PlacementError::OrderBesideStrategy { order: both.choice.order.clone(), strategy };
            assert_eq!(error(&both), expected);
        }
    }
    let mut stepped = ordered("balanced", Some(2));
    stepped.choice.step = std::num::NonZeroU32::new(2).unwrap();
    assert!(matches!(error(&stepped), PlacementError::StepOfBalanced { .. }));
}

#[test]
fn a_list_names_all_cpus_and_only_those_that_may_be_used() {
    let list = ordered("0,3", None);
    let mut skipping = list.clone();
    skipping.choice.skip_os_core = true;
    let beside = [
        PlacementRequest { cpus: Some(cpus("0-7")), ..list.clone() },
        PlacementRequest { nodes: Some(nodes("0")), ..list.clone() },
        skipping,
    ];
    for request in &beside {
        assert_eq!(error(request), PlacementError::OrderIsAList { order: list.choice.order.clone() });
    }
    assert!(matches!(error(&ordered("0,16", None)), PlacementError::NoSuchCpu { .. }));
    let narrow = in_cgroup(packages(2, 4, 2), "0-2");
    assert!(matches!(place(&narrow, &list), Err(PlacementError::CpuNotAllowed { .. })));
    let mut empty = list;
    empty.choice.order = Order::Listed(Vec::new());
    assert!(matches!(error(&empty), PlacementError::EmptyList(_)));
}

#[test]
fn free_threads_have_the_cpus_and_no_order() {
    for order in ["scatter", "balanced", "compact", "3,0"] {
        let free = PlacementRequest { binding: ThreadBinding::Free, ..ordered(order, None) };
        let placement = place(&packages(1, 2, 2), &free).unwrap();
        let all = if order == "3,0" { "0,3" } else { "0-3" };
        assert_eq!(placement.tasks[0].cpus, cpus(all), "{order}");
        assert_eq!(
            placement.warnings,
            [PlanNotice::OrderWithoutEffect { order: free.choice.order, strategy: free.strategy }.into()]
        );
    }
}
