//! `numawise trace` of ranks that come late because they are in files.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Bench, MPIS, number, text};
use crate::trace::{rows, sum};

/// The report, and how long each rank was in files by its own clock: read, write, sync, manage.
fn traced(bench: &Bench, mpi: (&str, &str), words: [&str; 2]) -> Option<(Value, BTreeMap<usize, Vec<f64>>)> {
    let (compiler, launcher) = mpi;
    let program = bench.compile(compiler, "late_files.c", &[])?;
    let trace = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--", launcher, "-n", "3"];
    let answer = bench.numawise(&[&trace[..], &[program.to_str().unwrap()], &words].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let line = |line: &str| {
        let mut numbers = line.split(' ').map(|word| word.parse().unwrap());
        (numbers.next().unwrap() as usize, numbers.collect())
    };
    Some((bench.json("run.json"), answer.out.lines().map(line).collect()))
}

fn in_files(json: &Value) -> Vec<f64> {
    rows(json, "ranks").iter().map(|rank| number(rank, "/times/in_files_seconds")).collect()
}

fn causes(json: &Value) -> Vec<Value> {
    let causes = rows(json, "causes").iter();
    causes.filter(|cause| text(cause, "/what/kind") == "in_files").cloned().collect()
}

#[test]
fn ranks_that_come_late_because_of_files_are_named_with_what_they_did_there() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, _)) = traced(&bench, mpi, ["0.03", "3"]) else { continue };
        assert!(in_files(&json).iter().all(|time| *time > 0.0), "{mpi:?}: {json:#}");
        for rank in rows(&json, "ranks") {
            let times = rank["times"].as_object().unwrap().values().map(|of| of.as_f64().unwrap());
            let bins = rank["timeline"].as_array().unwrap().iter().flat_map(|bin| bin.as_array().unwrap());
            let drawn: f64 = bins.map(|of| of.as_f64().unwrap()).sum();
            assert!((times.sum::<f64>() - drawn).abs() < 1e-6, "{rank:#}");
        }
        let causes = causes(&json);
        let writes =
            |cause: &&Value| text(cause, "/what/operation") == "write" && number(cause, "/rank") == 1.0;
        let cause = causes.iter().find(writes).unwrap_or_else(|| panic!("{mpi:?}: {:#}", json["trace"]));
        assert_eq!(text(cause, "/what/at/call"), "MPI_Barrier");
        let kinds: Vec<&str> = json["trace"]["what_if"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| text(row, "/change/kind"))
            .collect();
        assert!(kinds.contains(&"files_instant"), "{kinds:?}");
        for (table, expected) in [("causes", "in_files,MPI_Barrier"), ("timeline", "in_files_seconds")] {
            let answer = bench.numawise(&["report", "run.trace", &format!("--csv={table}")]);
            assert!(answer.out.contains(expected), "{}", answer.out);
        }
        let answer = bench.numawise(&["export", "run.trace", "--otf2", &format!("{}.otf2", mpi.0)]);
        if crate::trace::has_otf2(&answer) {
            let back = bench.numawise(&["report", &format!("{}.otf2/traces.otf2", mpi.0), "--json"]);
            let back: Value = serde_json::from_str(&back.out).unwrap_or_else(|_| panic!("{}", back.err));
            assert_eq!(back["trace"]["times"], json["trace"]["times"]);
        }
        let said = bench.numawise(&["report", "run.trace"]);
        assert!(said.out.contains("was longer in files (writing) before MPI_Barrier"), "{}", said.out);
        assert!(said.out.contains("@ in files ("), "{}", said.out);
    }
}

#[test]
#[ignore = "timing: calls on files vs the clocks of the ranks"]
fn ranks_are_in_files_for_as_long_as_they_say() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, told)) = traced(&bench, mpi, ["0.1", "5"]) else { continue };
        for (rank, found) in in_files(&json).into_iter().enumerate() {
            let expected: f64 = told[&rank].iter().sum();
            eprintln!("{mpi:?}: rank {rank} was in files for {found} s, by its own clock {expected}");
            assert!((found - expected).abs() <= 0.02 * expected + 0.001, "{mpi:?}, rank {rank}");
        }
        let (all, of_files) = (number(&json, "/trace/times/waiting_seconds"), sum(&causes(&json)));
        eprintln!("{mpi:?}: of {all} s of waiting {of_files} s because of files");
        assert!(of_files > 0.9 * all, "{mpi:?}: {of_files} of {all} s");
    }
}
