use numawise_facts::Reading;
use numawise_units::Rank;

use super::*;
use crate::sample::{observation, see, two_node_check};

fn check(command: &str) -> Study {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 0.5);
    study.header.command.command = command.split(' ').map(Into::into).collect();
    study
}

#[test]
fn launchers_are_known_by_their_names() {
    for (command, expected) in [
        ("mpirun -n 4 ./app", true),
        ("/opt/openmpi/bin/mpiexec ./app", true),
        ("mpiexec.hydra ./app", true),
        ("srun ./app", true),
        ("prterun -n 2 app", true),
        ("./app mpirun", false),
        ("./mpirunner", false),
        ("./app", false),
    ] {
        assert_eq!(uses_mpi(&check(command)), expected, "{command}");
    }
}

#[test]
fn ranks_and_libraries_of_mpi_that_were_seen_tell_too() {
    let mut seen = observation(&[], &[(0, 1)]);
    let with = |seen: &numawise_facts::Observation| {
        let mut study = check("./app");
        see(&mut study, "os", seen);
        uses_mpi(&study)
    };
    seen.mpi_libraries = Reading::Measured(vec![]);
    assert!(!with(&seen));
    seen.mpi_libraries = Reading::Measured(vec!["libmpi.so.40".to_owned()]);
    assert!(with(&seen));
    seen.mpi_libraries = Reading::unavailable("too short");
    seen.rank = Reading::Measured(Rank(0));
    assert!(with(&seen));
}

#[test]
fn a_rank_for_each_node_is_advised_to_programs_with_mpi_only() {
    use numawise_facts::finding::Advice;
    for (command, expected) in [("mpirun ./app", true), ("./app", false)] {
        let findings = crate::analyse(&check(command)).findings;
        let copies = findings.iter().find(|one| one.id.code() == "NW004").unwrap();
        let advised = copies.advice.iter().any(|step| step.advice == Advice::RankPerNode);
        assert_eq!(advised, expected, "{command}");
    }
}
