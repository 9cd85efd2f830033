//! Every line that is printed to be used is run as it is printed: programs whose rate tells by what they were started.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{check, folder, json, script, stderr};

const RATE: [&str; 3] = ["--metric", "rate: ([0-9]+)", "--higher-is-better"];
/// The rate decides after the least number of repeats, long before the budget ends.
const WORDS: [&str; 12] = with_budget("10m");

const fn with_budget(budget: &str) -> [&str; 12] {
    let [metric, rate, higher] = RATE;
    let [json, threads, one] = ["--json", "--threads", "1"];
    [json, threads, one, "--seed", "3", "--repeats", "5", metric, rate, higher, "--budget", budget]
}

/// A program that says a rate of 2000 where `fast` holds, and else of 1000.
fn program(folder: &Path, fast: &str) -> String {
    script(folder, "app", &format!("#!/bin/sh\n{}\n", says(fast)))
}

/// The last digits vary, since a metric is taken to be no finer than its values are.
fn says(fast: &str) -> String {
    format!("if {fast}; then echo rate: 200$(($$ % 7)); else echo rate: 100$(($$ % 7)); fi")
}

/// Holds where one CPU may be used.
const MASKED: &str = "! grep -q 'Cpus_allowed_list:.*[-,]' /proc/self/status";
/// Holds in trials, which have variables that make them start alike, and nowhere else.
const IN_TRIALS: &str = "[ -n \"$NUMAWISE_EVEN_00\" ]";

fn installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn one_cpu_is_less_than_all() -> bool {
    std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1)
}

fn line<'a>(told: &'a Value, tool: &str) -> &'a Value {
    let lines = told["lines"]["lines"].as_array().unwrap_or_else(|| panic!("no line was run: {told}"));
    lines.iter().find(|line| line["tool"] == tool).unwrap_or_else(|| panic!("no line of {tool}: {lines:?}"))
}

fn run(folder: &Path, words: &[&str], program: &str) -> Value {
    let output = check(folder, &[words, &["--", program]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    json(&output)
}

fn report(folder: &Path) -> (Value, String) {
    let shown = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.arg("report").args(words).arg("app.nw").current_dir(folder).output().unwrap()
    };
    let text = String::from_utf8(shown(&[]).stdout).unwrap();
    // However it is broken into lines.
    (json(&shown(&["--json"])), text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn each_line_has_the_effect_that_stands_beside_it() {
    if !one_cpu_is_less_than_all() {
        return;
    }
    let folder = folder();
    let told = run(folder.path(), &WORDS, &program(folder.path(), MASKED));
    assert_eq!(
        (told["case"].as_str(), told["recommended"].as_str()),
        (Some("gains"), Some("pinned")),
        "{told}"
    );
    let ours = line(&told, "numawise");
    assert_eq!(ours["call"], "brings", "{ours}");
    let effect = &told["use"]["effect"];
    let (low, high) = (effect["low"].as_f64().unwrap(), effect["high"].as_f64().unwrap());
    assert!(low > 1.9 && high < 2.1 && effect["ratio"] == ours["effect"]["ratio"], "two in truth: {effect}");
    assert!(ours["repeats"].as_u64().unwrap() >= 5, "{ours}");
    assert_eq!(told["lines"]["against"].as_str().unwrap().split('/').next_back(), Some("app"), "{told}");
    // OpenMP's variables mask nothing here; what masks keeps the gain.
    let openmp = line(&told, "openmp");
    assert_eq!(openmp["call"], "brings_nothing", "{openmp}");
    let shown = told["use"]["equivalents"].as_array().unwrap();
    assert!(shown.iter().all(|one| one["tool"] != "openmp"), "{shown:?}");
    let (again, text) = report(folder.path());
    for tool in ["numactl", "taskset"] {
        let found = line(&told, tool);
        if installed(tool) {
            assert!(found["kept"].as_f64().unwrap() > 0.7, "{found}");
            assert!(text.contains("of the gain"), "{text}");
        } else {
            assert!(found["effect"]["unavailable"].as_str().unwrap().contains("not installed"), "{found}");
        }
    }
    assert_eq!((&again["use"], &again["lines"]), (&told["use"], &told["lines"]), "the record says the same");
    assert!(text.contains("openmp: not recommended") && text.contains("keeps nothing of the gain"), "{text}");
    assert!(text.contains("against the program as it was"), "{text}");
}

#[test]
fn a_line_that_does_not_bring_the_gain_is_not_recommended() {
    if !one_cpu_is_less_than_all() {
        return;
    }
    let folder = folder();
    let fast = format!("{IN_TRIALS} && {MASKED}");
    let told = run(folder.path(), &WORDS, &program(folder.path(), &fast));
    assert_eq!(told["case"], "gain_not_kept", "{told}");
    assert_eq!(told["recommended"], Value::Null);
    assert_eq!(line(&told, "numawise")["call"], "brings_nothing", "{told}");
    assert!(told["use"]["line"].as_str().unwrap().ends_with("/app"), "{}", told["use"]);
    assert_eq!((&told["use"]["effect"], &told["use"]["equivalents"]), (&Value::Null, &serde_json::json!([])));
    let (_, text) = report(folder.path());
    assert!(text.contains("GAIN NOT KEPT") && text.contains("numawise: not recommended"), "{text}");
    assert!(!text.contains("; recommended"), "{text}");
}

#[test]
fn without_a_better_placement_no_line_is_run() {
    let folder = folder();
    let told = run(folder.path(), &WORDS, &program(folder.path(), "true"));
    assert_eq!((&told["recommended"], &told["lines"]), (&Value::Null, &Value::Null), "{told}");
}

#[test]
fn a_time_too_short_for_the_lines_is_said_and_more_time_goes_on_with_them() {
    if !one_cpu_is_less_than_all() {
        return;
    }
    let folder = folder();
    let app = program(folder.path(), MASKED);
    let told = run(folder.path(), &with_budget("1ms"), &app);
    assert_eq!(told["recommended"], "pinned", "{told}");
    let why = told["use"]["effect"]["unavailable"].as_str().unwrap();
    assert!(why.contains("not run") && why.contains("--budget"), "{why}");
    // What may bring nothing is not shown as the same.
    for shown in told["use"]["equivalents"].as_array().unwrap() {
        let why = shown["effect"]["unavailable"].as_str().unwrap();
        assert!(why.contains("not installed"), "{shown}");
    }
    let comments = told["use"]["comments"].to_string();
    assert!(comments.contains("openmp: not recommended (") && comments.contains("take about"), "{comments}");
    let told = run(folder.path(), &WORDS, &app);
    assert_eq!(line(&told, "numawise")["call"], "brings", "{told}");
}

#[test]
fn interrupted_in_the_lines_it_keeps_them_and_goes_on() {
    if !one_cpu_is_less_than_all() {
        return;
    }
    let folder = folder();
    // Lines find numawise where it is, which trials have no need of: the fifth run of a line goes on until we let it end.
    let own = Path::new(env!("CARGO_BIN_EXE_numawise")).parent().unwrap();
    let others = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .filter(|folder| folder != own)
        .collect::<Vec<_>>();
    let waits = "echo x >> lines; [ $(wc -l < lines) != 5 ] || until [ -e go ]; do sleep 0.01; done";
    let text = format!("#!/bin/sh\ncase $PATH in {}:*) {waits} ;; esac\n{}\n", own.display(), says(MASKED));
    let app = script(folder.path(), "app", &text);
    let words = [&WORDS[..], &["--", &app]].concat();
    let started = || {
        let mut command = check(folder.path(), &words);
        command.env("PATH", std::env::join_paths(&others).unwrap());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let child = started();
    let begin = std::time::Instant::now();
    let runs = || {
        let file = folder.path().join("app.nw");
        let Ok(record) = numawise_record::Record::open_to_read(&file) else { return 0 };
        record.study().ok().and_then(|study| study.lines).map_or(0, |lines| lines.trials.len())
    };
    while runs() < 4 {
        assert!(begin.elapsed().as_secs() < 300, "no line was run");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let (kept, told) = (runs(), json(&output));
    assert_eq!(kept, 4);
    assert_eq!(told["stopped"], "decided", "the placements are: {told}");
    let why = told["use"]["effect"]["unavailable"].as_str().unwrap_or_else(|| panic!("{told}"));
    assert!(why.contains("interrupted"), "{why}");
    std::fs::write(folder.path().join("go"), "").unwrap();
    let told = json(&started().wait_with_output().unwrap());
    assert!(runs() > kept, "{kept} kept");
    assert_eq!(line(&told, "numawise")["call"], "brings", "{told}");
}

#[test]
fn a_numawise_of_another_name_says_that_its_line_was_not_run() {
    if !one_cpu_is_less_than_all() {
        return;
    }
    let (folder, place) = (folder(), self::folder());
    let library = crate::agent::pinning_library();
    let binary = place.path().join("nw");
    std::fs::copy(env!("CARGO_BIN_EXE_numawise"), &binary).unwrap();
    std::fs::copy(&library, place.path().join(library.file_name().unwrap())).unwrap();
    let app = program(folder.path(), MASKED);
    let words = [&WORDS[..], &["--", &app]].concat();
    let told = json(&crate::command_of(&binary, folder.path(), &words).output().unwrap());
    let ours = line(&told, "numawise");
    assert!(ours["effect"]["unavailable"].as_str().unwrap().contains("'nw'"), "{ours}");
    assert_eq!(line(&told, "openmp")["call"], "brings_nothing", "the others are run: {told}");
}

#[test]
fn what_looks_like_a_credential_is_run_and_not_kept() {
    if !one_cpu_is_less_than_all() {
        return;
    }
    let folder = folder();
    let app = script(
        folder.path(),
        "app",
        &format!("#!/bin/sh\n[ \"$2\" = hunter2secret ] || exit 3\n{}\n", says(MASKED)),
    );
    let words = [&WORDS[..], &["--", &app, "--password", "hunter2secret"]].concat();
    let output = check(folder.path(), &words).output().unwrap();
    let told = json(&output);
    assert_eq!(line(&told, "numawise")["call"], "brings", "it was run with what was typed: {told}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("hunter2secret"), "{told}");
    let record = std::fs::read(folder.path().join("app.nw")).unwrap();
    assert!(!record.windows(13).any(|part| part == b"hunter2secret"));
}
