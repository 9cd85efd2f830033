use numawise_facts::{Attribute, Cache, Cpu, Reading};

use super::*;
use crate::derive_testing::machine;

const REQUEST: EmulationRequest =
    EmulationRequest { memory: Bytes::mib(1536), scale: 1000.0, core_bandwidth: Some(BytesPerSecond(12e9)) };

fn codes(derived: &DerivedMachine) -> Vec<&'static str> {
    derived.notices.iter().map(Notice::code).collect()
}

#[test]
fn a_measured_machine_becomes_an_emulated_one() {
    let derived = derive("host", &machine(&[(0, "0-1", 768), (1, "2-3", 768)]), &REQUEST).unwrap();
    assert_eq!(codes(&derived), [] as [&str; 0]);
    let description = derived.machine.description();
    assert_eq!(description.distances, [[10, 21], [21, 10]]);
    assert_eq!(description.node[1], EmulatedNode { cpus: vec![2, 3], memory_mib: 768, initiator: None });
    let timing = description.timing.as_ref().unwrap();
    assert_eq!((timing.core_gbps, timing.cache_kib, timing.scale), (12.0, 256, 1000.0));
    let row = NodeTiming { gbps: 100.0, latency_ns: vec![140.0, 80.0], link_gbps: vec![40.0, 0.0] };
    assert_eq!(timing.node[1], row);
}

#[test]
fn what_differs_from_the_real_machine_is_a_notice() {
    let mut real = machine(&[(1, "", 1 << 16), (4, "8-9", 0), (6, "2,12", 1 << 18)]);
    real.nodes[0].kind = MemoryKind::Hbm;
    real.nodes[2].distances = Reading::unavailable("none");
    real.cpus[1].smt = 1;
    real.cpus.push(Cpu { id: CpuId(20), node: None, ..real.cpus[0].clone() });
    real.caches = vec![Cache { level: 2, size: Bytes::mib(2), cpus: "8".parse().unwrap() }];
    let derived = derive("host", &real, &EmulationRequest { core_bandwidth: None, ..REQUEST }).unwrap();
    assert_eq!(codes(&derived), ["NW801", "NW802", "NW803", "NW804", "NW805", "NW806", "NW807", "NW808"]);
    assert_eq!(derived.nodes, [NodeId(6), NodeId(4), NodeId(1)], "one with CPUs and memory comes first");
    assert_eq!(derived.cpus, [2, 12, 8, 9].map(CpuId));
    let description = derived.machine.description();
    let memory: Vec<u64> = description.node.iter().map(|node| node.memory_mib).collect();
    assert_eq!(memory, [1216, 0, 320]);
    assert_eq!(description.timing.as_ref().unwrap().cache_kib, 2048);
}

#[test]
fn a_complete_hmat_is_passed_on_and_a_part_of_one_is_not() {
    let mut real = machine(&[(0, "0-1", 512), (1, "", 256)]);
    real.nodes[1].kind = MemoryKind::Hbm;
    real.nodes[1].near = "0-1".parse().unwrap();
    for (to, kind, value) in [
        (0, AttributeKind::ReadLatency, 80),
        (0, AttributeKind::ReadBandwidth, 90_000),
        (1, AttributeKind::ReadLatency, 120),
        (1, AttributeKind::ReadBandwidth, 400_000),
    ] {
        real.attributes.push(Attribute::declared(kind, "0-1".parse().unwrap(), NodeId(to), value));
    }
    let derived = derive("host", &real, &REQUEST).unwrap();
    let row = HmatRow { initiator: 0, latency_ns: vec![80, 120], bandwidth_mib_s: vec![90_000, 400_000] };
    assert_eq!(derived.machine.description().hmat, [row]);
    assert_eq!(derived.machine.description().node[1].initiator, Some(0));
    assert_eq!(codes(&derived), ["NW805"]);
    real.attributes.pop();
    assert_eq!(codes(&derive("host", &real, &REQUEST).unwrap()), ["NW805", "NW806"]);
}

#[test]
fn what_cannot_be_emulated_is_an_error() {
    let good = machine(&[(0, "0-1", 768), (1, "2-3", 768)]);
    let mut unmeasured = good.clone();
    unmeasured.attributes.retain(|a| a.target != NodeId(1) || a.kind() != AttributeKind::ReadLatency);
    let error = derive("host", &unmeasured, &REQUEST).unwrap_err();
    assert!(matches!(error, Error::NotMeasured { from: NodeId(0), to: NodeId(1) }), "{error}");
    let mut unknown = good.clone();
    unknown.nodes[1].memory = Reading::unavailable("not said");
    let error = derive("host", &unknown, &REQUEST).unwrap_err();
    assert!(matches!(error, Error::MemoryUnknown { node: NodeId(1) }), "{error}");
    for request in [
        EmulationRequest { scale: f64::NAN, ..REQUEST },
        EmulationRequest { memory: Bytes::mib(1), ..REQUEST },
        EmulationRequest { core_bandwidth: Some(BytesPerSecond(0.0)), ..REQUEST },
    ] {
        let error = derive("host", &good, &request).unwrap_err();
        assert!(matches!(error, Error::NotAMachine { .. }), "{error}");
    }
    let nothing = derive("host", &machine(&[]), &REQUEST).unwrap_err();
    assert!(matches!(nothing, Error::NotAMachine { .. }), "{nothing}");
    assert!(matches!(
        derive("host", &machine(&[(0, "0-299", 768)]), &REQUEST),
        Err(Error::NotAMachine { .. })
    ));
}

/// Cores that could draw no more than from ordinary memory would hide what fast memory without CPUs brings.
#[test]
fn cores_are_assumed_to_draw_all_of_the_fastest_memory() {
    let mut real = machine(&[(0, "0-3", 512), (1, "", 256)]);
    for attribute in real.attributes.iter_mut().filter(|of| of.target == NodeId(1)) {
        if attribute.kind() == AttributeKind::ReadBandwidth {
            attribute.figure = Figure::Bandwidth(numawise_facts::Estimate::declared(BytesPerSecond(400e9)));
        }
    }
    let derived = derive("host", &real, &EmulationRequest { core_bandwidth: None, ..REQUEST }).unwrap();
    assert_eq!(derived.machine.description().timing.as_ref().unwrap().core_gbps, 200.0);
}
