//! `numawise study` from outside: what is run, what is kept, what is said of it.

mod commands;
mod enough;
mod exported;
mod metrics;
mod predicted;
mod ranks;
mod refused;
mod templates;

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

struct Bench {
    folder: tempfile::TempDir,
}

struct Answer {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn study(&self, arguments: &[&str]) -> Answer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.arg("study").args(arguments).current_dir(self.folder.path());
        for name in ["OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND"] {
            command.env_remove(name);
        }
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Answer { status: status.code(), out: text(stdout), err: text(stderr) }
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let answer = self.study(&[&["--json"], arguments].concat());
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {}", answer.out))
    }

    /// What programs have written to `log`, each line once.
    fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.path("log")).unwrap();
        let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
        lines.sort();
        lines.dedup();
        lines
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str]) -> String {
        let answer = self.study(arguments);
        assert_eq!(answer.status, Some(125), "{}{}", answer.out, answer.err);
        answer.err
    }
}

fn points(study: &Value) -> &Vec<Value> {
    study["points"].as_array().unwrap()
}

#[test]
fn each_point_is_run_as_often_as_asked_with_its_own_command() {
    let bench = Bench::new();
    let words = [
        "--param",
        "n=1,2,3",
        "--threads",
        "1,2",
        "--repeats",
        "2",
        "--",
        "sh",
        "-c",
        "echo {n} $OMP_NUM_THREADS >> log",
    ];
    let study = bench.json(&words);
    assert_eq!(study["schema"], "numawise/study/1");
    assert_eq!(points(&study).len(), 6);
    for point in points(&study) {
        assert_eq!((&point["n"], &point["failures"]), (&2.into(), &0.into()), "{point}");
        assert!(point["metrics"]["wall_time"]["median"].as_f64().unwrap() > 0.0, "{point}");
    }
    let second = &points(&study)[1];
    assert_eq!(second["levels"], serde_json::json!({"threads": 1, "n": 2}), "{second}");
    assert_eq!(second["command"], "sh -c 'echo 2 $OMP_NUM_THREADS >> log'");
    assert_eq!(study["trials"], 12);
    assert_eq!(bench.log(), ["1 1", "1 2", "2 1", "2 2", "3 1", "3 2"]);
    let log = std::fs::read_to_string(bench.path("log")).unwrap();
    // The first point once more, to warm up.
    assert_eq!(log.lines().count(), 13);
}

#[test]
fn the_same_command_goes_on_and_another_is_refused() {
    let bench = Bench::new();
    let words =
        |value: &'static str| ["--param", value, "--repeats", "2", "--", "sh", "-c", "echo {n} >> log"];
    let count = || std::fs::read_to_string(bench.path("log")).unwrap().lines().count();
    bench.json(&words("n=1,2"));
    assert!(bench.path("sh.study.nw").is_file());
    assert_eq!(count(), 5);
    let again = bench.json(&words("n=1,2"));
    assert_eq!((count(), &again["trials"]), (5, &4.into()), "nothing is missing");
    let refused = bench.refused(&words("n=1,3"));
    assert!(refused.contains("another study") && refused.contains("points.n=2"), "{refused}");
    // A wider grid, and more repeats of each point, keep what is there.
    let wider = bench.json(&words("n=1,2,3"));
    assert_eq!((count(), &wider["trials"], points(&wider).len()), (7, &6.into(), 3), "{wider}");
    let more = bench.json(&["--param", "n=3,2,1", "--repeats", "3", "--", "sh", "-c", "echo {n} >> log"]);
    assert_eq!((count(), &more["trials"], &more["baseline"]), (10, &9.into(), &"n=3".into()), "{more}");
    bench.json(&[&["--fresh"], &words("n=1,3")[..]].concat());
    assert_eq!(count(), 15);
    let rows = Command::new(env!("CARGO_BIN_EXE_numawise"))
        .args(["report", "--csv"])
        .arg(bench.path("sh.study.nw"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(rows.stdout).unwrap().lines().count(), 3);
    let report = Command::new(env!("CARGO_BIN_EXE_numawise"))
        .args(["report", "--json"])
        .arg(bench.path("sh.study.nw"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!((&report["schema"], points(&report).len()), (&"numawise/study/1".into(), 2));
}

#[test]
fn failures_are_data_and_a_point_that_fails_is_given_up() {
    let bench = Bench::new();
    let study = bench.json(&["--param", "n=0,3", "--repeats", "5", "--", "sh", "-c", "exit {n}"]);
    let [good, bad] = &points(&study)[..] else { panic!("{study}") };
    assert_eq!((&good["n"], &good["failures"]), (&5.into(), &0.into()));
    assert_eq!((&bad["n"], &bad["failures"]), (&0.into(), &3.into()), "{bad}");
    assert!(bad["metrics"]["wall_time"]["mean"]["unavailable"].is_string(), "{bad}");
    assert_eq!(study["best"]["point"], "n=0");
    let findings = study["findings"].as_array().unwrap();
    assert!(findings.len() == 1 && findings[0]["id"] == "NW065", "{findings:?}");
    let failure = &findings[0]["evidence"][1]["subject"]["failure"];
    assert_eq!((&failure["point"], &failure["exit"]["code"]), (&"n=3".into(), &3.into()), "{failure}");
    // Also where it is the one that the others are compared with.
    let study = bench.json(&["--fresh", "--param", "n=3,0", "--repeats", "4", "--", "sh", "-c", "exit {n}"]);
    assert_eq!(points(&study)[1]["n"], 4, "{study}");
    assert_eq!(study["best"]["point"], "n=0");
}

#[test]
fn a_study_without_any_measured_point_ends_as_the_program_did() {
    let bench = Bench::new();
    let status = |command: &[&str]| bench.study(&[&["--fresh", "--repeats", "3"], command].concat()).status;
    assert_eq!(status(&["--param", "n=3,4", "--", "sh", "-c", ": {n}; exit 7"]), Some(7));
    assert_eq!(status(&["--", "sh", "-c", "kill -9 $$"]), Some(137));
    assert_eq!(status(&["--metric", "(abc)", "--", "echo", "abc"]), Some(125));
    assert_eq!(status(&["--param", "n=3,0", "--", "sh", "-c", "exit {n}"]), Some(0), "one was measured");
}

#[test]
fn the_first_failure_says_how_and_what_the_program_said_last() {
    let bench = Bench::new();
    let failed = ["--param", "n=0,3", "--repeats", "1", "--", "sh", "-c", "echo bad; echo; exit {n}"];
    let said = bench.study(&failed).err;
    assert!(said.contains("the program failed at n=3 (exit status 3), saying last: bad; it is"), "{said}");
    let no_number = ["--fresh", "--repeats", "1", "--metric", "(abc)", "--", "echo", "abc"];
    let said = bench.study(&no_number).err;
    assert!(said.contains("the program failed at os (") && said.contains("abc"), "{said}");
}

#[test]
fn ranges_of_numbers_are_levels_of_parameters_too() {
    let bench = Bench::new();
    let study = bench.json(&["--repeats", "1", "--param", "n=1..=3,8", "--", "true", "{n}"]);
    let levels: Vec<&Value> = points(&study).iter().map(|point| &point["levels"]["n"]).collect();
    assert_eq!(levels, [1, 2, 3, 8]);
}

#[test]
fn rates_variables_conditions_and_whole_commands() {
    let bench = Bench::new();
    let metric = ["--metric", "v ([0-9.]+)", "--higher-is-better", "--repeats", "2"];
    let study = bench.json(
        &[&metric[..], &["--env", "A=1,5,3", "--where", "A!=3", "--", "sh", "-c", "echo v $A"]].concat(),
    );
    assert_eq!(points(&study).len(), 2);
    assert_eq!((&study["best"]["point"], &study["best"]["levels"]["A"]), (&"A=5".into(), &5.into()));
    assert_eq!(points(&study)[1]["environment"], serde_json::json!({"A": "5"}));
    let study = bench.json(
        &[
            &metric[..],
            &[
                "--fresh",
                "--output",
                "c.nw",
                "--command",
                "one=echo v 1",
                "--command",
                "two=echo v {x}",
                "--param",
                "x=2,4",
            ],
        ]
        .concat(),
    );
    assert_eq!(study["best"]["point"], "command=two x=4", "{study}");
}

#[test]
fn a_search_finds_the_best_with_a_quarter_of_the_trials() {
    let bench = Bench::new();
    let metric = ["--metric", "v ([0-9.]+)", "--higher-is-better", "--repeats", "4"];
    let numbers = (1..=40).map(|n: u32| n.to_string()).collect::<Vec<_>>().join(",");
    let numbers = format!("n={numbers}");
    let words = [
        "--fresh",
        "--search",
        "--param",
        &numbers,
        "--",
        "sh",
        "-c",
        "k=$(({n} - 23)); echo v $((1000 - k * k))",
    ];
    let study = bench.json(&[&metric[..], &words].concat());
    assert!(study["trials"].as_u64().unwrap() <= 40, "{}", study["trials"]);
    let best: i64 = study["best"]["levels"]["n"].as_i64().unwrap();
    assert!((best - 23).abs() <= 3, "{}", study["best"]);
}

#[test]
fn copies_are_started_together_and_told_their_numbers() {
    let bench = Bench::new();
    let study = bench.json(&["--copies", "1,2", "--repeats", "1", "--", "sh", "-c", "echo x > out.{task}"]);
    assert_eq!(points(&study)[1]["workers"], 2, "{study}");
    assert!(bench.path("out.0").is_file() && bench.path("out.1").is_file());
}

#[test]
fn nothing_is_loaded_into_programs_that_are_not_placed() {
    let bench = Bench::new();
    let script = "echo {n} ${LD_PRELOAD:-nothing} >> log";
    bench.json(&["--param", "n=1,2", "--repeats", "1", "--", "sh", "-c", script]);
    assert_eq!(bench.log(), ["1 nothing", "2 nothing"]);
}

#[test]
fn presets_fit_the_machine_and_leave_alone_what_was_given() {
    let bench = Bench::new();
    let study = bench.json(&["--preset", "pinning", "--repeats", "1", "--", "true"]);
    assert_eq!(
        study["factors"],
        serde_json::json!([{"kind": "pin", "name": "pin", "levels": ["off", "on"]}])
    );
    let study =
        bench.json(&["--fresh", "--preset", "scaling", "--threads", "1", "--repeats", "1", "--", "true"]);
    let names: Vec<&str> =
        study["factors"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["threads", "place"], "{study}");
    assert!(
        bench
            .refused(&["--preset", "hybrid", "--threads", "1", "--", "true", "{ranks}"])
            .contains("both say how many threads")
    );
    let answer = bench.study(&["--preset", "everything", "--", "true"]);
    assert!(answer.status == Some(125) && answer.err.contains("is no preset"), "{}", answer.err);
}

#[test]
fn a_study_is_kept_in_a_file_and_taken_from_it() {
    let bench = Bench::new();
    let words = [
        "--param",
        "n=1,2",
        "--repeats",
        "1",
        "--where",
        "n>0",
        "--json",
        "--write-file",
        "s.toml",
        "--",
        "true",
        "{n}",
    ];
    let written = bench.study(&words);
    assert_eq!(written.status, Some(0), "{}", written.err);
    assert!(!bench.path("true.study.nw").exists(), "nothing was run");
    let text = std::fs::read_to_string(bench.path("s.toml")).unwrap();
    assert!(text.contains("program = [\"true\", \"{n}\"]") && text.contains("param = [\"n=1,2\"]"), "{text}");
    assert!(text.contains("json = true"), "{text}");
    // The result is also in a file, beside the text.
    let beside = bench.study(&["s.toml", "--fresh", "--json=s.json"]);
    assert_eq!(beside.status, Some(0), "{}", beside.err);
    assert!(beside.out.contains("Points") && bench.path("s.json").exists(), "{}", beside.out);
    let said = bench.refused(&words);
    assert!(said.contains("--write-file s.toml: there is a file already"), "{said}");
    assert_eq!(std::fs::read_to_string(bench.path("s.toml")).unwrap(), text);
    let shown = bench.study(&["--param", "n=1,2", "--write-file", "/dev/stdout", "--", "true", "{n}"]);
    assert_eq!((shown.status, shown.out.contains("param = [\"n=1,2\"]")), (Some(0), true), "{}", shown.err);
    let study = bench.json(&["s.toml"]);
    assert_eq!((points(&study).len(), &study["repeats"]), (2, &1.into()), "{study}");
    // What is typed beside it goes before.
    let study = bench.json(&["s.toml", "--repeats", "2", "--fresh"]);
    assert_eq!((&study["repeats"], &study["trials"]), (&2.into(), &4.into()));
    let study = bench.json(&["s.toml", "--fresh", "--", "echo", "{n}"]);
    assert_eq!(points(&study)[1]["command"], "echo 2");
    std::fs::write(bench.path("bad.toml"), "thread = 1\nprogram = [\"true\"]\n").unwrap();
    let said = bench.refused(&["bad.toml"]);
    assert!(said.contains("bad.toml") && said.contains("--thread"), "{said}");
    assert!(bench.refused(&["none.toml"]).contains("it cannot be read"));
}

#[test]
fn commands_around_trials_are_in_no_time_and_their_failure_is_the_trials() {
    let bench = Bench::new();
    let around = [
        "--setup",
        "echo s >> log",
        "--prepare",
        "echo p >> log",
        "--verify",
        "test $(tail -n 1 log) = x",
        "--cleanup",
        "echo c >> log",
    ];
    let words = ["--repeats", "2", "--param", "n=x,y", "--", "sh", "-c", "echo {n} >> log"];
    let study = bench.json(&[&around[..], &words].concat());
    let log = std::fs::read_to_string(bench.path("log")).unwrap();
    assert!(log.starts_with("s\np\nx\n") && log.ends_with("c\n"), "{log}");
    assert_eq!((log.matches('s').count(), log.matches('p').count()), (1, 5), "{log}");
    let [good, bad] = &points(&study)[..] else { panic!("{study}") };
    assert_eq!((&good["n"], &bad["n"], &bad["failures"]), (&2.into(), &0.into(), &2.into()), "{study}");
    assert!(good["metrics"]["wall_time"]["mean"].is_f64(), "{good}");
    let failed = bench.study(&["--fresh", "--setup", "echo no; exit 3", "--", "true"]);
    assert_eq!(failed.status, Some(125));
    assert!(
        failed.err.contains("the command to set the study up ended with exit status 3"),
        "{}",
        failed.err
    );
}

#[test]
fn a_trial_that_takes_too_long_is_ended_and_failed() {
    let bench = Bench::new();
    let limit = ["--timeout", "2s", "--repeats", "1", "--param", "n=0,600", "--"];
    let study = bench.json(&[&limit[..], &["sleep", "{n}"]].concat());
    assert_eq!((&points(&study)[0]["n"], &points(&study)[1]["failures"]), (&1.into(), &1.into()), "{study}");
    // Also where it ends well when it is asked to.
    let script = "trap 'exit 0' TERM; sleep {n} & wait";
    let answer = bench.study(&[&["--fresh"], &limit[..], &["sh", "-c", script]].concat());
    assert!(
        answer.err.contains("(killed by signal 15; numawise ended it at its time limit, 2"),
        "{}",
        answer.err
    );
}

#[test]
fn two_studies_are_compared_point_by_point() {
    let bench = Bench::new();
    // The last digit varies, since a metric is taken to be no finer than its values are.
    let run = |record: &str, hundreds: &str| {
        let script = format!("echo v $(echo {hundreds} | cut -d, -f{{n}})$(($$ % 7))");
        let words = ["--output", record, "--metric", "v ([0-9]+)", "--repeats", "6", "--param", "n=1,2"];
        bench.json(&[&words[..], &["--", "sh", "-c", &script]].concat());
    };
    run("before.nw", "400,100");
    run("after.nw", "100,100");
    let compare = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.arg("compare").args(arguments).current_dir(bench.folder.path()).output().unwrap()
    };
    let compared = compare(&["--json", "before.nw", "after.nw"]);
    let compared: Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!(compared["schema"], "numawise/study-comparison/1");
    let [one, other] = &compared["points"].as_array().unwrap()[..] else { panic!("{compared}") };
    assert_eq!((&one["point"], &one["call"]), (&"n=1".into(), &"better".into()), "{compared}");
    assert!(one["effect"]["ratio"].as_f64().unwrap() > 3.9 && one["effect"]["low"].as_f64().unwrap() > 3.0);
    let ratio = other["effect"]["ratio"].as_f64().unwrap();
    assert!((0.98..1.02).contains(&ratio), "{compared}");
    let text = String::from_utf8(compare(&["before.nw", "after.nw"]).stdout).unwrap();
    assert!(
        text.contains("n=1") && text.contains("better") && text.contains("one after the other"),
        "{text}"
    );
}

#[test]
fn nothing_is_run_where_it_is_only_looked_at() {
    let bench = Bench::new();
    let words = [
        "--dry-run",
        "--param",
        "schedule=static,dynamic",
        "--",
        "./no-such-program",
        "--s={schedule}",
        "{schedule:+-d}",
    ];
    let answer = bench.study(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert!(answer.out.contains("./no-such-program --s=static\n"), "{}", answer.out);
    assert!(answer.out.contains("./no-such-program --s=dynamic -d\n"), "{}", answer.out);
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 0);
}

#[test]
fn csv_has_a_row_for_each_point_and_html_all_of_it() {
    let bench = Bench::new();
    let answer = bench.study(&[
        "--csv",
        "--html",
        "s.html",
        "--param",
        "n=1,2",
        "--repeats",
        "2",
        "--",
        "true",
        "{n}",
    ]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", answer.out);
    assert!(lines[0].starts_with("n,workers,n,failures,disturbed,mean,median"), "{}", lines[0]);
    assert!(lines[2].starts_with("2,,2,0,") && lines[2].ends_with(",true 2"), "{}", lines[2]);
    let page = std::fs::read_to_string(bench.path("s.html")).unwrap();
    assert!(page.contains("Effect of each factor") && page.contains("speedup"), "{page}");
    let text = bench.study(&["--param", "n=1,2", "--repeats", "2", "--", "true", "{n}"]).out;
    assert!(
        text.contains("BEST POINT") && text.contains("n=1") && text.contains("Effect of each factor"),
        "{text}"
    );
}

#[test]
fn broken_input_says_what_was_expected_and_keeps_nothing() {
    let bench = Bench::new();
    for (words, expected) in [
        (&["--param", "n=1,2", "--", "true"][..], "the factor n changes nothing"),
        (
            &["--param", "n=1,2", "--", "true", "{n}", "{m}"],
            "{m} in '{m}' names nothing; there are: n, threads, task, cpus, nodes, host",
        ),
        (&["--threads", "1..=4000", "--step", "1..=4000", "--", "true"], "16000000 points, more than 100000"),
        (
            &["--ranks", "1,2", "--copies", "1,2", "--", "true", "{ranks}"],
            "both say how many processes there are",
        ),
        (&["--param", "threads=1,2", "--", "true", "{threads}"], "threads names a parameter"),
        (&["--place", "nowhere", "--", "true"], "'nowhere' is not a strategy"),
        (&["--pin", "maybe", "--", "true"], "'maybe' is neither on nor off"),
        (&["--threads", "1,2", "--where", "threads>cpus*1000", "--", "true"], "nothing is left to run"),
        (&["--threads", "1,2", "--where", "thread>1", "--", "true"], "'thread' is neither a factor"),
        (&["--repeats", "0", "--", "true"], "at least one repeat"),
        (&["--metric", "([0-9]+", "--", "true"], "--metric:"),
    ] {
        let said = bench.refused(words);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    for (words, expected) in [
        (&["--threads", "4..=1", "--", "true"][..], "expected 1..=4"),
        (&["--threads", "0", "--", "true"], "expected at least 1"),
        (&["--param", "n", "--", "true"], "expected NAME=LEVELS"),
        (&["--where", "threads=1", "--", "true"], "expected an operator or the end"),
        (&["--param", "n=1,1", "--", "true"], "there twice"),
    ] {
        let answer = bench.study(words);
        assert_eq!(answer.status, Some(125), "{words:?}");
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
    }
    let files = || std::fs::read_dir(bench.folder.path()).unwrap().count();
    assert_eq!(files(), 0, "nothing was begun");
}

/// A point is as fast as itself only where it has run.
#[test]
fn a_study_in_which_all_failed_compares_nothing_and_ends_as_the_program() {
    let bench = Bench::new();
    let answer = bench.study(&["--threads", "1,2", "--repeats", "2", "--json", "--", "false"]);
    assert_eq!(answer.status, Some(1), "{}", answer.err);
    let study: Value = serde_json::from_str(&answer.out).unwrap();
    for point in points(&study) {
        assert!(point["speedup"]["unavailable"].is_string(), "{point}");
        assert!(point["efficiency"]["unavailable"].is_string(), "{point}");
    }
    let text = bench.study(&["--threads", "1,2", "--repeats", "2", "--", "false"]).out;
    assert!(!text.contains("1.000x") && !text.contains("100.0 %"), "{text}");
    assert!(text.contains("2 of 2 points failed in all their trials"), "{text}");
}
