//! Jobs of MPI that a script starts one after the other: each is told from the others.

use serde_json::Value;

use crate::program::copied;
use crate::support::{Answer, Bench, MPICH, OPEN_MPI, number, text};

/// A job of so many ranks of `first`, and one behind it of so many of `ranks.c`.
fn one_after_the_other(
    bench: &Bench,
    (compiler, launcher): (&str, &str),
    ranks: [u32; 2],
) -> Option<(Value, Answer)> {
    let program = bench.compile(compiler, "ranks.c", &[])?;
    let program = program.to_str().unwrap();
    copied(program, bench.path("first"));
    let [before, behind] = ranks;
    let script = format!("{launcher} -n {before} ./first && exec {launcher} -n {behind} {program}");
    let answer = bench.snapshot(&["--json=run.json", "--", "sh", "-c", &script]);
    assert_eq!(answer.status, Some(0), "{answer:?}");
    Some((bench.json("run.json"), answer))
}

/// Which of the two took longer is the machine's choice; `crates/analyse/src/snapshot/jobs_tests.rs` has what is chosen of given times.
#[test]
fn jobs_one_after_the_other_are_not_added_up() {
    let bench = Bench::new();
    // Of fewer ranks, of more, and of as many as the other.
    for (mpi, ranks) in [(OPEN_MPI, [3, 4]), (MPICH, [2, 1]), (MPICH, [2, 2])] {
        let Some((json, answer)) = one_after_the_other(&bench, mpi, ranks) else { continue };
        let notice = json["notices"].as_array().unwrap().iter().find(|one| one["code"] == "NW922");
        let notice = notice.unwrap_or_else(|| panic!("{mpi:?}: {json}"));
        assert_eq!(number(notice, "/arguments/count"), 2.0, "{json}");
        let (shown, other) = (number(&json, "/processes/ranks"), number(notice, "/arguments/others/0/ranks"));
        assert_eq!(number(&json, "/processes/world"), shown, "{json}");
        let is_first = text(notice, "/arguments/others/0/programs/0") != "first";
        let expected = if is_first { ranks } else { [ranks[1], ranks[0]] };
        assert_eq!([shown, other], expected.map(f64::from), "{json}");
        let program = text(&json, "/ranks/0/program").rsplit('/').next().unwrap().to_owned();
        assert_eq!(program == "first", is_first, "{program}: {notice}");
        let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("2 jobs of MPI ran one after the other"), "{said}");
    }
}

#[test]
#[ignore = "timing: how long a rank waits for the others of its job"]
fn a_job_that_is_not_added_up_has_its_own_load_balance() {
    let bench = Bench::new();
    for mpi in [OPEN_MPI, MPICH] {
        let Some((json, _)) = one_after_the_other(&bench, mpi, [3, 4]) else { continue };
        // Rank 0 waits for 100 ms of 300, whatever ran beside; a busy machine takes longer for all.
        let balance = number(&json, "/efficiency/mpi_load_balance");
        let waited = number(&json, "/ranks/0/mpi_seconds");
        eprintln!("{mpi:?}: a load balance of {balance}, {waited} s in MPI");
        assert!(balance > 0.5 && balance < 1.0 && waited >= 0.08, "{mpi:?}: {json}");
    }
}
