use super::*;
use crate::fixture::Fixture;
use crate::quick;

const NODE_3: &str = "/sys/devices/system/node/node3";

fn bandwidth_of_node_3(fixture: &Fixture) -> (u64, String) {
    let machine = quick(&fixture.roots()).unwrap();
    let found =
        machine.attributes.iter().find(|a| a.target == NodeId(3) && a.kind() == AttributeKind::ReadBandwidth);
    let found = found.expect("node 3 has a bandwidth");
    (found.figure.in_units_of_the_kernel() as u64, found.initiator.to_string())
}

fn remove_directory(fixture: &Fixture, path: &str) {
    std::fs::remove_dir_all(fixture.roots().path(path)).unwrap();
}

/// As seen with Linux 6.12: class 1 links node 0 and gives its figures, for a node that is beside node 1.
#[test]
fn a_wrong_class_1_does_not_mislead() {
    let fixture = Fixture::named("hbm");
    remove_directory(&fixture, &format!("{NODE_3}/access1/initiators/node1"));
    fixture.write(&format!("{NODE_3}/access1/initiators/node0/present"), "");
    fixture.write(&format!("{NODE_3}/access1/initiators/read_bandwidth"), "40960\n");
    assert_eq!(bandwidth_of_node_3(&fixture), (400_000, "2-3".to_owned()));
    let machine = quick(&fixture.roots()).unwrap();
    assert_eq!(machine.nodes[3].near.to_string(), "2-3");
    assert_eq!(machine.nodes[3].kind, numawise_facts::MemoryKind::Hbm);
}

/// A device may be nearer than all CPUs: then class 0 speaks of the device.
#[test]
fn class_1_counts_where_class_0_has_no_cpus() {
    let fixture = Fixture::named("hbm");
    remove_directory(&fixture, &format!("{NODE_3}/access0/initiators/node1"));
    fixture.write(&format!("{NODE_3}/access0/initiators/node3/present"), "");
    fixture.write(&format!("{NODE_3}/access0/initiators/read_bandwidth"), "999999\n");
    assert_eq!(bandwidth_of_node_3(&fixture), (400_000, "2-3".to_owned()));
}

#[test]
fn figures_without_initiators_are_left_out() {
    let fixture = Fixture::named("hbm");
    for class in ["access0", "access1"] {
        remove_directory(&fixture, &format!("/sys/devices/system/node/node2/{class}/initiators/node0"));
    }
    let machine = quick(&fixture.roots()).unwrap();
    assert!(machine.attributes.iter().all(|attribute| attribute.target != NodeId(2)));
    assert_eq!(machine.nodes[2].near.to_string(), "0-1", "by distance");
}
