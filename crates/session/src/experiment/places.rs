//! Where the first run of a program was seen.

use std::collections::BTreeMap;
use std::ops::Add;

use numawise_facts::{PageUse, Study};
use numawise_study::FirstRunPlaces;
use numawise_units::NodeId;

/// Where the first run had its memory.
pub fn places(study: &Study) -> FirstRunPlaces {
    let observation = study.trials.first().and_then(|trial| trial.observation.measured());
    let threads = observation.and_then(|observation| observation.threads.measured()).into_iter().flatten();
    let on_nodes = threads.flat_map(|thread| &thread.cpu_time_on);
    let machine = &study.header.machine;
    let cpu_time = by_node(on_nodes.filter_map(|(cpu, time)| Some((machine.node_of(*cpu)?, *time))));
    let Some(sample) = observation.and_then(|observation| observation.pages.measured()) else {
        return FirstRunPlaces { cpu_time, ..FirstRunPlaces::default() };
    };
    let Some(memory) = sample.memory.measured() else {
        let fixed = sample.shared.measured().cloned().unwrap_or_default();
        return FirstRunPlaces { fixed, memory: sample.own_and_shared(), cpu_time };
    };
    let stays = |used_for: &PageUse| matches!(used_for, PageUse::File | PageUse::Shared | PageUse::Huge);
    let by_use = || memory.by_use.iter();
    // What the program binds itself stays too; of that, pages of files are counted already.
    let bound =
        memory.largest.iter().filter(|mapping| mapping.policy != "default" && !stays(&mapping.used_for));
    let bound = bound.flat_map(|mapping| mapping.by_node.iter().copied());
    let fixed = by_use().filter(|(used_for, ..)| stays(used_for)).map(|(_, node, bytes)| (*node, *bytes));
    FirstRunPlaces {
        fixed: by_node(fixed.chain(bound)),
        memory: by_node(by_use().map(|(_, node, bytes)| (*node, *bytes))),
        cpu_time,
    }
}

fn by_node<T: Default + Copy + Add<Output = T>>(
    parts: impl Iterator<Item = (NodeId, T)>,
) -> Vec<(NodeId, T)> {
    let mut sums: BTreeMap<NodeId, T> = BTreeMap::new();
    for (node, part) in parts {
        let sum = sums.entry(node).or_default();
        *sum = *sum + part;
    }
    sums.into_iter().collect()
}
