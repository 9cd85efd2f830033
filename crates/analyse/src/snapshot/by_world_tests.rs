use numawise_facts::Reading;
use numawise_facts::finding::EvidenceSubject;

use super::super::sample::{call, in_world, seconds, snapshot, times};
use super::*;

/// Two worlds whose rank 1 has all the work: between worlds nothing is compared.
#[test]
fn each_world_has_efficiencies_and_findings_of_its_own() {
    let busy = |number: u32, name, useful: f64| {
        let mut rank = in_world(number, 2, (Some(name), 5));
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
        matches!(subject, EvidenceSubject::Watched(WatchedSubject::World { number: 1, .. })),
        "{subject:?}"
    );
    assert!((late.potential.measured().unwrap().share.0 - 0.25).abs() < 1e-6);
    let one = snapshot(&[busy(0, 7, 1.0), busy(1, 7, 2.0)]);
    assert!(one.worlds.is_empty() && one.rows.iter().all(|row| row.world.is_none()));
}
