use std::time::{Duration, Instant};

use numawise_units::Nanoseconds;

use super::*;

fn event(cpus: &str) -> ControllerEvent {
    // The kernel's clock of a CPU, in the place of a controller: it counts nanoseconds.
    ControllerEvent {
        source: "uncore_imc_0".to_owned(),
        kind: 1,
        config: 0,
        bytes: 2.0,
        cpus: cpus.parse().unwrap(),
    }
}

fn nodes(cpus: &[&str]) -> Vec<(NodeId, CpuSet)> {
    (0..).zip(cpus).map(|(node, cpus)| (NodeId(node), cpus.parse().unwrap())).collect()
}

/// What the kernel counts for a whole CPU is added by node, for reads and for writes.
#[test]
fn what_is_counted_on_the_cpus_of_a_node_is_its_traffic() {
    let first = numawise_linux::calls::affinity::of(numawise_units::Pid(0)).unwrap().first().unwrap();
    let nodes = vec![(NodeId(3), CpuSet::from_iter([first]))];
    let mut open = match Controllers::of(&[event(&first.to_string()), event(&first.to_string())], &nodes) {
        Ok(open) => open,
        Err(ControllersError::Denied { .. }) => {
            eprintln!("SKIPPED: this user may not count for a whole CPU");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    for _ in 0..2 {
        let begin = Instant::now();
        let before = open.passed().unwrap();
        assert_eq!(before.len(), 1);
        std::thread::sleep(Duration::from_millis(20));
        let passed = open.passed().unwrap()[0];
        let took = begin.elapsed().as_nanos() as f64;
        assert_eq!((passed.node, passed.remote), (NodeId(3), None));
        // Two events of 2 bytes for each nanosecond.
        let bytes = passed.total.0 as f64;
        assert!((4.0 * 20e6..=4.0 * took).contains(&bytes), "{bytes} in {took} ns");
    }
}

#[test]
fn nodes_of_one_package_are_not_told_apart() {
    let refused = Controllers::of(&[event("0,4")], &nodes(&["0-1", "2-3", "4-7"])).unwrap_err();
    let said = "nodes of one package are not told apart";
    assert!(matches!(refused, ControllersError::NodesOfOnePackage { node: NodeId(1), .. }), "{refused}");
    assert!(refused.to_string().ends_with(said), "{refused}");
}

/// Memory without CPUs has no package of its own.
#[test]
fn an_event_that_the_kernel_does_not_know_is_said() {
    let unknown = ControllerEvent { kind: 4_000_000, ..event("0") };
    let refused = Controllers::of(&[unknown], &nodes(&["0", ""])).unwrap_err();
    let is_said = matches!(refused, ControllersError::NotOpened { .. } | ControllersError::Denied { .. });
    assert!(is_said, "{refused}");
}

#[test]
fn what_was_counted_for_a_part_of_the_time_stands_for_all_of_it() {
    let at = |count, wanted, on| CounterValue { count, wanted: Nanoseconds(wanted), on: Nanoseconds(on) };
    assert_eq!(counted(at(10, 100, 100), at(40, 200, 200)), Ok(30.0));
    assert_eq!(counted(at(10, 100, 50), at(40, 200, 75)), Ok(120.0));
    assert_eq!(counted(at(10, 100, 50), at(10, 200, 50)), Err(ControllersError::NotOn));
}
