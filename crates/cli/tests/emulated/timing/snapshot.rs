//! Memory of ranks on another node than theirs, or on their own: NW032 of runs in which it was looked at.

use std::time::Duration;

use super::{beside_others, say};
use crate::json;
use crate::probe::with_probe;
use crate::topics::ranks::launchers;
use crate::topics::snapshot::{is_here, said, with_programs};

/// A look at memory takes the longest of all sampling, which keeps to its share of the time: so the ranks take theirs.
fn taken(options: &str) -> String {
    format!(
        "numawise snapshot --quiet --json=j -- mpirun.mpich -n 2 -bind-to core numactl {options} surrounded compute 20 >&2; cat j"
    )
}

#[test]
#[ignore = "timing: whether memory is looked at in time"]
fn emulated_ranks_have_their_memory_elsewhere_or_not() {
    if !testbed::ready() || !is_here() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let guest =
        with_programs(launchers(with_probe(&machine))).tool("numactl").limit(Duration::from_secs(1800));
    let run = beside_others(|| guest.run(&[taken("-m 1"), taken("-l")]).unwrap());
    let (elsewhere, beside) = (json(&run[0]), json(&run[1]));
    let remote = &elsewhere["ranks"][0]["placement"]["memory"]["remote"];
    say(&format!("remote {remote}, {}", beside["ranks"][0]["placement"]["memory"]["remote"]));
    assert_eq!(said(&elsewhere), ["NW032"], "{}", elsewhere["findings"]);
    assert!(remote["share"].as_f64().unwrap() >= 0.25, "{remote}");
    assert!(said(&beside).is_empty(), "{}", beside["findings"]);
    // Both ranks run on node 0, and have their memory there.
    let nodes = beside["memory"]["nodes"].as_array().unwrap();
    assert!(nodes.len() == 1 && nodes[0]["node"] == 0, "{}", beside["memory"]);
    for rank in [&elsewhere, &beside].into_iter().flat_map(|of| of["ranks"].as_array().unwrap()) {
        assert!(rank["placement"]["memory"]["last"].is_array(), "{rank}");
    }
}
