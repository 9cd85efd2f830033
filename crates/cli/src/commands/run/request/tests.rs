use clap::Parser;

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
    Request::new(&typed(line), &allowed(), &|_| None).unwrap()
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
        ("--weighted-interleave=0-1 app", "none free cpus - nodes - threads - memory weighted:0-1"),
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
    let threads =
        |line: &str| Request::new(&typed(line), &allowed(), &environment).unwrap().placement.threads;
    assert_eq!(threads("--place local --threads 5 app"), Some(5));
    assert_eq!(threads("--place local app"), Some(3));
    assert_eq!(threads("app -n {threads}"), Some(3));
    assert_eq!(threads("-C 0 app"), None, "a list alone says nothing of threads");
    let nonsense = |_: &str| Some(OsString::from("many"));
    let request = Request::new(&typed("--place local app"), &allowed(), &nonsense).unwrap();
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
