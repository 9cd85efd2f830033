//! On which node a run begins.
//!
//! A program that nobody places goes on near to where it began: its first thread mostly stays on that node, and its memory comes to lie
//! there. Where it begins depends on what was forked before it, and stays the same for as long as all runs are started alike: all runs
//! of a check would tell of one node, and the same program typed at a shell may begin on another. So the runs of a point begin on one
//! node after the other (`docs/decisions/0023-first-nodes.md`).

use std::collections::BTreeMap;

use numawise_facts::{Machine, PointId};
use numawise_units::CpuSet;

/// The nodes on which runs begin, and how many runs of each point have begun.
#[derive(Debug, Clone, Default)]
pub struct StartNodes {
    /// What we may use of each node's CPUs.
    cpus: Vec<CpuSet>,
    runs: BTreeMap<PointId, usize>,
}

impl StartNodes {
    /// All nodes of the machine that have CPUs for us; none where affinity may not be set.
    pub fn of(machine: &Machine) -> StartNodes {
        let nodes = machine.nodes_with_allowed_cpus().filter(|_| machine.affinity_may_be_set());
        let cpus = nodes.map(|node| node.cpus.intersection(&machine.allowed_cpus)).collect();
        StartNodes { cpus, runs: BTreeMap::new() }
    }

    /// The same for a process that runs one trial of a point alone, when so many were run before it.
    pub fn after(mut self, point: &PointId, runs: usize) -> StartNodes {
        self.runs.insert(point.clone(), runs);
        self
    }

    /// The CPUs of the nodes for the next run of a point: its first task begins on the first, its second on the second, and
    /// behind the last comes the first again.
    pub fn next(&mut self, point: &PointId) -> Vec<CpuSet> {
        let run = self.runs.entry(point.clone()).or_default();
        let mut cpus = self.cpus.clone();
        let turn = run.checked_rem(cpus.len()).unwrap_or(0);
        *run += 1;
        cpus.rotate_left(turn);
        cpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_each_point_begin_on_one_node_after_the_other() {
        let node = |first: u32| [first, first + 1].into_iter().map(numawise_units::CpuId).collect::<CpuSet>();
        let mut nodes = StartNodes { cpus: vec![node(0), node(2), node(4)], runs: BTreeMap::new() };
        let (os, pinned) = (PointId::from("os"), PointId::from("pinned"));
        assert_eq!(nodes.next(&os), [node(0), node(2), node(4)]);
        assert_eq!(nodes.next(&pinned), [node(0), node(2), node(4)]);
        assert_eq!(nodes.next(&os), [node(2), node(4), node(0)]);
        assert_eq!(nodes.next(&os), [node(4), node(0), node(2)]);
        assert_eq!(nodes.next(&os), [node(0), node(2), node(4)]);
        assert!(StartNodes::default().next(&os).is_empty());
    }
}
