//! Processes that become another program (exec): a script's last command, as most that start a job end.

use crate::support::{Bench, number, text};

#[test]
fn what_a_script_computed_before_it_became_the_program_is_not_the_programs() {
    let bench = Bench::new();
    let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exec sleep 0.3";
    let answer = bench.snapshot(&["--quiet", "--json", "run.json", "--", "sh", "-c", script]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), ""), "{}", answer.err);
    let json = bench.json("run.json");
    let rows = json["ranks"].as_array().unwrap();
    assert!(text(&rows[0], "/program").ends_with("sleep") && rows.len() == 1, "{json}");
    let elapsed = number(&json, "/elapsed_seconds");
    assert!((0.3..3.0).contains(&elapsed), "{elapsed}");
    assert!(number(&json, "/useful") < 0.2, "a program that sleeps: {json}");
    let waited = number(&rows[0], "/placement/run_delay_seconds");
    assert!(waited <= elapsed, "without a CPU for {waited} of {elapsed} s");
}
