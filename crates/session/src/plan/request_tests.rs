use std::ffi::OsString;

use super::super::testing;
use super::*;

fn allowed() -> AllowedSets {
    AllowedSets { cpus: "0-7".parse().unwrap(), nodes: "0-1".parse().unwrap() }
}

fn typed(words: &str) -> RunRequest {
    testing::request(words)
}

fn request(words: &str) -> JobRequest {
    JobRequest::new(&typed(words), &allowed(), &JobTasks::of(1), &|_| None).unwrap()
}

fn in_short(request: &JobRequest) -> String {
    let PlacementRequest { strategy, binding, cpus, nodes, memory, threads, .. } = &request.placement;
    let list = |set: Option<String>| set.unwrap_or("-".to_owned());
    let binding = if *binding == ThreadBinding::Pinned { "pinned" } else { "free" };
    let threads = threads.map_or("-".to_owned(), |threads| threads.to_string());
    format!(
        "{strategy} {binding} cpus {} nodes {} threads {threads} memory {memory}",
        list(cpus.as_ref().map(ToString::to_string)),
        list(nodes.as_ref().map(ToString::to_string)),
    )
}

#[test]
fn lists_and_policies_become_a_request() {
    for (line, expected) in [
        ("", "none free cpus - nodes - threads - memory default"),
        ("numactl-cpus=0-3 membind=0 -x", "explicit free cpus 0-3 nodes - threads - memory bind:0"),
        ("numactl-nodes=1 localalloc", "explicit free cpus - nodes 1 threads - memory local"),
        ("interleave=all", "none free cpus - nodes - threads - memory interleave:0-1"),
        ("weighted=0-1", "none free cpus - nodes - threads - memory kernel-weighted:0-1"),
        ("preferred=1", "none free cpus - nodes - threads - memory preferred:1"),
        ("preferred-many=0,1", "none free cpus - nodes - threads - memory preferred-many:0-1"),
        ("numactl-cpus=+2", "explicit free cpus 2 nodes - threads - memory default"),
        ("numactl-cpus=!0-5", "explicit free cpus 6-7 nodes - threads - memory default"),
        ("place=local", "local pinned cpus - nodes - threads - memory default"),
        ("place=semi free", "semi free cpus - nodes - threads - memory default"),
        ("place=local free pin", "local pinned cpus - nodes - threads - memory default"),
        (
            "place=distributed numactl-nodes=0 membind=0",
            "distributed pinned cpus - nodes 0 threads - memory bind:0",
        ),
        ("membind=1 numactl-nodes=1", "explicit free cpus - nodes 1 threads - memory bind:1"),
        ("cpus=0-6:2 pin", "explicit pinned cpus 0,2,4,6 nodes - threads - memory default"),
        ("nodes=0 memory=hbm", "explicit free cpus - nodes 0 threads - memory hbm"),
        ("threads=4", "none free cpus - nodes - threads 4 memory default"),
    ] {
        assert_eq!(in_short(&request(line)), expected, "{line}");
    }
}

/// In a cgroup that has CPUs of four nodes and the memory of two, numactl -a chooses among all four; the kernel leaves what is allowed.
#[test]
fn lists_reach_beyond_the_memory_that_is_allowed() {
    let tasks = JobTasks { all_nodes: Some("0-3".parse().unwrap()), ..JobTasks::of(1) };
    let planned = |line: &str, tasks: &JobTasks| {
        JobRequest::new(&typed(line), &allowed(), tasks, &|_| None).map(|request| in_short(&request))
    };
    for (line, expected) in [
        ("numactl-nodes=all", "explicit free cpus - nodes 0-3 threads - memory default"),
        ("numactl-nodes=!0-1", "explicit free cpus - nodes 2-3 threads - memory default"),
        ("numactl-nodes=+2", "explicit free cpus - nodes 2 threads - memory default"),
        ("membind=all", "none free cpus - nodes - threads - memory bind:0-1"),
        ("membind=1-2", "none free cpus - nodes - threads - memory bind:1"),
        ("membind=!0", "none free cpus - nodes - threads - memory bind:1"),
        ("membind=2", "none free cpus - nodes - threads - memory bind:2"),
    ] {
        assert_eq!(planned(line, &tasks).unwrap(), expected, "{line}");
    }
    assert!(planned("numactl-nodes=!0-1", &JobTasks::of(1)).is_err(), "without -a nothing is left");
}

#[test]
fn the_number_of_threads_comes_from_the_option_then_from_the_environment() {
    let environment = |name: &str| (name == "OMP_NUM_THREADS").then(|| OsString::from("3,2"));
    let threads = |line: &str| {
        JobRequest::new(&typed(line), &allowed(), &JobTasks::of(1), &environment).unwrap().placement.threads
    };
    assert_eq!(threads("place=local threads=5"), Some(5));
    assert_eq!(threads("place=local"), Some(3));
    assert_eq!(threads("-n {threads}"), Some(3));
    assert_eq!(threads("numactl-cpus=0"), None, "a list alone says nothing of threads");
    let nonsense = |_: &str| Some(OsString::from("many"));
    let request = JobRequest::new(&typed("place=local"), &allowed(), &JobTasks::of(1), &nonsense).unwrap();
    assert_eq!(request.placement.threads, None);
}

#[test]
fn the_environment_is_touched_only_where_threads_are_ours() {
    for (line, steers) in
        [("numactl-cpus=0-3 membind=0", false), ("memory=local", false), ("place=none", false), ("pin", true)]
    {
        assert_eq!(request(line).steers_threads, steers, "{line}");
    }
    assert!(request("threads=2").steers_threads && request("place=semi").steers_threads);
}

#[test]
fn balancing_goes_with_membind_as_in_numactl() {
    let balancing = |line: &str| {
        let request = request(line);
        (request.placement.balancing, request.ignored.is_some())
    };
    assert_eq!(balancing("balancing=on membind=0"), (Balancing::On, false));
    assert_eq!(balancing("balancing=on"), (Balancing::On, false));
    assert_eq!(balancing("balancing=off memory=local"), (Balancing::Off, false));
    assert_eq!(balancing("memory=bind balancing=on"), (Balancing::On, false));
    assert_eq!(balancing("balancing=on interleave=all"), (Balancing::Default, true));
    assert_eq!(balancing("balancing=on localalloc"), (Balancing::Default, true));
    assert_eq!(balancing("membind=0"), (Balancing::Default, false));
}

#[test]
fn cpus_are_numbers_or_words_for_the_machine() {
    assert_eq!(request("cpus=0-2").location, None);
    let words = request("location=node:1.core:0-3");
    assert_eq!((words.location.as_deref(), words.placement.cpus), (Some("node:1.core:0-3"), None));
    assert_eq!(words.placement.strategy, Strategy::Explicit);
}

fn in_a_job(line: &str, tasks: &JobTasks) -> JobRequest {
    JobRequest::new(&typed(line), &allowed(), tasks, &|_| None).unwrap()
}

#[test]
fn several_tasks_share_out_what_is_ours_and_repeat_what_is_numactls() {
    let job = |line: &str| {
        let request = in_a_job(line, &JobTasks::of(4));
        (request.placement.tasks, request.repeat)
    };
    for line in ["place=semi", "cpus=0-3", "nodes=0", "pin numactl-cpus=0-3", "place=local numactl-nodes=0"] {
        assert_eq!(job(line), (4, 1), "{line}");
    }
    for line in ["numactl-cpus=0-3", "numactl-nodes=0 membind=0", "memory=local", ""] {
        assert_eq!(job(line), (1, 4), "{line}");
    }
}

#[test]
fn ranks_on_the_same_cpus_are_not_pinned_unless_asked() {
    let overlapping = JobTasks { overlapping: true, threads: Some(2), ..JobTasks::of(1) };
    let request = in_a_job("place=local", &overlapping);
    assert_eq!((request.placement.binding, request.placement.threads), (ThreadBinding::Free, Some(2)));
    assert_eq!(request.placement.strategy, Strategy::None, "all of them would choose the same CPUs");
    assert_eq!(in_a_job("nodes=0", &overlapping).placement.strategy, Strategy::Explicit);
    let pinned = in_a_job("place=local pin", &overlapping);
    assert_eq!(
        (pinned.placement.binding, pinned.placement.strategy),
        (ThreadBinding::Pinned, Strategy::Local)
    );
    assert_eq!(in_a_job("place=local threads=3", &overlapping).placement.threads, Some(3));
}

#[test]
fn a_device_is_a_list_that_only_the_machine_can_resolve() {
    let near = request("near=gpu:0");
    assert!(near.is_about_devices() && near.placement.strategy == Strategy::Explicit);
    assert_eq!(request("near=gpu:0 place=semi").placement.strategy, Strategy::Semi);
    assert!(typed("near=gpu").shares() && typed("gpus").shares());
    assert!(!request("place=local").is_about_devices());
    let gpus = request("gpus");
    assert!(gpus.is_about_devices() && !gpus.steers_threads);
    let strange = |name: &str| (name == "CUDA_VISIBLE_DEVICES").then(|| OsString::from("GPU-1"));
    let refused = JobRequest::new(&typed("gpus"), &allowed(), &JobTasks::of(1), &strange);
    assert!(matches!(refused, Err(Error::VisibleGpus { .. })), "{refused:?}");
    assert!(JobRequest::new(&typed("place=local"), &allowed(), &JobTasks::of(1), &strange).is_ok());
}

#[test]
fn an_order_without_a_strategy_pins_and_chooses() {
    for (line, expected, shares) in [
        ("order=scatter", "none pinned cpus - nodes - threads - memory default", true),
        ("order=compact", "none pinned cpus - nodes - threads - memory default", true),
        ("order=spread", "none free cpus - nodes - threads - memory default", false),
        ("order=scatter free", "none free cpus - nodes - threads - memory default", false),
        ("order=0,3-7:2", "explicit pinned cpus - nodes - threads - memory default", true),
        ("order=balanced cpus=0-3", "explicit pinned cpus 0-3 nodes - threads - memory default", true),
        ("order=compact place=local free", "local free cpus - nodes - threads - memory default", true),
    ] {
        assert_eq!((in_short(&request(line)).as_str(), typed(line).shares()), (expected, shares), "{line}");
    }
    let overlapping = JobTasks { overlapping: true, ..JobTasks::of(1) };
    let all = in_a_job("order=scatter", &overlapping);
    assert_eq!(
        (all.placement.binding, all.placement.tasks),
        (ThreadBinding::Free, 1),
        "nobody knows whose CPU is whose"
    );
}
