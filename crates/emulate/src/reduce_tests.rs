use super::*;
use crate::derive_testing::machine;
use numawise_units::NodeId;

#[test]
fn all_nodes_stay_and_have_the_same_number_of_cores() {
    let real = machine(&[(0, "0-63", 768), (1, "64-127", 768), (2, "", 256)]);
    assert_eq!(most_cores_per_node(&real, 128), Some(64));
    assert_eq!(most_cores_per_node(&real, 100), Some(50));
    assert_eq!(most_cores_per_node(&real, 1), None, "two nodes have CPUs");
    let reduced = with_cores_per_node(&real, 4);
    let cpus: Vec<String> = reduced.nodes.iter().map(|node| node.cpus.to_string()).collect();
    assert_eq!(cpus, ["0-3", "64-67", ""]);
    assert_eq!(reduced.nodes[0].distances, real.nodes[0].distances);
    assert!(reduced.measured_latency(NodeId(0), NodeId(2)).is_some());
    assert_eq!(core_bandwidth(&real, &reduced, BytesPerSecond(1e9)), BytesPerSecond(16e9));
    let latencies =
        |of: &Machine| [0, 1, 2].map(|to| of.measured_latency(NodeId(0), NodeId(to)).unwrap().median.0);
    assert_eq!(latencies(&real), [80.0, 140.0, 140.0]);
    assert_eq!(latencies(&with_overlapping_misses(&real, reduced)), [5.0, 8.75, 8.75], "16 overlap");
}

#[test]
fn hardware_threads_of_a_core_go_before_cores_do() {
    let mut real = machine(&[(0, "0-3", 768)]);
    for cpu in &mut real.cpus {
        (cpu.core, cpu.smt) = (cpu.id.0 / 2, cpu.id.0 % 2);
    }
    assert_eq!(with_cores_per_node(&real, 9).nodes[0].cpus.to_string(), "0,2");
    assert_eq!(most_cores_per_node(&real, 3), Some(2));
}
