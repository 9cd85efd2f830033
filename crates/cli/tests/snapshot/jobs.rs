//! Jobs of MPI that a script starts one after the other: each is told from the others.

use crate::program::copied;
use crate::support::{Bench, number, text};

const MPIS: [(&str, &str); 2] = [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpiexec.mpich")];

#[test]
fn jobs_one_after_the_other_are_not_added_up() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let program = program.to_str().unwrap();
        copied(program, bench.path("first"));
        // Of three ranks, of as many as the others, and of one.
        for (before, ranks) in [(3, 4.0), (2, 2.0), (1, 2.0)] {
            let behind = if ranks > 2.0 { 4 } else { 2 };
            let script = format!(
                "{launcher} -n {before} ./first && sleep 0.2 && exec {launcher} -n {behind} {program}"
            );
            let answer = bench.snapshot(&["--json", "run.json", "--", "sh", "-c", &script]);
            assert_eq!(answer.status, Some(0), "{answer:?}");
            let json = bench.json("run.json");
            let notice = json["notices"].as_array().unwrap().iter().find(|one| one["code"] == "NW922");
            let notice = notice.unwrap_or_else(|| panic!("{launcher}: {json}"));
            assert_eq!(number(notice, "/arguments/count"), 2.0, "{json}");
            let found = [number(&json, "/processes/ranks"), number(&json, "/processes/world")];
            if before == behind {
                // Which of two equal ones took longer is the machine's choice.
                assert_eq!(found, [2.0, 2.0], "{json}");
            } else {
                assert_eq!(found, [ranks, ranks], "{json}");
                assert_eq!(text(notice, "/arguments/others/0/programs/0"), "first", "{notice}");
                assert_eq!(number(notice, "/arguments/others/0/ranks"), f64::from(before), "{notice}");
            }
            // Rank 0 waits for 100 ms of 300, whatever ran beside; a busy machine takes longer for all.
            let balance = number(&json, "/efficiency/mpi_load_balance");
            assert!(balance > 0.5 && balance < 1.0, "{launcher}: {json}");
            assert!(number(&json, "/ranks/0/mpi_seconds") >= 0.08, "{json}");
            let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains("2 jobs of MPI ran one after the other"), "{said}");
        }
    }
}
