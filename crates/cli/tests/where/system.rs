//! `numawise where --system` beside numastat.

use std::process::{Command, Output};

use serde_json::Value;

fn system(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_numawise")).args(["where", "--system"]).args(words).output().unwrap()
}

fn json(words: &[&str]) -> Value {
    let output = system(&[words, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn nodes_have_what_numastat_shows() {
    let told = json(&[]);
    let Some(allocations) = told["nodes"][0]["allocations"].as_object() else {
        assert!(told["nodes"][0]["allocations"]["unavailable"].is_string(), "{told}");
        eprintln!("SKIPPED: the kernel shows no counts of nodes here");
        return;
    };
    let Ok(numastat) = Command::new("numastat").output() else {
        eprintln!("SKIPPED: numastat is not installed");
        return;
    };
    let numastat = String::from_utf8(numastat.stdout).unwrap();
    // Counts go on between the two.
    let later = json(&[]);
    for (name, pages) in allocations {
        let row = numastat
            .lines()
            .find(|line| line.starts_with(name.as_str()))
            .unwrap_or_else(|| panic!("{name}: {numastat}"));
        let theirs: u64 = row.split_whitespace().nth(1).unwrap().parse().unwrap();
        let after = later["nodes"][0]["allocations"][name].as_u64().unwrap();
        assert!((pages.as_u64().unwrap()..=after).contains(&theirs), "{name}: {pages}, {theirs}, {after}");
    }
    let total = later["nodes"][0]["memory"]["MemTotal"]["bytes"].as_u64().unwrap();
    assert!(total > 1 << 20, "{later}");
}

#[test]
fn pages_within_an_interval_are_fewer_than_all() {
    let (within, all) = (json(&["--interval", "0.1"]), json(&[]));
    assert!(within["span_ns"].as_u64().unwrap() >= 100_000_000 && all["span_ns"].is_null(), "{within}");
    let hits = |of: &Value| of["nodes"][0]["allocations"]["numa_hit"].as_u64();
    assert!(hits(&within) <= hits(&all), "{within}");
}

#[test]
fn it_is_shown_as_text_and_refuses_what_is_about_processes() {
    let output = system(&[]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("Memory now") && shown.contains("MemTotal"), "{shown}");
    assert!(system(&["--csv"]).stdout.starts_with(b"node,quantity,value,unit,missing\n"));
    for words in [&["1"][..], &["--user", "root"], &["--watch"], &["--count", "2"], &["--interval", "0.001"]]
    {
        let output = system(words);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0), "{words:?}");
    }
}
