//! The kernel's monitor of memory bandwidth (resctrl): what the CPUs behind each last-level cache read and wrote.

use std::collections::BTreeMap;

use numawise_linux::Roots;
use numawise_linux::counters::{self, MonitoredTraffic};
use numawise_units::{Bytes, CpuSet, NodeId};

use super::{BandwidthError, Passed};

#[derive(Debug)]
pub struct Monitor {
    roots: Roots,
    node_of: BTreeMap<u32, NodeId>,
    last: Vec<MonitoredTraffic>,
}

impl Monitor {
    pub fn begin(
        roots: &Roots,
        nodes: &impl Fn() -> Vec<(NodeId, CpuSet)>,
    ) -> Result<Monitor, BandwidthError> {
        let last = counters::traffic(roots)?;
        let node_of = node_of_caches(roots, &nodes())?;
        if let Some(of) = last.iter().find(|of| !node_of.contains_key(&of.cache)) {
            return Err(BandwidthError::CacheUnknown { cache: of.cache });
        }
        Ok(Monitor { roots: roots.clone(), node_of, last })
    }

    pub fn passed(&mut self) -> Result<Vec<Passed>, BandwidthError> {
        let read = counters::traffic(&self.roots)?;
        let mut nodes: BTreeMap<NodeId, (u64, u64)> = BTreeMap::new();
        for of in &read {
            let node = *self.node_of.get(&of.cache).ok_or(BandwidthError::BegunAnew)?;
            let begun =
                self.last.iter().find(|begun| begun.cache == of.cache).ok_or(BandwidthError::BegunAnew)?;
            let passed = |now: u64, before: u64| now.checked_sub(before).ok_or(BandwidthError::BegunAnew);
            let total = passed(of.total.0, begun.total.0)?;
            // Both are read one after the other.
            let local = passed(of.local.0, begun.local.0)?.min(total);
            let sums = nodes.entry(node).or_default();
            (sums.0, sums.1) = (sums.0 + total, sums.1 + total - local);
        }
        self.last = read;
        let of = |(node, (total, remote))| Passed { node, total: Bytes(total), remote: Some(Bytes(remote)) };
        Ok(nodes.into_iter().map(of).collect())
    }
}

/// The node of the CPUs behind each last-level cache, by the number that the monitor has for it.
fn node_of_caches(
    roots: &Roots,
    nodes: &[(NodeId, CpuSet)],
) -> Result<BTreeMap<u32, NodeId>, BandwidthError> {
    let mut node_of: BTreeMap<u32, NodeId> = BTreeMap::new();
    for (node, cpus) in nodes {
        for cpu in cpus.iter() {
            let Some(cache) = counters::monitored_cache(roots, cpu) else { continue };
            let first = *node_of.entry(cache).or_insert(*node);
            if first != *node {
                return Err(BandwidthError::SharedCache { cache, first, second: *node });
            }
        }
    }
    Ok(node_of)
}
