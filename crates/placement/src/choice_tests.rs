use std::num::NonZeroU32;

use super::*;
use crate::place;
use crate::testing::{all_threads, cpus, dram, in_cgroup, machine, masked, request, two_sockets};
use numawise_facts::Reading;

fn number(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

/// The threads of each task, tasks separated by `|`, and the warnings.
fn placed(machine: &Machine, request: &PlacementRequest) -> (String, Vec<Notice>) {
    let placement = place(machine, request).unwrap();
    let tasks = placement.tasks.iter().map(|task| {
        let threads: Vec<String> = task.threads.iter().map(ToString::to_string).collect();
        threads.join(" ")
    });
    (tasks.collect::<Vec<_>>().join(" | "), placement.warnings)
}

fn threads(machine: &Machine, strategy: Strategy, number: Option<u32>, choice: CpuChoice) -> String {
    placed(machine, &PlacementRequest { choice, ..request(strategy, number) }).0
}

fn error(machine: &Machine, request: &PlacementRequest) -> String {
    place(machine, request).unwrap_err().to_string()
}

/// Two sockets of four cores with one hardware thread.
fn eight_cores() -> Machine {
    machine(&[dram(0, 0, &[&[0], &[1], &[2], &[3]]), dram(1, 1, &[&[4], &[5], &[6], &[7]])])
}

/// Two fast cores with two hardware threads (0-3) and four efficient ones (4-7).
fn hybrid() -> Machine {
    let mut machine = machine(&[dram(0, 0, &[&[0, 1], &[2, 3], &[4], &[5], &[6], &[7]])]);
    for cpu in &mut machine.cpus {
        cpu.efficiency = Reading::Measured(u32::from(cpu.id.0 < 4));
    }
    machine
}

fn step(n: u32) -> CpuChoice {
    CpuChoice { step: number(n), ..all_threads() }
}

fn smt(n: u32) -> CpuChoice {
    CpuChoice { smt: Smt::PerCore(number(n)), ..all_threads() }
}

fn skip(list: &str) -> CpuChoice {
    CpuChoice { skip: cpus(list), ..all_threads() }
}

#[test]
fn stepping_wraps_with_an_offset() {
    assert_eq!(stepped(&[0, 1, 2, 3, 4, 5, 6], &step(3)), [0, 3, 6, 1, 4, 2, 5]);
    assert_eq!(stepped(&[0, 1, 2], &step(1)), [0, 1, 2]);
    assert_eq!(stepped(&[0, 1, 2], &step(3)), [0, 1, 2]);
    assert_eq!(
        stepped(&[0, 1, 2], &step(u32::MAX)),
        [0, 1, 2],
        "a step beyond the end goes to the next offset"
    );
    assert!(stepped::<u32>(&[], &step(2)).is_empty());
}

#[test]
fn a_step_holds_inside_each_node() {
    let machine = eight_cores();
    assert_eq!(threads(&machine, Strategy::Local, Some(3), step(2)), "0 2 1");
    assert_eq!(threads(&machine, Strategy::Local, None, step(2)), "0 2 1 3 4 6 5 7");
    assert_eq!(threads(&machine, Strategy::Distributed, Some(4), step(2)), "0 2 4 6");
    assert_eq!(threads(&machine, Strategy::Distributed, Some(4), step(3)), "0 3 4 7");
    assert_eq!(threads(&two_sockets(), Strategy::Local, Some(4), step(2)), "0 4 1 5", "of the order 0 1 4 5");
}

#[test]
fn a_step_holds_over_the_whole_list_where_nodes_do_not_count() {
    let machine = eight_cores();
    assert_eq!(threads(&machine, Strategy::None, Some(5), step(3)), "0 3 6 1 4");
    let some =
        PlacementRequest { cpus: Some(cpus("1-6")), choice: step(4), ..request(Strategy::Explicit, None) };
    assert_eq!(placed(&machine, &some).0, "1 5 2 6 3 4");
}

#[test]
fn tasks_follow_one_another_along_the_step() {
    let machine = eight_cores();
    let two = |strategy, number| PlacementRequest { tasks: 2, choice: step(2), ..request(strategy, number) };
    assert_eq!(placed(&machine, &two(Strategy::Local, Some(2))).0, "0 2 | 1 3");
    assert_eq!(placed(&machine, &two(Strategy::Semi, Some(2))).0, "0 2 | 4 6");
    assert_eq!(placed(&machine, &two(Strategy::Distributed, Some(2))).0, "0 4 | 2 6");
    assert_eq!(placed(&machine, &two(Strategy::None, Some(2))).0, "0 2 | 4 6");
}

#[test]
fn compact_takes_a_core_whole_before_the_next() {
    let compact = CpuChoice { order: Order::Compact, ..all_threads() };
    let machine = two_sockets();
    assert_eq!(threads(&machine, Strategy::Local, Some(3), compact.clone()), "0 4 1");
    assert_eq!(threads(&machine, Strategy::Distributed, Some(4), compact.clone()), "0 4 2 6");
    let two = PlacementRequest { tasks: 2, choice: compact.clone(), ..request(Strategy::Semi, Some(1)) };
    assert_eq!(placed(&machine, &two).0, "0 | 2");
    let four = PlacementRequest { tasks: 4, choice: compact, ..request(Strategy::Local, Some(1)) };
    assert_eq!(placed(&machine, &four).0, "0 | 4 | 1 | 5", "two tasks on each core");
}

#[test]
fn compact_keeps_a_core_with_threads_of_different_speed_whole() {
    let mut machine = machine(&[dram(0, 0, &[&[0, 2], &[1, 3]])]);
    for (cpu, rank) in machine.cpus.iter_mut().zip([0, 0, 1, 2]) {
        cpu.efficiency = Reading::Measured(rank);
    }
    let compact = CpuChoice { order: Order::Compact, efficient_cores: true, ..all_threads() };
    assert_eq!(threads(&machine, Strategy::Local, None, compact), "1 3 0 2");
}

#[test]
fn smt_takes_the_lowest_threads_of_a_core_that_are_left() {
    let machine = two_sockets();
    assert_eq!(threads(&machine, Strategy::Local, None, smt(1)), "0 1 2 3");
    assert_eq!(threads(&machine, Strategy::Local, None, smt(2)), "0 1 4 5 2 3 6 7");
    assert_eq!(threads(&machine, Strategy::Local, None, smt(9)), "0 1 4 5 2 3 6 7");
    assert_eq!(threads(&machine, Strategy::None, None, smt(1)), "0 1 2 3");
    let narrow = in_cgroup(two_sockets(), "1,4-5");
    assert_eq!(threads(&narrow, Strategy::Local, None, smt(1)), "1 4", "of core 0 only CPU 4 is ours");
    let listed =
        PlacementRequest { cpus: Some(cpus("0,4,5")), choice: smt(1), ..request(Strategy::Explicit, None) };
    assert_eq!(placed(&machine, &listed).0, "0 5");
    let four = crate::testing::machine(&[dram(0, 0, &[&[0, 1, 2, 3], &[4, 5, 6, 7]])]);
    assert_eq!(threads(&four, Strategy::Local, None, smt(2)), "0 4 1 5");
    assert_eq!(threads(&four, Strategy::Local, None, smt(3)), "0 4 1 5 2 6");
}

#[test]
fn a_cpu_of_no_known_core_is_a_core() {
    let mut machine = two_sockets();
    machine.cpus.retain(|cpu| cpu.id.0 != 4);
    assert_eq!(threads(&machine, Strategy::None, None, smt(1)), "0 1 2 3 4");
}

#[test]
fn what_is_skipped_stays_free() {
    let machine = two_sockets();
    assert_eq!(threads(&machine, Strategy::Local, None, skip("0")), "1 4 5 2 3 6 7");
    assert_eq!(threads(&machine, Strategy::None, None, skip("0-3")), "4 5 6 7");
    let free = PlacementRequest { choice: skip("0"), ..PlacementRequest::as_the_os_does() };
    let placement = place(&machine, &free).unwrap();
    assert_eq!(placement.tasks[0].cpus, cpus("1-7"), "also for threads that move");
    let both = CpuChoice { smt: Smt::PerCore(number(1)), ..skip("0") };
    assert_eq!(
        threads(&machine, Strategy::Local, None, both),
        "1 4 2 3",
        "core 0 has its second thread left"
    );
}

#[test]
fn the_systems_core_goes_with_all_its_threads() {
    let os = CpuChoice { skip_os_core: true, ..all_threads() };
    assert_eq!(threads(&two_sockets(), Strategy::Local, None, os.clone()), "1 5 2 3 6 7");
    let high = machine(&[dram(0, 0, &[&[8, 9], &[16, 17]])]);
    assert_eq!(
        threads(&high, Strategy::Local, None, os.clone()),
        "16 17",
        "of the machine's first CPU, whatever its number"
    );
    let narrow = in_cgroup(two_sockets(), "1-3,5-7");
    assert_eq!(threads(&narrow, Strategy::Local, None, os), "1 5 2 3 6 7", "it was not ours anyway");
}

#[test]
fn skipping_what_is_not_ours_is_no_matter_and_what_is_not_there_gets_a_warning() {
    let machine = in_cgroup(two_sockets(), "0-3");
    let request = |list| PlacementRequest { choice: skip(list), ..request(Strategy::Local, None) };
    assert_eq!(placed(&machine, &request("4-7")), ("0 1 2 3".to_owned(), vec![]));
    let (threads, warnings) = placed(&machine, &request("0,64"));
    assert_eq!(threads, "1 2 3");
    assert_eq!(warnings, [PlanNotice::SkippedCpusUnknown { cpus: cpus("64"), exist: cpus("0-7") }.into()]);
}

#[test]
fn skipping_everything_names_what_was_skipped() {
    let machine = in_cgroup(two_sockets(), "0,2,4");
    let text = error(&machine, &PlacementRequest { choice: skip("0-7"), ..request(Strategy::Local, None) });
    assert_eq!(
        text,
        "no CPU is left: of CPUs 0,2,4, which could be used, all are to be skipped (by their numbers 0,2,4); skip fewer, or let more \
         CPUs be used"
    );
    let os = CpuChoice { skip_os_core: true, ..skip("2") };
    let text = error(&machine, &PlacementRequest { choice: os.clone(), ..request(Strategy::None, None) });
    assert!(text.contains("(by their numbers 2, and the core of the system's own work, 0,4)"), "{text}");
    let listed = PlacementRequest { cpus: Some(cpus("0")), choice: os, ..request(Strategy::Explicit, None) };
    assert!(error(&machine, &listed).contains("(the core of the system's own work, 0,4)"));
}

#[test]
fn efficient_cores_are_left_out_with_a_word() {
    let machine = hybrid();
    for strategy in [Strategy::Local, Strategy::Distributed, Strategy::Semi, Strategy::None] {
        let (threads, warnings) = placed(&machine, &request(strategy, None));
        let fast = if strategy == Strategy::None { "0 1 2 3" } else { "0 2 1 3" };
        assert_eq!(threads, fast, "{strategy}");
        assert_eq!(warnings, [PlanNotice::EfficientCoresLeftOut { cpus: cpus("4-7") }.into()]);
    }
}

#[test]
fn efficient_cores_are_taken_when_asked_for_or_left_to_the_system() {
    let machine = hybrid();
    let all = CpuChoice { efficient_cores: true, ..all_threads() };
    assert_eq!(threads(&machine, Strategy::Local, None, all), "0 2 4 5 6 7 1 3");
    let named = PlacementRequest { cpus: Some(cpus("3-5")), ..request(Strategy::Local, None) };
    assert_eq!(placed(&machine, &named), ("3 4 5".to_owned(), vec![]));
    let by_node =
        PlacementRequest { nodes: Some(crate::testing::nodes("0")), ..request(Strategy::Explicit, None) };
    assert_eq!(placed(&machine, &by_node).0, "0 1 2 3 4 5 6 7");
    let free = place(&machine, &PlacementRequest::as_the_os_does()).unwrap();
    assert_eq!((free.tasks[0].cpus.clone(), free.warnings), (cpus("0-7"), vec![]));
}

#[test]
fn where_only_efficient_cores_are_left_they_are_taken() {
    let narrow = masked(hybrid(), "4-5");
    let (threads, warnings) = placed(&narrow, &request(Strategy::Local, None));
    assert_eq!(threads, "4 5");
    assert_eq!(warnings, [PlanNotice::OnlyEfficientCores { cpus: cpus("4-5") }.into()]);
    let skipped = PlacementRequest { choice: skip("0-3"), ..request(Strategy::Semi, None) };
    assert_eq!(placed(&hybrid(), &skipped).0, "4 5 6 7");
}

#[test]
fn of_three_kinds_only_the_slowest_is_efficient_and_of_one_none() {
    let mut machine = hybrid();
    for cpu in &mut machine.cpus {
        cpu.efficiency = Reading::Measured([2, 1, 0, 0][cpu.id.0 as usize / 2]);
    }
    assert_eq!(threads(&machine, Strategy::Local, None, all_threads()), "0 2 1 3");
    for cpu in &mut machine.cpus {
        cpu.efficiency = Reading::Measured(0);
    }
    assert_eq!(placed(&machine, &request(Strategy::Local, None)).1, []);
    machine.cpus[0].efficiency = Reading::unavailable("not read");
    assert_eq!(placed(&machine, &request(Strategy::Local, None)).1, []);
}

#[test]
fn a_task_gets_one_thread_a_core_where_nobody_said_how_many() {
    let machine = two_sockets();
    let plan = |strategy, tasks, threads, choice| {
        placed(&machine, &PlacementRequest { tasks, choice, ..request(strategy, threads) })
    };
    let unsaid = |strategy, tasks| plan(strategy, tasks, None, CpuChoice::default());
    assert_eq!(unsaid(Strategy::Local, 1), ("0 1 2 3".to_owned(), vec![]));
    assert_eq!(unsaid(Strategy::Distributed, 2), ("0 2 | 1 3".to_owned(), vec![]));
    assert_eq!(unsaid(Strategy::Semi, 2), ("0 1 | 2 3".to_owned(), vec![]));
    assert_eq!(unsaid(Strategy::None, 1), ("0 1 2 3".to_owned(), vec![]), "they are pinned");
    assert_eq!(unsaid(Strategy::Local, 4).0, "0 | 1 | 2 | 3");
    assert_eq!(
        unsaid(Strategy::Local, 6),
        ("0 | 4 | 1 | 5 | 2 | 3".to_owned(), vec![]),
        "more tasks than cores"
    );
    assert_eq!(unsaid(Strategy::Semi, 8), ("0 | 4 | 1 | 5 | 2 | 6 | 3 | 7".to_owned(), vec![]));

    let all = "0 1 4 5 2 3 6 7";
    assert_eq!(plan(Strategy::Local, 1, None, all_threads()).0, all);
    assert_eq!(plan(Strategy::Local, 1, None, smt(2)).0, all);
    assert_eq!(plan(Strategy::Local, 1, Some(8), CpuChoice::default()).0, all, "so many were asked for");
    let compact = CpuChoice { order: Order::Compact, ..CpuChoice::default() };
    assert_eq!(plan(Strategy::Local, 1, None, compact).0, "0 4 1 5 2 6 3 7", "side by side were asked for");
}

#[test]
fn named_cpus_are_all_meant() {
    let machine = two_sockets();
    let plain = |strategy| PlacementRequest { choice: CpuChoice::default(), ..request(strategy, None) };
    let named = PlacementRequest { cpus: Some(cpus("0,4-5")), ..plain(Strategy::Local) };
    assert_eq!(placed(&machine, &named).0, "0 5 4");
    let explicit = PlacementRequest { strategy: Strategy::Explicit, ..named };
    assert_eq!(placed(&machine, &explicit).0, "0 4 5");
    let of_node = PlacementRequest { nodes: Some(crate::testing::nodes("1")), ..plain(Strategy::Local) };
    assert_eq!(placed(&machine, &of_node).0, "2 3", "a node is no CPU");
    let free = PlacementRequest { binding: ThreadBinding::Free, ..plain(Strategy::None) };
    assert_eq!(place(&machine, &free).unwrap().tasks[0].cpus, machine.allowed_cpus, "the system chooses");
    let narrow = masked(two_sockets(), "1,4-5");
    assert_eq!(placed(&narrow, &plain(Strategy::Local)).0, "1 4", "of core 0 only CPU 4 is ours");
}
