use numawise_facts::memory::FigureVsOrdinary;
use numawise_facts::{AttributeKind, Reading};
use numawise_units::Bytes;

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
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("a test"),
    }
}

fn figure(kind: AttributeKind, from: &str, to: u32, value: u64) -> Attribute {
    Attribute::declared(kind, set(from), NodeId(to), value)
}

/// The kind of node 1, which has no CPUs, vs node 0 with CPUs 0-3.
fn kind_vs_ordinary(bandwidth: Option<(u64, u64)>, latency: Option<(u64, u64)>) -> MemoryKind {
    let mut nodes = [node(0, "0-3", "0-3"), node(1, "", "0-3")];
    let mut attributes = Vec::new();
    for (kind, figures) in [(AttributeKind::Bandwidth, bandwidth), (AttributeKind::Latency, latency)] {
        if let Some((ordinary, other)) = figures {
            attributes.push(figure(kind, "0-3", 0, ordinary));
            attributes.push(figure(kind, "0-3", 1, other));
        }
    }
    let owned = [set("0-3"), set("")];
    derive(&mut nodes, &owned, &BTreeMap::new(), &attributes, true);
    assert_eq!(nodes[0].kind, MemoryKind::Dram);
    nodes[1].kind
}

#[test]
fn figures_decide_the_kind() {
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
        assert_eq!(kind_vs_ordinary(bandwidth, latency), kind, "{bandwidth:?} {latency:?}");
    }
}

#[test]
fn a_name_that_hwloc_does_not_give_by_itself_decides_nothing() {
    let mut nodes = [node(0, "0-3", "0-3"), node(1, "", "0-3")];
    let subtypes = BTreeMap::from([(NodeId(1), "HBM-like and proud".to_owned())]);
    derive(&mut nodes, &[set("0-3"), set("")], &subtypes, &[], true);
    assert_eq!(nodes[1].kind, MemoryKind::Unknown);
}

#[test]
fn what_hwloc_recognises_has_its_reason() {
    for (subtype, kind) in [
        ("MCDRAM", MemoryKind::Hbm),
        ("HBM", MemoryKind::Hbm),
        ("GPUMemory", MemoryKind::Gpu),
        ("CXL-DRAM", MemoryKind::Cxl),
        ("NVM", MemoryKind::Unknown),
    ] {
        let mut nodes = [node(0, "0", "0"), node(1, "", "0")];
        let subtypes = BTreeMap::from([(NodeId(1), subtype.to_owned())]);
        derive(&mut nodes, &[set("0"), set("")], &subtypes, &[], true);
        assert_eq!(nodes[1].kind, kind, "{subtype}");
        assert!(matches!(nodes[1].kind_evidence, MemoryKindEvidence::Recognised { .. }), "{subtype}");
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
    derive(&mut nodes, &[set("0-1"), set("2-3"), set("")], &BTreeMap::new(), &attributes, true);
    assert_eq!(nodes[2].kind, MemoryKind::Unknown, "node 2 is slow and near to node 1 only");
}

fn owners(nodes: &[Node], subtypes: &BTreeMap<NodeId, String>, attributes: &[Attribute]) -> Vec<String> {
    let homes: Vec<CpuSet> = nodes.iter().map(|node| node.near.clone()).collect();
    let local = local_cpus(nodes, &homes, subtypes, attributes);
    local.iter().map(ToString::to_string).collect()
}

#[test]
fn memory_is_local_to_the_smallest_locality_then_the_ordinary_then_the_lowest_number() {
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

fn measured_figure(kind: AttributeKind, from: &str, to: u32, value: u64) -> Attribute {
    Attribute { origin: AttributeOrigin::Measured, ..figure(kind, from, to, value) }
}

/// Bandwidth and latency from CPUs 0-3 to node 0 and to node 1.
fn measured_pair(bandwidth: (u64, u64), latency: (u64, u64)) -> Vec<Attribute> {
    use AttributeKind::{ReadBandwidth, ReadLatency};
    vec![
        measured_figure(ReadLatency, "0-3", 0, latency.0),
        measured_figure(ReadLatency, "0-3", 1, latency.1),
        measured_figure(ReadBandwidth, "0-3", 0, bandwidth.0),
        measured_figure(ReadBandwidth, "0-3", 1, bandwidth.1),
    ]
}

/// The evidence for node 1 by figures of node 0 and of node 1.
fn compared(origin: AttributeOrigin, rates: (u64, u64), latencies: Option<(u64, u64)>) -> MemoryKindEvidence {
    use AttributeKind::{ReadBandwidth, ReadLatency};
    let of = |kind, value| figure(kind, "0", 0, value).figure;
    let rate = |value| of(ReadBandwidth, value).bandwidth().unwrap();
    let latency = |value| of(ReadLatency, value).latency().unwrap();
    MemoryKindEvidence::Compared {
        ordinary: NodeId(0),
        origin,
        bandwidth: Some(FigureVsOrdinary { node: rate(rates.1), ordinary: rate(rates.0) }),
        latency: latencies
            .map(|(near, node)| FigureVsOrdinary { node: latency(node), ordinary: latency(near) }),
    }
}

fn vs_ordinary(subtype: Option<&str>, attributes: &[Attribute]) -> (MemoryKind, MemoryKindEvidence) {
    let mut nodes = [node(0, "0-3", "0-3"), node(1, "", "0-3")];
    let subtypes = subtype.map(|name| (NodeId(1), name.to_owned())).into_iter().collect();
    derive(&mut nodes, &[set("0-3"), set("")], &subtypes, attributes, true);
    assert_eq!(nodes[0].kind, MemoryKind::Dram);
    (nodes[1].kind, nodes[1].kind_evidence.clone())
}

#[test]
fn measured_figures_decide_where_the_firmware_is_silent() {
    let (kind, evidence) = vs_ordinary(None, &measured_pair((90_000, 400_000), (80, 100)));
    assert_eq!(kind, MemoryKind::Hbm);
    assert_eq!(evidence, compared(AttributeOrigin::Measured, (90_000, 400_000), Some((80, 100))));
    assert_eq!(vs_ordinary(None, &measured_pair((90_000, 40_000), (80, 100))).0, MemoryKind::Cxl);
    assert_eq!(vs_ordinary(None, &measured_pair((90_000, 80_000), (80, 200))).0, MemoryKind::Cxl);
    let (kind, evidence) = vs_ordinary(None, &measured_pair((90_000, 91_000), (80, 81)));
    assert_eq!(kind, MemoryKind::Unknown);
    assert_eq!(evidence, compared(AttributeOrigin::Measured, (90_000, 91_000), Some((80, 81))));
}

#[test]
fn measured_figures_win_over_declared_ones() {
    let declared = |slow, fast| {
        vec![
            figure(AttributeKind::Bandwidth, "0-3", 0, slow),
            figure(AttributeKind::Bandwidth, "0-3", 1, fast),
        ]
    };
    let with = |declared: Vec<Attribute>, measured: Vec<Attribute>| [declared, measured].concat();
    let slow = measured_pair((90_000, 30_000), (80, 250));
    assert_eq!(vs_ordinary(None, &with(declared(100, 400), slow.clone())).0, MemoryKind::Cxl);
    assert_eq!(
        vs_ordinary(None, &with(declared(100, 20), measured_pair((90_000, 400_000), (80, 90)))).0,
        MemoryKind::Hbm
    );
    // Two cores may load both alike; that refutes nothing.
    let alike = measured_pair((24_000, 24_500), (80, 85));
    let (kind, evidence) = vs_ordinary(None, &with(declared(100, 400), alike.clone()));
    assert_eq!(kind, MemoryKind::Hbm);
    assert_eq!(evidence, compared(AttributeOrigin::Firmware, (100, 400), None));
    // Where nothing else tells, it is said all the same.
    let measured = compared(AttributeOrigin::Measured, (24_000, 24_500), Some((80, 85)));
    assert_eq!(vs_ordinary(None, &alike).1, measured);
}

#[test]
fn what_hwloc_recognises_yields_to_a_decision_only_and_a_gpu_to_nothing() {
    let slow = measured_pair((90_000, 30_000), (80, 250));
    let alike = measured_pair((90_000, 95_000), (80, 85));
    assert_eq!(vs_ordinary(Some("HBM"), &alike).0, MemoryKind::Hbm);
    assert_eq!(vs_ordinary(Some("HBM"), &slow).0, MemoryKind::Cxl);
    assert_eq!(vs_ordinary(Some("GPUMemory"), &slow).0, MemoryKind::Gpu);
    assert_eq!(
        vs_ordinary(Some("NVM"), &alike).1,
        MemoryKindEvidence::Recognised { memory: RecognisedMemory::NonVolatile }
    );
    assert_eq!(vs_ordinary(Some("NVM"), &slow).0, MemoryKind::Cxl);
}

#[test]
fn measured_memory_is_compared_from_the_cpus_it_is_nearest_to() {
    // Two cores load local and remote memory alike, node 2 from node 0 even a little more than from its own.
    let mut nodes = [node(0, "0", "0"), node(1, "1", "1"), node(2, "", "1")];
    let mut attributes = Vec::new();
    for (from, to, latency, bandwidth) in [
        ("0", 0, 80, 10_000),
        ("0", 1, 140, 9_900),
        ("0", 2, 150, 10_100),
        ("1", 0, 140, 9_900),
        ("1", 1, 80, 10_000),
        ("1", 2, 90, 10_000),
    ] {
        attributes.push(measured_figure(AttributeKind::ReadLatency, from, to, latency));
        attributes.push(measured_figure(AttributeKind::ReadBandwidth, from, to, bandwidth));
    }
    derive(&mut nodes, &[set("0"), set("1"), set("")], &BTreeMap::new(), &attributes, true);
    assert_eq!(nodes[2].kind, MemoryKind::Unknown, "{:?}", nodes[2].kind_evidence);
    assert!(
        matches!(nodes[2].kind_evidence, MemoryKindEvidence::Compared { ordinary: NodeId(1), .. }),
        "{:?}",
        nodes[2].kind_evidence
    );
}

#[test]
fn figures_of_both_origins_are_not_mixed() {
    // Measured of one, declared of the other: nothing to compare.
    let attributes = [
        figure(AttributeKind::Bandwidth, "0-3", 0, 100),
        measured_figure(AttributeKind::Bandwidth, "0-3", 1, 400),
    ];
    assert_eq!(vs_ordinary(None, &attributes), (MemoryKind::Unknown, MemoryKindEvidence::NoFigures));
}

#[test]
fn memory_without_cpus_is_not_ordinary_because_nothing_more_is_known() {
    // The memory of GPUs in a description of hwloc 1, which gives no locality.
    for (whole, evidence) in
        [(true, MemoryKindEvidence::NoFigures), (false, MemoryKindEvidence::CpusNotDescribed)]
    {
        let mut nodes = [node(0, "0-3", "0-3"), node(252, "", "")];
        derive(&mut nodes, &[set("0-3"), set("")], &BTreeMap::new(), &[], whole);
        assert_eq!((nodes[1].kind, nodes[1].kind_evidence.clone()), (MemoryKind::Unknown, evidence));
    }
}
