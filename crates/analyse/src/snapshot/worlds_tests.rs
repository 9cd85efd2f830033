use numawise_facts::Reading;

use super::super::sample::{call, seconds, simple_rank, snapshot, times};
use super::*;

/// A rank that began so late, of a named world and started by a process.
fn rank(number: u32, size: u32, began: f64, (name, parent): (Option<u64>, i32)) -> Activity {
    let mut rank = simple_rank(number, size, 1.0, 0.5);
    rank.began = rank.began + seconds(began);
    rank.parent = Pid(parent);
    let Reading::Measured(mpi) = &mut rank.mpi else { unreachable!() };
    mpi.world = name;
    rank
}

fn found(ranks: &[Activity]) -> Vec<usize> {
    of(&ranks.iter().map(Process::new).collect::<Vec<_>>())
}

#[test]
fn names_tell_worlds_apart_and_else_who_started_them() {
    let named = |number, began, name| rank(number, 2, began, (Some(name), 5));
    // Both of one daemon, and begun in turn.
    assert_eq!(
        found(&[named(0, 0.0, 7), named(0, 0.1, 9), named(1, 0.2, 7), named(1, 0.3, 9)]),
        [0, 1, 0, 1]
    );
    let started = |number, began, parent| rank(number, 2, began, (None, parent));
    assert_eq!(
        found(&[started(0, 0.0, 5), started(0, 0.1, 6), started(1, 0.2, 6), started(1, 0.3, 5)]),
        [0, 1, 1, 0]
    );
    // Each rank of one world has a shell of its own.
    assert_eq!(found(&[started(0, 0.0, 5), started(1, 0.1, 6)]), [0, 0]);
    assert_eq!(found(&[rank(0, 1, 0.0, (None, 5)), rank(0, 2, 0.0, (None, 5))]), [0, 1]);
}

/// Two worlds whose rank 1 has all the work: between worlds nothing is compared.
#[test]
fn each_world_has_efficiencies_and_findings_of_its_own() {
    let busy = |number: u32, name, useful: f64| {
        let mut rank = rank(number, 2, 0.0, (Some(name), 5));
        let Reading::Measured(threads) = &mut rank.threads else { unreachable!() };
        threads[0].times = Reading::Measured(times([useful, 2.0 - useful, 0.0, 0.0, 0.0, 0.0]));
        threads[0].calls = vec![call("MPI_Barrier", 0x10, 5, 2.0 - useful)];
        rank.elapsed = Reading::Measured(seconds(2.0));
        rank
    };
    let run = snapshot(&[busy(0, 7, 1.0), busy(1, 7, 2.0), busy(0, 9, 2.0), busy(1, 9, 2.0)]);
    assert!(run.efficiency.mpi_load_balance.value.reason().unwrap().0.contains("several MPI_COMM_WORLDs"));
    let balance = |row: &WorldRow| row.efficiency.mpi_load_balance.value.measured().unwrap().0;
    let [first, second] = run.worlds.as_slice() else { panic!("{:?}", run.worlds) };
    assert_eq!(((first.number, first.ranks), (second.number, second.ranks)), ((1, 2), (2, 2)));
    assert!((balance(first) - 0.75).abs() < 1e-6 && (balance(second) - 1.0).abs() < 1e-6);
    let worlds: Vec<_> = run.rows.iter().map(|row| (row.world, *row.rank.measured().unwrap())).collect();
    assert_eq!(worlds, [(Some(1), 0), (Some(1), 1), (Some(2), 0), (Some(2), 1)]);
    let late: Vec<_> =
        run.findings.iter().filter(|found| found.finding.id == FindingId::MpiImbalance).collect();
    let [late] = late.as_slice() else { panic!("{:?}", run.findings) };
    let subject = &late.finding.evidence[0].subject;
    assert!(
        matches!(
            subject,
            numawise_facts::finding::EvidenceSubject::Watched(WatchedSubject::World { number: 1, .. })
        ),
        "{subject:?}"
    );
    assert!((late.potential.measured().unwrap().share.0 - 0.25).abs() < 1e-6);
    let one = snapshot(&[busy(0, 7, 1.0), busy(1, 7, 2.0)]);
    assert!(one.worlds.is_empty() && one.rows.iter().all(|row| row.world.is_none()));
}
