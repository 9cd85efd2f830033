use numawise_tables::PredictedFigure;
use numawise_units::NodeId;

use super::*;

fn point(runs: u32) -> PredictedPoint {
    PredictedPoint {
        point: numawise_facts::PointId("threads=4".to_owned()),
        levels: vec!["4".to_owned()],
        threads: Some(4),
        runs,
        measured: if runs > 0 { Reading::Measured(2.0) } else { Reading::unavailable("it was not run") },
        predicted: Reading::Measured(PredictedFigure { value: 2.1, low: 1.9, high: 2.3 }),
        parts: Reading::Measured(vec![
            TimePart { bound: TimeBound::MemoryBandwidth(NodeId(1)), share: Ratio(0.62) },
            TimePart { bound: TimeBound::Compute, share: Ratio(0.2) },
            TimePart { bound: TimeBound::Serial, share: Ratio(0.1) },
        ]),
    }
}

#[test]
fn the_largest_parts_are_named() {
    let parts = point(0).parts;
    assert_eq!(bounds(parts.measured().unwrap()), "62 % memory bandwidth of node 1, 20 % computing");
    let link = bound(TimeBound::LinkBandwidth(NodeId(0), NodeId(2)));
    assert_eq!(
        link,
        ("link from CPUs of node 0 to memory of node 2".to_owned(), "link_bandwidth:0:2".to_owned())
    );
}

#[test]
fn what_is_unavailable_keeps_its_reason_and_is_never_0() {
    let unknown = PredictedPoint {
        predicted: Reading::unavailable("too far off"),
        parts: Reading::unavailable("too far off"),
        ..point(0)
    };
    let shown = super::point(&unknown);
    for name in ["predicted", "predicted_low", "predicted_high", "error", "bounds"] {
        assert_eq!(shown[name]["unavailable"], "too far off", "{name}: {shown}");
    }
    assert_eq!(shown["measured"]["unavailable"], "it was not run");
    let run = super::point(&point(3));
    assert!((run["error"].as_f64().unwrap() - 0.05).abs() < 1e-9, "{run}");
    assert_eq!(run["bounds"][0]["bound"], "memory_bandwidth:1");
}

#[test]
fn points_without_a_figure_come_last() {
    let unknown = PredictedPoint { predicted: Reading::unavailable("too far off"), ..point(0) };
    assert_eq!(by_figure(&Metric::WallTime, &unknown, &point(0)), Ordering::Greater);
    assert_eq!(by_figure(&Metric::WallTime, &point(3), &point(0)), Ordering::Less, "2 s is less than 2.1 s");
}

#[test]
fn another_machine_is_named_with_what_is_not_known_of_it() {
    let of = |compute| OtherMachineFacts { profile: "other.json".to_owned(), nodes: 2, cores: 48, compute };
    let unknown = other_machine(&of(Reading::unavailable("not both profiles have peaks of arithmetic")));
    assert!(unknown.contains("2 nodes and 48 cores; no run there stands behind this"), "{unknown}");
    assert!(unknown.contains("not known (not both profiles"), "{unknown}");
    let known = other_machine(&of(Reading::Measured(Ratio(1.5))));
    assert!(known.contains("1.50 times as fast"), "{known}");
}
