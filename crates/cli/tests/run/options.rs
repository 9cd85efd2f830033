//! Which CPUs in which order, pages, and the words of one tool, on machines of our choice.

use serde_json::Value;

use crate::support::{allowed, first, run};

/// Two packages of four cores with two threads each, numbered core by core.
const MACHINE: [&str; 2] = ["--input", "pack:2 [numa] core:4 pu:2"];

fn task(arguments: &[&str]) -> Value {
    let answer = run(&[&["--dry-run", "--json"], &MACHINE[..], arguments, &["app"]].concat());
    assert_eq!(answer.status, Some(0), "{arguments:?}: {answer:?}");
    serde_json::from_str::<Value>(&answer.out).unwrap()["tasks"][0].take()
}

fn threads(arguments: &[&str]) -> String {
    let words = [&["--place", "local"], arguments].concat();
    let threads: Vec<String> =
        task(&words)["threads"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect();
    threads.join(" ")
}

#[test]
fn cpus_in_the_order_asked_for() {
    for (arguments, expected) in [
        (&["--threads", "4"][..], "0 2 4 6"),
        (&["--threads", "4", "--order", "compact"], "0 1 2 3"),
        (&["--threads", "4", "--smt", "1"], "0 2 4 6"),
        (&["--threads", "5", "--smt", "1"], "0 2 4 6 8"),
        (&["--threads", "3", "--skip-cpus", "0-1"], "2 4 6"),
        (&["--threads", "3", "--skip-os-core"], "2 4 6"),
        (&["--threads", "4", "--order", "compact", "--step", "2"], "0 2 4 6"),
        (&["--threads", "2", "--cpus", "node:1.core:1-2", "--smt", "1"], "10 12"),
    ] {
        assert_eq!(threads(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn places_in_hwlocs_words() {
    for (location, expected) in
        [("node:1.core:0-1", "8-11"), ("package:1.pu:0", "8"), ("core:odd.pu:1", "3,7,11,15")]
    {
        assert_eq!(task(&["--cpus", location])["cpus"], expected, "{location}");
    }
}

#[test]
fn pages_and_balancing_are_in_the_plan() {
    let memory = task(&["--memory", "bind:1", "--balancing", "--page-size", "thp"])["memory"].clone();
    assert_eq!((&memory["balancing"], &memory["pages"]), (&Value::Bool(true), &"thp".into()));
    assert_eq!(task(&["--balancing=off"])["memory"]["policy"], "local");
}

#[test]
fn pages_reach_the_program() {
    let tunables = |arguments: &[&str]| {
        let words =
            [arguments, &["sh", "-c", "echo ${GLIBC_TUNABLES-unset}; grep THP_enabled /proc/self/status"]];
        run(&words.concat()).out
    };
    assert!(tunables(&["--page-size", "thp"]).starts_with("glibc.malloc.hugetlb=1\n"));
    assert!(tunables(&["--page-size", "huge", "--place", "local"]).starts_with("glibc.malloc.hugetlb=2\n"));
    assert_eq!(tunables(&["--page-size", "small"]), "unset\nTHP_enabled:\t0\n");
}

#[test]
fn ranks_are_planned_for() {
    let whole = [&["--smt", "all"][..], &["--smt", "2"], &["--order", "compact"]];
    let cases = whole.map(|options| (options, ["0-3", "4-7", "8-11", "12-15"]));
    for (options, expected) in cases.into_iter().chain([(&[][..], ["0,2", "4,6", "8,10", "12,14"])]) {
        let words = ["--dry-run", "--json", "--ranks", "4", "--place", "semi"];
        let answer = run(&[&MACHINE[..], &words, options, &["app"]].concat());
        let plan: Value = serde_json::from_str(&answer.out).unwrap();
        let cpus: Vec<&str> =
            plan["tasks"].as_array().unwrap().iter().map(|t| t["cpus"].as_str().unwrap()).collect();
        assert_eq!(cpus, expected, "{options:?}");
        assert_eq!(plan["ours"], Value::Null);
    }
}

fn emitted(arguments: &[&str]) -> String {
    let answer = run(&[&MACHINE[..], arguments].concat());
    assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""), "{arguments:?}: {answer:?}");
    answer.out
}

#[test]
fn the_lines_of_one_tool_and_what_they_leave_out() {
    assert_eq!(
        emitted(&["--emit", "numactl", "-N", "1", "-m", "same", "./app", "a b"]),
        "numactl --physcpubind=8-15 --membind=1 ./app 'a b'\n"
    );
    let taskset = emitted(&["--emit", "taskset", "-C", "3", "-m", "1", "./app"]);
    let (comment, line) = taskset.split_once('\n').unwrap();
    assert!(comment.starts_with("# left out: ") && comment.contains("bind:1"), "{taskset}");
    assert_eq!(line, "taskset -c 3 ./app\n");
    let ranks =
        emitted(&["--emit", "mpirun-openmpi", "--ranks", "2", "--place", "semi", "--no-pin", "./app"]);
    assert!(ranks.contains("numactl --physcpubind=0,2,4,6 ") && ranks.contains(" : "), "{ranks}");
}

#[test]
fn a_line_without_a_program_has_a_word_in_its_place() {
    assert_eq!(emitted(&["--emit", "taskset", "-C", "3"]), "taskset -c 3 PROGRAM\n");
}

#[test]
fn the_version_is_told_as_without_run() {
    let answer = run(&["--version"]);
    assert_eq!(answer.status, Some(0), "{answer:?}");
    assert!(
        answer.out.starts_with("numawise") && answer.out.contains(env!("CARGO_PKG_VERSION")),
        "{answer:?}"
    );
}

/// A line that was printed does what it says.
#[test]
fn a_line_that_was_printed_gives_the_same_mask() {
    let cpu = first(&allowed("Cpus_allowed_list"));
    let look = ["grep", "^Cpus_allowed_list", "/proc/self/status"];
    for tool in ["numactl", "taskset"] {
        let line =
            run(&[&["--emit", tool, "--place", "local", "--threads", "1", "--no-pin"], &look[..]].concat());
        let output = std::process::Command::new("sh").args(["-c", &line.out]).output().unwrap();
        let seen = String::from_utf8(output.stdout).unwrap();
        if !output.status.success() && output.status.code() == Some(127) {
            continue; // the tool is not installed; its own tests say so
        }
        assert_eq!(seen, format!("Cpus_allowed_list:\t{cpu}\n"), "{line:?}");
    }
}

#[test]
fn show_and_hardware_answer_without_a_program() {
    let shown = run(&["--show"]);
    assert!(shown.out.starts_with("policy: ") && shown.out.contains("\nphyscpubind: "), "{shown:?}");
    let inventory = run(&["--hardware"]);
    assert!(
        inventory.out.starts_with("available: ") && inventory.out.contains("\nnode 0 size: "),
        "{inventory:?}"
    );
}

#[test]
fn a_rank_plans_for_all_and_takes_its_part() {
    let plan = |rank: &str| {
        let mut command = crate::support::numawise();
        command
            .env("MPI_LOCALRANKID", rank)
            .env("MPI_LOCALNRANKS", "2")
            .env("PMI_RANK", rank)
            .env("PMI_SIZE", "2");
        let output =
            command.args(["run", "--dry-run", "--json", "--place", "local", "app"]).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let (first, second) = (plan("0"), plan("1"));
    assert_eq!(first["tasks"], second["tasks"], "they agree");
    assert_eq!(first["tasks"].as_array().unwrap().len(), 2);
    assert_eq!((&first["ours"], &second["ours"]), (&0.into(), &1.into()));
    let notes = second["notes"].to_string();
    assert!(notes.contains("rank 1 of 2, number 1 of 2 on this computer"), "{notes}");
}

#[test]
fn a_library_pins_threads_of_every_kind_unless_it_is_not_wanted() {
    let environment = |arguments: &[&str]| {
        let words = [&["--dry-run", "--json", "--place", "local"], arguments, &["sh"]].concat();
        serde_json::from_str::<Value>(&run(&words).out).unwrap()
    };
    let without = environment(&["--no-preload"]);
    assert_eq!(without["environment"]["NUMAWISE_PIN"], Value::Null);
    assert!(without["notes"].to_string().contains("--no-preload"), "{without}");
    let with = environment(&[]);
    match with["environment"]["NUMAWISE_PIN"].as_str() {
        Some(plan) => {
            assert!(plan.starts_with("1;"), "{plan}");
            assert!(with["environment"]["LD_PRELOAD"].as_str().unwrap().contains("libnumawise_agent.so"));
        }
        None => assert!(with["notes"].to_string().contains("is not installed with numawise"), "{with}"),
    }
}

#[test]
fn the_program_is_told_where_it_is() {
    let words = ["-C", "+0", "sh", "-c", "echo {cpus} {nodes} {rank} {host} {{host}} $(hostname)"];
    let told = run(&words);
    let words: Vec<&str> = told.out.split_whitespace().collect();
    let [cpus, nodes, rank, host, kept, same] = words[..] else { panic!("{told:?}") };
    assert_eq!(
        (cpus, rank, kept),
        (first(&allowed("Cpus_allowed_list")).as_str(), "0", "{host}"),
        "{told:?}"
    );
    assert_eq!(host, same);
    assert!(
        std::path::Path::new(&format!("/sys/devices/system/cpu/cpu{cpus}/node{nodes}")).exists(),
        "{told:?}"
    );
}

#[test]
fn each_copy_is_told_its_own_cpus_and_so_are_the_lines_of_other_tools() {
    let copies = ["--copies", "2", "--place", "semi", "--smt", "all"];
    let emitted = |tool| {
        let words = [&["--emit", tool], &MACHINE[..], &copies, &["app", "--cpus={cpus}"]].concat();
        run(&words).out
    };
    let lines = emitted("taskset");
    assert!(lines.contains("app --cpus=0-7\n") && lines.contains("app --cpus=8-15\n"), "{lines}");
    assert!(
        emitted("srun").contains("# left out: it takes one command for all tasks"),
        "{}",
        emitted("srun")
    );
    let script = "echo $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)={cpus}";
    let ran = run(&[&copies[..], &["--threads", "1", "sh", "-c", script]].concat());
    for line in ran.out.lines() {
        let (kernel, told) = line.split_once('=').unwrap();
        assert_eq!(kernel, told, "{ran:?}");
    }
    assert_eq!(ran.out.lines().count(), 2, "{ran:?}");
}
