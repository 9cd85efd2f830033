use std::path::Path;

use super::*;

#[test]
fn a_profile_gives_nodes_cores_and_figures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/profiles/guest-sixteen.json");
    let profile = Profile::of_json(&std::fs::read_to_string(path).unwrap()).unwrap();
    let all = |node: &ProfileNode| node.cpus.measured().cloned().unwrap_or_default();
    let machine = of_profile(&profile, "sixteen.json", all);
    assert_eq!((machine.nodes.len(), machine.cpus.len(), machine.allowed_cpus.len()), (1, 16, 16));
    assert_eq!(machine.cores(&machine.allowed_cpus), 16);
    let node = machine.nodes[0].id;
    assert!(machine.allowed_nodes.contains(node));
    assert!((machine.measured_latency(node, node).unwrap().median.0 - 119.0).abs() < 1.0);
    let four = of_profile(&profile, "four", |node| all(node).iter().take(4).collect());
    assert_eq!(four.cpus.len(), 4);
}
