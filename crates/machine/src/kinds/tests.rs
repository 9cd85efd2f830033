use super::*;

fn set(list: &str) -> CpuSet {
    list.parse().unwrap()
}

fn node(id: u32, cpus: &str, near: &str) -> Node {
    Node {
        id: NodeId(id),
        cpus: set(cpus),
        near: set(near),
        memory: Reading::Measured(Bytes::mib(1024)),
        free: Reading::unavailable("a test"),
        kind: MemoryKind::Unknown,
        kind_evidence: String::new(),
        distances: Reading::unavailable("a test"),
    }
}

fn figure(kind: AttributeKind, from: &str, to: u32, value: u64) -> Attribute {
    Attribute { kind, origin: AttributeOrigin::Firmware, initiator: set(from), target: NodeId(to), value }
}

/// The kind of node 1, which has no CPUs, beside node 0 with CPUs 0-3.
fn kind_beside(bandwidth: Option<(u64, u64)>, latency: Option<(u64, u64)>) -> MemoryKind {
    let mut nodes = [node(0, "0-3", "0-3"), node(1, "", "0-3")];
    let mut attributes = Vec::new();
    for (kind, figures) in [(AttributeKind::Bandwidth, bandwidth), (AttributeKind::Latency, latency)] {
        if let Some((ordinary, other)) = figures {
            attributes.push(figure(kind, "0-3", 0, ordinary));
            attributes.push(figure(kind, "0-3", 1, other));
        }
    }
    let owned = [set("0-3"), set("")];
    tell(&mut nodes, &owned, &BTreeMap::new(), &attributes);
    assert_eq!(nodes[0].kind, MemoryKind::Dram);
    nodes[1].kind
}

#[test]
fn figures_tell_the_kind() {
    for (bandwidth, latency, kind) in [
        (Some((100, 200)), None, MemoryKind::Hbm),
        (Some((100, 199)), None, MemoryKind::Unknown),
        (Some((100, 60)), None, MemoryKind::Cxl),
        (Some((100, 61)), None, MemoryKind::Unknown),
        (None, Some((100, 150)), MemoryKind::Cxl),
        (None, Some((100, 149)), MemoryKind::Unknown),
        // High-bandwidth memory may answer late; it stays what it is.
        (Some((90, 400)), Some((80, 140)), MemoryKind::Hbm),
        (Some((100, 90)), Some((100, 250)), MemoryKind::Cxl),
        (None, None, MemoryKind::Unknown),
        // The firmware's 0 is no figure to divide by.
        (Some((0, 400)), None, MemoryKind::Unknown),
    ] {
        assert_eq!(kind_beside(bandwidth, latency), kind, "{bandwidth:?} {latency:?}");
    }
}

#[test]
fn a_name_that_hwloc_does_not_give_by_itself_tells_nothing() {
    let mut nodes = [node(0, "0-3", "0-3"), node(1, "", "0-3")];
    let subtypes = BTreeMap::from([(NodeId(1), "HBM-like and proud".to_owned())]);
    tell(&mut nodes, &[set("0-3"), set("")], &subtypes, &[]);
    assert_eq!(nodes[1].kind, MemoryKind::Unknown);
}

#[test]
fn what_hwloc_recognises_is_told_with_its_reason() {
    for (subtype, kind) in [
        ("MCDRAM", MemoryKind::Hbm),
        ("HBM", MemoryKind::Hbm),
        ("GPUMemory", MemoryKind::Gpu),
        ("CXL-DRAM", MemoryKind::Cxl),
        ("NVM", MemoryKind::Unknown),
    ] {
        let mut nodes = [node(0, "0", "0"), node(1, "", "0")];
        let subtypes = BTreeMap::from([(NodeId(1), subtype.to_owned())]);
        tell(&mut nodes, &[set("0"), set("")], &subtypes, &[]);
        assert_eq!(nodes[1].kind, kind, "{subtype}");
        assert!(!nodes[1].kind_evidence.is_empty());
    }
}

#[test]
fn figures_from_other_cpus_are_not_compared() {
    let mut nodes = [node(0, "0-1", "0-1"), node(1, "2-3", "2-3"), node(2, "", "2-3")];
    let attributes = [
        figure(AttributeKind::Bandwidth, "0-1", 0, 10),
        figure(AttributeKind::Bandwidth, "2-3", 1, 100),
        figure(AttributeKind::Bandwidth, "2-3", 2, 110),
    ];
    tell(&mut nodes, &[set("0-1"), set("2-3"), set("")], &BTreeMap::new(), &attributes);
    assert_eq!(nodes[2].kind, MemoryKind::Unknown, "node 2 is slow and near to node 1 only");
}

fn owners(nodes: &[Node], subtypes: &BTreeMap<NodeId, String>, attributes: &[Attribute]) -> Vec<String> {
    let homes: Vec<CpuSet> = nodes.iter().map(|node| node.near.clone()).collect();
    let owned = owned(nodes, &homes, subtypes, attributes);
    owned.iter().map(ToString::to_string).collect()
}

#[test]
fn the_smallest_locality_owns_then_the_ordinary_then_the_lowest_number() {
    let none = BTreeMap::new();
    let nested = [node(0, "", "0-7"), node(1, "", "0-3"), node(2, "", "4-5")];
    assert_eq!(owners(&nested, &none, &[]), ["6-7", "0-3", "4-5"]);
    let tied = [node(3, "", "0-1"), node(5, "", "0-1")];
    assert_eq!(owners(&tied, &none, &[]), ["0-1", ""]);
    let named = BTreeMap::from([(NodeId(3), "MCDRAM".to_owned())]);
    assert_eq!(owners(&tied, &named, &[]), ["", "0-1"]);
    let late = [figure(AttributeKind::Latency, "0-1", 3, 130), figure(AttributeKind::Latency, "0-1", 5, 110)];
    assert_eq!(owners(&tied, &none, &late), ["", "0-1"]);
}

#[test]
fn cores_are_numbered_by_their_lowest_cpu() {
    let places = Locality::of_sets(&set("0-5"), &[set("3,5"), set("0,4")]);
    assert_eq!(places.place(numawise_units::CpuId(4)), (0, 1));
    assert_eq!(places.place(numawise_units::CpuId(1)), (1, 0));
    assert_eq!(places.place(numawise_units::CpuId(5)), (3, 1));
}

#[test]
fn cores_that_overlap_count_a_cpu_once() {
    let places = Locality::of_sets(&set("0-2"), &[set("0-1"), set("1-2")]);
    assert_eq!(places.place(numawise_units::CpuId(1)), (0, 1));
    assert_eq!(places.place(numawise_units::CpuId(2)), (1, 0));
}
