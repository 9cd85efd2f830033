//! The bundled conjugate gradient (`native/workloads/cg`), of which it is known on paper how often it calls what and how much it moves.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::compiled::{Key, kept};
use crate::support::{Bench, MPICH, OPEN_MPI, assert_formulas_hold, call, number};

/// Steps of class S, with the one that is not timed.
const STEPS: f64 = 16.0;

const ROWS: f64 = 1400.0;

/// The programs, built once.
fn build() -> Option<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/cg");
    kept("cg", Key::default().with_file(&sources), |folder| {
        let mut make = Command::new("make");
        make.args(["--no-print-directory", "-s", "-C"]).arg(&sources);
        let Ok(made) = make.arg(format!("BUILD={}", folder.display())).output() else {
            eprintln!("SKIPPED: no make");
            return false;
        };
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        true
    })
}

fn region<'a>(json: &'a Value, function: &str) -> &'a Value {
    let regions = json["regions"].as_array().unwrap();
    let begin = format!("{function} (");
    regions.iter().find(|region| region["name"].as_str().unwrap().starts_with(&begin)).unwrap()
}

/// Nothing of the CPUs' time is counted twice. Something is missing where ranks leave `MPI_Init` one after the other, or a thread is made late.
fn assert_not_more_than_whole(json: &Value) {
    let share = share_of_whole(json);
    assert!(share > 0.0 && share < 1.02, "{share}: {}", json["time"]);
    assert_formulas_hold(json);
}

fn share_of_whole(json: &Value) -> f64 {
    let parts = ["useful", "mpi", "imbalance", "scheduling", "serial", "waiting"];
    let sum: f64 = parts.iter().map(|part| number(json, &format!("/time/{part}_seconds"))).sum();
    sum / number(json, "/cpus/count") / number(json, "/span/seconds")
}

#[test]
fn conjugate_gradients_call_and_move_what_they_do_on_paper() {
    let bench = Bench::new();
    let Some(folder) = build() else { return };
    for (mpi, launcher, threads) in [("openmpi", OPEN_MPI.1, 1.0), ("mpich", MPICH.1, 2.0)] {
        let program = folder.join(format!("cg-{mpi}"));
        if !program.exists() {
            eprintln!("SKIPPED: no mpicc.{mpi}");
            continue;
        }
        let setting = format!("OMP_NUM_THREADS={threads}");
        let mut words = vec!["--quiet", "--json=run.json", "--", "env", &setting];
        words.extend([launcher, "-n", "2", program.to_str().unwrap(), "S"]);
        let answer = bench.snapshot(&words);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        assert!(answer.out.contains("zeta: 8.59717750786") && answer.out.contains("verified: yes"));
        let json = bench.json("run.json");
        let (gather, sum) = (call(&json, "MPI_Allgatherv"), call(&json, "MPI_Allreduce"));
        assert_eq!(number(gather, "/count"), 2.0 * 26.0 * STEPS, "{mpi}");
        assert_eq!(number(sum, "/count"), 2.0 * 54.0 * STEPS, "{mpi}");
        // Each rank gives its half of the vector and gets the whole.
        assert_eq!(number(gather, "/sent_bytes"), 26.0 * STEPS * 8.0 * ROWS, "{mpi}");
        assert_eq!(number(gather, "/received_bytes"), 2.0 * 26.0 * STEPS * 8.0 * ROWS, "{mpi}");
        assert_eq!(number(sum, "/sent_bytes"), 2.0 * 54.0 * STEPS * 8.0, "{mpi}");
        assert_eq!(number(region(&json, "multiply"), "/calls"), 2.0 * 26.0 * STEPS, "{mpi}");
        assert_eq!(number(region(&json, "dot"), "/calls"), 2.0 * 53.0 * STEPS, "{mpi}");
        assert_eq!(number(&json, "/cpus/count"), 2.0 * threads, "{mpi}");
        assert_not_more_than_whole(&json);
    }
}

#[test]
fn conjugate_gradients_without_mpi_are_a_program_of_openmp() {
    let bench = Bench::new();
    let Some(json) = without_mpi(&bench) else { return };
    assert_eq!(number(region(&json, "multiply"), "/calls"), 26.0 * STEPS);
    assert_eq!((number(&json, "/cpus/count"), number(&json, "/processes/counted")), (2.0, 1.0));
    assert_not_more_than_whole(&json);
}

fn without_mpi(bench: &Bench) -> Option<Value> {
    let program = build()?.join("cg");
    let words = ["--quiet", "--threads", "2", "--json=run.json", "--", program.to_str().unwrap(), "S"];
    let answer = bench.snapshot(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some(bench.json("run.json"))
}

#[test]
#[ignore = "timing: how much of the CPUs' time the parts of a run are"]
fn nothing_of_the_time_of_conjugate_gradients_is_lost() {
    let bench = Bench::new();
    let Some(json) = without_mpi(&bench) else { return };
    let share = share_of_whole(&json);
    eprintln!("the parts are {share} of the CPUs' time");
    assert!(share > 0.98, "{share}: {}", json["time"]);
}
