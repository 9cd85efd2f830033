//! Processes that become another program (exec): a script's last command, as most that start a job end.

use std::time::{Duration, SystemTime};

use crate::support::{Bench, number, text};

/// What a shell says that it computed, in seconds: its own times stand in the first line of `times`.
fn computed(times: &str) -> f64 {
    let of = |word: &str| -> f64 {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    times.lines().next().unwrap().split_whitespace().map(of).sum()
}

#[test]
fn what_a_script_computed_before_it_became_the_program_is_not_the_programs() {
    let bench = Bench::new();
    let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times > times; exec sleep 0.3";
    let answer = bench.snapshot(&["--quiet", "--json=run.json", "--", "sh", "-c", script]);
    // It became the program when this was written; a coarse clock is behind by a tick.
    let became = bench.path("times").metadata().unwrap().modified().unwrap() - Duration::from_millis(20);
    let most = SystemTime::now().duration_since(became).unwrap().as_secs_f64();
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), ""), "{}", answer.err);
    let json = bench.json("run.json");
    let rows = json["ranks"].as_array().unwrap();
    assert!(text(&rows[0], "/program").ends_with("sleep") && rows.len() == 1, "{json}");
    let elapsed = number(&json, "/elapsed_seconds");
    assert!((0.294..=1.02 * most).contains(&elapsed), "{elapsed} of {most}");
    // The processor's time, which others cannot lengthen: of a loop, and of a program that sleeps.
    let (of_script, useful) =
        (computed(&std::fs::read_to_string(bench.path("times")).unwrap()), number(&json, "/useful"));
    assert!(useful * elapsed < 0.5 * of_script, "{useful} of {elapsed} s, the script computed {of_script} s");
    // Unavailable of what computed for less than a millisecond.
    let waited = rows[0].pointer("/placement/run_delay_seconds").unwrap().as_f64();
    assert!(waited.is_none_or(|waited| waited <= most), "without a CPU for {waited:?} of {most} s");
}
