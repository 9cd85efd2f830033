//! NW003 and NW004: how the job is spread over the nodes.

use numawise_facts::{Finding, FindingId};

use super::{Case, cost};

/// The threads fit into one node, and the same number over all nodes is faster: the other nodes' bandwidth lay idle.
pub fn idle_bandwidth(case: &Case) -> Option<Finding> {
    let effect = case.gain("one-node", "all-nodes")?;
    let spread = case.point("all-nodes")?;
    let threads = spread.placement.tasks.first()?.threads.len();
    let cpus = case.study.header.machine.allowed_cpus.len();
    let evidence = vec![
        format!("the program runs {threads} threads on {cpus} CPUs that it may use"),
        format!("spread over all nodes they are {effect} as fast as inside one node"),
    ];
    Some(Finding {
        id: FindingId::IdleBandwidth,
        evidence,
        cost: cost(Some(effect), ""),
        advice: vec![
            "spread the threads over all nodes, so that every node's memory works (--place distributed --memory local)"
                .to_owned(),
        ],
    })
}

/// One copy on each node gets more work done than one over all nodes.
pub fn process_per_node(case: &Case) -> Option<Finding> {
    let effect = case.gain("os", "copies")?;
    let copies = case.point("copies")?;
    let tasks = &copies.placement.tasks;
    let (n, threads) = (tasks.len(), tasks.first()?.threads.len());
    let os_threads = case.os().placement.tasks.first()?.threads.len();
    let mut evidence = vec![format!(
        "{n} copies at once, one on each node with {threads} threads, get the work done {effect} as fast as {n} runs one \
         after the other with {os_threads} threads"
    )];
    if case.loss("one-node", "remote").is_none() {
        evidence.push(
            "far memory was not seen to cost anything, so this is how the program scales with threads, rather than where \
             its memory lies"
                .to_owned(),
        );
    }
    Some(Finding {
        id: FindingId::ProcessPerNode,
        evidence,
        cost: cost(Some(effect), ""),
        advice: vec![
            format!("when there are several inputs, run {n} at once, each inside a node (--place semi)"),
            "with MPI: one rank for each node and threads inside it".to_owned(),
        ],
    })
}
