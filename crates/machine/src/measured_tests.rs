use std::fs;
use std::path::{Path, PathBuf};

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{
    AttributeKind, Bandwidth, Depth, Estimate, Fingerprint, IdleLatency, MemoryKind, ProfileHeader,
    ProfileNode, ProfileOrigin, Reading,
};
use numawise_units::{BytesPerSecond, Latency};
use proptest::prelude::{ProptestConfig, prop, prop_assert_eq, proptest};

use super::*;
use crate::{from_synthetic, from_xml_file};

fn none<T>() -> Reading<T> {
    Reading::unavailable("a test")
}

fn estimate<T: Copy>(median: T) -> Reading<Estimate<T>> {
    Reading::Measured(Estimate { median, low: median, high: median, samples: 5, disturbed: 0 })
}

fn latency(from: u32, to: u32, ns: f64) -> IdleLatency {
    IdleLatency {
        from: NodeId(from),
        to: NodeId(to),
        cpu: none(),
        pages: none(),
        bytes: none(),
        latency: estimate(Latency(ns)),
        with_tlb_misses: none(),
        buffers: none(),
    }
}

fn rate(workers: Workers, to: u32, mix: Mix, rate: f64) -> Bandwidth {
    Bandwidth {
        workers,
        target: Target::Node(NodeId(to)),
        mix,
        threads: Reading::Measured(2),
        rate: estimate(BytesPerSecond(rate)),
        declared: none(),
        with: none(),
        buffers: none(),
    }
}

/// A profile whose figures came from all CPUs of a machine, of `pairs`: from, to, nanoseconds, GB/s of reads.
fn profile(machine: &Machine, pairs: &[(u32, u32, f64, f64)]) -> Profile {
    let node = |node: &numawise_facts::Node| ProfileNode {
        id: node.id,
        cpus: Reading::Measured(node.cpus.clone()),
        memory: node.memory.clone(),
        kind: node.kind,
    };
    let mut bandwidth = Vec::new();
    for (from, to, _, read) in pairs {
        let workers = Workers::Node(NodeId(*from));
        bandwidth.push(rate(workers, *to, Mix::Read, read * 1e9));
        bandwidth.push(rate(workers, *to, Mix::NonTemporalWrite, read * 0.5e9));
        bandwidth.push(rate(workers, *to, Mix::Read1Write1, read * 0.75e9));
        // These have no attribute of their own.
        bandwidth.push(rate(workers, *to, Mix::Triad, 1e9));
        bandwidth.push(rate(Workers::Core(NodeId(*from)), *to, Mix::Read, 2e9));
        bandwidth.push(rate(Workers::Machine, *to, Mix::Read, 3e9));
    }
    Profile {
        header: ProfileHeader {
            origin: ProfileOrigin::Numawise("0.0.0".to_owned()),
            fingerprint: Fingerprint {
                topology: none(),
                processor: none(),
                kernel: none(),
                firmware: none(),
            },
            taken: none(),
            took: none(),
            depth: Depth::Standard,
            complete: true,
            nodes: machine.nodes.iter().map(node).collect(),
            vectors: none(),
            notices: vec![],
        },
        latency: pairs.iter().map(|(from, to, ns, _)| latency(*from, *to, *ns)).collect(),
        working_sets: vec![],
        bandwidth,
        loaded: vec![],
        transfers: vec![],
        arithmetic: vec![],
        caches: vec![],
    }
}

fn xml(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines").join(name)
}

fn two_sockets() -> Machine {
    from_synthetic("pack:2 [numa] core:2 pu:2").unwrap()
}

const NEAR_AND_FAR: [(u32, u32, f64, f64); 4] =
    [(0, 0, 80.4, 90.0), (0, 1, 139.6, 40.0), (1, 0, 140.0, 41.0), (1, 1, 81.0, 90.5)];

#[test]
fn figures_stand_beside_the_machine_as_it_was() {
    let machine = two_sockets();
    let measured = with_measured(machine.clone(), &profile(&machine, &NEAR_AND_FAR));
    let found = |kind, from, to| {
        measured.measured(kind, NodeId(from), NodeId(to)).map(|figure| figure.in_units_of_the_kernel())
    };
    assert_eq!(found(AttributeKind::ReadLatency, 0, 0), Some(80.4));
    assert_eq!(found(AttributeKind::ReadLatency, 0, 1), Some(139.6));
    assert_eq!(found(AttributeKind::ReadBandwidth, 1, 0), Some(41_000.0));
    assert_eq!(found(AttributeKind::WriteBandwidth, 1, 1), Some(45_250.0));
    assert_eq!(found(AttributeKind::Bandwidth, 0, 0), Some(67_500.0));
    assert_eq!(found(AttributeKind::Latency, 0, 0), None, "only loads were measured");
    assert_eq!(measured.attributes.len(), 16);
    assert_eq!(measured.attributes[0].initiator, measured.nodes[0].cpus);
    assert_eq!(Machine { attributes: vec![], ..measured }, machine, "nothing else changes");
}

#[test]
fn a_figure_keeps_its_interval_and_its_repetitions() {
    let machine = two_sockets();
    let mut profile = profile(&machine, &NEAR_AND_FAR);
    let latency = Estimate {
        median: Latency(80.4),
        low: Latency(79.9),
        high: Latency(82.0),
        samples: 21,
        disturbed: 3,
    };
    let rate = Estimate {
        median: BytesPerSecond(90e9),
        low: BytesPerSecond(88.5e9),
        high: BytesPerSecond(90.25e9),
        samples: 11,
        disturbed: 0,
    };
    profile.latency[0].latency = Reading::Measured(latency);
    profile.bandwidth[0].rate = Reading::Measured(rate);
    let measured = with_measured(machine, &profile);
    assert_eq!(measured.measured_latency(NodeId(0), NodeId(0)), Some(latency));
    assert_eq!(measured.measured_bandwidth(NodeId(0), NodeId(0)), Some(rate));
}

#[test]
fn a_newer_profile_takes_the_place_of_an_older_one_and_the_firmware_stays() {
    let machine = from_xml_file(xml("hbm-by-figures.xml")).unwrap();
    let declared = machine.attributes.clone();
    assert!(!declared.is_empty());
    let older = with_measured(machine.clone(), &profile(&machine, &NEAR_AND_FAR));
    let newer = with_measured(older.clone(), &profile(&machine, &[(0, 0, 99.0, 50.0)]));
    let of = |machine: &Machine, origin| -> Vec<Attribute> {
        machine.attributes.iter().filter(|a| a.origin == origin).cloned().collect()
    };
    assert_eq!(of(&older, AttributeOrigin::Measured).len(), 16);
    assert_eq!(of(&newer, AttributeOrigin::Measured).len(), 4);
    assert_eq!(of(&newer, AttributeOrigin::Firmware), declared);
    assert_eq!(with_measured_of(machine, &newer).attributes, newer.attributes);
}

#[test]
fn what_could_not_be_measured_has_no_figure() {
    let machine = two_sockets();
    let mut profile = profile(&machine, &NEAR_AND_FAR);
    profile.latency[0].latency = Reading::unavailable("no memory left on node 0");
    profile.latency[1].latency = estimate(Latency(f64::NAN));
    profile.latency[2].latency = estimate(Latency(0.2));
    profile.bandwidth.iter_mut().for_each(|cell| cell.rate = Reading::unavailable("too little memory"));
    let measured = with_measured(machine, &profile);
    assert_eq!(measured.attributes.len(), 1, "{:?}", measured.attributes);
    assert_eq!(measured.measured_latency(NodeId(1), NodeId(1)).unwrap().median, Latency(81.0));
}

#[test]
fn nodes_that_the_machine_does_not_have_are_passed_over() {
    let machine = two_sockets();
    let strange = profile(&machine, &[(7, 0, 80.0, 90.0), (0, 7, 80.0, 90.0)]);
    assert_eq!(with_measured(machine.clone(), &strange).attributes, []);
}

#[test]
fn figures_hold_for_the_node_where_all_its_cores_measured() {
    let machine = two_sockets();
    let initiator = |cpus: Reading<&str>| {
        let mut profile = profile(&machine, &NEAR_AND_FAR);
        profile.header.nodes[0].cpus = cpus.map(|list| list.parse().unwrap());
        with_measured(machine.clone(), &profile).attributes[0].initiator.to_string()
    };
    assert_eq!(machine.nodes[0].cpus.to_string(), "0-3");
    assert_eq!(initiator(Reading::Measured("0-3")), "0-3");
    assert_eq!(initiator(Reading::Measured("0,2")), "0-3", "one hardware thread of each core");
    assert_eq!(initiator(Reading::Measured("0-1")), "0-1", "one core of two");
    assert_eq!(initiator(Reading::unavailable("MLC does not report it")), "0-3");
    let mut without = profile(&machine, &NEAR_AND_FAR);
    without.header.nodes.clear();
    assert_eq!(with_measured(machine.clone(), &without).attributes[0].initiator.to_string(), "0-3");
}

#[test]
fn kinds_follow_what_was_measured() {
    let machine = from_xml_file(xml("hbm-by-figures.xml")).unwrap();
    let kinds = |machine: &Machine| machine.nodes.iter().map(|node| node.kind).collect::<Vec<_>>();
    use MemoryKind::{Cxl, Dram, Hbm};
    assert_eq!(kinds(&machine), [Dram, Dram, Hbm, Hbm]);
    let pairs = [(0, 0, 80.0, 90.0), (0, 2, 250.0, 30.0), (1, 1, 80.0, 90.0), (1, 3, 100.0, 300.0)];
    let measured = with_measured(machine.clone(), &profile(&machine, &pairs));
    assert_eq!(kinds(&measured), [Dram, Dram, Cxl, Hbm]);
    let evidence = &measured.nodes[2].kind_evidence;
    assert!(
        matches!(evidence, MemoryKindEvidence::Compared { origin: AttributeOrigin::Measured, .. }),
        "{evidence:?}"
    );
    // The same where the firmware says nothing.
    let mut silent = machine.clone();
    silent.attributes.clear();
    kinds::derive(&mut silent.nodes, &vec![CpuSet::new(); 4], &Default::default(), &[], true);
    assert_eq!(kinds(&silent)[2..], [MemoryKind::Unknown, MemoryKind::Unknown]);
    assert_eq!(kinds(&with_measured(silent, &profile(&machine, &pairs))), [Dram, Dram, Cxl, Hbm]);
}

/// Our figures through hwloc and back.
fn round_trip(text: &str) -> Machine {
    from_xml_file(file(text).path()).unwrap()
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".xml").tempfile().unwrap();
    fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn a_file_for_hwloc_holds_measured_figures_in_its_units() {
    let path = xml("two-socket-smt.xml");
    let machine = from_xml_file(&path).unwrap();
    let text = hwloc_xml_from(&path, &profile(&machine, &NEAR_AND_FAR)).unwrap();
    // 90 GB/s are 85,831 MiB/s.
    assert!(text.contains("value=\"85831\""), "{text}");
    let read = round_trip(&text);
    let wanted = with_measured(machine.clone(), &profile(&machine, &NEAR_AND_FAR));
    for (kind, from, to, value) in [
        (AttributeKind::ReadLatency, 0, 1, 140),
        (AttributeKind::Latency, 0, 1, 140),
        (AttributeKind::ReadBandwidth, 0, 0, 90_000),
        (AttributeKind::WriteBandwidth, 1, 0, 20_500),
        (AttributeKind::Bandwidth, 1, 1, 67_875),
    ] {
        let found = read.measured(kind, NodeId(from), NodeId(to));
        let found = found.unwrap_or_else(|| panic!("{kind:?} {from} {to}: {text}"));
        let found = found.in_units_of_the_kernel();
        assert!((found - f64::from(value)).abs() <= 1.0, "{kind:?}: {found} for {value}");
    }
    let without = |machine: Machine| {
        Machine { attributes: vec![], source: numawise_facts::Source::Live, ..machine }.nodes
    };
    assert_eq!(without(read), without(wanted), "the machine is the same");
}

#[test]
fn measured_attributes_take_the_place_of_declared_ones_of_their_kind() {
    let path = xml("hbm-by-figures.xml");
    let machine = from_xml_file(&path).unwrap();
    let mut only_latency = profile(&machine, &[(0, 0, 70.0, 1.0), (0, 2, 300.0, 1.0)]);
    only_latency.bandwidth.clear();
    let text = hwloc_xml_from(&path, &only_latency).unwrap();
    let read = round_trip(&text);
    let kinds = |origin| {
        let mut names: Vec<String> = read
            .attributes
            .iter()
            .filter(|a| a.origin == origin)
            .map(|a| format!("{:?} {}", a.kind(), a.figure.in_units_of_the_kernel()))
            .collect();
        names.dedup();
        names.join(", ")
    };
    assert_eq!(kinds(AttributeOrigin::Measured), "Latency 70, Latency 300, ReadLatency 70, ReadLatency 300");
    assert!(kinds(AttributeOrigin::Firmware).starts_with("ReadBandwidth 90000"), "they stay in 10^6 bytes");
    assert_eq!(read.nodes[2].kind, MemoryKind::Cxl, "{:?}", read.nodes[2].kind_evidence);
    // Written over once more, the file has the newer figures only.
    let newer = profile(&machine, &[(1, 1, 75.0, 80.0)]);
    let read = round_trip(&hwloc_xml_from(file(&text).path(), &newer).unwrap());
    let latencies = read.attributes.iter().filter(|a| a.kind() == AttributeKind::ReadLatency);
    let latencies: Vec<_> = latencies.filter_map(|a| a.figure.latency()).collect();
    assert_eq!(latencies, [Estimate::single(Latency(75.0))]);
    assert!(read.is_measured());
}

#[test]
fn a_profile_without_figures_writes_no_file() {
    let path = xml("two-socket-smt.xml");
    let machine = from_xml_file(&path).unwrap();
    let error = hwloc_xml_from(&path, &profile(&machine, &[])).unwrap_err().to_string();
    assert!(error.contains("no latency and no bandwidth") && error.contains("measured there"), "{error}");
    let error = hwloc_xml_from("/nowhere/m.xml", &profile(&machine, &NEAR_AND_FAR)).unwrap_err().to_string();
    assert!(error.contains("/nowhere/m.xml"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Merged twice is merged once, and the firmware's figures never change.
    #[test]
    fn merging_is_idempotent(
        pairs in prop::collection::vec((0u32..3, 0u32..3, 0.0f64..500.0, 0.0f64..500.0), 0..9)
    ) {
        let machine = MACHINE.with(Clone::clone);
        let profile = profile(&machine, &pairs);
        let once = with_measured(machine.clone(), &profile);
        prop_assert_eq!(&with_measured(once.clone(), &profile), &once);
        prop_assert_eq!(&with_measured_of(machine, &once), &once);
    }
}

thread_local! {
    static MACHINE: Machine = two_sockets();
}
