//! numawise around a launcher whose ranks run on other computers. These are imitated: the launchers' own daemons are started by a
//! script in the place of ssh, which gives each host a name and memory of its own and takes the environment away, as ssh does.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use numawise_facts::RankSet;

use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, number, text};

/// What is done on the second host before its daemon starts; FOLDER stands for the bench's.
const NOTHING: &str = "true";

const SSH: &str = r#"#!/bin/sh
while :; do case "$1" in -l|-p) shift 2;; -*) shift;; *) break;; esac; done
host=$1; shift
exec unshare -m -u env -i PATH="$PATH" HOME="$HOME" sh -c '
    mount --bind FOLDER/$0 /dev/shm && hostname $0 || exit 70
    if [ $0 = host1 ]; then SECOND || exit 70; fi
    exec $WRAP sh -c "$*"' "$host" "$@"
"#;

/// A bench with two hosts; `None`, having said so, where they cannot be imitated.
fn hosts(second: &str) -> Option<Bench> {
    let can = Command::new("unshare").args(["-m", "-u", "true"]).output();
    if !can.is_ok_and(|answer| answer.status.success()) {
        eprintln!("SKIPPED: namespaces cannot be made here");
        return None;
    }
    let bench = Bench::new();
    for folder in ["host0", "host1", "out", "apart"] {
        std::fs::create_dir(bench.path(folder)).unwrap();
    }
    let (path, folder) = (bench.path("ssh"), bench.path(".").display().to_string());
    std::fs::write(&path, SSH.replace("SECOND", second).replace("FOLDER", folder.trim_end_matches("/.")))
        .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    Some(bench)
}

/// The words that start four ranks, two on each host.
fn launch(bench: &Bench, launcher: &str) -> Vec<String> {
    let ssh = bench.path("ssh").display().to_string();
    let words = match launcher {
        "mpirun.openmpi" => format!("{launcher} --mca plm_rsh_agent {ssh} -H host0:2,host1:2 -n 4"),
        _ => format!("{launcher} -launcher-exec {ssh} -hosts host0,host1 -ppn 2 -n 4"),
    };
    words.split(' ').map(str::to_owned).collect()
}

fn command(bench: &Bench, before: &[&str], launcher: &str, program: &[&str]) -> Command {
    let launch = launch(bench, launcher);
    let launch = launch.iter().map(String::as_str);
    let words: Vec<&str> = before.iter().copied().chain(launch).chain(program.iter().copied()).collect();
    let mut command = bench.command(words[0]);
    command.args(&words[1..]).env("OMPI_MCA_btl", "self,tcp").env("OMPI_MCA_pml", "ob1");
    command
}

fn run(bench: &Bench, before: &[&str], launcher: &str, program: &[&str]) -> Answer {
    command(bench, before, launcher, program).output().unwrap().into()
}

/// `numawise snapshot` around the launcher, with the options of `words`.
fn around(bench: &Bench, words: &[&str], launcher: &str, program: &[&str]) -> Answer {
    let numawise = bench.numawise.to_str().unwrap();
    let before: Vec<&str> =
        [numawise, "snapshot"].into_iter().chain(words.iter().copied()).chain(["--"]).collect();
    run(bench, &before, launcher, program)
}

fn left(bench: &Bench) -> Vec<String> {
    let names = [".", "out", "host0", "host1"].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(bench.path(folder)).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    });
    names.filter(|name| name.starts_with(".numawise") || name.starts_with("numawise-snapshot")).collect()
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const RECORD: [&str; 4] = ["--output", "out/run.nw", "--fresh", "--json=run.json"];

#[test]
fn ranks_of_other_computers_are_in_the_one_record_with_what_is_known_of_these() {
    let Some(bench) = hosts(NOTHING) else { return };
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let answer = around(&bench, &RECORD, launcher, &[program.to_str().unwrap()]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 6 of 4 ranks\n"), "{}", answer.err);
        let json = bench.json("run.json");
        let of_ranks =
            |name: &str| [0, 1, 2, 3].map(|rank| json.pointer(&format!("/ranks/{rank}/{name}")).cloned());
        assert_eq!(
            (number(&json, "/processes/ranks"), number(&json, "/processes/hosts")),
            (4.0, 2.0),
            "{json}"
        );
        assert_eq!(of_ranks("host").map(Option::unwrap), ["host0", "host0", "host1", "host1"], "{json}");
        assert!(
            of_ranks("placement/memory/peak_bytes").iter().flatten().all(serde_json::Value::is_number),
            "{json}"
        );
        assert!(json["efficiency"]["mpi_load_balance_out"].is_number(), "{json}");
        assert_eq!(json["notices"].as_array().unwrap().len(), 0, "{json}");
        // As it was typed, so that it can be typed again.
        assert!(!text(&json, "/command/line").contains("hand-over"), "{json}");
        assert_eq!(answer.err.matches("Next commands").count(), 1, "{}", answer.err);
        // Where threads ran is told by the machine of each host.
        let nodes = of_ranks("placement/nodes");
        assert!(
            nodes.iter().flatten().all(|nodes| nodes.as_str().is_some_and(|nodes| !nodes.is_empty())),
            "{nodes:?}"
        );
        let report = bench.run(&[bench.numawise.to_str().unwrap(), "report", "out/run.nw", "--json"]);
        let again: serde_json::Value = serde_json::from_str(&report.out).unwrap();
        assert_eq!(again["ranks"], json["ranks"]);
        assert_eq!(left(&bench), Vec::<String>::new());
    }
}

#[test]
fn what_was_measured_of_ranks_that_the_launcher_kills_is_reported() {
    let Some(bench) = hosts(NOTHING) else { return };
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let program = [program.to_str().unwrap(), "killed"];
    let alone = run(&bench, &[], launcher, &program);
    let answer = around(&bench, &RECORD, launcher, &program);
    // On a busy host hydra may trip over a connection that is closed already, with or without us, and then ends with another status.
    let tripped = |of: &Answer| of.err.contains("process manager error");
    let is_same = answer.status == alone.status || tripped(&answer) || tripped(&alone);
    assert!(is_same && answer.status != Some(0), "{:?} {:?} {}", answer.status, alone.status, answer.err);
    let json = bench.json("run.json");
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/processes/hosts")), (4.0, 2.0), "{json}");
    assert_eq!(text(&json, "/ranks/3/end"), "not_told");
    assert!(number(&json, "/ranks/3/elapsed_seconds") >= 0.25, "{json}");
    // What the launcher has killed is cleared away by a process that nobody waits for.
    let begun = Instant::now();
    while !left(&bench).is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(left(&bench), Vec::<String>::new());
}

#[test]
fn a_computer_that_does_not_share_the_folder_keeps_a_record_of_its_own_and_its_ranks_are_named() {
    let Some(bench) = hosts("mount --bind FOLDER/apart FOLDER/out") else { return };
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let answer = around(&bench, &RECORD, launcher, &[program.to_str().unwrap()]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 6 of 4 ranks\n"), "{}", answer.err);
    let said = one_line(&answer.err);
    for part in [
        "nothing came of rank 2-3 of 4 through",
        "these are the ranks on host1 alone",
        "--output FILE in a folder that all",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(number(&bench.json("run.json"), "/processes/ranks"), 2.0);
    let report = bench.run(&[bench.numawise.to_str().unwrap(), "report", "apart/run.2.nw", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&report.out).unwrap_or_else(|_| panic!("{report:?}"));
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/ranks/0/rank")), (2.0, 2.0), "{json}");
    assert_eq!(left(&bench), Vec::<String>::new());
}

#[test]
fn a_computer_without_numawise_or_its_library_runs_its_ranks_unwatched() {
    for ((compiler, launcher), missing, said) in [
        (OPEN_MPI, "bin/numawise", "is no"),
        (MPICH, "lib/numawise/libnumawise_collector.so", "ranks on host1 are not watched"),
    ] {
        let Some(bench) = hosts(&format!("mount --bind /dev/null FOLDER/{missing}")) else { return };
        let path = bench.numawise.to_str().unwrap().to_owned();
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let answer = around(&bench, &RECORD, launcher, &[program.to_str().unwrap()]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 6 of 4 ranks\n"), "{}", answer.err);
        let said =
            if missing == "bin/numawise" { format!("there {said} {path} on host1") } else { said.to_owned() };
        let all = one_line(&answer.err);
        assert_eq!(all.matches(&said).count(), 1, "{said}: {all}");
        assert!(all.contains("nothing came of rank 2-3 of 4 through"), "{all}");
        assert_eq!(number(&bench.json("run.json"), "/processes/ranks"), 2.0);
    }
}

#[test]
fn only_ranks_that_were_asked_for_are_watched_and_all_are_placed() {
    let Some(bench) = hosts(NOTHING) else { return };
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let words: Vec<&str> = ["--ranks", "1-2", "--memory", "local"].into_iter().chain(RECORD).collect();
    let answer = around(&bench, &words, launcher, &[program.to_str().unwrap()]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 6 of 4 ranks\n"), "{}", answer.err);
    let json = bench.json("run.json");
    let ranks = [0, 1].map(|row| {
        (number(&json, &format!("/ranks/{row}/rank")), text(&json, &format!("/ranks/{row}/host")))
    });
    assert_eq!(ranks, [(1.0, "host0"), (2.0, "host1")], "{json}");
    assert_eq!(number(&json, "/processes/ranks"), 2.0);
}

#[test]
fn what_is_no_mpi_is_watched_there_too_and_its_status_is_the_launchers() {
    let Some(bench) = hosts(NOTHING) else { return };
    for (_, launcher) in MPIS {
        if bench.command(launcher).arg("--version").output().is_err() {
            eprintln!("SKIPPED: no {launcher}");
            continue;
        }
        let alone = once_all_have_written(&bench, &[], launcher);
        let numawise = bench.numawise.to_str().unwrap();
        let before = [&[numawise, "snapshot"], &RECORD[..], &["--"]].concat();
        let watched = once_all_have_written(&bench, &before, launcher);
        assert_eq!(watched, alone, "{launcher}");
        assert!(alone.0 != Some(0) && alone.1.len() == 4, "{alone:?}");
    }
}

/// Four shells that write the name of their host: the status of the launcher, and the lines in order. They end when all lines have come
/// through: the launcher ends the others with the first one.
fn once_all_have_written(bench: &Bench, before: &[&str], launcher: &str) -> (Option<i32>, Vec<String>) {
    let go = bench.path("go");
    let _ = std::fs::remove_file(&go);
    let until = format!("until test -e '{}' -o $k = 6000; do sleep 0.02; k=$((k+1)); done", go.display());
    let line = format!("uname -n; k=0; {until}; exit 3");
    let mut command = command(bench, before, launcher, &["sh", "-c", &line]);
    let mut launched = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(launched.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut first: Vec<String> = lines.by_ref().take(4).collect();
    std::fs::write(go, "").unwrap();
    first.extend(lines);
    first.sort();
    (launched.wait().unwrap().code(), first)
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_runs() {
    let Some(bench) = hosts(NOTHING) else { return };
    for (_, launcher) in MPIS {
        let answer = around(&bench, &["--output", "no/such/run.nw"], launcher, &["sh", "-c", "echo ran"]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{}", answer.err);
    }
}

#[test]
fn memory_objects_of_ranks_of_other_computers_come_too() {
    let Some(bench) = hosts(NOTHING) else { return };
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "rank_objects.c", &[]) else { return };
    let words = [&["--objects"], &RECORD[..]].concat();
    let answer = around(&bench, &words, launcher, &[program.to_str().unwrap(), "0.1"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "done 1\n"), "{}", answer.err);
    let json = bench.json("run.json");
    // Which of them were looked at while they lived, and which are alike, is a matter of time.
    let groups = json["objects"]["groups"].as_array().unwrap();
    let ranks = groups.iter().filter_map(|group| group["ranks"].as_str());
    let ranks: Vec<RankSet> = ranks.map(|ranks| ranks.parse().unwrap()).collect();
    assert!(ranks.iter().flat_map(RankSet::iter).all(|rank| rank.0 < 4), "{json}");
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/processes/hosts")), (4.0, 2.0), "{json}");
    assert!(left(&bench).is_empty(), "{:?}", left(&bench));
}

#[test]
#[ignore = "timing: what samples say of the objects of ranks of several computers"]
fn ranks_of_other_computers_whose_memory_objects_are_others_are_told_apart() {
    let Some(bench) = hosts(NOTHING) else { return };
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "rank_objects.c", &[]) else { continue };
        let words = [&["--objects"], &RECORD[..]].concat();
        let answer = around(&bench, &words, launcher, &[program.to_str().unwrap()]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "done 1\n"), "{}", answer.err);
        let json = bench.json("run.json");
        let groups = json["objects"]["groups"].as_array().unwrap();
        let ranks: Vec<&str> = groups.iter().map(|group| text(group, "/ranks")).collect();
        // Too few samples of one do not keep ranks apart; where samples say nothing, all are alike.
        if !groups[0]["time_samples"].to_string().contains("interrupts are not taken") {
            assert_eq!(ranks, ["0-2", "3"], "{}", answer.err);
            assert_eq!(text(&groups[1], "/host"), "host1", "{}", answer.err);
        } else {
            assert_eq!(ranks, ["0-3"], "{}", answer.err);
        }
        eprintln!("{launcher}: {ranks:?}");
        assert!(groups.iter().all(|group| group["objects"].to_string().contains("\"table\"")), "{launcher}");
        assert!(left(&bench).is_empty(), "{:?}", left(&bench));
    }
}

#[test]
fn a_trace_of_ranks_on_two_computers_is_one_whose_clocks_are_compared() {
    // Computers count from when they were started.
    let other_clock = ["unshare", "-T", "--monotonic", "5000"];
    let can = Command::new(other_clock[0]).args(&other_clock[1..]).arg("true").output();
    let has_other = can.is_ok_and(|answer| answer.status.success());
    let second = format!("WRAP=\"{}\"", other_clock.join(" "));
    if !has_other {
        eprintln!("both hosts have one clock: this kernel has no name spaces for time");
    }
    let Some(bench) = hosts(if has_other { &second } else { NOTHING }) else { return };
    let numawise = bench.numawise.to_str().unwrap();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "patterns.c", &["-g"]) else { continue };
        let words = [numawise, "trace", "--json=run.json", "--output", "out/run.trace", "--fresh", "--"];
        let answer = run(&bench, &words, launcher, &[program.to_str().unwrap(), "0.02", "messages"]);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let json = bench.json("run.json");
        let trace = &json["trace"];
        let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(trace, of));
        assert_eq!(counts, [13.0, 0.0, 0.0], "{launcher}: {trace:#}");
        assert_eq!(trace["ranks"].as_array().unwrap().len(), 4);
        // Of 5000 s nothing is left.
        let [error, span] = ["/clock_error_seconds", "/span_seconds"].map(|of| number(trace, of));
        assert!((0.0..1.0).contains(&error) && span < 600.0, "{error} s of {span} s; {}", answer.err);
        let not_judged = trace["not_judged"].as_array().unwrap();
        assert!(not_judged.iter().all(|row| text(row, "/why") != "clocks_differ"), "{trace:#}");
        assert!(!json["notices"].to_string().contains("NW927"), "{}", json["notices"]);
        let again = bench.run(&[numawise, "report", "out/run.trace", "--json"]);
        let again: serde_json::Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(again["trace"], *trace);
        assert_eq!(left(&bench), Vec::<String>::new());
    }
}
