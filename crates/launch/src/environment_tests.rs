use numawise_facts::notice::LaunchNotice;
use numawise_facts::{MemoryPlan, PageSize};

use super::*;
use crate::overrides;

fn task(threads: &[&str]) -> TaskPlacement {
    let threads: Vec<numawise_units::CpuSet> = threads.iter().map(|cpus| cpus.parse().unwrap()).collect();
    let cpus = threads.iter().fold(numawise_units::CpuSet::new(), |all, cpus| all.union(cpus));
    TaskPlacement { task: TaskId(0), cpus, threads, memory: MemoryPlan::default_policy(), gpus: Vec::new() }
}

fn pinner() -> Pinner {
    Pinner { library: "/opt/libnumawise_agent.so".into(), verbose: false }
}

fn empty(_: &str) -> Option<OsString> {
    None
}

fn value<'a>(changes: &'a [Change], name: &str) -> Option<&'a str> {
    changes.iter().find(|change| change.name == name)?.value.as_deref()
}

#[test]
fn free_threads_are_only_counted() {
    let changes = environment_from(
        &task(&["0-3", "0-3"]),
        ThreadBinding::Free,
        Some(&pinner()),
        FreeThreads::Untouched,
        &empty,
    );
    assert_eq!(changes, [Change { name: "OMP_NUM_THREADS", value: Some("2".to_owned()) }]);
}

#[test]
fn pinned_threads_have_places_in_their_own_order() {
    let changes = environment_from(
        &task(&["4", "0", "8-9"]),
        ThreadBinding::Pinned,
        None,
        FreeThreads::Untouched,
        &empty,
    );
    assert_eq!(value(&changes, "OMP_NUM_THREADS"), Some("3"));
    assert_eq!(value(&changes, "OMP_PLACES"), Some("{4},{0},{8,9}"));
    assert_eq!(value(&changes, "OMP_PROC_BIND"), Some("close"));
    assert!(changes.contains(&Change { name: "KMP_AFFINITY", value: None }));
    assert_eq!(value(&changes, "NUMAWISE_PIN"), None);
}

#[test]
fn numbers_of_inner_teams_stay() {
    for (set, expected) in
        [("4,3", "2,3"), ("1, 8,2", "2, 8,2"), ("4", "2"), ("4,", "2"), ("4,x", "2"), ("4,0", "2")]
    {
        let now = |name: &str| (name == "OMP_NUM_THREADS").then(|| set.into());
        let changes =
            environment_from(&task(&["0", "1"]), ThreadBinding::Free, None, FreeThreads::Untouched, &now);
        assert_eq!(value(&changes, "OMP_NUM_THREADS"), Some(expected), "{set}");
    }
}

#[test]
fn the_pinner_gets_the_same_plan() {
    let changes = environment_from(
        &task(&["4", "0", "8-9"]),
        ThreadBinding::Pinned,
        Some(&pinner()),
        FreeThreads::Untouched,
        &empty,
    );
    assert_eq!(value(&changes, "LD_PRELOAD"), Some("/opt/libnumawise_agent.so"));
    assert_eq!(value(&changes, "NUMAWISE_PIN"), Some("1;0,4,8-9;4;0;8-9"));
}

#[test]
fn free_threads_that_are_compared_with_pinned_ones_get_a_plan_that_places_nothing() {
    let task = task(&["0-3", "0-3"]);
    let inert = environment_from(&task, ThreadBinding::Free, Some(&pinner()), FreeThreads::InertPlan, &empty);
    assert_eq!(value(&inert, "LD_PRELOAD"), Some("/opt/libnumawise_agent.so"));
    assert_eq!(value(&inert, "NUMAWISE_PIN"), Some("0;0-3;0-3;0-3"));
    assert_eq!(
        value(&inert, "OMP_PROC_BIND"),
        None,
        "a program that binds its threads itself goes on doing so"
    );
}

#[test]
fn the_plan_of_an_outer_numawise_does_not_reach_the_program() {
    let outer = |name: &str| (name == "NUMAWISE_PIN").then(|| "1;0;0".into());
    for (binding, pinner) in [(ThreadBinding::Free, Some(&pinner())), (ThreadBinding::Pinned, None)] {
        let changes = environment_from(&task(&["0"]), binding, pinner, FreeThreads::Untouched, &outer);
        assert!(changes.contains(&Change { name: "NUMAWISE_PIN", value: None }), "{changes:?}");
    }
}

#[test]
fn pages_go_into_the_environment_whatever_the_binding() {
    let mut task = task(&["0"]);
    task.memory.pages = PageSize::Huge;
    let changes = environment_from(&task, ThreadBinding::Free, None, FreeThreads::Untouched, &empty);
    assert_eq!(value(&changes, "GLIBC_TUNABLES"), Some("glibc.malloc.hugetlb=2"));
}

#[test]
fn only_one_of_several_tasks_is_told_its_number() {
    assert!(task_changes(TaskId(0), 1).is_empty());
    let changes = task_changes(TaskId(2), 3);
    assert_eq!(value(&changes, "NUMAWISE_TASK"), Some("2"));
    assert_eq!(value(&changes, "NUMAWISE_TASKS"), Some("3"));
}

#[test]
fn what_the_user_had_set_otherwise_is_said() {
    let now = |name: &str| match name {
        "OMP_NUM_THREADS" => Some("2".into()),
        "OMP_PROC_BIND" => Some("spread".into()),
        "KMP_AFFINITY" => Some("compact".into()),
        "KMP_HW_SUBSET" => Some("1c".into()),
        "LD_PRELOAD" => Some("libother.so".into()),
        "NUMAWISE_PIN" => Some("1;0;0".into()),
        _ => None,
    };
    let changes = environment_from(
        &task(&["0", "1"]),
        ThreadBinding::Pinned,
        Some(&pinner()),
        FreeThreads::Untouched,
        &now,
    );
    let changed = |name: &str, was: &str, becomes: Option<&str>| LaunchNotice::EnvironmentChanged {
        name: name.to_owned(),
        was: was.to_owned(),
        becomes: becomes.map(str::to_owned),
    };
    assert_eq!(
        overrides(&changes, now),
        [
            changed("OMP_PROC_BIND", "spread", Some("close")),
            changed("KMP_AFFINITY", "compact", None),
            changed("KMP_HW_SUBSET", "1c", None)
        ]
    );
    assert!(overrides(&changes, |_| None).is_empty());
}

#[test]
fn a_task_is_shown_its_gpus() {
    let gpu =
        |number| numawise_facts::TaskGpu { gpu: number, runtime: numawise_facts::GpuRuntime::Cuda, number };
    let task = TaskPlacement { gpus: vec![gpu(1), gpu(3)], ..task(&["0"]) };
    let changes = environment_from(&task, ThreadBinding::Free, None, FreeThreads::Untouched, &empty);
    assert_eq!(value(&changes, "CUDA_VISIBLE_DEVICES"), Some("1,3"));
    assert_eq!(value(&changes, "CUDA_DEVICE_ORDER"), Some("PCI_BUS_ID"));
}
