//! Other work on the CPUs of a program: NW055 with it, and not without. What is said of given times is tested beside the rule, in
//! `crates/analyse/src/snapshot/findings_tests.rs`.

use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::{Bench, number, text};

/// A program that computes on a CPU beside ours, until it is dropped.
struct Hog(Child);

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The run with what it waited for its CPU, as a share of the time.
fn watched(bench: &Bench, program: &str, cpu: &str) -> (Value, f64) {
    let words = ["--quiet", "--json=run.json", "--", "taskset", "-c", cpu, program, "1"];
    let answer = bench.snapshot(&words);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "spun\n"), "{}", answer.err);
    let json = bench.json("run.json");
    // What it was before, taskset, is another process where the machine takes long to start it.
    let rows = json["ranks"].as_array().unwrap();
    let own = rows.iter().find(|row| row["program"] == program).unwrap_or_else(|| panic!("{json}"));
    let share = number(own, "/placement/run_delay_seconds") / number(own, "/elapsed_seconds");
    (json, share)
}

fn said(json: &Value) -> Option<&Value> {
    json["findings"].as_array().unwrap().iter().find(|one| one["id"] == "NW055")
}

#[test]
#[ignore = "timing: what a program waits for a CPU that others want"]
fn other_work_that_has_a_cpu_of_the_program_is_said() {
    let bench = Bench::new();
    let Some(program) = bench.compile("cc", "spin.c", &[]) else { return };
    let program = program.to_str().unwrap();
    let allowed = bench.run(&["sh", "-c", "taskset -cp $$ | sed 's/.*: //; s/[,-].*//'"]);
    let cpu = allowed.out.trim().to_owned();
    if cpu.is_empty() {
        eprintln!("SKIPPED: no taskset");
        return;
    }
    let hog = bench.command("taskset").args(["-c", &cpu, program, "60"]).stdout(Stdio::null()).spawn();
    let hog = Hog(hog.unwrap());
    let (json, share) = watched(&bench, program, &cpu);
    drop(hog);
    eprintln!("beside other work {share} of the time without a CPU");
    // Both want all of it: each has half, or less where there is more work still.
    let found = said(&json).unwrap_or_else(|| panic!("{share}: {json}"));
    assert!(share > 0.3, "{share}: {json}");
    assert_eq!(text(found, "/evidence/0/quantity"), "run_delay_of", "{found}");
    assert!(number(found, "/potential/share") > 0.3, "{found}");
    // Without it; on a busy machine there may be other work all the same, which then is said.
    let (json, share) = watched(&bench, program, &cpu);
    eprintln!("alone {share}");
    if (share - 0.05).abs() > 0.01 {
        assert_eq!(said(&json).is_some(), share >= 0.05, "{share}: {json}");
    }
    if share >= 0.05 {
        eprintln!("this machine has too much other work to see a run without");
    }
}
