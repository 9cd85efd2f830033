use numawise_facts::finding::{Amount, Evidence, EvidenceQuantity, EvidenceSource};
use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, ContrastRole, FindingId, MemoryPlan};
use numawise_units::Bytes;

use super::*;
use crate::analyse;
use crate::sample::{first_touch_by_one, observation, see, study, two_node_check, two_sockets, with_hbm};

fn figure(kind: AttributeKind, from: &str, to: u32, value: u64) -> Attribute {
    Attribute {
        origin: AttributeOrigin::Measured,
        ..Attribute::declared(kind, from.parse().unwrap(), NodeId(to), value)
    }
}

/// 80 ns and 90 GB/s at home, 140 ns and 40 GB/s from the other socket: 1.75x and 0.444x.
pub fn measure(machine: &mut Machine) {
    for (from, home, far) in [("0-3", 0, 1), ("4-7", 1, 0)] {
        machine.attributes.extend([
            figure(AttributeKind::ReadLatency, from, home, 80),
            figure(AttributeKind::ReadLatency, from, far, 140),
            figure(AttributeKind::ReadBandwidth, from, home, 90_000),
            figure(AttributeKind::ReadBandwidth, from, far, 40_000),
        ]);
    }
}

fn place(study: &mut Study, point: &str, cpus: &str, memory: &str) {
    let point = study.header.points.iter_mut().find(|p| p.id.0 == point).unwrap();
    let task = &mut point.placement.tasks[0];
    task.cpus = cpus.parse().unwrap();
    task.memory = MemoryPlan::new(MemoryMode::Bind, memory.parse().unwrap());
}

/// First touch by one thread; remote memory costs 1.58 times, interleaving brings 1.82 times.
fn placed() -> Study {
    let mut study = two_node_check(2.0, 1.9, 1.1, 1.9, 3.0, 1.5);
    place(&mut study, "one-node", "0-3", "0");
    place(&mut study, "remote", "0-3", "1");
    see(&mut study, "os", &first_touch_by_one());
    see(&mut study, "interleave", &observation(&[(0, 50), (1, 50)], &[(0, 50), (4, 50)]));
    study
}

fn measured_check() -> Study {
    let mut study = placed();
    measure(&mut study.header.machine);
    study
}

fn close(reading: &Reading<Ratio>, wanted: f64) {
    let found = reading.measured().unwrap_or_else(|| panic!("{reading}")).0;
    assert!((found / wanted - 1.0).abs() < 1e-9, "{found} for {wanted}");
}

#[test]
fn remote_memory_costs_its_latency_or_its_bandwidth_and_what_was_seen_is_there_too() {
    let analysis = analyse(&measured_check());
    let expected = analysis.expected.as_ref().unwrap();
    assert_eq!((expected.from, expected.to), (NodeId(0), NodeId(1)));
    close(&expected.latency, 1.75);
    close(&expected.bandwidth, 4.0 / 9.0);
    let remote = expected.effect(MemoryMove::ToRemote).unwrap();
    close(&remote.latency_bound, 80.0 / 140.0);
    close(&remote.bandwidth_bound, 4.0 / 9.0);
    assert!((remote.seen.measured().unwrap().ratio.0 - 1.9 / 3.0).abs() < 0.01);
}

#[test]
fn interleaving_is_expected_from_where_cpus_and_pages_were_seen() {
    let analysis = analyse(&measured_check());
    let effect = analysis.expected.as_ref().unwrap().effect(MemoryMove::ToInterleaved).unwrap().clone();
    // All on node 0, read by both: half of the accesses far. Interleaved: half of them far too.
    close(&effect.latency_bound, 1.0);
    // 40 GB/s for half of the reads are 80; 40 GB/s for a quarter of them 160, less than twice 90.
    close(&effect.bandwidth_bound, 2.0);
    assert!((effect.seen.measured().unwrap().ratio.0 - 2.0 / 1.1).abs() < 0.02);
}

#[test]
fn memory_that_processes_share_is_expected_to_behave_as_any_other() {
    let mut study = measured_check();
    for trial in &mut study.trials {
        let Reading::Measured(seen) = &mut trial.observation else { continue };
        let Reading::Measured(sample) = &mut seen.pages else { continue };
        sample.shared = Reading::Measured(std::mem::take(&mut sample.by_node));
    }
    let analysis = analyse(&study);
    let effect = analysis.expected.as_ref().unwrap().effect(MemoryMove::ToInterleaved).unwrap().clone();
    close(&effect.bandwidth_bound, 2.0);
}

#[test]
fn the_finding_about_pages_on_one_node_says_what_was_measured() {
    let finding = |study: &Study| {
        let findings = analyse(study).findings;
        findings.into_iter().find(|f| f.id == FindingId::FirstTouchByOneThread).unwrap().evidence
    };
    let evidence = finding(&measured_check());
    let of_machine: Vec<&Evidence> =
        evidence.iter().filter(|one| one.source == EvidenceSource::Profile).collect();
    assert_eq!(of_machine[0].quantity, EvidenceQuantity::RemoteMemory);
    let Some(Amount::LatencyAndBandwidth { latency, bandwidth }) = of_machine[2].value.measured() else {
        panic!("{:?}", of_machine[2]);
    };
    assert!((latency.unwrap().0 - 1.0).abs() < 1e-9 && (bandwidth.unwrap().0 - 2.0).abs() < 1e-9);
    let without = finding(&placed());
    assert_eq!(without.len(), evidence.len() - 3, "without a profile nothing is said of it");
    assert!(without.iter().all(|one| one.source != EvidenceSource::Profile));
}

#[test]
fn of_a_machine_that_was_not_measured_nothing_is_expected() {
    assert_eq!(analyse(&placed()).expected, Err(NotExpected::NotMeasured));
    // What the firmware declares is not measured.
    let mut declared = measured_check();
    for attribute in &mut declared.header.machine.attributes {
        attribute.origin = AttributeOrigin::Firmware;
    }
    assert_eq!(analyse(&declared).expected, Err(NotExpected::NotMeasured));
}

#[test]
fn one_node_has_no_remote_memory() {
    let mut study = measured_check();
    study.header.machine.allowed_nodes = "0".parse().unwrap();
    assert_eq!(analyse(&study).expected, Err(NotExpected::OneMemoryNode));
}

#[test]
fn missing_figures_are_named_and_never_guessed() {
    let without = |kind| {
        let mut study = measured_check();
        study.header.machine.attributes.retain(|figure| figure.kind() != kind);
        analyse(&study).expected.unwrap()
    };
    let expected = without(AttributeKind::ReadBandwidth);
    assert!(
        expected.bandwidth.reason().unwrap().0.contains("no bandwidth from node 0 to node 0 and to node 1")
    );
    assert!(expected.effects[0].bandwidth_bound.measured().is_none());
    let expected = without(AttributeKind::ReadLatency);
    assert!(expected.latency.measured().is_none());
    // Of the far node nothing at all.
    let mut study = measured_check();
    study.header.machine.attributes.retain(|figure| figure.target == NodeId(0));
    let nodes = NotExpected::NoFigures { from: NodeId(0), to: NodeId(1) };
    assert_eq!(analyse(&study).expected, Err(nodes));
    // Only what the program did not use is missing.
    let mut study = measured_check();
    study.header.machine.attributes.retain(|figure| figure.initiator != "4-7".parse().unwrap());
    let expected = analyse(&study).expected.unwrap();
    close(&expected.effect(MemoryMove::ToRemote).unwrap().latency_bound, 80.0 / 140.0);
    let interleave = expected.effect(MemoryMove::ToInterleaved).unwrap();
    assert!(interleave.latency_bound.reason().unwrap().0.contains("lacks a latency"), "{interleave:?}");
}

#[test]
fn without_a_sample_of_the_pages_nothing_is_expected_of_them() {
    let mut study = measured_check();
    let mut blind = first_touch_by_one();
    blind.pages = Reading::unavailable("move_pages is forbidden");
    see(&mut study, "os", &blind);
    let expected = analyse(&study).expected.unwrap();
    let interleave = expected.effect(MemoryMove::ToInterleaved).unwrap();
    assert!(interleave.bandwidth_bound.reason().unwrap().0.contains("not seen"), "{interleave:?}");
    assert!(expected.effect(MemoryMove::ToRemote).unwrap().latency_bound.measured().is_some());
}

#[test]
fn where_remote_memory_was_not_tried_the_latest_to_answer_counts() {
    let mut study =
        study(with_hbm(), &[("os", 2.0), ("hbm", 1.0)], &[("os", "hbm", ContrastRole::BothWays)], 6);
    measure(&mut study.header.machine);
    for (from, to, ns, rate) in [("0-3", 2, 100, 300_000), ("0-3", 3, 170, 45_000), ("4-7", 3, 100, 300_000)]
    {
        study.header.machine.attributes.extend([
            figure(AttributeKind::ReadLatency, from, to, ns),
            figure(AttributeKind::ReadBandwidth, from, to, rate),
        ]);
    }
    see(&mut study, "os", &observation(&[(0, 100)], &[(0, 1)]));
    see(&mut study, "hbm", &observation(&[(2, 100)], &[(0, 1)]));
    let analysis = analyse(&study);
    let expected = analysis.expected.as_ref().unwrap();
    assert_eq!((expected.from, expected.to), (NodeId(0), NodeId(3)));
    assert_eq!(expected.effect(MemoryMove::ToRemote), None);
    let hbm = expected.effect(MemoryMove::ToHighBandwidth).unwrap();
    close(&hbm.latency_bound, 0.8);
    close(&hbm.bandwidth_bound, 10.0 / 3.0);
    let finding = analysis.findings.iter().find(|f| f.id == FindingId::HbmUnused).unwrap();
    let last = finding.evidence.last().unwrap().value.measured();
    let Some(Amount::LatencyAndBandwidth { bandwidth: Some(bandwidth), .. }) = last else {
        panic!("{last:?}")
    };
    assert!((bandwidth.0 - 10.0 / 3.0).abs() < 1e-9);
}

fn spread(cpus: &[(u32, f64)], pages: &[(u32, f64)]) -> Spread {
    let list = |parts: &[(u32, f64)]| parts.iter().map(|(node, part)| (NodeId(*node), *part)).collect();
    Spread { cpus: list(cpus), pages: list(pages) }
}

/// The formulas of the documentation, for every share of local accesses.
#[test]
fn latency_goes_by_the_share_of_local_accesses() {
    let mut machine = two_sockets();
    measure(&mut machine);
    let local = spread(&[(0, 1.0)], &[(0, 1.0)]).latency(&machine).unwrap();
    for percent in 1..100 {
        let p = f64::from(percent) / 100.0;
        let mixed = spread(&[(0, p), (1, 1.0 - p)], &[(0, 1.0)]).latency(&machine).unwrap();
        assert!((mixed / local - (p + (1.0 - p) * 1.75)).abs() < 1e-9, "{p}");
        let pages = spread(&[(0, 1.0)], &[(0, p), (1, 1.0 - p)]).latency(&machine).unwrap();
        assert!((pages - mixed).abs() < 1e-9, "{p}: CPUs elsewhere or pages elsewhere is the same here");
    }
}

#[test]
fn bandwidth_is_bound_by_the_first_memory_or_link_that_is_full() {
    let mut machine = two_sockets();
    measure(&mut machine);
    let rate = |cpus: &[(u32, f64)], pages: &[(u32, f64)]| spread(cpus, pages).rate(&machine).unwrap();
    assert_eq!(rate(&[(0, 1.0)], &[(0, 1.0)]), 90e9);
    assert_eq!(rate(&[(0, 1.0)], &[(1, 1.0)]), 40e9);
    // A tenth of the reads goes over the link: the memory is full first.
    assert_eq!(rate(&[(0, 0.9), (1, 0.1)], &[(0, 1.0)]), 90e9);
    assert!((rate(&[(0, 0.5), (1, 0.5)], &[(0, 1.0)]) - 80e9).abs() < 1.0);
}

#[test]
fn parts_too_small_to_matter_are_left_out() {
    let part = |bytes: u64| Bytes::mib(bytes).0 as f64;
    let parts = [(NodeId(0), part(995)), (NodeId(1), part(5))];
    assert_eq!(shares(parts.into_iter()), Some(vec![(NodeId(0), 1.0)]));
    assert_eq!(shares([(NodeId(0), 0.0)].into_iter()), None);
    assert_eq!(shares([].into_iter()), None);
    let half = shares([(NodeId(0), 3.0), (NodeId(1), 1.0)].into_iter()).unwrap();
    assert_eq!(half, [(NodeId(0), 0.75), (NodeId(1), 0.25)]);
}
