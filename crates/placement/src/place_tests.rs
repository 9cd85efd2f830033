use super::*;
use crate::testing::{
    all_threads, cpus, dram, in_cgroup, machine, masked, memory, nodes, request, two_sockets, with_hbm,
};
use numawise_facts::{MemoryPlan, MemoryRequest};

/// The threads of each task, tasks separated by `|`.
fn threads(machine: &Machine, request: &PlacementRequest) -> String {
    let placement = place(machine, request).unwrap();
    let task =
        |task: &TaskPlacement| task.threads.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(" ");
    placement.tasks.iter().map(task).collect::<Vec<_>>().join(" | ")
}

fn tasks(request: PlacementRequest, tasks: u32) -> PlacementRequest {
    PlacementRequest { tasks, ..request }
}

#[test]
fn local_fills_a_node_core_by_core_then_thread_by_thread() {
    let machine = two_sockets();
    for (number, expected) in
        [(1, "0"), (2, "0 1"), (3, "0 1 4"), (4, "0 1 4 5"), (5, "0 1 4 5 2"), (8, "0 1 4 5 2 3 6 7")]
    {
        assert_eq!(threads(&machine, &request(Strategy::Local, Some(number))), expected);
    }
    assert_eq!(threads(&machine, &request(Strategy::Local, None)), "0 1 4 5 2 3 6 7");
}

#[test]
fn distributed_gives_each_node_the_same_in_blocks() {
    let machine = two_sockets();
    for (number, expected) in
        [(1, "0"), (2, "0 2"), (3, "0 1 2"), (4, "0 1 2 3"), (6, "0 1 4 2 3 6"), (8, "0 1 4 5 2 3 6 7")]
    {
        assert_eq!(threads(&machine, &request(Strategy::Distributed, Some(number))), expected);
    }
}

#[test]
fn tasks_of_distributed_are_each_on_all_nodes_and_own_their_cores() {
    let machine = two_sockets();
    assert_eq!(threads(&machine, &tasks(request(Strategy::Distributed, Some(2)), 2)), "0 2 | 1 3");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Distributed, None), 2)), "0 4 2 6 | 1 5 3 7");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Distributed, Some(1)), 3)), "0 | 2 | 1");
}

#[test]
fn semi_keeps_a_task_in_a_node_and_neighbours_together() {
    let machine = two_sockets();
    assert_eq!(threads(&machine, &tasks(request(Strategy::Semi, None), 2)), "0 1 4 5 | 2 3 6 7");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Semi, Some(2)), 2)), "0 1 | 2 3");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Semi, Some(2)), 4)), "0 4 | 1 5 | 2 6 | 3 7");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Semi, None), 4)), "0 4 | 1 5 | 2 6 | 3 7");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Semi, None), 1)), "0 1 4 5");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Semi, None), 5)), "0 4 | 1 | 5 | 2 6 | 3 7");
}

#[test]
fn semi_goes_where_a_whole_task_fits() {
    // Node 0 has four CPUs, node 1 one: two tasks of two threads both go to node 0.
    let lopsided = machine(&[dram(0, 0, &[&[0], &[1], &[2], &[3]]), dram(1, 1, &[&[4]])]);
    assert_eq!(threads(&lopsided, &tasks(request(Strategy::Semi, Some(2)), 2)), "0 1 | 2 3");
}

#[test]
fn local_tasks_follow_one_another() {
    let machine = two_sockets();
    assert_eq!(threads(&machine, &tasks(request(Strategy::Local, Some(2)), 2)), "0 4 | 1 5");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Local, Some(3)), 2)), "0 1 4 | 2 3 6");
    assert_eq!(threads(&machine, &tasks(request(Strategy::Local, Some(2)), 3)), "0 4 | 1 5 | 2 3");
    assert_eq!(
        threads(&machine, &tasks(request(Strategy::Local, None), 3)),
        "0 1 4 5 | 2 6 | 3 7",
        "whole cores"
    );
    let compact = numawise_facts::CpuChoice { order: numawise_facts::Order::Compact, ..Default::default() };
    let compact = PlacementRequest { choice: compact, ..request(Strategy::Local, Some(3)) };
    assert_eq!(
        threads(&machine, &tasks(compact, 2)),
        "0 4 1 | 5 2 6",
        "compact leaves no CPU of a core behind"
    );
}

#[test]
fn what_is_explicit_comes_in_the_order_of_numbers() {
    let machine = two_sockets();
    let explicit = |list: &str, number, binding| PlacementRequest {
        cpus: Some(cpus(list)),
        binding,
        ..request(Strategy::Explicit, number)
    };
    assert_eq!(threads(&machine, &explicit("7,1,3", None, ThreadBinding::Pinned)), "1 3 7");
    assert_eq!(threads(&machine, &explicit("7,1,3", Some(2), ThreadBinding::Pinned)), "1 3");
    assert_eq!(threads(&machine, &explicit("1,3", Some(3), ThreadBinding::Pinned)), "1 3 1");
    assert_eq!(threads(&machine, &explicit("0-3", Some(1), ThreadBinding::Free)), "0-3");
    assert_eq!(threads(&machine, &tasks(explicit("0-3", None, ThreadBinding::Free), 2)), "0-1 0-1 | 2-3 2-3");
    let by_node = PlacementRequest {
        nodes: Some(nodes("1")),
        binding: ThreadBinding::Free,
        ..request(Strategy::Explicit, None)
    };
    assert_eq!(place(&machine, &by_node).unwrap().tasks[0].cpus, cpus("2-3,6-7"));
}

#[test]
fn none_leaves_everything_to_the_system() {
    let machine = masked(two_sockets(), "1-3");
    let placement = place(&machine, &PlacementRequest::as_the_os_does()).unwrap();
    assert_eq!(placement.tasks[0].cpus, cpus("1-3"));
    assert_eq!(placement.tasks[0].threads.len(), 3);
    assert_eq!(placement.binding, ThreadBinding::Free);
    assert_eq!(placement.tasks[0].memory, MemoryPlan::default_policy());
    assert_eq!(threads(&machine, &request(Strategy::None, Some(2))), "1 2");
}

#[test]
fn only_cpus_and_nodes_asked_for_are_taken() {
    let machine = two_sockets();
    let some = PlacementRequest { cpus: Some(cpus("1-2,5-6")), ..request(Strategy::Distributed, Some(4)) };
    assert_eq!(threads(&machine, &some), "1 5 2 6");
    let some = PlacementRequest { nodes: Some(nodes("1")), ..request(Strategy::Local, None) };
    assert_eq!(threads(&machine, &some), "2 3 6 7");
}

#[test]
fn a_mask_that_leaves_second_threads_counts_them_as_first() {
    // Of core 0 only its second thread is left: it comes before the second thread of core 1.
    let machine = in_cgroup(two_sockets(), "1,4-5");
    assert_eq!(threads(&machine, &request(Strategy::Local, None)), "1 4 5");
}

#[test]
fn fast_cores_come_before_efficient_ones_and_second_threads_last() {
    let mut machine = machine(&[dram(0, 0, &[&[0], &[1], &[2, 4], &[3, 5]])]);
    for cpu in &mut machine.cpus {
        cpu.efficiency = numawise_facts::Reading::Measured(u32::from(cpu.id.0 >= 2));
    }
    let all = numawise_facts::CpuChoice { efficient_cores: true, ..all_threads() };
    let request = PlacementRequest { choice: all, ..request(Strategy::Local, None) };
    assert_eq!(threads(&machine, &request), "2 3 0 1 4 5");
}

#[test]
fn nodes_come_by_package_and_cpus_without_a_node_last() {
    let mut machine =
        machine(&[dram(0, 0, &[&[0]]), dram(1, 1, &[&[1]]), dram(2, 0, &[&[2]]), dram(3, 1, &[&[3]])]);
    assert_eq!(threads(&machine, &request(Strategy::Local, None)), "0 2 1 3");
    machine.cpus[0].node = None;
    assert_eq!(threads(&machine, &request(Strategy::Local, None)), "2 1 3 0");
}

#[test]
fn nodes_without_cpus_get_no_threads() {
    let machine = with_hbm();
    assert_eq!(threads(&machine, &request(Strategy::Distributed, None)), "0 1 2 3");
    let both = PlacementRequest { nodes: Some(nodes("1,3")), ..request(Strategy::Local, None) };
    let placement = place(&machine, &both).unwrap();
    assert_eq!(placement.tasks[0].cpus, cpus("2-3"));
    assert_eq!(placement.warnings, [PlanNotice::NodesWithoutUsableCpus { nodes: nodes("3") }.into()]);
}

#[test]
fn more_threads_than_cpus_is_a_warning_with_both_numbers() {
    let machine = two_sockets();
    for strategy in [Strategy::Local, Strategy::Distributed, Strategy::None] {
        let placement = place(&machine, &request(strategy, Some(12))).unwrap();
        assert_eq!(placement.tasks[0].threads.len(), 12);
        let expected = PlanNotice::Oversubscribed { threads: 12, cpus: cpus("0-7") };
        assert_eq!(placement.warnings, [expected.into()]);
    }
    let placement = place(&machine, &request(Strategy::Semi, Some(6))).unwrap();
    assert_eq!(placement.tasks[0].cpus, cpus("0-1,4-5"));
    let expected =
        PlanNotice::TaskOversubscribed { threads: 6, cpus: cpus("0-1,4-5"), strategy: Strategy::Semi };
    assert_eq!(placement.warnings, [expected.into()]);
}

#[test]
fn what_does_not_exist_is_named_with_what_does() {
    let machine = two_sockets();
    let error = |request: PlacementRequest| place(&machine, &request).unwrap_err().to_string();
    let with_cpus =
        |list: &str| PlacementRequest { cpus: Some(cpus(list)), ..request(Strategy::Local, None) };
    let with_nodes =
        |list: &str| PlacementRequest { nodes: Some(nodes(list)), ..request(Strategy::Local, None) };
    assert_eq!(error(with_cpus("0,9-10")), "CPU 9-10 does not exist on this machine; it has CPUs 0-7");
    assert_eq!(error(with_nodes("1-2")), "node 2 does not exist on this machine; it has nodes 0-1");
    assert!(error(with_cpus("")).contains("the list of CPUs is empty"));
    assert!(error(with_nodes("")).contains("the list of nodes is empty"));
    let nothing = PlacementRequest { nodes: Some(nodes("1")), ..with_cpus("0") };
    assert_eq!(error(nothing), "no CPU is left: CPUs 0 are not on nodes 1");
    assert!(error(request(Strategy::Explicit, None)).contains("names its CPUs or its nodes"));
    assert!(error(request(Strategy::Local, Some(0))).contains("0 threads"));
    assert!(error(tasks(request(Strategy::Local, None), 0)).contains("0 tasks"));
    assert!(
        error(tasks(request(Strategy::Local, Some(u32::MAX)), u32::MAX))
            .contains("at most 16384 are planned for")
    );
}

#[test]
fn what_is_forbidden_is_named_with_the_limit() {
    let machine = in_cgroup(two_sockets(), "0-1");
    let by_cpu = PlacementRequest { cpus: Some(cpus("1-2")), ..request(Strategy::Local, None) };
    let error = place(&machine, &by_cpu).unwrap_err();
    assert_eq!(error.to_string(), "CPU 2 may not be used; allowed are 0-1");
    assert_eq!(error.limits(), machine.limits, "the limit is named");
    let by_node = PlacementRequest { nodes: Some(nodes("1")), ..request(Strategy::Local, None) };
    let error = place(&machine, &by_node).unwrap_err();
    assert_eq!(error.to_string(), "no CPU of node 1 may be used; allowed are CPUs 0-1");
    assert_eq!(error.limits(), machine.limits);
    let nothing = masked(two_sockets(), "");
    assert!(place(&nothing, &by_cpu).unwrap_err().to_string().contains("no CPU of this machine may be used"));
    let machine = with_hbm();
    let by_node = PlacementRequest { nodes: Some(nodes("2-3")), ..request(Strategy::Local, None) };
    let text = place(&machine, &by_node).unwrap_err().to_string();
    assert_eq!(text, "node 2-3 has no CPUs of its own; nodes with CPUs are 0-1");
}

#[test]
fn memory_goes_with_the_task() {
    let machine = with_hbm();
    let plan = |request: PlacementRequest, policy: &str| -> Vec<String> {
        let request = PlacementRequest { memory: memory(policy), ..request };
        place(&machine, &request).unwrap().tasks.iter().map(|task| task.memory.to_string()).collect()
    };
    let two = || tasks(request(Strategy::Semi, None), 2);
    assert_eq!(plan(two(), "bind"), ["bind:0", "bind:1"]);
    assert_eq!(plan(two(), "hbm"), ["bind:2", "bind:3"]);
    assert_eq!(plan(two(), "remote"), ["bind:1", "bind:0"]);
    assert_eq!(plan(two(), "preferred"), ["preferred:0", "preferred:1"]);
    assert_eq!(plan(two(), "interleave"), ["interleave:0-1", "interleave:0-1"]);
    assert_eq!(plan(request(Strategy::Distributed, None), "hbm"), ["bind:2-3"]);
    assert_eq!(place(&machine, &two()).unwrap().tasks[0].memory.to_string(), "default");
    assert_eq!(PlacementRequest::as_the_os_does().memory, MemoryRequest::Default);
}

#[test]
fn tasks_that_share_cpus_while_others_are_free_get_a_warning() {
    let machine = machine(&[
        dram(0, 0, &[&[0], &[1], &[2], &[3], &[4], &[5]]),
        dram(1, 1, &[&[6], &[7], &[8], &[9], &[10], &[11]]),
    ]);
    let placement = place(&machine, &tasks(request(Strategy::Semi, Some(4)), 3)).unwrap();
    let expected =
        PlanNotice::TasksShareCpus { shared: cpus("0-1"), unused: cpus("10-11"), strategy: Strategy::Semi };
    assert_eq!(placement.warnings, [expected.into()]);
    let placement = place(&machine, &tasks(request(Strategy::Semi, Some(3)), 4)).unwrap();
    assert_eq!(placement.warnings, []);
    let one = PlacementRequest { cpus: Some(cpus("3")), ..request(Strategy::Local, Some(2)) };
    let expected = PlanNotice::Oversubscribed { threads: 2, cpus: cpus("3") };
    assert_eq!(place(&machine, &one).unwrap().warnings, [expected.into()]);
}

#[test]
fn semi_says_which_nodes_idle_where_it_chooses_the_threads() {
    let idle = |tasks, threads| {
        let asked = PlacementRequest { tasks, ..request(Strategy::Semi, threads) };
        let warnings = place(&two_sockets(), &asked).unwrap().warnings;
        warnings.into_iter().find_map(|warning| match warning {
            Notice::Plan(PlanNotice::NodesIdle { tasks, nodes }) => Some((tasks, nodes.to_string())),
            _ => None,
        })
    };
    assert_eq!(idle(1, None), Some((1, "1".to_owned())));
    assert_eq!(idle(2, None), None);
    assert_eq!(idle(1, Some(2)), None, "somebody asked for two threads");
}
