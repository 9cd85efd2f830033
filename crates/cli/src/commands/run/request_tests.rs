use clap::Parser;
use numawise_facts::{Order, PageSize};

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    run: Arguments,
}

fn allowed() -> Allowed {
    Allowed { cpus: "0-7".parse().unwrap(), nodes: "0-1".parse().unwrap() }
}

fn typed(line: &str) -> Arguments {
    Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace())).unwrap().run
}

fn request(line: &str) -> Request {
    Request::new(&typed(line), &allowed(), &Tasks::of(1), &|_| None).unwrap()
}

fn in_short(request: &Request) -> String {
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
fn what_is_typed_becomes_a_request() {
    for (line, expected) in [
        ("app", "none free cpus - nodes - threads - memory default"),
        ("-C 0-3 -m 0 app -x", "explicit free cpus 0-3 nodes - threads - memory bind:0"),
        ("-N 1 -l app", "explicit free cpus - nodes 1 threads - memory local"),
        ("-i all -- app", "none free cpus - nodes - threads - memory interleave:0-1"),
        ("--weighted-interleave=0-1 app", "none free cpus - nodes - threads - memory kernel-weighted:0-1"),
        ("-p 1 app", "none free cpus - nodes - threads - memory preferred:1"),
        ("-P 0,1 app", "none free cpus - nodes - threads - memory preferred-many:0-1"),
        ("-C +2 app", "explicit free cpus 2 nodes - threads - memory default"),
        ("-C !0-5 app", "explicit free cpus 6-7 nodes - threads - memory default"),
        ("--place local app", "local pinned cpus - nodes - threads - memory default"),
        ("--place semi --no-pin app", "semi free cpus - nodes - threads - memory default"),
        ("--place local --no-pin --pin app", "local pinned cpus - nodes - threads - memory default"),
        ("--place distributed -N 0 -m same app", "distributed pinned cpus - nodes 0 threads - memory bind:0"),
        ("-m 1 -N same app", "explicit free cpus - nodes 1 threads - memory bind:1"),
        ("--cpus 0-6:2 --pin app", "explicit pinned cpus 0,2,4,6 nodes - threads - memory default"),
        ("--nodes 0 --memory hbm app", "explicit free cpus - nodes 0 threads - memory hbm"),
        ("--threads 4 app", "none free cpus - nodes - threads 4 memory default"),
    ] {
        assert_eq!(in_short(&request(line)), expected, "{line}");
    }
}

#[test]
fn of_several_cpu_options_the_last_one_counts_as_in_numactl() {
    assert_eq!(in_short(&request("-N 0 -C 5 app")), "explicit free cpus 5 nodes - threads - memory default");
    assert_eq!(in_short(&request("-C 5 -N 0 app")), "explicit free cpus - nodes 0 threads - memory default");
    assert_eq!(in_short(&request("-C 5 -C 6 app")), "explicit free cpus 6 nodes - threads - memory default");
    assert_eq!(
        in_short(&request("--cpubind=1 app")),
        "explicit free cpus - nodes 1 threads - memory default"
    );
}

#[test]
fn options_behind_the_program_are_the_programs() {
    let arguments = typed("-C 0 app -C 1 --place x -- -y");
    assert_eq!(arguments.command, ["app", "-C", "1", "--place", "x", "--", "-y"]);
    assert_eq!(arguments.physcpubind.as_deref(), Some("0"));
}

#[test]
fn policies_exclude_each_other() {
    let policies = ["--memory local", "-m 0", "-i 0", "-w 0", "-p 0", "-P 0", "-l"];
    for first in policies {
        for second in policies {
            let line = format!("{first} {second} app");
            let typed = Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace()));
            let error = typed.err().unwrap_or_else(|| panic!("{line} was taken")).to_string();
            assert!(error.contains("cannot be used"), "{line}: {error}");
        }
    }
}

#[test]
fn contradictions_are_refused() {
    for line in [
        "--cpus 0 -C 1 app",
        "--nodes 0 -N 1 app",
        "--json app",
        "--input x.xml app",
        "",
        "--place spread app",
    ] {
        let typed = Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace()));
        assert!(typed.is_err(), "{line}");
    }
}

#[test]
fn the_number_of_threads_comes_from_the_option_then_from_the_environment() {
    let environment = |name: &str| (name == "OMP_NUM_THREADS").then(|| OsString::from("3,2"));
    let threads = |line: &str| {
        Request::new(&typed(line), &allowed(), &Tasks::of(1), &environment).unwrap().placement.threads
    };
    assert_eq!(threads("--place local --threads 5 app"), Some(5));
    assert_eq!(threads("--place local app"), Some(3));
    assert_eq!(threads("app -n {threads}"), Some(3));
    assert_eq!(threads("-C 0 app"), None, "a list alone says nothing of threads");
    let nonsense = |_: &str| Some(OsString::from("many"));
    let request = Request::new(&typed("--place local app"), &allowed(), &Tasks::of(1), &nonsense).unwrap();
    assert_eq!(request.placement.threads, None);
}

#[test]
fn the_environment_is_touched_only_where_threads_are_ours() {
    for (line, steers) in [
        ("-C 0-3 -m 0 app", false),
        ("--memory local app", false),
        ("--place none app", false),
        ("--pin app", true),
    ] {
        assert_eq!(request(line).steers_threads, steers, "{line}");
    }
    assert!(request("--threads 2 app").steers_threads && request("--place semi app").steers_threads);
}

#[test]
fn what_numactl_abbreviates_is_its_own() {
    for (short, long) in [
        ("--cpunode 0 app", "-N 0 app"),
        ("--cpub=0 app", "-N 0 app"),
        ("--ph 0-1 app", "-C 0-1 app"),
        ("--m 0 app", "-m 0 app"),
        ("--mem=0 app", "-m 0 app"),
        ("--i all app", "-i all app"),
        ("--w 0-1 app", "-w 0-1 app"),
        ("--preferred-m 0-1 app", "-P 0-1 app"),
        ("--local app", "-l app"),
        ("--bal -m 0 app", "-b -m 0 app"),
        ("-bm 0 app", "-b -m 0 app"),
        ("-alb app", "-a -l -b app"),
        ("--al -C 0 app", "-a -C 0 app"),
        ("--sho", "-s"),
        ("--hard", "-H"),
    ] {
        assert_eq!(typed(short), typed(long), "{short}");
    }
}

/// What getopt_long finds ambiguous, and what would be one of our own options.
#[test]
fn other_abbreviations_are_refused() {
    for word in
        ["--p", "--pre", "--pref", "--c", "--cpu", "--cop", "--s", "--sh", "--l", "--h", "--th", "--pla"]
    {
        let line = format!("{word} 0 app");
        let taken = Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace()));
        assert!(taken.is_err(), "{line}");
    }
}

#[test]
fn what_concerns_shared_memory_is_refused_with_a_pointer() {
    for line in [
        "--shm key -m 0",
        "-S key",
        "--shmid 3 app",
        "--shmmode 600",
        "-f tmp --len 1g -o 0 -i all",
        "--st -f tmp",
        "--hug --shm key",
        "--t --file tmp",
        "--dump",
        "-D -f x",
    ] {
        let error = typed(line).shared_memory.refuse().unwrap_err();
        let text = format!("{error:?}");
        assert!(text.contains("with numactl --"), "{line}: {text}");
    }
    assert!(typed("-C 0 app --shm x").shared_memory.refuse().is_ok(), "the program's own");
}

#[test]
fn balancing_goes_with_membind_as_in_numactl() {
    let balancing = |line: &str| {
        let request = request(line);
        (request.placement.balancing, request.ignored.is_some())
    };
    assert_eq!(balancing("-b -m 0 app"), (Balancing::On, false));
    assert_eq!(balancing("--balancing app"), (Balancing::On, false));
    assert_eq!(balancing("--balancing=off --memory local app"), (Balancing::Off, false));
    assert_eq!(balancing("--memory bind --balancing=on app"), (Balancing::On, false));
    assert_eq!(balancing("-b -i all app"), (Balancing::Default, true));
    assert_eq!(balancing("-b -l app"), (Balancing::Default, true));
    assert_eq!(balancing("-m 0 app"), (Balancing::Default, false));
    // A value stands behind an equals sign only, since numactl's option has none.
    assert_eq!(typed("-b on app").command, ["on", "app"]);
}

#[test]
fn the_choice_of_cpus_is_carried_over() {
    let line =
        "--place local --order compact --step 2 --smt 1 --skip-cpus 0,4 --skip-os-core --efficient-cores app";
    let choice = request(line).placement.choice;
    assert_eq!(
        (choice.order, choice.step.get(), choice.smt.to_string()),
        (Order::Compact, 2, "1".to_owned())
    );
    assert_eq!(choice.skip.to_string(), "0,4");
    assert!(choice.skip_os_core && choice.efficient_cores);
    assert_eq!(request("--page-size thp app").placement.pages, PageSize::Thp);
}

#[test]
fn cpus_are_numbers_or_words_for_the_machine() {
    assert_eq!(request("--cpus 0-2 app").location, None);
    let words = request("--cpus node:1.core:0-3 app");
    assert_eq!((words.location.as_deref(), words.placement.cpus), (Some("node:1.core:0-3"), None));
    assert_eq!(words.placement.strategy, Strategy::Explicit);
}

fn in_a_job(line: &str, tasks: &Tasks) -> Request {
    Request::new(&typed(line), &allowed(), tasks, &|_| None).unwrap()
}

#[test]
fn several_tasks_share_out_what_is_ours_and_repeat_what_is_numactls() {
    let job = |line: &str| {
        let request = in_a_job(line, &Tasks::of(4));
        (request.placement.tasks, request.repeat)
    };
    for line in
        ["--place semi app", "--cpus 0-3 app", "--nodes 0 app", "--pin -C 0-3 app", "--place local -N 0 app"]
    {
        assert_eq!(job(line), (4, 1), "{line}");
    }
    for line in ["-C 0-3 app", "-N 0 -m 0 app", "--memory local app", "app"] {
        assert_eq!(job(line), (1, 4), "{line}");
    }
}

#[test]
fn ranks_on_the_same_cpus_are_not_pinned_unless_asked() {
    let overlapping = Tasks { overlapping: true, threads: Some(2), ..Tasks::of(1) };
    let request = in_a_job("--place local app", &overlapping);
    assert_eq!((request.placement.binding, request.placement.threads), (ThreadBinding::Free, Some(2)));
    assert_eq!(request.placement.strategy, Strategy::None, "all of them would choose the same CPUs");
    assert_eq!(in_a_job("--nodes 0 app", &overlapping).placement.strategy, Strategy::Explicit);
    let pinned = in_a_job("--place local --pin app", &overlapping);
    assert_eq!(
        (pinned.placement.binding, pinned.placement.strategy),
        (ThreadBinding::Pinned, Strategy::Local)
    );
    assert_eq!(in_a_job("--place local --threads 3 app", &overlapping).placement.threads, Some(3));
}
