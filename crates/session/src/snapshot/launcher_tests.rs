use std::path::PathBuf;

use numawise_facts::Argument;

use super::*;

fn spec(line: &str) -> RunSpec {
    RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: PathBuf::new() }
}

#[test]
fn launchers_are_known_by_their_names() {
    assert_eq!(of(&spec("mpirun -n 4 ./app")), Some("mpirun"));
    assert_eq!(of(&spec("/usr/bin/mpiexec.hydra -n 4 ./app")), Some("mpiexec.hydra"));
    assert_eq!(of(&spec("./app mpirun")), None);
}

#[test]
fn daemons_are_no_ranks() {
    assert!(is_own_process("/usr/bin/hydra_pmi_proxy") && is_own_process("mpirun"));
    assert!(!is_own_process("/home/me/app") && !is_own_process(""));
}
