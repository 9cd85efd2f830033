use numawise_units::{CpuId, NodeId};

use super::*;
use crate::{Argument, Cpu, Placement, Source};

fn task(cpus: &str) -> TaskPlacement {
    TaskPlacement { cpus: cpus.parse().unwrap(), ..Placement::of_nothing().tasks[0].clone() }
}

/// CPUs 0 and 1 of node 0, 2 and 3 of node 2.
fn machine() -> Machine {
    let cpu = |id: u32| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id / 2 * 2)),
        package: None,
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("all alike"),
    };
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: vec![],
        nodes: vec![],
        cpus: (0..4).map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: "0-3".parse().unwrap(),
        allowed_nodes: "0,2".parse().unwrap(),
        limits: vec![],
    }
}

fn placed(line: &str, cpus: &str, host: Reading<String>) -> Result<String, String> {
    let spec = RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: "/".into() };
    let spec = spec.placed(&task(cpus), &machine(), || host.clone()).map_err(|error| error.to_string())?;
    Ok(spec.command.iter().map(|word| word.0.to_str().unwrap()).collect::<Vec<_>>().join(" "))
}

#[test]
fn a_task_has_its_cpus_their_nodes_and_its_host() {
    let on = Reading::Measured("n17".to_owned());
    assert_eq!(placed("-c={cpus} {nodes} {host} {task}", "1-3", on).unwrap(), "-c=1-3 0,2 n17 {task}");
}

#[test]
fn braces_of_its_own_keep_a_word_also_where_nothing_is_known() {
    let nobody = Reading::unavailable("nobody says");
    let kept = placed("{{cpus}} {{nodes}} {{host}}", "9", nobody.clone());
    assert_eq!(kept.unwrap(), "{cpus} {nodes} {host}");
    assert_eq!(placed("{host}", "0", nobody.clone()).unwrap_err(), "{host} is not known: nobody says");
    let unknown = placed("{nodes}", "9", nobody).unwrap_err();
    assert_eq!(unknown, "{nodes} is not known: of none of CPUs 9 the node is known");
}
