use super::*;
use crate::place;
use crate::testing::{memory, request, two_sockets, with_hbm};
use numawise_facts::{Machine, Placement, Strategy};

fn placed(machine: &Machine, policy: &str, balancing: Balancing) -> Result<Placement, PlacementError> {
    let request =
        PlacementRequest { tasks: 2, memory: memory(policy), balancing, ..request(Strategy::Semi, None) };
    place(machine, &request)
}

#[test]
fn on_goes_with_bind_by_whatever_word() {
    for policy in ["bind", "bind:0-1", "hbm", "remote"] {
        let placement = placed(&with_hbm(), policy, Balancing::On).unwrap();
        assert!(placement.tasks.iter().all(|task| task.memory.balancing), "{policy}");
        assert_eq!(placement.warnings, []);
    }
}

#[test]
fn on_with_preferred_many_needs_a_new_kernel_and_says_so_once() {
    let placement = placed(&two_sockets(), "preferred-many:0-1", Balancing::On).unwrap();
    assert!(placement.tasks.iter().all(|task| task.memory.balancing));
    assert_eq!(placement.warnings, [PlanNotice::BalancingNeedsLinux610.into()]);
}

#[test]
fn on_without_a_policy_is_the_systems_to_decide() {
    let placement = placed(&two_sockets(), "default", Balancing::On).unwrap();
    assert!(
        placement.tasks.iter().all(|task| !task.memory.balancing && task.memory.mode == MemoryMode::Default)
    );
    assert_eq!(placement.warnings, [PlanNotice::BalancingWithoutPolicy.into()]);
}

#[test]
fn on_with_what_the_kernel_refuses_says_what_works() {
    for policy in ["local", "preferred", "interleave", "weighted"] {
        let text = placed(&two_sockets(), policy, Balancing::On).unwrap_err().to_string();
        let begin = format!("NUMA balancing cannot be switched on with memory policy {policy}: ");
        assert!(text.starts_with(&begin) && text.contains("with bind (Linux 5.12)"), "{text}");
    }
}

#[test]
fn off_gives_a_program_without_a_policy_one_of_its_own() {
    let placement = placed(&two_sockets(), "default", Balancing::Off).unwrap();
    assert!(placement.tasks.iter().all(|task| task.memory.mode == MemoryMode::Local));
    for policy in ["bind", "local", "interleave"] {
        let off = placed(&two_sockets(), policy, Balancing::Off).unwrap();
        assert_eq!(off, placed(&two_sockets(), policy, Balancing::Default).unwrap(), "{policy}");
        assert!(off.tasks.iter().all(|task| !task.memory.balancing));
    }
}
