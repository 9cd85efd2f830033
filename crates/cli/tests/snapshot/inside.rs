//! numawise inside a launcher, one for each rank: the ranks find each other, and one file comes out.

use std::path::Path;

use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, number, text};

/// Three ranks of `ranks.c`, each with a numawise; those of `words` come before the program.
fn inside(bench: &Bench, launcher: &str, program: &Path, words: &[&str], arguments: &[&str]) -> Answer {
    let numawise = bench.numawise.to_str().unwrap();
    let mut all = vec![launcher, "-n", "3", numawise, "snapshot"];
    all.extend(words);
    all.extend(["--", program.to_str().unwrap()]);
    all.extend(arguments);
    bench.run(&all)
}

fn report(bench: &Bench, name: &str) -> serde_json::Value {
    let answer = bench.run(&[bench.numawise.to_str().unwrap(), "report", name, "--json"]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    serde_json::from_str(&answer.out).unwrap()
}

#[test]
fn one_file_comes_out_and_the_report_is_shown_once() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let words = ["--output", "run.nw", "--fresh", "--json=run.json"];
        let answer = inside(&bench, launcher, &program, &words, &[]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 3 of 3 ranks\n"), "{}", answer.err);
        assert_eq!(answer.err.matches("Next commands").count(), 1, "{}", answer.err);
        for json in [report(&bench, "run.nw"), bench.json("run.json")] {
            assert_eq!((number(&json, "/processes/ranks"), number(&json, "/processes/world")), (3.0, 3.0));
            assert_eq!([0, 1, 2].map(|rank| number(&json, &format!("/ranks/{rank}/rank"))), [0.0, 1.0, 2.0]);
            assert_eq!(json["notices"].as_array().unwrap().len(), 0, "{json}");
            assert!(json["efficiency"]["mpi_load_balance"].is_number(), "{json}");
        }
        // A file is not needed.
        let shown = inside(&bench, launcher, &program, &[], &[]);
        assert_eq!(shown.status, Some(0), "{}", shown.err);
        assert!(shown.err.contains("3 ranks"), "{}", shown.err);
    }
}

#[test]
fn no_rank_waits_for_one_that_may_not_write() {
    let bench = Bench::new();
    let numawise = bench.numawise.to_str().unwrap();
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let program = program.to_str().unwrap();
    let begin = ["timeout", "300", launcher, "-n", "2", numawise, "snapshot"];
    let words = [&begin[..], &["--output", "nowhere/run.nw", "--", program]].concat();
    // hydra may end by SIGPIPE itself where its ranks have ended before all was told to them.
    let mut answers = (0..5).map(|_| bench.run(&words));
    let answer = answers.find(|answer| answer.status.is_some()).expect("a status");
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{launcher}: {}", answer.err);
    assert!(answer.err.contains("there is no folder nowhere"), "{}", answer.err);
}

#[test]
fn a_rank_that_is_killed_is_reported_before_the_launcher_kills_the_others() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let answer = inside(&bench, launcher, &program, &["--output", "run.nw", "--fresh"], &["killed"]);
        assert!(answer.status != Some(0), "{}", answer.err);
        let json = report(&bench, "run.nw");
        assert_eq!(number(&json, "/processes/ranks"), 3.0, "{json}");
        assert_eq!(text(&json, "/ranks/2/end"), "not_told");
        assert!(number(&json, "/ranks/2/elapsed_seconds") >= 0.25, "{json}");
        assert_eq!(number(&json, "/exit/signal"), 9.0, "{json}");
    }
}

#[test]
fn ranks_that_were_not_asked_for_run_alone() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let beyond = inside(&bench, launcher, &program, &["--ranks", "0,5"], &[]);
    assert!(beyond.status != Some(0), "{}", beyond.err);
    assert!(beyond.err.contains("--ranks: there is no rank 5 among the 3 of this job"), "{}", beyond.err);
    let words = ["--ranks", "1-2", "--output", "run.nw", "--fresh"];
    let answer = inside(&bench, launcher, &program, &words, &[]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 3 of 3 ranks\n"), "{}", answer.err);
    let json = report(&bench, "run.nw");
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/ranks/0/rank")), (2.0, 1.0));
    assert_eq!(json["notices"].as_array().unwrap().len(), 0, "{json}");
}

#[test]
fn a_second_run_does_not_go_into_the_same_file_unasked() {
    let bench = Bench::new();
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    std::fs::remove_file(bench.path("run.nw")).ok();
    assert_eq!(inside(&bench, launcher, &program, &["--output", "run.nw"], &[]).status, Some(0));
    let before = std::fs::read(bench.path("run.nw")).unwrap();
    let again = inside(&bench, launcher, &program, &["--output", "run.nw"], &[]);
    assert!(again.status != Some(0) && !again.out.contains("sum"), "{again:?}");
    assert!(again.err.contains("run.nw") && again.err.contains("--fresh"), "{}", again.err);
    assert_eq!(std::fs::read(bench.path("run.nw")).unwrap(), before);
}

#[test]
fn each_program_of_a_script_has_its_file_and_each_rank_its_status() {
    let bench = Bench::new();
    let numawise = bench.numawise.to_str().unwrap();
    let script = format!(
        "{numawise} snapshot --quiet --output a.nw -- true && {numawise} snapshot --quiet --output b.nw -- sh -c 'exit 3'; \
         echo status $?"
    );
    for (_, launcher) in MPIS {
        if bench.command(launcher).arg("--version").output().is_err() {
            eprintln!("SKIPPED: no {launcher}");
            continue;
        }
        for name in ["a.nw", "b.nw"] {
            std::fs::remove_file(bench.path(name)).ok();
        }
        let answer = bench.run(&[launcher, "-n", "2", "sh", "-c", &script]);
        assert_eq!(answer.out, "status 3\nstatus 3\n", "{}", answer.err);
        let [one, other] = ["a.nw", "b.nw"].map(|name| report(&bench, name));
        let exits = [&one["exit"]["code"], &other["exit"]["code"]];
        assert_eq!(
            exits,
            [&serde_json::Value::from(0), &serde_json::Value::from(3)],
            "{}\n{one}\n{other}",
            answer.err
        );
        assert_eq!(number(&other, "/processes/counted"), 2.0, "{other}");
    }
}
