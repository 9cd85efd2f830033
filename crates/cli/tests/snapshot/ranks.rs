//! Programs of MPI, with numawise around the launcher and inside.

use crate::support::{Bench, MPICH, MPIS, OPEN_MPI, assert_formulas_hold, number, site, text};

#[test]
fn ranks_come_together_around_a_launcher() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let program = program.to_str().unwrap();
        let words = ["--json=run.json", "--output", "run.nw", "--fresh", "--", launcher, "-n", "3", program];
        let answer = bench.snapshot(&words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 3 of 3 ranks\n"), "{}", answer.err);
        let json = bench.json("run.json");
        assert_eq!((number(&json, "/processes/ranks"), number(&json, "/processes/world")), (3.0, 3.0));
        assert_eq!([0, 1, 2].map(|rank| number(&json, &format!("/ranks/{rank}/rank"))), [0.0, 1.0, 2.0]);
        let site = site(&json, "MPI_Allreduce", "main (ranks.c:20)");
        assert_eq!((number(site, "/count"), number(site, "/ranks")), (3.0, 3.0), "{site}");
        assert_formulas_hold(&json);
        assert!(answer.err.contains("MPI load balance"), "{}", answer.err);
    }
}

#[test]
#[ignore = "timing: how long a rank waits for the others"]
fn the_rank_that_comes_first_waits_for_the_others() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let words = ["--quiet", "--json=run.json", "--", launcher, "-n", "3", program.to_str().unwrap()];
        assert_eq!(bench.snapshot(&words).status, Some(0));
        let json = bench.json("run.json");
        // Rank 0 waits for 100 ms of 300; the others at most for what the machine delays.
        let waits = [0, 1, 2].map(|rank| number(&json, &format!("/ranks/{rank}/mpi_seconds")));
        eprintln!("{launcher}: {waits:?} s in MPI");
        assert!(waits[0] >= 0.08 && waits[0] > waits[1] && waits[0] > waits[2], "{json}");
    }
}

#[test]
fn a_job_whose_rank_is_killed_is_reported_up_to_then() {
    let bench = Bench::new();
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let program = program.to_str().unwrap();
    let alone = bench.run(&[launcher, "-n", "2", program, "killed"]);
    let answer = bench.snapshot(&["--json=run.json", "--", launcher, "-n", "2", program, "killed"]);
    assert_eq!(answer.status, alone.status, "{}", answer.err);
    let json = bench.json("run.json");
    assert_eq!(number(&json, "/processes/ranks"), 2.0, "{json}");
    assert_eq!(text(&json, "/ranks/1/end"), "not_told");
    assert!(number(&json, "/ranks/1/elapsed_seconds") >= 0.25, "{json}");
}

#[test]
fn only_the_ranks_that_were_asked_for_are_watched() {
    let bench = Bench::new();
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "files.c", &[]) else { return };
    let program = program.to_str().unwrap();
    let words = ["--ranks", "1-2", "--json=run.json", "--", launcher, "-n", "4", program];
    let answer = bench.snapshot(&words);
    // Not one file for the ranks that are left alone.
    let mapped = "rank 0: 0 mapped\nrank 1: 1 mapped\nrank 2: 1 mapped\nrank 3: 0 mapped\n";
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), mapped), "{}", answer.err);
    let json = bench.json("run.json");
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/processes/world")), (2.0, 4.0));
    assert_eq!([0, 1].map(|row| number(&json, &format!("/ranks/{row}/rank"))), [1.0, 2.0]);
    assert_eq!(text(&json, "/asked_ranks"), "1-2");
    // Efficiencies are of these two.
    assert!(number(&json, "/efficiency/mpi_load_balance") > 0.0, "{json}");
    for said in ["2 of 4 ranks", "ranks 1-2 only", "the others were left alone"] {
        assert!(answer.err.contains(said), "{said}: {}", answer.err);
    }
    assert!(!answer.err.contains("nothing came of rank"), "{}", answer.err);
}

#[test]
fn ranks_beyond_the_job_are_named_and_the_others_watched() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { return };
    let program = program.to_str().unwrap();
    let of =
        |ranks| bench.snapshot(&["--ranks", ranks, "--json=run.json", "--", launcher, "-n", "2", program]);
    let some = of("1,5-7");
    assert_eq!((some.status, some.out.as_str()), (Some(0), "sum 1 of 2 ranks\n"), "{}", some.err);
    assert!(some.err.contains("there is no rank 5-7 among the 2 of this job"), "{}", some.err);
    assert_eq!(number(&bench.json("run.json"), "/ranks/0/rank"), 1.0);
    let none = of("5");
    assert_eq!((none.status, none.out.as_str()), (Some(0), "sum 1 of 2 ranks\n"), "{}", none.err);
    assert!(none.err.contains("none of the ranks that were asked for (5) was seen"), "{}", none.err);
}

#[test]
fn what_is_no_list_of_ranks_is_refused_before_anything_runs() {
    let bench = Bench::new();
    for ranks in ["", "x", "1-", "-1", "3-1", "1,,2", "0-99999999999", "1;2", "0x1"] {
        let answer = bench.snapshot(&[&format!("--ranks={ranks}"), "--", "sh", "-c", "echo ran"]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{ranks}: {}", answer.err);
        assert!(answer.err.contains("--ranks"), "{ranks}: {}", answer.err);
    }
}

#[test]
fn a_job_of_one_rank_is_a_program_like_any_other() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let (program, numawise) = (program.to_str().unwrap(), bench.numawise.to_str().unwrap());
        let answer = bench.run(&[launcher, "-n", "1", numawise, "snapshot", "--", program]);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 0 of 1 ranks\n"), "{}", answer.err);
        assert!(answer.err.contains("1 rank"), "{}", answer.err);
    }
}
