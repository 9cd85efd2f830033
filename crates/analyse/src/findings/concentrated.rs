//! Memory on one node and threads on several: what first touch by one thread looks like.

use numawise_facts::finding::{Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject};
use numawise_units::{Bytes, NodeSet, Ratio};

use super::{Case, plain};
use crate::inside::{RunMemory, RunPlaces};
use crate::{middle, summary};

/// Share of the memory on one node from which it counts as "on one node". Libraries and stacks of other threads put a
/// few percent elsewhere even in the plainest case.
const ON_ONE_NODE: f64 = 0.80;
/// Share of CPU time away from that node from which the threads count as being elsewhere too.
const ELSEWHERE: f64 = 0.25;
/// Less shared memory than this share is not worth a word.
const NOTEWORTHY: f64 = 0.10;

/// What was seen in the runs of the baseline that have their memory on one node and threads on several: medians.
pub struct Concentrated {
    /// The node that each of them had its memory on.
    homes: NodeSet,
    memory: Bytes,
    /// What of it processes share, where that is worth a word.
    shared: Option<Ratio>,
    /// In most of these runs several processes work, on memory that they share for the most part.
    pub is_of_processes: bool,
    concentration: Ratio,
    away: Ratio,
}

impl Concentrated {
    pub fn evidence(&self, case: &Case) -> Vec<Evidence> {
        let subject =
            || EvidenceSubject::Nodes { point: case.baseline.id.clone(), nodes: self.homes.clone() };
        let observed =
            |quantity, value, of| plain(quantity, value, of, subject(), EvidenceSource::Observations);
        let memory = Some(Amount::Bytes(self.memory));
        let mut evidence =
            vec![observed(EvidenceQuantity::MemoryOnNode, Amount::Share(self.concentration), memory)];
        let shared = self.shared.map(Amount::Share);
        evidence.extend(shared.map(|share| observed(EvidenceQuantity::SharedMemory, share, memory)));
        evidence.push(observed(EvidenceQuantity::CpuTimeElsewhere, Amount::Share(self.away), None));
        evidence
    }
}

/// Most runs that show both were so; each is compared with itself.
pub fn concentrated(case: &Case) -> Option<Concentrated> {
    let point = case.study.header.point(&case.baseline.id)?;
    let machine = &case.study.header.machine;
    let runs: Vec<(RunPlaces, RunMemory)> = summary::watched(case.study, point)
        .filter_map(|observation| RunPlaces::of(machine, observation))
        .filter_map(|places| Some((places.clone(), places.memory?)))
        .collect();
    let so = |(places, memory): &&(RunPlaces, RunMemory)| {
        places.workers > 1 && memory.there.0 >= ON_ONE_NODE && places.away_from(memory.home).0 >= ELSEWHERE
    };
    let found: Vec<&(RunPlaces, RunMemory)> = runs.iter().filter(so).collect();
    if 2 * found.len() <= runs.len() {
        return None;
    }
    let shares = |of: &dyn Fn(&(RunPlaces, RunMemory)) -> Ratio| {
        let values: Vec<f64> = found.iter().map(|run| of(run).0).collect();
        numawise_stats::median(&values).ok().map(Ratio)
    };
    let shared = shares(&|(_, memory)| Ratio(memory.shared.0 as f64 / memory.total.0 as f64))?;
    let of_processes =
        |(places, memory): &&&(RunPlaces, RunMemory)| places.processes > 1 && memory.is_shared();
    Some(Concentrated {
        shared: Some(shared).filter(|shared| shared.0 >= NOTEWORTHY),
        is_of_processes: 2 * found.iter().filter(of_processes).count() > found.len(),
        homes: found.iter().map(|(_, memory)| memory.home).collect(),
        memory: middle(found.iter().map(|(_, memory)| memory.total).collect())?,
        concentration: shares(&|(_, memory)| memory.there)?,
        away: shares(&|(places, memory)| places.away_from(memory.home))?,
    })
}
