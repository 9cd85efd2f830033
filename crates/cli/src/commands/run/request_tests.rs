use clap::Parser;
use numawise_facts::{Balancing, MemoryRequest, Order, PageSize, Strategy};

use numawise_linux::calls::shared::Region;
use numawise_session::shared_memory::{SharedPlace, SharedStep};
use numawise_units::Bytes;

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    run: Arguments,
}

fn typed(line: &str) -> Arguments {
    Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace())).unwrap().run
}

fn request(line: &str) -> RunRequest {
    super::request(typed(line)).unwrap()
}

fn in_short(request: &RunRequest) -> String {
    let RunRequest { strategy, binding, cpus, nodes, memory, threads, .. } = request;
    let strategy = strategy.map_or("-".to_owned(), |strategy| strategy.to_string());
    let binding = match binding {
        Some(ThreadBinding::Pinned) => "pinned",
        Some(ThreadBinding::Free) => "free",
        None => "-",
    };
    let cpus = match cpus {
        CpuSelection::All => "-".to_owned(),
        CpuSelection::Listed(cpus) => cpus.to_string(),
        CpuSelection::Located(text) => format!("at {text}"),
        CpuSelection::Numactl(text) => format!("'{text}'"),
    };
    let nodes = match nodes {
        NodeSelection::All => "-".to_owned(),
        NodeSelection::Listed(nodes) => nodes.to_string(),
        NodeSelection::Numactl(text) => format!("'{text}'"),
    };
    let threads = threads.map_or("-".to_owned(), |threads| threads.to_string());
    let memory = match memory {
        MemorySelection::Policy(memory) => memory.to_string(),
        MemorySelection::Numactl { policy, nodes } => format!("{policy} '{nodes}'"),
    };
    format!("{strategy} {binding} cpus {cpus} nodes {nodes} threads {threads} memory {memory}")
}

#[test]
fn what_is_typed_becomes_a_request() {
    for (line, expected) in [
        ("app", "- - cpus - nodes - threads - memory default"),
        ("-C 0-3 -m 0 app -x", "- - cpus '0-3' nodes - threads - memory bind '0'"),
        ("-N 1 -l app", "- - cpus - nodes '1' threads - memory local ''"),
        ("-i all -- app", "- - cpus - nodes - threads - memory interleave 'all'"),
        ("--weighted-interleave=0-1 app", "- - cpus - nodes - threads - memory weighted '0-1'"),
        ("-p 1 app", "- - cpus - nodes - threads - memory preferred '1'"),
        ("-P 0,1 app", "- - cpus - nodes - threads - memory preferred-many '0,1'"),
        ("-C +2 app", "- - cpus '+2' nodes - threads - memory default"),
        ("--place local app", "local - cpus - nodes - threads - memory default"),
        ("--place semi --no-pin app", "semi free cpus - nodes - threads - memory default"),
        ("--place local --pin app", "local pinned cpus - nodes - threads - memory default"),
        ("--place distributed -N 0 -m same app", "distributed - cpus - nodes '0' threads - memory bind '0'"),
        ("-m 1 -N same app", "- - cpus - nodes '1' threads - memory bind '1'"),
        ("--cpus 0-6:2 --pin app", "- pinned cpus 0,2,4,6 nodes - threads - memory default"),
        ("--cpus node:1.core:0-3 app", "- - cpus at node:1.core:0-3 nodes - threads - memory default"),
        ("--nodes 0 --memory hbm app", "- - cpus - nodes 0 threads - memory hbm"),
        ("--threads 4 app", "- - cpus - nodes - threads 4 memory default"),
    ] {
        assert_eq!(in_short(&request(line)), expected, "{line}");
    }
}

#[derive(Parser)]
struct PlacedProgram {
    #[command(flatten)]
    placement: crate::commands::run::TypedPlacement,
    #[arg(last = true)]
    command: Vec<OsString>,
}

/// All options of a placement are passed on to ranks: what the words of ours say is what was typed.
#[test]
fn the_words_of_a_placement_say_what_was_typed() {
    let parsed = |words: &[OsString]| {
        let all = [OsString::from("snapshot")]
            .into_iter()
            .chain(words.iter().cloned())
            .chain(["--".into(), "app".into()]);
        PlacedProgram::try_parse_from(all).unwrap()
    };
    for line in [
        "",
        "--place semi --threads 6 --no-pin",
        "--place local --pin --no-preload --rebind",
        "--cpus 0-6:2 --nodes 0 --memory hbm --order compact --step 2 --smt 1",
        "--skip-cpus 0,4 --skip-os-core --efficient-cores --page-size thp --global-weights",
        "-C 0-3 -m 0 -b -a",
        "-N 1 -l --balancing=off",
        "-N 0 -C 5 -i all",
    ] {
        let typed: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let first = parsed(&typed);
        let again = parsed(&first.placement.words);
        assert_eq!(first.placement.options, again.placement.options, "{line}");
        assert_eq!(first.placement.numactl, again.placement.numactl, "{line}");
        assert_eq!(first.placement.words, again.placement.words, "{line}");
        assert_eq!(first.placement.words.is_empty(), line.is_empty(), "{line}");
        // And numawise run takes them for the same.
        let as_run =
            super::request(Arguments { command: vec!["app".into()], ..of_run(&first.placement.words) })
                .unwrap();
        let as_snapshot = placed(first.placement.options, &first.placement.numactl, first.command).unwrap();
        assert_eq!(as_run, as_snapshot, "{line}");
    }
}

fn of_run(words: &[OsString]) -> Arguments {
    let all = [OsString::from("run")].into_iter().chain(words.iter().cloned()).chain(["app".into()]);
    Typed::try_parse_from(all).unwrap().run
}

#[test]
fn the_same_nodes_need_another_list() {
    for line in
        ["-m same app", "-N same app", "-N same -l app", "-N same -m same app", "-C 0 -N 1 -C 0 -i same app"]
    {
        let error = super::request(typed(line)).unwrap_err();
        assert!(error.message().contains("nothing that it could be the same as"), "{line}: {error:?}");
    }
}

#[test]
fn what_is_shown_or_started_is_said_once() {
    let action = |line: &str| super::action(typed(line)).unwrap();
    assert_eq!(action("-s"), RunAction::ShowOwn);
    assert_eq!(action("-H"), RunAction::ShowHardware(CpuNumbers::Each));
    assert_eq!(action("--cpu-comp -H"), RunAction::ShowHardware(CpuNumbers::Ranges));
    assert!(matches!(
        action("--dry-run app"),
        RunAction::Display { format: PlanFormat::Text, input: None, .. }
    ));
    assert!(matches!(action("--dry-run --json app"), RunAction::Display { format: PlanFormat::Json, .. }));
    assert!(matches!(
        action("--dry-run --json=plan.json app"),
        RunAction::Display { format: PlanFormat::Text, faces, .. } if faces.json.file().is_some()
    ));
    let commands = PlanFormat::CommandsOf(EquivalentTool::Srun);
    assert!(matches!(action("--emit srun app"), RunAction::Display { format, .. } if format == commands));
    let explain = |line: &str| request(line).explain;
    assert_eq!(explain("app"), Explanation::Warnings);
    assert_eq!(explain("--emit srun app"), Explanation::Warnings);
    assert_eq!(explain("--dry-run app"), Explanation::Plan);
    assert_eq!(explain("-v app"), Explanation::EachRank);
}

#[test]
fn balancing_is_on_without_a_value() {
    let balancing = |line: &str| request(line).balancing;
    assert_eq!(balancing("-b -m 0 app"), Balancing::On);
    assert_eq!(balancing("--balancing=off --memory local app"), Balancing::Off);
    assert_eq!(balancing("-m 0 app"), Balancing::Default);
    // A value stands behind an equals sign only, since numactl's option has none.
    assert_eq!(typed("-b on app").command, ["on", "app"]);
}

#[test]
fn our_own_policies_are_requests() {
    let memory = MemorySelection::Policy(MemoryRequest::Bind(None));
    assert_eq!(request("--memory bind app").memory, memory);
    assert_eq!(request("--place none app").strategy, Some(Strategy::None));
}

#[test]
fn of_several_cpu_options_the_last_one_counts_as_in_numactl() {
    assert_eq!(in_short(&request("-N 0 -C 5 app")), "- - cpus '5' nodes - threads - memory default");
    assert_eq!(in_short(&request("-C 5 -N 0 app")), "- - cpus - nodes '0' threads - memory default");
    assert_eq!(in_short(&request("-C 5 -C 6 app")), "- - cpus '6' nodes - threads - memory default");
    assert_eq!(in_short(&request("--cpubind=1 app")), "- - cpus - nodes '1' threads - memory default");
}

#[test]
fn options_behind_the_program_are_the_programs() {
    let arguments = typed("-C 0 app -C 1 --place x -- -y");
    assert_eq!(arguments.command, ["app", "-C", "1", "--place", "x", "--", "-y"]);
    assert_eq!(arguments.numactl.cpus(), Some("0"));
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

/// All of numactl's options for shared memory, and in which order what they ask for is done.
#[test]
fn shared_memory_is_asked_for_as_with_numactl() {
    let shared = |line: &str| match super::action(typed(line)) {
        Ok(RunAction::SharedMemory(request)) => request,
        other => panic!("{line}: {other:?}"),
    };
    let all = shared("--length=16k --off 4096 --shmm 640 --st --file tmp --dump -i all --t --veri -D");
    assert_eq!(all.place, SharedPlace::File("tmp".into()));
    let Region { offset, length, mode, huge } = all.region;
    assert_eq!((offset, length, mode, huge), (Bytes(4096), Some(Bytes::kib(16)), 0o640, false));
    assert!(all.strict);
    let policy = SharedStep::Policy(MemoryMode::Interleave, "all".to_owned());
    let steps =
        [SharedStep::ShowPolicies, policy, SharedStep::Touch, SharedStep::Verify, SharedStep::ShowNodes];
    assert_eq!(all.steps, steps);
    let segment = shared("--huge --shm key --shmid 3 -L 2m");
    assert_eq!((segment.place, segment.region.huge), (SharedPlace::Key("key".into(), 3), true));
    for (line, part) in [
        ("-u app", "--huge is about shared memory; expected --file FILE or --shm KEYFILE"),
        ("--dump", "--dump is about shared memory"),
        ("-f x app", "'app' would not be started: --file sets up shared memory"),
        ("-f x --shm y", "expected one of them"),
        ("-f x -C 0", "has no CPUs"),
        ("-f x --place local", "none of the options of a program"),
        ("-f x -L 3parsecs", "3parsecs"),
        ("-S x --shmid 256", "--shmid '256': expected a number from 0 to 255"),
        ("-f x --shmmode 9", "--shmmode '9': expected an octal mode"),
    ] {
        let error = super::action(typed(line)).unwrap_err();
        assert!(error.message().contains(part), "{line}: {error:?}");
    }
    assert!(typed("-C 0 app --shm x").numactl.of_shared_memory().is_none(), "the program's own");
}

#[test]
fn the_choice_of_cpus_is_carried_over() {
    let line =
        "--place local --order compact --step 2 --smt 1 --skip-cpus 0,4 --skip-os-core --efficient-cores app";
    let choice = request(line).choice;
    assert_eq!(
        (choice.order, choice.step.get(), choice.smt.to_string()),
        (Order::Compact, 2, "1".to_owned())
    );
    assert_eq!(choice.skip.to_string(), "0,4");
    assert!(choice.skip_os_core && choice.efficient_cores);
    assert_eq!(request("--page-size thp app").pages, PageSize::Thp);
}
