//! The bundled conjugate gradient (`native/workloads/cg`), of which it is known on paper how often it calls what and how much it moves.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Bench, number};

/// Steps of class S, with the one that is not timed.
const STEPS: f64 = 16.0;

const ROWS: f64 = 1400.0;

/// The programs, built into the folder of the bench.
fn build(bench: &Bench) -> Option<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/cg");
    let mut make = Command::new("make");
    make.args(["--no-print-directory", "-s", "-C"])
        .arg(sources)
        .arg(format!("BUILD={}", bench.path("cg").display()));
    let Ok(made) = make.output() else {
        eprintln!("SKIPPED: no make");
        return None;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(bench.path("cg"))
}

fn call<'a>(json: &'a Value, name: &str) -> &'a Value {
    let calls = json.pointer("/mpi/calls").unwrap().as_array().unwrap();
    calls.iter().find(|call| call["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

fn region<'a>(json: &'a Value, function: &str) -> &'a Value {
    let regions = json["regions"].as_array().unwrap();
    let begin = format!("{function} (");
    regions.iter().find(|region| region["name"].as_str().unwrap().starts_with(&begin)).unwrap()
}

/// Nothing of the CPUs' time is counted twice, and of one process nothing is lost; ranks leave `MPI_Init` one after the other.
fn assert_whole(json: &Value) {
    let parts = ["useful", "mpi", "imbalance", "scheduling", "serial", "waiting"];
    let sum: f64 = parts.iter().map(|part| number(json, &format!("/time/{part}_seconds"))).sum();
    let whole = number(json, "/cpus/count") * number(json, "/span/seconds");
    let least = if number(json, "/processes/ranks") > 1.0 { 0.5 } else { 0.98 };
    assert!((least..1.02).contains(&(sum / whole)), "{sum} of {whole}: {}", json["time"]);
}

#[test]
fn conjugate_gradients_call_and_move_what_they_do_on_paper() {
    let bench = Bench::new();
    let Some(folder) = build(&bench) else { return };
    for (mpi, launcher) in [("openmpi", "mpirun.openmpi"), ("mpich", "mpiexec.mpich")] {
        let program = folder.join(format!("cg-{mpi}"));
        if !program.exists() {
            eprintln!("SKIPPED: no mpicc.{mpi}");
            continue;
        }
        for threads in [1.0, 2.0] {
            let setting = format!("OMP_NUM_THREADS={threads}");
            let mut words = vec!["--quiet", "--json", "run.json", "--", "env", &setting];
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
            assert_whole(&json);
        }
    }
}

#[test]
fn conjugate_gradients_without_mpi_are_a_program_of_openmp() {
    let bench = Bench::new();
    let Some(folder) = build(&bench) else { return };
    let program = folder.join("cg");
    let words = ["--quiet", "--threads", "2", "--json", "run.json", "--", program.to_str().unwrap(), "S"];
    let answer = bench.snapshot(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    assert_eq!(number(region(&json, "multiply"), "/calls"), 26.0 * STEPS);
    assert_eq!((number(&json, "/cpus/count"), number(&json, "/processes/counted")), (2.0, 1.0));
    assert_whole(&json);
}
