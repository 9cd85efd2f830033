use super::*;
use numawise_facts::{AttributeKind, AttributeOrigin, MemoryKind, MemoryRequest, PlacementRequest, Strategy};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};

use crate::testing::{cpus, dram, machine, memory_only, nodes, two_sockets, with_hbm};

fn attribute(kind: AttributeKind, initiator: &str, target: u32, value: u64) -> Attribute {
    Attribute::declared(kind, cpus(initiator), NodeId(target), value)
}

fn with(mut machine: Machine, attributes: Vec<Attribute>) -> Machine {
    machine.attributes = attributes;
    machine
}

fn planned(machine: &Machine, list: &str) -> (Vec<(u32, u8)>, Vec<Notice>) {
    let mut warnings = Vec::new();
    let weights = plan(machine, &nodes(list), &mut warnings);
    (weights.iter().map(|weight| (weight.node.0, weight.weight)).collect(), warnings)
}

/// The notice of nodes whose bandwidth is unknown.
fn unknown(list: &str, machine_is_measured: bool) -> Notice {
    PlanNotice::BandwidthUnknown { nodes: nodes(list), machine_is_measured }.into()
}

/// The origin that the only notice names.
fn origin(notices: &[Notice]) -> AttributeOrigin {
    match notices {
        [Notice::Plan(PlanNotice::WeightsNeeded { origin, .. })] => *origin,
        _ => panic!("{notices:?}"),
    }
}

#[test]
fn small_numbers_in_the_ratio_of_bandwidths() {
    for (bandwidths, weights) in [
        (&[100, 100][..], &[1, 1][..]),
        (&[300, 100], &[3, 1]),
        (&[90_000, 400_000], &[2, 9]), // 0.2222 for 0.225
        (&[307_200, 819_200, 307_200], &[3, 8, 3]),
        (&[7, 7, 7, 7], &[1, 1, 1, 1]),
        (&[1, 255], &[1, 250]), // within 2 %, so no larger ones are needed
    ] {
        assert_eq!(reduced(bandwidths).0, weights, "{bandwidths:?}");
    }
}

#[test]
fn a_node_that_is_too_slow_for_a_weight_gets_one_and_the_error_is_reported() {
    let (weights, error) = reduced(&[1, 1000]);
    assert_eq!(weights, [1, 255]);
    assert!(error > 100 * GOOD, "{error}");
    let attributes = vec![
        attribute(AttributeKind::Bandwidth, "0-1,4-5", 0, 1000),
        attribute(AttributeKind::Bandwidth, "2-3,6-7", 1, 1),
    ];
    let (weights, warnings) = planned(&with(two_sockets(), attributes), "0-1");
    assert_eq!(weights, [(0, 255), (1, 1)]);
    let [Notice::Plan(PlanNotice::WeightsNeeded { error: Some(error), .. })] = warnings.as_slice() else {
        panic!("{warnings:?}")
    };
    assert!((2.91..2.92).contains(&error.0), "{error:?}");
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    assert_eq!(reduced(&[u64::MAX, u64::MAX, u64::MAX / 3]).0, [3, 3, 1]);
}

#[test]
fn weights_come_with_what_root_has_to_write() {
    let attributes = vec![
        attribute(AttributeKind::ReadBandwidth, "0-1", 0, 120_000),
        attribute(AttributeKind::WriteBandwidth, "0-1", 0, 100_000),
        attribute(AttributeKind::ReadBandwidth, "0-1", 2, 410_000),
        attribute(AttributeKind::WriteBandwidth, "0-1", 2, 400_000),
    ];
    let (weights, warnings) = planned(&with(with_hbm(), attributes), "0,2");
    assert_eq!(weights, [(0, 1), (2, 4)]);
    let weight = |node, weight| NodeWeight { node: NodeId(node), weight };
    let expected = PlanNotice::WeightsNeeded {
        weights: vec![weight(0, 1), weight(2, 4)],
        origin: AttributeOrigin::Firmware,
        error: None,
    };
    assert_eq!(warnings, [expected.into()]);
}

#[test]
fn the_nearest_initiators_count_and_of_those_the_best() {
    // Node 1 as seen from its own package, not from the other one.
    let attributes = vec![
        attribute(AttributeKind::Bandwidth, "0-1,4-5", 0, 200),
        attribute(AttributeKind::Bandwidth, "0-1,4-5", 1, 50),
        attribute(AttributeKind::Bandwidth, "2,6", 1, 90),
        attribute(AttributeKind::Bandwidth, "3,7", 1, 100),
    ];
    assert_eq!(planned(&with(two_sockets(), attributes), "0-1").0, [(0, 2), (1, 1)]);
    // Memory that is near to nobody: whoever has a figure.
    let mut expander = memory_only(1, 7, MemoryKind::Cxl);
    expander.mib = 64;
    let machine = machine(&[dram(0, 0, &[&[0]]), expander]);
    let attributes = vec![
        attribute(AttributeKind::Bandwidth, "0", 0, 90),
        attribute(AttributeKind::ReadBandwidth, "0", 1, 30),
    ];
    assert_eq!(planned(&with(machine, attributes), "0-1").0, [(0, 3), (1, 1)]);
}

#[test]
fn without_all_bandwidths_there_are_no_weights_but_a_word_on_it() {
    let (weights, warnings) = planned(&two_sockets(), "0-1");
    assert!(weights.is_empty());
    assert_eq!(warnings, [unknown("0-1", false)]);
    let some = vec![
        attribute(AttributeKind::Bandwidth, "0-1,4-5", 0, 200),
        attribute(AttributeKind::Latency, "2-3,6-7", 1, 90),
        attribute(AttributeKind::Bandwidth, "2-3,6-7", 1, 0),
    ];
    let (weights, warnings) = planned(&with(two_sockets(), some), "0-1");
    assert!(weights.is_empty(), "a bandwidth of 0 is none");
    assert_eq!(warnings, [unknown("1", false)]);
}

fn measured(kind: AttributeKind, initiator: &str, target: u32, value: u64) -> Attribute {
    Attribute { origin: AttributeOrigin::Measured, ..attribute(kind, initiator, target, value) }
}

#[test]
fn measured_reads_of_the_nearest_cores_go_before_what_the_firmware_declares() {
    let declared = [
        attribute(AttributeKind::Bandwidth, "0-1,4-5", 0, 100),
        attribute(AttributeKind::Bandwidth, "2-3,6-7", 1, 100),
    ];
    let seen = [
        measured(AttributeKind::ReadBandwidth, "0-1,4-5", 0, 90),
        measured(AttributeKind::WriteBandwidth, "0-1,4-5", 0, 10),
        measured(AttributeKind::ReadBandwidth, "2-3,6-7", 0, 300),
        measured(AttributeKind::ReadBandwidth, "0-1,4-5", 1, 30),
        measured(AttributeKind::ReadBandwidth, "2-3,6-7", 1, 45),
    ];
    let machine = with(two_sockets(), [&declared[..], &seen].concat());
    let (weights, warnings) = planned(&machine, "0-1");
    assert_eq!(weights, [(0, 2), (1, 1)], "reads of its own cores, whatever writes and others do");
    assert_eq!(origin(&warnings), AttributeOrigin::Measured);
    assert_eq!(
        bandwidths(&machine, &nodes("0-1")),
        Ok(Bandwidths {
            origin: AttributeOrigin::Measured,
            of: [(0, 90e6), (1, 45e6)]
                .map(|(node, rate)| (NodeId(node), Estimate::declared(BytesPerSecond(rate))))
                .to_vec()
        })
    );
    let (weights, warnings) = planned(&with(two_sockets(), declared.to_vec()), "0-1");
    assert_eq!(weights, [(0, 1), (1, 1)]);
    assert_eq!(origin(&warnings), AttributeOrigin::Firmware);
}

#[test]
fn measured_and_declared_bandwidths_are_not_mixed() {
    let partly = vec![
        attribute(AttributeKind::Bandwidth, "0-1,4-5", 0, 300),
        attribute(AttributeKind::Bandwidth, "2-3,6-7", 1, 100),
        measured(AttributeKind::ReadBandwidth, "0-1,4-5", 0, 50),
    ];
    assert_eq!(planned(&with(two_sockets(), partly.clone()), "0-1").0, [(0, 3), (1, 1)], "all declared");
    // One measured, the other declared: of neither origin all.
    let machine = with(two_sockets(), vec![partly[2].clone(), partly[1].clone()]);
    let (weights, warnings) = planned(&machine, "0-1");
    assert!(weights.is_empty());
    assert_eq!(warnings, [unknown("0", true)]);
    // Latencies alone were measured, or writes.
    for kind in [AttributeKind::ReadLatency, AttributeKind::WriteBandwidth, AttributeKind::Bandwidth] {
        let machine = with(two_sockets(), vec![measured(kind, "0-7", 0, 90), measured(kind, "0-7", 1, 90)]);
        assert_eq!(bandwidths(&machine, &nodes("0-1")), Err(nodes("0-1")), "{kind:?}");
    }
}

#[test]
fn one_node_needs_no_weight() {
    assert_eq!(planned(&two_sockets(), "1"), (vec![], vec![]));
}

#[test]
fn every_task_has_the_weights_and_the_warning_comes_once() {
    let request = numawise_facts::PlacementRequest {
        tasks: 2,
        memory: crate::testing::memory("weighted"),
        ..crate::testing::request(numawise_facts::Strategy::Semi, None)
    };
    let attributes =
        (0..2).map(|node| attribute(AttributeKind::Bandwidth, "0-7", node, 100 * u64::from(node + 1)));
    let placement = crate::place(&with(two_sockets(), attributes.collect()), &request).unwrap();
    let weights = |k: usize| &placement.tasks[k].memory.weights;
    assert_eq!(weights(0).iter().map(|weight| weight.weight).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(weights(0), weights(1));
    assert_eq!(placement.warnings.len(), 1);
}

fn divisor(a: u8, b: u8) -> u8 {
    if b == 0 { a } else { divisor(b, a % b) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The bound of the module's documentation, told apart from the code's own arithmetic.
    #[test]
    fn shares_are_within_two_percent(bandwidths in prop::collection::vec(200_000u64..=1_000_000, 2..9)) {
        let (weights, _) = reduced(&bandwidths);
        let total: f64 = bandwidths.iter().map(|b| *b as f64).sum();
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        for (bandwidth, weight) in bandwidths.iter().zip(&weights) {
            let (share, wanted) = (f64::from(*weight) / sum, *bandwidth as f64 / total);
            prop_assert!((share / wanted - 1.0).abs() <= 0.020_001, "{:?} for {:?}", weights, bandwidths);
        }
    }

    #[test]
    fn two_nodes_need_only_a_tenth(slow in 100_000u64..=1_000_000) {
        let (weights, error) = reduced(&[1_000_000, slow]);
        prop_assert!(error <= GOOD, "{:?} for {}", weights, slow);
    }

    #[test]
    fn weights_are_1_to_255_in_order_and_have_no_common_divisor(
        bandwidths in prop::collection::vec(1u64..=1_000_000, 2..9)
    ) {
        let (weights, _) = reduced(&bandwidths);
        prop_assert!(weights.iter().all(|weight| *weight >= 1));
        prop_assert_eq!(weights.iter().copied().fold(0, divisor), 1);
        for (a, x) in bandwidths.iter().zip(&weights) {
            for (b, y) in bandwidths.iter().zip(&weights) {
                prop_assert!(a > b || x <= y, "{:?} for {:?}", weights, bandwidths);
            }
        }
    }
}

#[test]
fn without_a_list_all_kinds_are_taken_where_all_bandwidths_are_known() {
    let request = PlacementRequest {
        memory: MemoryRequest::Weighted(None),
        ..crate::testing::request(Strategy::Local, Some(1))
    };
    let nodes_of = |machine: &Machine| crate::place(machine, &request).unwrap().tasks[0].memory.nodes.clone();
    let figures = |targets: &[u32]| -> Vec<Attribute> {
        let figure =
            |&target: &u32| attribute(AttributeKind::Bandwidth, "0-3", target, 100 + u64::from(target));
        targets.iter().map(figure).collect()
    };
    assert_eq!(nodes_of(&with(with_hbm(), figures(&[0, 1, 2, 3]))), nodes("0-3"));
    assert_eq!(nodes_of(&with(with_hbm(), figures(&[0, 1, 2]))), nodes("0-1"), "one is not known");
    let gpu = machine(&[dram(0, 0, &[&[0], &[1]]), memory_only(1, 0, MemoryKind::Gpu)]);
    assert_eq!(nodes_of(&with(gpu, figures(&[0, 1]))), nodes("0"), "memory of devices is theirs");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is known of which node by whom, a plan has weights for all of its nodes by one origin, or none.
    #[test]
    fn weights_are_for_all_nodes_or_for_none(
        figures in prop::collection::vec((0u32..4, prop::bool::ANY, 0u64..1000), 0..12)
    ) {
        let attributes: Vec<Attribute> = figures
            .iter()
            .map(|(target, seen, value)| match seen {
                true => measured(AttributeKind::ReadBandwidth, "0-3", *target, *value),
                false => attribute(AttributeKind::ReadBandwidth, "0-3", *target, *value),
            })
            .collect();
        let machine = with(with_hbm(), attributes);
        let (weights, warnings) = planned(&machine, "0-3");
        prop_assert_eq!(warnings.len(), 1);
        match bandwidths(&machine, &nodes("0-3")) {
            Ok(known) => {
                prop_assert_eq!(weights.len(), 4);
                for (node, value) in &known.of {
                    let same = |a: &Attribute| a.origin == known.origin && a.target == *node && a.figure.bandwidth() == Some(*value);
                    prop_assert!(machine.attributes.iter().any(same));
                }
            }
            Err(unknown) => {
                prop_assert!(weights.is_empty());
                prop_assert!(!unknown.is_empty());
            }
        }
    }
}
