use numawise_units::{BytesPerSecond, NodeId, Ratio};

use super::*;

fn weights() -> Vec<NodeWeight> {
    vec![NodeWeight { node: NodeId(0), weight: 1 }, NodeWeight { node: NodeId(2), weight: 4 }]
}

#[test]
fn weights_come_with_what_root_has_to_write() {
    let needed = |origin, error| text(&PlanNotice::WeightsNeeded { weights: weights(), origin, error });
    assert_eq!(
        needed(AttributeOrigin::Firmware, None),
        "weighted interleaving: the kernel has one set of weights for all programs; for these nodes to share pages by their \
         bandwidths it must be node0 1, node2 4 (root's to write: --emit kernel-weights prints the commands)"
    );
    let measured = needed(AttributeOrigin::Measured, Some(Ratio(2.914)));
    assert!(measured.contains("by their measured bandwidths it must be node0 1, node2 4"), "{measured}");
    assert!(measured.contains("at worst 291 % off the bandwidths"), "{measured}");
}

#[test]
fn without_a_profile_the_way_to_one_is_said() {
    let unknown = |machine_is_measured| {
        text(&PlanNotice::BandwidthUnknown { nodes: "0-1".parse().unwrap(), machine_is_measured })
    };
    let told = unknown(false);
    assert!(told.contains("gives no bandwidth of node 0-1") && told.contains("1 each"), "{told}");
    assert!(told.contains("it is not measured yet (numawise machine measure)"), "{told}");
    assert!(unknown(true).contains("is neither measured nor given by the machine's firmware"));
}

#[test]
fn oversubscription_has_both_numbers() {
    let cpus: CpuSet = "0-7".parse().unwrap();
    let text = text(&PlanNotice::Oversubscribed { threads: 12, cpus });
    assert!(text.contains("12 threads on 8 CPUs (0-7)") && text.contains("have 2 threads"), "{text}");
    let task =
        PlanNotice::TaskOversubscribed { threads: 2, cpus: "3".parse().unwrap(), strategy: Strategy::Semi };
    let text = super::text(&task);
    assert_eq!(
        text,
        "oversubscribed: a task of 2 threads has 1 CPU (3); a task of `semi` stays inside one node"
    );
}

#[test]
fn weights_say_when_and_where_they_were_measured() {
    let bandwidth = |node, rate| numawise_facts::notice::NodeBandwidth {
        node: NodeId(node),
        bandwidth: BytesPerSecond(rate),
    };
    let derived = |origin, taken: Option<Option<u64>>| {
        let profile = taken.map(|taken| ProfileReference { taken, path: "/data/x.json".to_owned() });
        let bandwidths = vec![bandwidth(0, 50e9), bandwidth(1, 150e9)];
        text(&PlanNotice::WeightsDerivedFrom { origin, profile, bandwidths })
    };
    assert_eq!(
        derived(AttributeOrigin::Measured, Some(Some(1_700_000_000))),
        "the weights are derived from bandwidths measured on 2023-11-14 22:13:20 UTC (/data/x.json): node 0 50.0 GB/s, \
         node 1 150.0 GB/s"
    );
    assert!(
        derived(AttributeOrigin::Measured, Some(None)).contains("measured on an unknown date (/data/x.json)")
    );
    assert!(derived(AttributeOrigin::Measured, None).contains("as the machine file has them"));
    assert!(
        derived(AttributeOrigin::Firmware, None).contains("bandwidths that the firmware declares: node 0")
    );
}

#[test]
fn options_of_numactl_name_their_policies() {
    let text = text(&PlanNotice::BalancingIgnored { policy: MemoryMode::PreferredMany });
    assert_eq!(text, "--balancing is ignored together with --preferred-many, as numactl does");
}

#[test]
fn nodes_that_idle_are_named_with_what_uses_them() {
    let nodes: numawise_units::NodeSet = "2-7".parse().unwrap();
    assert_eq!(
        text(&PlanNotice::NodesIdle { tasks: 2, nodes }),
        "each of 2 tasks stays inside one node, so that node 2-7 idles; strategies distributed and local use it, and so do more tasks"
    );
}
