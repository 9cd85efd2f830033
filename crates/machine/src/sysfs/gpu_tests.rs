use super::*;
use crate::fixture::Fixture;
use crate::quick;
use numawise_facts::MemoryKind;

#[test]
fn a_status_names_its_node_or_none() {
    let status = |node: &str| format!("Node:      {node}\nStatus:    online\nSize:      3f0000000\n");
    assert_eq!(node(&status("255")), Some(NodeId(255)));
    for nothing in [status("-1"), status(""), status("all"), String::new(), "Node".to_owned()] {
        assert_eq!(node(&nothing), None, "{nothing}");
    }
}

#[test]
fn a_driver_tells_which_nodes_are_its_gpus() {
    let fixture = Fixture::named("gpus");
    let kinds = || -> Vec<(u32, MemoryKind)> {
        let machine = quick(&fixture.roots()).unwrap();
        machine.nodes.iter().map(|node| (node.id.0, node.kind)).collect()
    };
    let [dram, gpu, unknown] = [MemoryKind::Dram, MemoryKind::Gpu, MemoryKind::Unknown];
    assert_eq!(kinds(), [(0, dram), (1, unknown), (8, dram), (254, gpu), (255, gpu)]);
    fixture.remove("/proc/driver/nvidia/gpus/0004:04:00.0/numa_status");
    assert_eq!(kinds(), [(0, dram), (1, unknown), (8, dram), (254, gpu), (255, unknown)]);
    // Nodes that drivers name are no others for that.
    fixture.write("/proc/driver/nvidia/gpus/0004:04:00.0/numa_status", "Node: 8\n");
    assert_eq!(kinds()[2], (8, dram), "it has CPUs");
}
