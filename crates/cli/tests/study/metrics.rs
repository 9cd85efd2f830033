//! What is taken of each trial: the metric that is compared, those beside it, and what every trial has.

use std::process::Command;

use super::{Bench, points};

const BOTH: [&str; 4] = ["--metric", "time=time: ([0-9.]+)", "--metric", "rate=rate ([0-9.]+)"];

#[test]
fn the_first_metric_is_compared_and_the_others_are_shown_beside_it() {
    let bench = Bench::new();
    // More memory than we have ourselves, which a program that ends at once seems to have.
    let script = "head -c 80000000 /dev/zero | tail | wc -c; echo time: 0.{n}; echo rate {n}00";
    let words = ["--repeats", "3", "--param", "n=1,2", "--", "sh", "-c", script];
    let study = bench.json(&[&BOTH[..], &words].concat());
    assert_eq!((&study["metric"]["name"], &study["best"]["point"]), (&"time".into(), &"n=1".into()));
    assert_eq!(study["other_metrics"][0]["name"], "rate");
    let second = &points(&study)[1]["metrics"];
    assert_eq!(
        (&second["time"]["median"], &second["rate"]["median"]),
        (&0.2.into(), &200.0.into()),
        "{second}"
    );
    for name in ["wall_time", "cpu_time"] {
        let seconds = second[name]["median"].as_f64().unwrap();
        assert!(seconds > 0.0, "{name}: {second}");
        assert!(second[name]["low"].as_f64().unwrap() <= seconds, "{name}: {second}");
    }
    assert!(second["peak_memory"]["min"].as_f64().unwrap() > 7e7, "{second}");
    assert_eq!(second["rate"]["n"], 3);
    // Missing is not zero: where nobody tells, the reason stands there.
    let energy = &second["energy"]["median"];
    let why = energy["unavailable"].as_str().unwrap_or_default();
    let is_explained = why.contains("RAPL") || why.contains("CVE-2020-8694");
    assert!(energy.as_f64().is_some_and(|joules| joules > 0.0) || is_explained, "{second}");
    // The same from the record, as a table and as text.
    let report = |format: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        let output = command.arg("report").args(format).arg(bench.path("sh.study.nw")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let rows = report(&["--csv"]);
    let rows: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "rate_median").unwrap();
    assert_eq!((rows[1][column], rows[2][column]), ("100", "200"));
    assert!(rows[0].contains(&"cpu_time_mean") && rows[0].ends_with(&["command"]));
    let text = report(&[]);
    assert!(text.contains("Other figures of the trials") && text.contains("peak_memory"), "{text}");
}

#[test]
fn rates_are_named_and_add_up_over_copies() {
    let bench = Bench::new();
    let words = ["--repeats", "1", "--copies", "1,2", "--", "sh", "-c", "echo time: 6; echo rate 5"];
    let study = bench.json(&[&BOTH[..], &["--higher-is-better=rate"], &words].concat());
    let two = &points(&study)[1]["metrics"];
    assert_eq!((&two["time"]["median"], &two["rate"]["median"]), (&3.0.into(), &10.0.into()), "{two}");
    let study = bench.json(&[&["--fresh"], &BOTH[..], &["--higher-is-better"], &words].concat());
    let two = &points(&study)[1]["metrics"];
    assert_eq!((&two["time"]["median"], &two["rate"]["median"]), (&12.0.into(), &2.5.into()), "{two}");
}

#[test]
fn a_trial_without_one_of_the_others_counts_and_the_reason_is_told() {
    let bench = Bench::new();
    let script = "echo time: 1; test {n} = 2 || echo rate 7";
    let words = ["--repeats", "2", "--param", "n=1,2", "--", "sh", "-c", script];
    let study = bench.json(&[&BOTH[..], &words].concat());
    let [good, bad] = &points(&study)[..] else { panic!("{study}") };
    assert_eq!((&bad["n"], &bad["failures"]), (&2.into(), &0.into()), "{bad}");
    assert_eq!((&good["metrics"]["rate"]["n"], &bad["metrics"]["rate"]["n"]), (&2.into(), &0.into()));
    assert!(bad["metrics"]["rate"]["median"]["unavailable"].is_string(), "{bad}");
    let notices = study["unavailable"].as_array().unwrap();
    let notice = notices.iter().find(|notice| notice["code"] == "NW527").unwrap_or_else(|| panic!("{study}"));
    let text = notice["text"].as_str().unwrap();
    assert!(
        text.starts_with("rate: ") && text.contains("matches nothing") && text.ends_with("in 2 trials"),
        "{text}"
    );
}

#[test]
fn all_metrics_come_from_the_file_where_one_is_named_and_a_study_keeps_its_metrics() {
    let bench = Bench::new();
    let words = ["--repeats", "1", "--metric-file", "out", "--", "sh", "-c", "echo time: 2 rate 9 > out"];
    let study = bench.json(&[&BOTH[..], &words].concat());
    let metrics = &points(&study)[0]["metrics"];
    assert_eq!((&metrics["time"]["mean"], &metrics["rate"]["mean"]), (&2.0.into(), &9.0.into()), "{study}");
    assert_eq!(study["other_metrics"][0]["file"], "out");
    let other = ["--metric", "time=time: ([0-9.]+)", "--metric", "v=rate ([0-9.]+)"];
    let said = bench.refused(&[&other[..], &words].concat());
    assert!(said.contains("other metrics") && said.contains("rate:") && said.contains("v:"), "{said}");
}

#[test]
fn one_expression_is_what_it_was_and_broken_ones_say_what_was_expected() {
    let bench = Bench::new();
    let words = ["--repeats", "1", "--", "sh", "-c", "echo t=4; echo 9"];
    let study = bench.json(&[&["--metric", "t=([0-9]+)"], &words[..]].concat());
    assert_eq!(points(&study)[0]["metrics"]["metric"]["median"], 4.0, "{study}");
    for (metrics, expected) in [
        (
            ["t=([0-9]+)", "u=u ([0-9]+)"],
            "t= may be its name, or what stands before the number in the output",
        ),
        (["t ([0-9]+)", "u=u ([0-9]+)"], "it has no name"),
        (["t=t ([0-9]+)", "u=u [0-9]+"], "has 0 groups"),
        (["t=t ([0-9]+)", "t=u ([0-9]+)"], "the name t is there twice"),
    ] {
        let metrics = ["--fresh", "--metric", metrics[0], "--metric", metrics[1]];
        let said = bench.refused(&[&metrics[..], &words].concat());
        assert!(said.contains("--metric") && said.contains(expected), "{metrics:?}: {said}");
    }
    let written = [
        "--write-file",
        "s.toml",
        "--higher-is-better",
        "--repeats",
        "1",
        "--",
        "sh",
        "-c",
        "echo time: 3 rate 4",
    ];
    bench.study(&[&BOTH[..], &written].concat());
    let study = bench.json(&["s.toml", "--output", "s.nw"]);
    assert_eq!(
        (&study["metric"]["higher_is_better"], &study["metric"]["name"]),
        (&true.into(), &"time".into())
    );
    assert_eq!(points(&study)[0]["metrics"]["rate"]["median"], 4.0, "{study}");
}

#[test]
fn one_metric_with_a_name_is_found() {
    let bench = Bench::new();
    let words = ["--metric", "time=time: ([0-9.]+)", "--repeats", "1", "--", "sh", "-c", "echo time: 0.5"];
    let study = bench.json(&words);
    assert_eq!(study["metric"]["name"], "time");
    assert_eq!(points(&study)[0]["metrics"]["time"]["median"], 0.5);
}

/// What matches nothing in the first run is typed wrong: no other run is made for it.
#[test]
fn a_metric_that_matches_nothing_ends_the_study_with_its_first_run() {
    let bench = Bench::new();
    let script = "echo run >> log; echo time: 0.5";
    let around = ["--setup", "echo > made", "--cleanup", "rm made; echo > cleaned"];
    let words = ["--threads", "1,2", "--metric", "tme: ([0-9.]+)", "--", "sh", "-c", script];
    let said = bench.refused(&[&around[..], &words].concat());
    assert!(said.contains("tme: ([0-9.]+)") && said.contains("matches nothing"), "{said}");
    assert!(said.contains("time: 0.5"), "{said}");
    let log = std::fs::read_to_string(bench.path("log")).unwrap();
    assert_eq!(log.lines().count(), 1);
    assert!(!bench.path("sh.study.nw").exists());
    assert!(bench.path("cleaned").exists() && !bench.path("made").exists());
}
