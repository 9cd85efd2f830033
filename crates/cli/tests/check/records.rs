//! Records: killed, interrupted, continued, refused.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{check, folder, json, script, stderr};

fn trials(folder: &Path, record: &str) -> usize {
    let opened = numawise_record::Record::open_to_read(&folder.join(record));
    opened.and_then(|record| record.study()).map_or(0, |study| study.trials.len())
}

/// Waits until there are so many trials in the record.
fn wait_for(folder: &Path, record: &str, least: usize) {
    let begin = Instant::now();
    while trials(folder, record) < least {
        assert!(begin.elapsed() < Duration::from_secs(300), "no {least} trials in {record}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The same everywhere; its fifth run goes on until there is a file `go`.
const WAITS: &str = "#!/bin/sh\necho x >> runs\n[ $(wc -l < runs) != 5 ] || until [ -e go ]; do sleep 0.01; done\necho rate: 100$(($$ % 7))\n";

fn words<'a>(program: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let of_rate = ["--metric", "rate: ([0-9]+)", "--higher-is-better", "--budget", "10m", "--output", "a.nw"];
    [more, &of_rate, &["--", program]].concat()
}

#[test]
fn killed_it_goes_on_where_it_was() {
    let folder = folder();
    let program = script(folder.path(), "app", WAITS);
    let words = words(&program, &["--json", "--repeats", "12"]);
    let mut child = check(folder.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(folder.path(), "a.nw", 4);
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    assert_eq!(trials(folder.path(), "a.nw"), 4);
    std::fs::write(folder.path().join("go"), "").unwrap();
    let output = check(folder.path(), &words).output().unwrap();
    let told = json(&output);
    let numbers: Vec<u64> =
        told["trials"].as_array().unwrap().iter().map(|t| t["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>(), "none twice, none missing");
    let warm_ups = told["trials"].as_array().unwrap().iter().filter(|t| t["block"] == 0).count();
    // A warm-up, and one of each placement where short runs that are compared show too little.
    assert!(numbers.len() >= 13 && (1..=2).contains(&warm_ups), "{} in the end", numbers.len());
    // A study that is decided is only shown again.
    let again = json(&check(folder.path(), &words).output().unwrap());
    assert_eq!(
        (&told["stopped"], again["trials"].as_array().unwrap().len()),
        (&"decided".into(), numbers.len())
    );
}

#[test]
fn ctrl_c_keeps_and_reports_what_there_is() {
    let folder = folder();
    let program = script(folder.path(), "app", WAITS);
    let words = words(&program, &["--html", "r.html"]);
    let child = check(folder.path(), &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(folder.path(), "a.nw", 4);
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Ctrl-C") || text.contains("interrupted"), "{text}");
    assert!(folder.path().join("r.html").exists() && trials(folder.path(), "a.nw") == 4);
}

#[test]
fn another_command_is_refused_with_both_shown_and_fresh_starts_over() {
    let folder = folder();
    let run = |words: &[&str]| check(folder.path(), words).output().unwrap();
    assert!(run(&["--budget", "1ms", "-o", "a.nw", "--", "sleep", "0.01"]).status.success());
    let before = std::fs::read(folder.path().join("a.nw")).unwrap();
    let refused = run(&["--budget", "1ms", "-o", "a.nw", "--", "sleep", "0.02"]);
    let text = stderr(&refused);
    assert_eq!(refused.status.code(), Some(125));
    for part in ["sleep 0.01", "sleep 0.02", "--fresh"] {
        assert!(text.contains(part), "{text}");
    }
    let metric = stderr(&run(&["--budget", "1ms", "-o", "a.nw", "--margin", "9%", "--", "sleep", "0.01"]));
    assert!(metric.contains("--margin 0.05") && metric.contains("--margin 0.09"), "{metric}");
    assert_eq!(std::fs::read(folder.path().join("a.nw")).unwrap(), before, "refusing changes nothing");
    assert!(run(&["--budget", "1ms", "-o", "a.nw", "--fresh", "--", "sleep", "0.02"]).status.success());
    assert_ne!(std::fs::read(folder.path().join("a.nw")).unwrap(), before);
}

#[test]
fn a_file_that_is_no_record_is_left_alone() {
    let folder = folder();
    std::fs::write(folder.path().join("notes.nw"), "my notes").unwrap();
    for fresh in [&["-o", "notes.nw", "--", "true"][..], &["-o", "notes.nw", "--fresh", "--", "true"]] {
        let output = check(folder.path(), fresh).output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{}", stderr(&output));
        assert_eq!(std::fs::read_to_string(folder.path().join("notes.nw")).unwrap(), "my notes");
    }
}

#[test]
fn a_program_that_starts_to_fail_is_a_failure_not_a_time() {
    let folder = folder();
    let text = "#!/bin/sh\necho x >> runs\n[ $(wc -l < runs) -lt 5 ] || exit 9\necho rate: 100$(($$ % 7))\n";
    let program = script(folder.path(), "flaky", text);
    let output = check(folder.path(), &words(&program, &["--json", "--repeats", "5"])).output().unwrap();
    let told = json(&output);
    let trials = told["trials"].as_array().unwrap();
    let failed: Vec<_> = trials.iter().filter(|t| t["status"] == "failed").collect();
    assert!(failed.iter().all(|t| !t["value"].is_number() && t["exit_code"] == 9), "{told}");
    assert_eq!(
        (told["verdict"].as_str(), told["stopped"].as_str()),
        (Some("undecided"), Some("too_many_failures"))
    );
    assert!((3..=7).contains(&failed.len()), "after three in a row nobody goes on: {told}");
}

/// Saves a profile of this machine below a data directory.
fn measured(data: &Path) {
    let roots = numawise_machine::Roots::live();
    let machine = numawise_machine::quick(&roots).unwrap();
    let topology = numawise_machine::fingerprint(&roots, &machine).topology.measured().unwrap().clone();
    let none = serde_json::json!({ "unavailable": "a test" });
    let profile = serde_json::json!({
        "schema": "numawise/profile/1",
        "header": {
            "origin": { "numawise": "0.0.0" },
            "fingerprint": { "topology": topology, "processor": none, "kernel": none, "firmware": none },
            "taken": 1_700_000_000, "took": none, "depth": "quick", "complete": true, "nodes": [], "vectors": none,
            "notices": [],
        },
        "latency": [{
            "from": 0, "to": 0, "cpu": none, "pages": none, "bytes": none,
            "latency": { "median": 83.0, "low": 82.0, "high": 84.0, "samples": 5, "disturbed": 0 },
            "with_tlb_misses": none,
        }],
        "working_sets": [], "bandwidth": [], "loaded": [], "transfers": [],
    });
    let folder = data.join("numawise/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{topology}-20231114-221320.json")), profile.to_string()).unwrap();
}

#[test]
fn a_profile_that_comes_or_goes_meanwhile_makes_no_other_study() {
    let (folder, data, nothing) = (self::folder(), self::folder(), self::folder());
    let told = |record: &str, data: &Path| {
        let words = ["--json", "--budget", "1ms", "--output", record, "--", "sleep", "0.02"];
        let output = check(folder.path(), &words).env("XDG_DATA_HOME", data).output().unwrap();
        assert!(output.status.success(), "{record}: {}", stderr(&output));
        json(&output)["expected"].clone()
    };
    measured(data.path());
    for (record, first, second) in
        [("later.nw", &nothing, &data), ("gone.nw", &data, &nothing), ("both.nw", &data, &data)]
    {
        told(record, first.path());
        let expected = told(record, second.path());
        // This machine may have one node; a study is continued in any case.
        assert!(expected.is_object(), "{record}: {expected}");
    }
}
