//! NW003 and NW004: how the job is spread over the nodes.

use numawise_facts::finding::{Advice, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject};
use numawise_facts::{Finding, FindingId};
use numawise_tables::ContrastCall;

use super::{Case, of_points, plain};
use crate::{comparison, uses_mpi};

/// The threads fit into one node, and the same number over all nodes is faster: the other nodes' bandwidth lay idle.
pub fn idle_bandwidth(case: &Case) -> Option<Finding> {
    let gain = case.gain(comparison::of_spreading(&case.study.header))?;
    let cpus = case.study.header.machine.allowed_cpus.len();
    let spread = gain.between.to;
    let evidence = vec![
        plain(
            EvidenceQuantity::Threads,
            Amount::Count(spread.threads().into()),
            Some(Amount::Count(cpus as u64)),
            EvidenceSubject::Point { point: spread.id.clone() },
            EvidenceSource::Design,
        ),
        gain.evidence(EvidenceQuantity::EffectOfSpreading),
    ];
    Some(gain.finding(FindingId::IdleBandwidth, evidence, Advice::SpreadThreads))
}

/// One copy on each node gets more work done than one over all nodes.
pub fn process_per_node(case: &Case) -> Option<Finding> {
    let gain = case.gain(comparison::of_copies(&case.study.header))?;
    let mut evidence = vec![gain.evidence(EvidenceQuantity::EffectOfCopies)];
    evidence.extend(no_cost_of_remote_memory(case));
    let copies = Advice::RunCopies { copies: gain.between.to.copies() };
    let mut finding = gain.finding(FindingId::ProcessPerNode, evidence, copies);
    finding.advice.extend(uses_mpi(case.study).then(|| Advice::RankPerNode.into()));
    Some(finding)
}

/// Remote memory was tried and costs nothing. Where it was not, or was not obeyed, nothing is known of it.
fn no_cost_of_remote_memory(case: &Case) -> Option<Evidence> {
    let between = comparison::of_remote_memory(&case.study.header)?;
    let contrast = case.contrast(between)?;
    matches!(contrast.call, ContrastCall::Same | ContrastCall::Better)
        .then(|| of_points(EvidenceQuantity::EffectOfRemoteMemory, between, contrast.effect.clone()))
}
