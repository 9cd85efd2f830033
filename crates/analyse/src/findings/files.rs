//! NW058: pages of files on another node than the threads.

use std::collections::BTreeMap;

use numawise_facts::finding::{
    Advice, Amount, EvidenceQuantity, EvidenceSource, EvidenceSubject, ObeyedAdvice, SystemQuantity,
};
use numawise_facts::{Finding, FindingId, Machine, Observation};
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use super::{Case, others, plain};
use crate::inside::RunPlaces;
use crate::obeyed::memory::data_files;
use crate::{comparison, middle, share, summary};

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

/// Pages of files that are mapped as data count from this share of the memory on.
const NOTEWORTHY: f64 = 0.2;
/// They are on one node from this share on.
const ON_ONE_NODE: f64 = 0.8;
/// Share of CPU time away from that node from which the threads are elsewhere, and of the runs in which they are.
const ELSEWHERE: f64 = 0.25;

/// The pages of files of a run, on one node, and threads elsewhere.
#[derive(Debug, Clone, Copy)]
struct FilesElsewhere {
    node: NodeId,
    files: Bytes,
    memory: Bytes,
    away: Ratio,
}

/// Pages of files lie on one node, where the page cache has had them since they were first read; the threads work elsewhere, and
/// on that node they are decidedly better.
pub fn read_elsewhere(case: &Case) -> Option<Finding> {
    let point = case.study.header.point(&case.baseline.id)?;
    let gain = case.gain(comparison::of_one_node(&case.study.header))?;
    let machine = &case.study.header.machine;
    let runs: Vec<Option<FilesElsewhere>> =
        summary::watched(case.study, point).filter_map(|run| of_run(machine, run)).collect();
    let nodes = gain.between.to.levels.placement.nodes.as_ref()?;
    let there = |run: &&FilesElsewhere| nodes.contains(run.node);
    let found: Vec<FilesElsewhere> = runs.iter().flatten().filter(there).copied().collect();
    // A thread that the kernel puts anywhere is elsewhere in about half of the runs, and what is gained is gained in those.
    if (found.len() as f64) < ELSEWHERE * runs.len() as f64 || found.is_empty() {
        return None;
    }
    let typical = middle(found.iter().map(|run| run.files).collect())?;
    let run = found.iter().find(|run| run.files == typical)?;
    let subject = || EvidenceSubject::Nodes { point: point.id.clone(), nodes: NodeSet::single(run.node) };
    let observed = |quantity, value, of| plain(quantity, value, of, subject(), EvidenceSource::Observations);
    let memory = Some(Amount::Bytes(run.memory));
    let placement = gain.between.to.id.clone();
    let evidence = vec![
        observed(SystemQuantity::FilePages.into(), Amount::Bytes(run.files), memory),
        observed(EvidenceQuantity::CpuTimeElsewhere, Amount::Share(run.away), None),
        gain.evidence(EvidenceQuantity::EffectOfPlacement),
    ];
    let mut finding = gain.finding(FindingId::FilesElsewhere, evidence, Advice::KeepTogether { placement });
    // Else that is said there already.
    if others::memory_out_of_reach(case).is_none() {
        finding.advice.push(Advice::Obeyed(ObeyedAdvice::ReadFilesThere).into());
    }
    Some(finding)
}

/// Whether a run had its files on one node and its threads elsewhere; `None` where that was not seen.
fn of_run(machine: &Machine, observation: &Observation) -> Option<Option<FilesElsewhere>> {
    let places = RunPlaces::of(machine, observation)?;
    let memory = observation.pages.measured()?.memory.measured()?;
    let mut files: BTreeMap<NodeId, Bytes> = BTreeMap::new();
    for (node, bytes) in data_files(memory).flat_map(|file| &file.by_node) {
        let sum = files.entry(*node).or_insert(Bytes(0));
        *sum = *sum + *bytes;
    }
    let of_files: Bytes = files.values().copied().sum();
    let all: Bytes = memory.by_use.iter().map(|(_, _, bytes)| *bytes).sum();
    let part = |bytes: Bytes, of: Bytes| share(bytes.0 as f64, of.0 as f64).map_or(0.0, |share| share.0);
    let Some((node, most)) = files.into_iter().max_by_key(|(_, bytes)| *bytes) else { return Some(None) };
    let away = places.away_from(node);
    let so = part(of_files, all) >= NOTEWORTHY && part(most, of_files) >= ON_ONE_NODE && away.0 >= ELSEWHERE;
    Some(so.then_some(FilesElsewhere { node, files: most, memory: all, away }))
}
