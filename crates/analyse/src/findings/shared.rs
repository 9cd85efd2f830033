//! NW055: other work on the machine.

use std::collections::BTreeMap;

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceSource, EvidenceSubject, NoiseQuantity, SystemQuantity,
};
use numawise_facts::{Disturbance, Finding, FindingId, Observation, Reading, Trial};
use numawise_units::{NodeId, NodeSet, Ratio};

use super::{Case, apart, plain};
use crate::{share, summary};

#[cfg(test)]
#[path = "shared_tests.rs"]
mod tests;

/// The part of the program's CPU time that samples must have seen to tell on which node the rest of the work was.
const SEEN: f64 = 0.8;
/// A node of which others use less of the CPU time than this is not worth a word.
const NOTEWORTHY: f64 = 0.05;

/// Others used the machine while the program ran: runs without them are decidedly better, or there are too few of those to
/// leave the others out.
pub fn other_work(case: &Case) -> Option<Finding> {
    let ran = case.study.trials.iter().filter(|trial| !trial.is_warm_up() && !trial.is_interrupted());
    let (busy, all): (Vec<&Trial>, usize) = (ran.clone().filter(|t| is_shared(t)).collect(), ran.count());
    let quiet = apart::without(case, |trial| Some(is_shared(trial)));
    if busy.is_empty() || (quiet.is_err() && summary::left_out(case.study)) {
        return None;
    }
    let observed =
        |quantity, value, of, subject| plain(quantity, value, of, subject, EvidenceSource::Observations);
    let mut evidence = vec![observed(
        NoiseQuantity::DisturbedRuns.into(),
        Amount::Count(busy.len() as u64),
        Some(Amount::Count(all as u64)),
        EvidenceSubject::Study,
    )];
    let seen: Vec<&Observation> = busy.iter().filter_map(|trial| trial.observation.measured()).collect();
    let loads: Vec<f64> = seen.iter().filter_map(|o| Some(o.noise.other_load.measured()?.0)).collect();
    evidence.extend(numawise_stats::median(&loads).ok().map(|load| {
        let cpus = case.study.header.machine.cpus.len() as u64;
        let (value, of) = (Amount::Share(Ratio(load)), Some(Amount::Count(cpus)));
        observed(SystemQuantity::OtherLoad.into(), value, of, EvidenceSubject::Study)
    }));
    evidence.extend(by_node(case, &busy));
    let cost = quiet.map_err(str::to_owned).into();
    let advice = vec![AdvisedStep { advice: Advice::RepeatWhenQuiet, brought: Reading::clone(&cost) }];
    Some(Finding { id: FindingId::MachineShared, evidence, cost, cure: None, advice })
}

fn is_shared(trial: &Trial) -> bool {
    trial.disturbances.iter().any(|disturbance| matches!(disturbance, Disturbance::OtherLoad(_)))
}

/// What others used of each node, the median of the runs that show it.
fn by_node(case: &Case, runs: &[&Trial]) -> Vec<Evidence> {
    let machine = &case.study.header.machine;
    if machine.nodes_with_allowed_cpus().count() < 2 {
        return Vec::new(); // it says no more than the whole
    }
    let mut shares: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
    for (node, share) in runs.iter().filter_map(|trial| others_of_nodes(case, trial)).flatten() {
        shares.entry(node).or_default().push(share.0);
    }
    let medians = shares.into_iter().filter_map(|(node, shares)| {
        let median = numawise_stats::median(&shares).ok().filter(|share| *share >= NOTEWORTHY)?;
        let cpus = machine.cpus.iter().filter(|cpu| cpu.node == Some(node)).count() as u64;
        let point = case.baseline.id.clone();
        Some(plain(
            SystemQuantity::OtherLoad.into(),
            Amount::Share(Ratio(median)),
            Some(Amount::Count(cpus)),
            EvidenceSubject::Nodes { point, nodes: NodeSet::single(node) },
            EvidenceSource::Observations,
        ))
    });
    medians.collect()
}

/// The share of the CPU time of each node that others used in a run; nothing where too little of the program was seen.
fn others_of_nodes(case: &Case, trial: &Trial) -> Option<Vec<(NodeId, Ratio)>> {
    let machine = &case.study.header.machine;
    let observation = trial.observation.measured()?;
    let mut used: BTreeMap<NodeId, f64> = BTreeMap::new();
    for (cpu, time) in observation.noise.busy_cpus.measured()? {
        *used.entry(machine.node_of(*cpu)?).or_default() += time.seconds();
    }
    let mut seen = 0.0;
    for (cpu, time) in observation.threads.measured()?.iter().flat_map(|thread| &thread.cpu_time_on) {
        *used.entry(machine.node_of(*cpu)?).or_default() -= time.seconds();
        seen += time.seconds();
    }
    if seen < SEEN * observation.usage.cpu_time().measured()?.seconds() {
        return None;
    }
    let of_node = |(node, others): (NodeId, f64)| {
        let cpus = machine.cpus.iter().filter(|cpu| cpu.node == Some(node)).count();
        Some((node, share(others.max(0.0), cpus as f64 * trial.wall.seconds())?))
    };
    Some(used.into_iter().filter_map(of_node).collect())
}
