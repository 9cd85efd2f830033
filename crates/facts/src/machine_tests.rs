use super::*;

fn node(id: u32, cpus: &str, distances: &[u32]) -> Node {
    Node {
        id: NodeId(id),
        cpus: cpus.parse().unwrap(),
        near: cpus.parse().unwrap(),
        memory: Reading::Measured(Bytes::mib(512)),
        free: Reading::unavailable("recorded"),
        kind: MemoryKind::Dram,
        kind_evidence: "the only kind".to_owned(),
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
fn a_machine_goes_through_json() {
    let machine = gapped();
    let text = serde_json::to_string(&machine).unwrap();
    assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
}

#[test]
fn a_figure_of_the_first_version_is_the_firmwares() {
    let old = r#"{"kind": "read_latency", "initiator": "0-3", "target": 1, "value": 110}"#;
    let read: Attribute = serde_json::from_str(old).unwrap();
    assert_eq!(read.origin, AttributeOrigin::Firmware);
    let measured = Attribute { origin: AttributeOrigin::Measured, ..read };
    let text = serde_json::to_string(&measured).unwrap();
    assert!(text.contains(r#""origin":"measured""#), "{text}");
    assert_eq!(serde_json::from_str::<Attribute>(&text).unwrap(), measured);
}

#[test]
fn measured_figures_are_told_from_declared_ones() {
    let mut machine = gapped();
    let figure = |origin, cpus: &str, target, value| Attribute {
        kind: AttributeKind::ReadLatency,
        origin,
        initiator: cpus.parse().unwrap(),
        target: NodeId(target),
        value,
    };
    machine.attributes = vec![figure(AttributeOrigin::Firmware, "0", 8, 90)];
    let told =
        |machine: &Machine, from, to| machine.measured(AttributeKind::ReadLatency, NodeId(from), NodeId(to));
    assert_eq!((machine.is_measured(), told(&machine, 0, 8)), (false, None));
    machine.attributes.push(figure(AttributeOrigin::Measured, "0", 8, 150));
    machine.attributes.push(figure(AttributeOrigin::Measured, "5", 8, 0));
    assert_eq!((machine.is_measured(), told(&machine, 0, 8)), (true, Some(150)));
    assert_eq!(told(&machine, 8, 8), None, "0 is no figure");
    assert_eq!(told(&machine, 0, 0), None);
    assert_eq!(told(&machine, 7, 8), None, "no such node");
    assert_eq!(machine.measured(AttributeKind::Latency, NodeId(0), NodeId(8)), None, "another kind");
}
