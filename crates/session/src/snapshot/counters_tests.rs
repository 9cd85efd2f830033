use std::cell::Cell;

use numawise_facts::activity::CounterEvent;
use numawise_linux::calls::counter::{KIND_SOFTWARE, SOFTWARE_TASK_CLOCK};
use numawise_observe::counters::{ChosenEvent, CounterCode};

use super::*;

#[test]
fn without_counters_those_of_an_outer_numawise_are_taken_out() {
    let none = RunCounters { access: CounterAccess::NotOpened(CounterObstacle::NotInKernel), server: None };
    assert_eq!(none.change(&|_| None), None);
    let asked = Cell::new(false);
    let outer = |_: &str| {
        asked.set(true);
        Some("1;0;0:0;/x".into())
    };
    assert!(none.change(&outer).is_some() && asked.get());
}

#[test]
fn a_folder_whose_path_is_too_long_for_a_socket_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("x".repeat(120));
    std::fs::create_dir(&deep).unwrap();
    let choice = CounterChoice { events: vec![], flags: 0, processor: None, with_children: false };
    let counters = RunCounters::of(choice, &deep);
    let CounterAccess::NotOpened(CounterObstacle::NotHandedOver { problem }) = counters.access else {
        panic!("{counters:?}")
    };
    assert!(problem.contains(".counters"), "{problem}");
}

#[test]
fn a_run_without_processes_leaves_nothing_behind_but_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let event = ChosenEvent {
        event: CounterEvent::TaskClock,
        name: "task-clock".to_owned(),
        cores: String::new(),
        code: CounterCode { kind: KIND_SOFTWARE, config: SOFTWARE_TASK_CLOCK },
        refused: None,
    };
    let choice = CounterChoice { events: vec![event], flags: 2, processor: None, with_children: false };
    let counters = RunCounters::of(choice, folder.path());
    assert!(counters.change(&|_| None).is_some());
    let (access, _) = counters.start().finish(folder.path());
    assert_eq!(access, CounterAccess::Opened { processor: None });
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|one| one.path()).collect();
    assert!(left.len() == 1 && left[0].extension().is_some_and(|end| end == "counted"), "{left:?}");
}
