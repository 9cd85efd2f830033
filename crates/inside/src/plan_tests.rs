use numawise_machine::from_synthetic;
use numawise_units::CpuId;

use super::*;
use crate::ErrorKind;

/// Two sockets with 4 cores each; nothing where hwloc is not there.
fn two_sockets() -> Option<Machine> {
    match from_synthetic("pack:2 [numa] core:4 pu:1") {
        Ok(machine) => Some(machine),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}

fn shares(machine: &Machine, of: u32) -> Vec<String> {
    let asked = Asked::default();
    (0..of).map(|worker| share_of(machine, worker, of, &asked).unwrap().to_string()).collect()
}

#[test]
fn workers_have_cpus_of_their_own_inside_a_node_while_there_are_enough() {
    let Some(machine) = two_sockets() else { return };
    assert_eq!(shares(&machine, 1), ["0-7"]);
    assert_eq!(shares(&machine, 2), ["0-3", "4-7"]);
    assert_eq!(shares(&machine, 3), ["0-1", "2-3", "4-7"]);
    assert_eq!(shares(&machine, 4), ["0-1", "2-3", "4-5", "6-7"]);
    assert_eq!(shares(&machine, 8), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(shares(&machine, 10)[8..], ["0", "1"]);
}

#[test]
fn workers_share_what_the_process_may_use() {
    let Some(mut machine) = two_sockets() else { return };
    machine.allowed_cpus = [2, 3, 5].into_iter().map(CpuId).collect();
    assert_eq!(shares(&machine, 3), ["2", "3", "5"]);
    assert_eq!(shares(&machine, 4), ["2", "3", "5", "2"]);
}

#[test]
fn a_worker_beyond_the_last_is_refused() {
    let Some(machine) = two_sockets() else { return };
    for (worker, of) in [(4, 4), (0, 0)] {
        let error = share_of(&machine, worker, of, &Asked::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            format!("worker is {worker} of {of}; expected a number below that of the workers")
        );
    }
}

#[test]
fn cpus_can_be_named_one_by_one() {
    let Some(machine) = two_sockets() else { return };
    let asked = Asked { strategy: Some("explicit"), cpus: Some("5,1-2"), ..Asked::default() };
    let placement = plan(&machine, &asked).unwrap();
    let cpus: Vec<String> =
        (0..4).map(|thread| cpus_of(&placement, 0, thread).unwrap().to_string()).collect();
    assert_eq!(cpus, ["1", "2", "5", "1"]);
    let unknown = plan(&machine, &Asked { strategy: Some("near"), ..Asked::default() }).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Invalid);
    assert!(unknown.to_string().starts_with("strategy: 'near' is not a strategy"), "{unknown}");
}
