use numawise_facts::{Levels, PlacementRequest};

use super::*;

/// Points with a pair from the baseline each, as a check on two nodes has them.
fn design() -> StudyDesign {
    let request = PlacementRequest::as_the_os_does;
    let point = |(id, role): (&str, PointRole)| PlannedPoint {
        id: id.into(),
        levels: Levels::of(&request(), 1),
        role,
        request: request(),
        ranks: None,
    };
    let pair =
        |(from, to, role): (&str, &str, ContrastRole)| PointPair { from: from.into(), to: to.into(), role };
    let points = [
        ("os", PointRole::Baseline),
        ("all-nodes", PointRole::Candidate),
        ("interleave", PointRole::Candidate),
        ("one-node", PointRole::Candidate),
        ("remote", PointRole::Diagnosis),
        ("copies", PointRole::Diagnosis),
    ];
    let pairs = [
        ("os", "all-nodes", ContrastRole::BothWays),
        ("os", "interleave", ContrastRole::BothWays),
        ("os", "one-node", ContrastRole::GainOnly),
        ("one-node", "remote", ContrastRole::BothWays),
        ("os", "copies", ContrastRole::Unjudged),
    ];
    StudyDesign { points: points.map(point).into(), pairs: pairs.map(pair).into(), not_tried: vec![] }
}

#[test]
fn what_is_worth_least_goes_first_and_two_points_stay() {
    let left = |seconds| {
        let one = Nanoseconds(1_000_000_000);
        let design = fitting(design(), one, 5, Nanoseconds(seconds * one.0));
        let known = |id: &PointId| design.points.iter().any(|point| point.id == *id);
        assert!(design.pairs.iter().all(|pair| known(&pair.from) && known(&pair.to)));
        assert_eq!(design.points.len() + design.not_tried.len(), 6);
        design.points.iter().map(|point| point.id.0.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(left(30), "os all-nodes interleave one-node remote copies");
    assert_eq!(left(29), "os all-nodes interleave one-node remote");
    assert_eq!(left(24), "os all-nodes interleave one-node");
    assert_eq!(left(19), "os all-nodes interleave");
    assert_eq!(left(14), "os all-nodes");
    assert_eq!(left(1), "os all-nodes", "what cannot fit is not made to");
}
