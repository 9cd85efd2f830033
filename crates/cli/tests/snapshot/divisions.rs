//! Divisions of CPUs into ranks and threads, side by side.

use crate::support::{Bench, number, text};

const MPIS: [(&str, &str); 2] = [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpiexec.mpich")];

#[test]
fn all_divisions_are_run_and_the_shortest_is_named() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "divisions.c", &["-fopenmp"]) else { continue };
        let program = program.to_str().unwrap();
        let words = ["--ranks-x-threads", "2", "--json", "run.json", "--html", "run.html"];
        let words: Vec<&str> = words
            .into_iter()
            .chain(["--output", "run.nw", "--fresh", "--"])
            .chain([launcher, "-n", "{ranks}", program, "{threads}"])
            .collect();
        let answer = bench.snapshot(&words);
        let printed = "2 ranks, 1 threads, 1 asked\n1 ranks, 2 threads, 2 asked\n";
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), printed), "{}", answer.err);
        let json = bench.json("run.json");
        assert_eq!(text(&json, "/best"), "2x1", "{json}");
        for (row, ranks, threads) in [(0, 2.0, 1.0), (1, 1.0, 2.0)] {
            let of = |field: &str| number(&json, &format!("/divisions/{row}/{field}"));
            assert_eq!((of("ranks"), of("threads")), (ranks, threads));
            assert!(of("seconds") >= 0.3 && of("mpi_share") >= 0.0 && of("mpi_load_balance") > 0.0, "{json}");
            assert_eq!(of("snapshot/processes/ranks"), ranks);
        }
        assert!(number(&json, "/divisions/1/openmp_load_balance") > 0.0, "{json}");
        assert!(
            json["divisions"][0]["openmp_load_balance"].is_object()
                || json["divisions"][0]["openmp_load_balance"].is_number()
        );
        for said in ["2X1 TOOK THE SHORTEST TIME", "1X2 THE LONGEST", "no proof", "Most of the difference is"]
        {
            assert!(answer.err.contains(said), "{said}: {}", answer.err);
        }
        let page = std::fs::read_to_string(bench.path("run.html")).unwrap();
        for said in
            ["2x1 took the shortest time", "Where the time of a CPU went", "<svg class=\"bars\"", "shortest"]
        {
            assert!(page.contains(said), "{said}: {page}");
        }
        records_say_the_same(&bench, &answer.err, &json);
        // Each has a record.
        for (record, ranks) in [("run.2x1.nw", 2.0), ("run.1x2.nw", 1.0)] {
            let numawise = bench.numawise.to_str().unwrap();
            let shown = bench.run(&[numawise, "report", record, "--json"]);
            let json: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
            assert_eq!(number(&json, "/processes/ranks"), ranks, "{record}");
        }
    }
}

/// The lines that are printed to be typed show the divisions again, from their records.
fn records_say_the_same(bench: &Bench, said: &str, json: &serde_json::Value) {
    let (_, next) = said.split_once("Type next").unwrap_or_else(|| panic!("{said}"));
    let lines: Vec<&str> =
        next.lines().filter_map(|line| Some(&line[line.find("numawise report")?..])).collect();
    let expected =
        ["numawise report run.2x1.nw", "numawise report run.2x1.nw run.1x2.nw --html divisions.html"];
    assert_eq!(lines, expected, "{said}");
    for line in lines {
        let typed = bench.run(&["sh", "-c", &format!("PATH={}:$PATH; {line}", bench.path("bin").display())]);
        assert_eq!(typed.status, Some(0), "{line}: {}", typed.err);
    }
    assert!(
        std::fs::read_to_string(bench.path("divisions.html"))
            .unwrap()
            .contains("Where the time of a CPU went")
    );
    let numawise = bench.numawise.to_str().unwrap();
    let again = bench.run(&[numawise, "report", "run.2x1.nw", "run.1x2.nw", "--json"]);
    let again: serde_json::Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(&again, json);
    let refused = |words: &[&str], said: &str| {
        let answer = bench.run(&[&[numawise, "report"], words].concat());
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(said), "{words:?}: {}", answer.err);
    };
    refused(&["run.2x1.nw", "run.1x2.nw", "--csv"], "--csv are of one record");
    refused(&["run.2x1.nw", "run.1x2.nw", "--html", "run.1x2.nw"], "is to be read");
    let words = ["--quiet", "--output", "alone.nw", "--fresh", "--", "sh", "-c", "exit 0"];
    assert_eq!(bench.snapshot(&words).status, Some(0));
    refused(&["run.2x1.nw", "alone.nw"], "alone.nw: this is a run by itself");
    let other =
        ["--ranks-x-threads", "2x1", "--quiet", "--output", "other.nw", "--fresh", "--", "echo", "{ranks}"];
    assert_eq!(bench.snapshot(&other).status, Some(0));
    refused(&["run.2x1.nw", "other.2x1.nw"], "a division of another command, echo");
}

#[test]
fn a_division_that_fails_is_told_and_the_others_go_on() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "divisions.c", &["-fopenmp"]) else { continue };
        let program = program.to_str().unwrap();
        let words = ["--ranks-x-threads", "1x2,2x1,3x1", "--runs", "2", "--json", "run.json", "--"];
        let words: Vec<&str> =
            words.into_iter().chain([launcher, "-n", "{ranks}", program, "{threads}", "fail"]).collect();
        let answer = bench.snapshot(&words);
        assert_eq!(answer.status, Some(3), "{}", answer.err);
        let json = bench.json("run.json");
        assert_eq!(number(&json, "/divisions/0/failed/code"), 3.0, "{json}");
        assert!(json["divisions"][0]["seconds"]["unavailable"].is_string(), "{json}");
        for row in [1, 2] {
            assert_eq!(json["divisions"][row]["runs_seconds"].as_array().unwrap().len(), 2, "{json}");
            assert!(number(&json, &format!("/divisions/{row}/seconds")) > 0.0);
        }
        assert!(["2x1", "3x1"].contains(&text(&json, "/best")), "{json}");
        assert!(answer.err.contains("1x2 ended with status 3"), "{}", answer.err);
        // In turn: what changes over time meets all of them.
        let order: Vec<&str> = answer.out.lines().map(|line| &line[..1]).collect();
        assert_eq!(order, ["1", "2", "3", "1", "2", "3"]);
    }
}

#[test]
fn what_cannot_be_divided_is_refused_before_anything_runs() {
    let bench = Bench::new();
    let refused = |words: &[&str], said: &str| {
        let answer = bench.snapshot(words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(said), "{words:?}: {}", answer.err);
    };
    let echo = ["--", "sh", "-c", "echo ran {ranks}"];
    for list in ["0", "x", "2x", "2x0", "2x1,2x1", "24,2x12"] {
        refused(&[&["--ranks-x-threads", list], &echo[..]].concat(), "expected a number of CPUs");
    }
    refused(&["--ranks-x-threads", "2", "--", "sh", "-c", "echo ran"], "expected {ranks} in it");
    refused(&[&["--ranks-x-threads", "2", "--threads", "2"], &echo[..]].concat(), "cannot be used");
    refused(&[&["--runs", "2"], &echo[..]].concat(), "--ranks-x-threads");
    let inside =
        ["mpirun.openmpi", "-n", "2", bench.numawise.to_str().unwrap(), "snapshot", "--ranks-x-threads", "2"];
    let answer = bench.run(&[&inside[..], &echo[..]].concat());
    assert!(answer.status != Some(0) && !answer.out.contains("ran"), "{answer:?}");
}
