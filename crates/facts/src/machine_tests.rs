use super::*;
use crate::MemoryAccess;

fn node(id: u32, cpus: &str, distances: &[u32]) -> Node {
    Node {
        id: NodeId(id),
        cpus: cpus.parse().unwrap(),
        near: cpus.parse().unwrap(),
        memory: Reading::Measured(Bytes::mib(512)),
        free: Reading::unavailable("recorded"),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::LocalMemory { cpus: cpus.parse().unwrap() },
        distances: Reading::Measured(distances.to_vec()),
    }
}

fn gapped() -> Machine {
    let cpu = |id, node| Cpu {
        id: CpuId(id),
        node: Some(NodeId(node)),
        package: None,
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("all alike"),
    };
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: vec![],
        nodes: vec![node(0, "0", &[10, 21]), node(8, "5", &[21, 10])],
        cpus: vec![cpu(0, 0), cpu(5, 8)],
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: "5".parse().unwrap(),
        allowed_nodes: "0,8".parse().unwrap(),
        limits: vec![],
    }
}

#[test]
fn numbering_may_have_gaps() {
    let machine = gapped();
    assert_eq!(machine.distance(NodeId(0), NodeId(8)), Some(21));
    assert_eq!(machine.distance(NodeId(0), NodeId(1)), None);
    assert_eq!(machine.node_of(CpuId(5)), Some(NodeId(8)));
    assert_eq!(machine.node_of(CpuId(1)), None);
    assert_eq!(machine.nodes_with_allowed_cpus().map(|n| n.id).collect::<Vec<_>>(), [NodeId(8)]);
}

#[test]
fn cpus_of_one_core_are_one_core() {
    let mut machine = gapped();
    let cores = |machine: &Machine, cpus: &str| machine.cores(&cpus.parse().unwrap());
    assert_eq!(["", "0", "0,5", "1-4", "0-9"].map(|cpus| cores(&machine, cpus)), [0, 1, 2, 0, 2]);
    machine.cpus[1].core = 0;
    assert_eq!(cores(&machine, "0,5"), 1);
}

#[test]
fn a_machine_goes_through_json() {
    let machine = gapped();
    let text = serde_json::to_string(&machine).unwrap();
    assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
}

#[test]
fn an_attribute_goes_through_json_with_its_interval() {
    let latency = Estimate {
        median: Latency(110.5),
        low: Latency(109.0),
        high: Latency(112.25),
        samples: 9,
        disturbed: 1,
    };
    let measured = Attribute {
        access: MemoryAccess::Read,
        origin: AttributeOrigin::Measured,
        initiator: "0-3".parse().unwrap(),
        target: NodeId(1),
        figure: Figure::Latency(latency),
    };
    let text = serde_json::to_string(&measured).unwrap();
    assert!(text.contains(r#""origin":"measured""#), "{text}");
    assert_eq!(serde_json::from_str::<Attribute>(&text).unwrap(), measured);
}

#[test]
fn every_kind_of_attribute_is_declared_in_the_units_of_the_kernel() {
    for kind in [
        AttributeKind::Latency,
        AttributeKind::ReadLatency,
        AttributeKind::WriteLatency,
        AttributeKind::Bandwidth,
        AttributeKind::ReadBandwidth,
        AttributeKind::WriteBandwidth,
    ] {
        let declared = Attribute::declared(kind, "0".parse().unwrap(), NodeId(0), 90_000);
        assert_eq!(declared.kind(), kind);
        assert_eq!(declared.figure.in_units_of_the_kernel(), 90_000.0);
        assert_eq!(declared.figure.bandwidth().is_some(), kind.is_bandwidth());
        assert_eq!(declared.figure.latency().is_none(), kind.is_bandwidth());
    }
    let rate = Attribute::declared(AttributeKind::Bandwidth, "0".parse().unwrap(), NodeId(0), 90_000);
    assert_eq!(rate.figure.bandwidth().unwrap().median, BytesPerSecond(90e9));
}

#[test]
fn measured_figures_are_told_from_declared_ones() {
    let mut machine = gapped();
    let figure = |origin, cpus: &str, target, value| Attribute {
        origin,
        ..Attribute::declared(AttributeKind::ReadLatency, cpus.parse().unwrap(), NodeId(target), value)
    };
    machine.attributes = vec![figure(AttributeOrigin::Firmware, "0", 8, 90)];
    let found = |machine: &Machine, from, to| {
        machine.measured_latency(NodeId(from), NodeId(to)).map(|latency| latency.median)
    };
    assert_eq!((machine.is_measured(), found(&machine, 0, 8)), (false, None));
    machine.attributes.push(figure(AttributeOrigin::Measured, "0", 8, 150));
    machine.attributes.push(figure(AttributeOrigin::Measured, "5", 8, 0));
    assert_eq!((machine.is_measured(), found(&machine, 0, 8)), (true, Some(Latency(150.0))));
    assert_eq!(found(&machine, 8, 8), None, "0 is no figure");
    assert_eq!(found(&machine, 0, 0), None);
    assert_eq!(found(&machine, 7, 8), None, "no such node");
    assert_eq!(machine.measured(AttributeKind::Latency, NodeId(0), NodeId(8)), None, "another kind");
    assert_eq!(machine.measured_bandwidth(NodeId(0), NodeId(8)), None);
}

#[test]
fn a_machine_that_was_recorded_before_devices_were_looked_for_has_none_that_are_known() {
    let mut stored = serde_json::to_value(gapped()).unwrap();
    stored.as_object_mut().unwrap().remove("devices").expect("it is stored");
    let read: Machine = serde_json::from_value(stored).unwrap();
    assert_eq!(read.devices.reason().unwrap().to_string(), "they were not recorded");
    assert_eq!(Machine { devices: gapped().devices, ..read }, gapped());
}
