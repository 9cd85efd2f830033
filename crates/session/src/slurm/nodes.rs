//! Which node the trials of a block run on.

use std::collections::BTreeMap;

use super::client::ClusterNode;
use super::error::{JobProblem, SlurmError};

#[cfg(test)]
#[path = "nodes_tests.rs"]
mod tests;

/// The nodes of a partition, and the blocks that are tied to them.
#[derive(Debug, Default)]
pub struct NodeTurns {
    /// As Slurm showed them last.
    nodes: Vec<ClusterNode>,
    /// The node of each block that has begun.
    blocks: BTreeMap<u32, String>,
    /// Nodes that cannot run the trials; the last one comes last.
    left_out: Vec<(String, JobProblem)>,
}

impl NodeTurns {
    /// What Slurm shows now.
    pub fn seen(&mut self, nodes: Vec<ClusterNode>) {
        self.nodes = nodes;
    }

    /// A block has begun on this node.
    pub fn begun(&mut self, block: u32, node: &str) {
        self.blocks.entry(block).or_insert_with(|| node.to_owned());
    }

    /// Nothing runs on this node any more.
    pub fn leave_out(&mut self, node: &str, problem: JobProblem) {
        self.left_out.push((node.to_owned(), problem));
    }

    pub fn is_left_out(&self, node: &str) -> bool {
        self.left_out.iter().any(|(name, _)| name == node)
    }

    /// Whether jobs may wait for this node.
    pub fn takes_jobs(&self, node: &str) -> bool {
        !self.is_left_out(node) && self.nodes.iter().any(|one| one.name == node)
    }

    fn usable(&self) -> impl Iterator<Item = &ClusterNode> {
        self.nodes.iter().filter(|node| !self.is_left_out(&node.name))
    }

    /// How many blocks can run side by side without waiting for other people's jobs: on what is idle, or runs ours. At least 1.
    pub fn side_by_side(&self, busy: &[String]) -> usize {
        self.usable().filter(|node| node.is_idle || busy.contains(&node.name)).count().max(1)
    }

    /// The node for a trial of a block, with the one that it was tied to before, if that takes no jobs any more. `busy` are those that
    /// have trials of ours. Nothing where no node takes jobs.
    ///
    /// # Errors
    /// When none is left.
    pub fn of_block(
        &mut self,
        block: u32,
        busy: &[String],
    ) -> Result<Option<(String, Option<String>)>, SlurmError> {
        let tied = self.blocks.get(&block).cloned();
        if let Some(tied) = tied.clone().filter(|node| self.takes_jobs(node)) {
            return Ok(Some((tied, None)));
        }
        let blocks = |name: &str| self.blocks.values().filter(|node| *node == name).count();
        let in_turn = |node: &&ClusterNode| {
            let is_busy = busy.contains(&node.name);
            (is_busy, !node.is_idle && !is_busy, blocks(&node.name))
        };
        let Some(next) = self.usable().min_by_key(in_turn).map(|node| node.name.clone()) else {
            return match self.left_out.last() {
                Some((node, problem)) => {
                    Err(SlurmError::NoNodeLeft { node: node.clone(), problem: problem.clone() })
                }
                None => Ok(None),
            };
        };
        self.blocks.insert(block, next.clone());
        Ok(Some((next, tied)))
    }
}
