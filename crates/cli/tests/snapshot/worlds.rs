//! Several `MPI_COMM_WORLD`s at the same time.

use crate::support::{Bench, OPEN_MPI, number, text};

/// Ranks of the same number are of two worlds, and each world has figures of its own.
#[test]
fn what_a_rank_spawns_is_a_world_of_its_own() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "spawns.c", &[]) else { return };
    let words = ["--json=run.json", "--", launcher, "--oversubscribe", "-n", "1"];
    let answer = bench.snapshot(&[&words[..], &[program.to_str().unwrap()]].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let worlds = json["worlds"].as_array().unwrap();
    let sizes: Vec<_> =
        worlds.iter().map(|world| (number(world, "/ranks"), number(world, "/size"))).collect();
    assert_eq!(sizes, [(1.0, 1.0), (2.0, 2.0)], "{json}");
    let ranks = json["ranks"].as_array().unwrap();
    let of: Vec<_> = ranks.iter().map(|rank| (number(rank, "/world"), number(rank, "/rank"))).collect();
    assert_eq!(of, [(1.0, 0.0), (2.0, 0.0), (2.0, 1.0)], "{json}");
    assert!(worlds.iter().all(|world| text(world, "/program").contains("spawns.c")), "{worlds:?}");
    // Balance is of each world, and there is none of both.
    let balance = "/efficiency/mpi_load_balance";
    assert!(number(&worlds[1], balance) <= 1.0, "{worlds:?}");
    assert!(text(&json, &format!("{balance}/unavailable")).contains("several MPI_COMM_WORLDs"), "{json}");
    // What the ranks of the second wait for one another is known: their calls are not taken for those of the first.
    let sites = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
    let barrier = sites.iter().find(|site| site["name"] == "MPI_Barrier").unwrap();
    assert!(number(barrier, "/waiting_seconds") <= number(barrier, "/seconds"), "{barrier}");
    assert!(answer.err.contains("each has its own, in the table of worlds"), "{}", answer.err);
}
