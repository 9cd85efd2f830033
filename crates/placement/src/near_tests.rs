use numawise_facts::{Device, DeviceKind, DeviceLocality, Reading, Strategy};
use numawise_units::NodeId;

use super::*;
use crate::testing::{request, two_sockets};

/// Two nodes; gpu:0 on node 1, gpu:1 on some CPUs of node 0, nic:0 nobody knows where.
fn machine() -> Machine {
    let mut machine = two_sockets();
    let of = |node: u32| machine.node(NodeId(node)).unwrap().cpus.clone();
    let device = |kind, number, name: &str, locality| Device {
        kind,
        number,
        names: vec![name.to_owned()],
        pci: Some(format!("{}{number}:0", 1 + u32::from(kind == DeviceKind::Nic)).parse().unwrap()),
        vendor: None,
        model: None,
        locality,
    };
    let near =
        |node: u32, cpus| Reading::Measured(DeviceLocality { cpus, nodes: NodeSet::single(NodeId(node)) });
    let some = CpuSet::single(of(0).first().unwrap());
    machine.devices = Reading::Measured(vec![
        device(DeviceKind::Gpu, 0, "nvml0", near(1, of(1))),
        device(DeviceKind::Gpu, 1, "nvml1", near(0, some)),
        device(DeviceKind::Nic, 0, "eth0", Reading::unavailable("numa_node holds '-1'")),
    ]);
    machine
}

fn of(name: &str, request: &PlacementRequest) -> Result<PlacementRequest, String> {
    near(&machine(), request, &name.parse().unwrap()).map_err(|error| error.to_string())
}

#[test]
fn a_device_near_to_whole_nodes_stands_for_them_and_else_for_its_cpus() {
    let plain = request(Strategy::Local, None);
    let nodes = of("gpu:0", &plain).unwrap();
    assert_eq!((nodes.nodes.unwrap().to_string(), nodes.cpus), ("1".to_owned(), None));
    assert_eq!(of("gpu:nvml0", &plain), of("pci:10:00.0", &plain));
    let cpus = of("gpu:1", &plain).unwrap();
    assert_eq!((cpus.nodes, cpus.cpus.unwrap().to_string()), (None, "0".to_owned()));
    let both = of("gpu", &plain).unwrap().cpus.unwrap();
    let all = machine().node(NodeId(1)).unwrap().cpus.union(&CpuSet::single(numawise_units::CpuId(0)));
    assert_eq!(both, all, "all GPUs together");
}

#[test]
fn what_was_asked_for_besides_still_counts() {
    let plain = request(Strategy::Local, None);
    let on = |nodes: &str| PlacementRequest { nodes: Some(nodes.parse().unwrap()), ..plain.clone() };
    assert_eq!(of("gpu:0", &on("0-1")).unwrap().nodes.unwrap().to_string(), "1");
    assert_eq!(
        of("gpu:0", &on("0")).unwrap_err(),
        "gpu:0 is near to node 1, which is none of the nodes asked for (0)"
    );
    let cpus = PlacementRequest { cpus: Some("1".parse().unwrap()), ..plain.clone() };
    assert_eq!(
        of("gpu:1", &cpus).unwrap_err(),
        "gpu:1 is near to CPUs 0, which are none of those asked for (1)"
    );
    let mut machine = machine();
    machine.allowed_cpus = CpuSet::single(numawise_units::CpuId(1));
    let refused = near(&machine, &plain, &"gpu:1".parse().unwrap());
    assert!(matches!(refused, Err(PlacementError::CpuNotAllowed { .. })), "{refused:?}");
}

#[test]
fn what_is_not_there_or_not_known_is_told_with_what_there_is() {
    let plain = request(Strategy::Local, None);
    for (name, words) in [
        (
            "gpu:2",
            "no device gpu:2 on this machine; there is gpu:0 (nvml0, 0000:10:00.0), gpu:1 (nvml1, 0000:11:00.0)",
        ),
        ("nic:mlx5_0", "there is nic:0 (eth0, 0000:20:00.0)"),
        ("storage", "there is none of that kind, but gpu:0 (nvml0"),
        ("pci:99:0", "there is gpu:0 (nvml0"),
        (
            "nic:0",
            "what nic:0 (eth0, 0000:20:00.0) is near to is not known: numa_node holds '-1'; name a node instead",
        ),
    ] {
        let error = of(name, &plain).unwrap_err();
        assert!(error.contains(words), "{name}: {error}");
    }
    let mut machine = machine();
    machine.devices = Reading::unavailable("a synthetic description has none");
    let error = near(&machine, &plain, &"gpu".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("not known: a synthetic description has none; name a node"), "{error}");
    machine.devices = Reading::Measured(vec![]);
    let error = near(&machine, &plain, &"gpu".parse().unwrap()).unwrap_err().to_string();
    assert!(error.ends_with("there are no devices"), "{error}");
}
