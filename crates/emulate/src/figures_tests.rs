use super::*;
use crate::derive_testing::machine;

fn unmeasured(nodes: &[(u32, &str, u64)]) -> Machine {
    Machine { attributes: Vec::new(), ..machine(nodes) }
}

const HBM: [(u32, &str, u64); 4] = [(0, "0-1", 768), (1, "2-3", 768), (2, "", 256), (3, "", 256)];

fn figures(machine: &Machine, from: u32, to: u32) -> (f64, f64) {
    let (from, to) = (NodeId(from), NodeId(to));
    let latency = machine.measured_latency(from, to).unwrap().median.0;
    (latency, machine.measured_bandwidth(from, to).unwrap().median.0 / 1e9)
}

fn codes(notices: &[Notice]) -> Vec<&str> {
    notices.iter().map(Notice::code).collect()
}

#[test]
fn what_is_given_stands_by_distance_and_the_last_for_all_beyond() {
    let given = GivenFigures {
        latency: DistanceFigures { of_all: vec![Latency(80.0), Latency(140.0)], of_node: vec![] },
        bandwidth: DistanceFigures {
            of_all: vec![BytesPerSecond(90e9)],
            of_node: vec![(NodeId(2), vec![BytesPerSecond(400e9), BytesPerSecond(300e9)])],
        },
    };
    let (made, notices) = with_figures(unmeasured(&HBM), &given);
    assert_eq!(codes(&notices), [] as [&str; 0]);
    assert_eq!(figures(&made, 0, 0), (80.0, 90.0));
    assert_eq!(figures(&made, 0, 1), (140.0, 90.0));
    assert_eq!(figures(&made, 1, 2), (140.0, 300.0));
    let firmware = made.attributes.iter().filter(|of| of.origin == AttributeOrigin::Firmware).count();
    assert_eq!(firmware, 16, "the kernel of the guest shall know which memory is fast");
    assert_eq!(given.stranger(&made), None);
    let two = unmeasured(&HBM[..2]);
    assert_eq!(given.stranger(&two), Some(NodeId(2)));
}

#[test]
fn nodes_of_unknown_memory_have_equally_much() {
    let mut unknown = machine(&HBM[..2]);
    unknown.nodes[1].memory = Reading::unavailable("not said");
    let (made, notices) = with_figures(unknown, &GivenFigures::default());
    assert_eq!(codes(&notices), ["NW812"]);
    assert_eq!(made.nodes[1].memory, Reading::Measured(NODE_MEMORY));
}

#[test]
fn what_was_measured_stands_and_what_nothing_says_is_assumed_and_said() {
    let measured = machine(&HBM[..2]);
    let (made, notices) = with_figures(measured.clone(), &GivenFigures::default());
    assert_eq!((made, notices), (measured, vec![]));
    let (made, notices) = with_figures(unmeasured(&HBM[..2]), &GivenFigures::default());
    assert_eq!(codes(&notices), ["NW809", "NW810"]);
    let (latency, bandwidth) = figures(&made, 0, 1);
    assert!(
        (latency - 189.0).abs() < 1e-6 && (bandwidth - 100.0 / 2.1).abs() < 1e-6,
        "{latency} {bandwidth}"
    );
}
