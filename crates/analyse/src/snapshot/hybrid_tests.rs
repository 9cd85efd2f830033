use numawise_facts::Exit;

use super::*;
use crate::snapshot::sample::{seconds, simple_rank, snapshot};

/// A division whose runs took so long; what stands for it spent so much in MPI.
fn division(ranks: u32, threads: u32, runs: &[(Exit, f64)], mpi: f64) -> DivisionRuns {
    let tables = snapshot(&[simple_rank(0, 2, 3.0 - mpi, mpi), simple_rank(1, 2, 3.0 - mpi, mpi)]);
    let runs = runs.iter().map(|(exit, wall)| (*exit, seconds(*wall))).collect();
    DivisionRuns { division: RanksByThreads { ranks, threads }, runs, tables: Some(tables) }
}

const WELL: Exit = Exit::Code(0);

#[test]
fn the_shortest_is_the_best_and_what_the_longest_lost_is_why() {
    let found = compare_divisions(&[
        division(4, 1, &[(WELL, 3.0)], 2.0),
        division(2, 2, &[(WELL, 2.0)], 0.5),
        division(1, 4, &[(WELL, 2.5)], 0.5),
    ]);
    let best = found.best.unwrap();
    assert_eq!((best.row, best.longest), (1, 0));
    let why = best.why.unwrap();
    assert_eq!((why.part, why.best, why.longest), (HybridTimePart::Mpi, seconds(0.5), seconds(2.0)));
    assert!((found.rows[0].mpi.measured().unwrap().0 - 2.0 / 3.0).abs() < 1e-6, "{:?}", found.rows[0]);
}

#[test]
fn of_several_runs_the_median_counts_and_those_that_failed_do_not() {
    let failed = (Exit::Code(3), 0.1);
    let runs = [(WELL, 5.0), failed, (WELL, 2.0), (WELL, 3.0)];
    let found = compare_divisions(&[division(2, 1, &runs, 1.0), division(1, 2, &[failed], 0.01)]);
    assert_eq!(found.rows[0].median, Reading::Measured(seconds(3.0)));
    assert_eq!((found.rows[0].failed, found.rows[0].walls.len()), (Some(Exit::Code(3)), 4));
    assert!(found.rows[1].median.measured().is_none() && found.rows[1].mpi.measured().is_none());
    assert_eq!(found.best, None, "one alone is not the best");
}

#[test]
fn the_median_of_two_is_the_shorter() {
    let of = |walls: &[f64]| {
        let runs: Vec<_> = walls.iter().map(|wall| (Exit::Code(0), seconds(*wall))).collect();
        median_run(&runs)
    };
    assert_eq!([of(&[2.0, 1.0]), of(&[3.0, 1.0, 2.0]), of(&[])], [Some(1), Some(2), None]);
}
