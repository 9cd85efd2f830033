use super::*;
use serde_json::json;

#[test]
fn placements_get_the_names_that_they_have_by_hand() {
    let check = json!({
        "case": "gains", "recommended": "one-node", "findings": [{"id": "NW008"}],
        "effect": {"ratio": 1.5, "low": 1.4, "high": 1.6, "from": "os", "to": "one-node"},
        "use": {"line": "numawise run x", "effect": {"ratio": 1.4, "low": 1.3, "high": 1.5},
            "equivalents": [{"tool": "numactl", "line": "numactl x", "effect": {"unavailable": "no time"}}]},
        "points": [{"id": "one-node", "placement": {"tasks": [{"cpus": "2-3"}]}}],
        "machine": {"nodes": [{"id": 0, "cpus": "0-1"}, {"id": 1, "cpus": "2-3"}]},
    });
    let told = Told::of(&check).unwrap();
    assert_eq!(told.recommended.as_deref(), Some("node1"));
    let effect = told.effect.unwrap();
    assert_eq!((effect.from.as_str(), effect.to.as_str(), effect.gain.ratio), ("as-is", "node1", 1.5));
    assert_eq!((told.findings, told.lines[0].effect.unwrap().low), (vec!["NW008".to_owned()], 1.3));
    assert_eq!(
        (told.lines[1].tool.as_str(), told.lines[1].not_measured.as_deref()),
        ("numactl", Some("no time"))
    );
}

#[test]
fn a_placement_on_cpus_of_one_node_is_that_node_whatever_its_name() {
    let named = |cpus: &str| {
        let check = json!({
            "points": [{"id": "all-nodes", "placement": {"tasks": [{"cpus": cpus}]}}],
            "machine": {"nodes": [{"id": 0, "cpus": "0-1"}, {"id": 1, "cpus": "2,3"}, {"id": 2, "cpus": ""}]},
        });
        by_hand(&check, "all-nodes")
    };
    assert_eq!(["0", "2-3", "0-3", "1-2", ""].map(named), ["node0", "node1", "spread", "spread", "spread"]);
}

#[test]
fn what_is_not_there_is_none() {
    let check =
        json!({"case": "too_short", "findings": [], "effect": {"unavailable": "x"}, "recommended": null});
    let told = Told::of(&check).unwrap();
    assert_eq!((told.effect, told.recommended, told.lines), (None, None, vec![]));
    assert_eq!(Told::of(&json!({"verdict": "affected"})), None);
}
