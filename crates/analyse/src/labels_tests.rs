//! Labels of points and their order mean nothing: under other labels, in another order, a study says the same.

use numawise_facts::{ContrastRole, PointId, Reading, Study};

use crate::analyse;
use crate::sample::{first_touch_by_one, observation, see, study, two_node_check, two_sockets, with_hbm};

/// The study with labels that mean nothing, and its points backwards.
fn relabelled(study: &Study) -> (Study, Vec<(String, String)>) {
    let mut other = study.clone();
    let labels: Vec<(String, String)> = study
        .header
        .points
        .iter()
        .enumerate()
        .map(|(k, point)| (point.id.0.clone(), format!("label-{}", (k * 7 + 3) % 31)))
        .collect();
    let relabel = |id: &mut PointId| {
        let new = labels.iter().find(|(old, _)| *old == id.0).expect("every point has a label");
        id.0.clone_from(&new.1);
    };
    other.header.points.iter_mut().for_each(|point| relabel(&mut point.id));
    other.header.points.reverse();
    for pair in &mut other.header.pairs {
        relabel(&mut pair.from);
        relabel(&mut pair.to);
    }
    other.trials.iter_mut().for_each(|trial| relabel(&mut trial.point));
    (other, labels)
}

#[test]
fn other_labels_and_another_order_say_the_same() {
    let mut first_touch = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 0.6);
    see(&mut first_touch, "os", &first_touch_by_one());
    see(&mut first_touch, "interleave", &observation(&[(0, 50), (1, 50)], &[(0, 50), (4, 50)]));
    crate::expected::tests::measure(&mut first_touch.header.machine);
    let mut high_bandwidth =
        study(with_hbm(), &[("os", 2.0), ("hbm", 1.0)], &[("os", "hbm", ContrastRole::BothWays)], 6);
    see(&mut high_bandwidth, "os", &observation(&[(0, 100)], &[(0, 1)]));
    let spread =
        [("os", "one-node", ContrastRole::BothWays), ("one-node", "all-nodes", ContrastRole::BothWays)];
    let spread = study(two_sockets(), &[("os", 1.5), ("one-node", 1.5), ("all-nodes", 1.0)], &spread, 6);
    let mut migrates =
        study(two_sockets(), &[("os", 1.2), ("pinned", 1.0)], &[("os", "pinned", ContrastRole::BothWays)], 6);
    see(&mut migrates, "os", &observation(&[], &[(0, 0)]));
    let undecided = two_node_check(1.0, 1.0, 1.0, 0.999, 1.0, 1.0);
    for (study, findings) in
        [(first_touch, 2), (high_bandwidth, 1), (spread, 1), (migrates, 1), (undecided, 0)]
    {
        let (other, labels) = relabelled(&study);
        let expected = analyse(&study);
        assert!(expected.findings.len() >= findings, "{:?}", expected.findings);
        assert!(expected.points.iter().all(|point| matches!(point.median, Reading::Measured(_))));
        let mut found = analyse(&other);
        found.points.reverse();
        let mut text = format!("{found:#?}");
        for (old, new) in &labels {
            text = text.replace(&format!("\"{new}\""), &format!("\"{old}\""));
        }
        assert_eq!(text, format!("{expected:#?}"));
    }
}
