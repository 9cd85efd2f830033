//! Answers on this machine, by programs whose truth is known.

use crate::{check, folder, json, script};
use std::io::Write as _;

/// Two nodes with CPUs and memory are needed for a memory contrast; here the answer is about pinning at most.
fn one_node() -> bool {
    let nodes =
        std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_else(|_| "0".to_owned());
    !nodes.trim().contains(['-', ','])
}

/// Runs a check of a shell script whose metric is its rate, at each placement five times whatever that takes.
fn of_rate(text: &str) -> serde_json::Value {
    let folder = folder();
    let program = script(folder.path(), "app", &format!("#!/bin/sh\n{text}\n"));
    let words = ["--json", "--budget", "1ms", "--repeats", "5", "--seed", "7"];
    let metric = ["--metric", "rate: ([0-9]+)", "--higher-is-better", "--", &program];
    let output = check(folder.path(), &[&words[..], &metric].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", crate::stderr(&output));
    json(&output)
}

#[test]
fn known_answer_a_program_that_is_the_same_everywhere_does_not_care() {
    let told = of_rate("echo rate: 100$(($$ % 7))");
    assert_eq!(told["schema"], "numawise/check/1");
    assert_eq!(told["verdict"], "not affected", "{told}");
    assert_eq!(told["placed_well"], true);
    let trials = told["trials"].as_array().unwrap();
    assert!(trials.len() >= 6 && trials[0]["block"] == 0, "a warm-up and five repeats at least: {told}");
    assert_eq!(told["seed"], 7);
    if one_node() {
        assert!(told["not_tried"].to_string().contains("cannot matter"), "{told}");
    }
}

#[test]
#[ignore = "timing: whether times of a sleeping program are told from each other"]
fn known_answer_a_sleeping_program_does_not_care() {
    let folder = folder();
    let output = check(folder.path(), &["--json", "--budget", "30s", "--seed", "7", "--", "sleep", "0.15"])
        .output()
        .unwrap();
    let told = json(&output);
    eprintln!("sleep 0.15: {}, {}", told["verdict"], told["effect"]);
    assert_eq!(told["verdict"], "not affected", "{told}");
    assert_eq!(told["placed_well"], true);
}

/// Nothing can affect these, and they end before a placement could: what differs are starts.
#[test]
#[ignore = "timing: whether starts of programs are told from each other"]
fn known_answer_programs_that_do_nothing_are_never_affected() {
    let folder = folder();
    for program in [&["true"][..], &["sleep", "0.02"], &["sh", "-c", ":"], &["python3", "-c", "pass"]] {
        for seed in ["1", "2", "3"] {
            let words = [&["--json", "--fresh", "--budget", "1s", "--seed", seed, "--"], program].concat();
            let told = json(&check(folder.path(), &words).output().unwrap());
            eprintln!("{program:?}, seed {seed}: {}, {}", told["verdict"], told["effect"]);
            assert_ne!(told["verdict"], "affected", "{program:?} {seed}: {}", told["contrasts"]);
        }
    }
}

/// Of 8 checks of a program that only starts and ends none calls it affected, whatever the order of its trials, and each keeps to its
/// budget.
#[test]
#[ignore = "timing: whether starts of a program are told from each other, and the budget"]
fn known_answer_true_is_never_affected_with_any_seed() {
    let folder = folder();
    let budget = 2.0;
    for seed in 1..=8 {
        let seed = seed.to_string();
        let words = ["--json", "--fresh", "--budget", "2s", "--seed", &seed, "--", "true"];
        let begun = std::time::Instant::now();
        let told = json(&check(folder.path(), &words).output().unwrap());
        let took = begun.elapsed().as_secs_f64();
        eprintln!("true, seed {seed}: {}, {} in {took:.2} s", told["verdict"], told["effect"]);
        assert_ne!(told["verdict"], "affected", "seed {seed}: {}", told["contrasts"]);
        assert_ne!(told["case"], "gains", "seed {seed}: {}", told["headline"]);
        // A run that begins before the end, the report, and a machine on which other tests run.
        assert!(took < 1.2 * budget + 0.5, "seed {seed}: {took} s");
    }
}

/// All that a check does counts, and one run of the program may be over it.
#[test]
#[ignore = "timing: how long a check takes of its budget"]
fn the_budget_is_kept() {
    let folder = folder();
    for program in [&["true"][..], &["sleep", "0.2"]] {
        let words = [&["--budget", "3s", "--"], program].concat();
        let begun = std::time::Instant::now();
        let output = check(folder.path(), &words).output().unwrap();
        let took = begun.elapsed().as_secs_f64();
        eprintln!("{program:?} with a budget of 3 s: {took:.2} s");
        assert!(output.status.success(), "{}", crate::stderr(&output));
        assert!(took < 1.2 * 3.0 + 0.4, "{program:?}: {took} s");
    }
}

/// The program itself tells how many CPUs it may use and prints a rate that depends on it: placing must be seen.
#[test]
fn known_answer_a_program_that_slows_down_when_pinned_is_affected() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        let _ = writeln!(std::io::stderr(), "SKIPPED: one CPU, nothing to pin");
        return;
    }
    let told = of_rate("if [ -n \"$OMP_PLACES\" ]; then echo rate: 100; else echo rate: 20$(($$ % 7)); fi");
    assert_eq!(told["verdict"], "affected", "{told}");
    assert_eq!(
        told["placed_well"], true,
        "pinned is worse, so the operating system's placement is the best: {told}"
    );
    let ratio = told["effect"]["ratio"].as_f64().unwrap();
    assert!((0.48..0.51).contains(&ratio), "{told}");
}

/// Whoever types the recommended line gets the placement that was measured.
#[test]
fn known_answer_the_recommended_line_works_as_it_stands() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        let _ = writeln!(std::io::stderr(), "SKIPPED: one CPU, nothing to pin");
        return;
    }
    let folder = folder();
    let program = script(
        folder.path(),
        "eager",
        "#!/bin/sh\necho \"$OMP_PLACES with $1\"\n[ -n \"$OMP_PLACES\" ] && echo rate: 200 || echo rate: 10$(($$ % 7))\n",
    );
    let words = [
        "--json",
        "--budget",
        "3m",
        "--repeats",
        "5",
        "--metric",
        "rate: ([0-9]+)",
        "--higher-is-better",
        "--",
        &program,
        "{threads} x",
    ];
    let told = json(&check(folder.path(), &words).output().unwrap());
    assert_eq!(
        (told["verdict"].as_str(), told["recommended"].as_str()),
        (Some("affected"), Some("pinned")),
        "{told}"
    );
    let line = told["use"]["line"].as_str().unwrap();
    assert!(line.starts_with("numawise run ") && line.contains("--pin"), "{line}");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_numawise")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let output = std::process::Command::new("sh")
        .args(["-c", line])
        .current_dir(folder.path())
        .env("PATH", path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("rate: 200") && text.contains("{0},{1}") && text.contains(" x"), "{line}\n{text}");
    let tools: Vec<&str> =
        told["use"]["equivalents"].as_array().unwrap().iter().map(|e| e["tool"].as_str().unwrap()).collect();
    assert!(tools.contains(&"openmp"), "{tools:?}");
    let of_mpi = tools.iter().find(|tool| ["mpirun-openmpi", "mpirun-mpich", "srun"].contains(*tool));
    assert_eq!(of_mpi, None, "the program does not use MPI");
    assert!(!tools.contains(&"numactl"), "neither mask nor policy: numactl has no part in it: {tools:?}");
}

#[test]
fn threads_are_told_by_the_environment_and_in_the_command() {
    let folder = folder();
    let program = script(folder.path(), "count", "#!/bin/sh\necho \"$OMP_NUM_THREADS of $1\" >> seen\n");
    let words =
        ["--json", "--budget", "1ms", "--repeats", "5", "--threads", "2", "--", &program, "n={threads}"];
    let told = json(&check(folder.path(), &words).output().unwrap());
    assert_eq!(told["points"][0]["id"], "os", "{told}");
    let seen = std::fs::read_to_string(folder.path().join("seen")).unwrap();
    assert!(seen.lines().count() >= 6 && seen.lines().all(|line| line == "2 of n=2"), "{seen}");
}

#[test]
fn the_report_is_one_file_and_says_the_same() {
    let folder = folder();
    let words = ["--budget", "1ms", "--html", "r.html", "--", "sleep", "0.01"];
    let output = check(folder.path(), &words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let html = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(html.len() < 1_500_000, "{} bytes", html.len());
    assert!(text.contains("Use from now on") && html.contains("sleep 0.01"), "{text}");
    assert!(
        !std::fs::read_dir(folder.path()).unwrap().any(|e| e
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains("part"))
    );
}

#[test]
fn a_dry_run_runs_nothing() {
    let folder = folder();
    let program = script(folder.path(), "touchy", "#!/bin/sh\ntouch ran\n");
    let output = check(folder.path(), &["--dry-run", "--", &program]).output().unwrap();
    assert!(
        output.status.success()
            && String::from_utf8_lossy(&output.stdout).contains("the operating system's placement")
    );
    assert!(!folder.path().join("ran").exists() && !folder.path().join("touchy.nw").exists());
}
