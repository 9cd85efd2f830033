//! `numawise trace` of tasks of OpenMP.

use serde_json::Value;

use crate::support::{Bench, number, text};
use crate::trace::{rows, sum};

/// The report, and what the program printed.
fn traced(bench: &Bench, compiler: &str, unit: &str) -> Option<(Value, Vec<f64>)> {
    let program = bench.compile(compiler, "tasks.c", &["-fopenmp"])?;
    let words = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--"];
    let answer = bench.numawise(&[&words[..], &[program.to_str().unwrap(), unit]].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let told = answer.out.split_whitespace().map(|word| word.parse().unwrap()).collect();
    Some((bench.json("run.json"), told))
}

fn waits<'a>(json: &'a Value, construct: &str) -> Vec<&'a Value> {
    rows(json, "openmp").iter().filter(|row| text(row, "/construct") == construct).collect()
}

#[test]
fn a_task_is_no_waiting_of_the_thread_that_has_it() {
    let bench = Bench::new();
    for compiler in ["gcc", "clang"] {
        let Some((json, told)) = traced(&bench, compiler, "200") else { continue };
        if told[2] == 0.0 {
            eprintln!("SKIPPED: thread 0 had the task");
            continue;
        }
        let [rank] = rows(&json, "ranks") else { panic!("{compiler}: {json:#}") };
        let [worker] = rank["workers"].as_array().unwrap().as_slice() else { panic!("{rank:#}") };
        // The task takes 20 ms.
        assert!(number(worker, "/times/useful_seconds") >= 0.02, "{compiler}: {worker:#}");
        assert_eq!(waits(&json, "taskwait").len(), 1, "{compiler}: {:#}", json["trace"]["openmp"]);
    }
}

#[test]
#[ignore = "timing: waiting for a task vs the clock of its threads"]
fn threads_wait_for_tasks_as_long_as_they_say() {
    let bench = Bench::new();
    for compiler in ["gcc", "clang"] {
        let Some((json, told)) = traced(&bench, compiler, "1000") else { continue };
        assert_eq!(told[2], 1.0, "{compiler}: thread 1 was to have the task");
        let of: Vec<Value> = waits(&json, "taskwait").into_iter().cloned().collect();
        let worker = &rows(&json, "ranks")[0]["workers"][0];
        for (what, found, expected) in [
            ("for the task", sum(&of), told[0]),
            ("at the end", number(worker, "/times/openmp_waiting_seconds"), told[1]),
        ] {
            eprintln!("{compiler}: {what}: {found} s, by its own clock {expected}");
            assert!((found - expected).abs() <= 0.02 * expected + 0.001, "{compiler}: {what}");
        }
    }
}
