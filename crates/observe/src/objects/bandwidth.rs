//! Memory bandwidth by node while a program runs, from the kernel's monitor (resctrl). It counts at each last-level cache, for all programs.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::objects::{BandwidthMoment, BandwidthOverTime, BandwidthSource};
use numawise_linux::Roots;
use numawise_linux::counters::{self, MonitoredTraffic, TrafficError};
use numawise_units::{BytesPerSecond, CpuSet, Nanoseconds, NodeId};

#[cfg(test)]
#[path = "bandwidth_tests.rs"]
mod tests;

/// From one moment to the next. The monitor of some processors is read through a register that takes them a millisecond to fill.
const INTERVAL: Nanoseconds = Nanoseconds(100_000_000);
/// Moments that are kept; where more come, two become one.
const MOST_MOMENTS: usize = 512;

/// Why nothing is known of bandwidth.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BandwidthError {
    #[error(transparent)]
    Monitor(#[from] TrafficError),
    #[error("the CPUs behind cache {cache} of the monitor (resctrl) are not known")]
    CacheUnknown { cache: u32 },
    #[error(
        "cache {cache} of the monitor (resctrl) serves CPUs of nodes {first} and {second}: it does not tell them apart"
    )]
    SharedCache { cache: u32, first: NodeId, second: NodeId },
    #[error("the monitor of memory bandwidth (resctrl) was begun anew meanwhile")]
    BegunAnew,
    #[error("the program ended before the monitor (resctrl) was read twice")]
    TooShort,
}

/// The monitor while a program runs. For one thread.
#[derive(Debug)]
pub struct BandwidthWatch {
    roots: Roots,
    begin: Nanoseconds,
    interval: Nanoseconds,
    node_of: BTreeMap<u32, NodeId>,
    last: (Nanoseconds, Vec<MonitoredTraffic>),
    moments: Vec<BandwidthMoment>,
    failed: Option<BandwidthError>,
}

impl BandwidthWatch {
    /// Begins at `now`; `nodes` are asked for where there is a monitor, each with its CPUs.
    ///
    /// # Errors
    /// Where the monitor is not there, may not be read, or does not tell the nodes apart.
    pub fn begin(
        roots: Roots,
        nodes: impl FnOnce() -> Vec<(NodeId, CpuSet)>,
        now: Nanoseconds,
    ) -> Result<BandwidthWatch, BandwidthError> {
        let first = counters::traffic(&roots)?;
        let node_of = node_of_caches(&roots, &nodes())?;
        if let Some(of) = first.iter().find(|of| !node_of.contains_key(&of.cache)) {
            return Err(BandwidthError::CacheUnknown { cache: of.cache });
        }
        Ok(BandwidthWatch {
            roots,
            begin: now,
            interval: INTERVAL,
            node_of,
            last: (now, first),
            moments: Vec::new(),
            failed: None,
        })
    }

    /// Reads the monitor, where that is due.
    pub fn look(&mut self, now: Nanoseconds) {
        if now >= self.last.0 + self.interval {
            self.read(now);
        }
    }

    fn read(&mut self, now: Nanoseconds) {
        if self.failed.is_some() {
            return;
        }
        let read = counters::traffic(&self.roots).map_err(BandwidthError::from);
        let moment = read.and_then(|read| Ok((self.since_last(&read, now)?, read)));
        match moment {
            Ok((moment, read)) => {
                self.last = (now, read);
                self.moments.push(moment);
            }
            Err(error) => self.failed = Some(error),
        }
        if self.moments.len() >= MOST_MOMENTS {
            self.moments = halved(&self.moments);
            self.interval = self.interval + self.interval;
        }
    }

    fn since_last(
        &self,
        read: &[MonitoredTraffic],
        now: Nanoseconds,
    ) -> Result<BandwidthMoment, BandwidthError> {
        let (before, first) = &self.last;
        let seconds = now.saturating_sub(*before).seconds();
        let mut nodes: BTreeMap<NodeId, (u64, u64)> = BTreeMap::new();
        for of in read {
            let node = *self.node_of.get(&of.cache).ok_or(BandwidthError::BegunAnew)?;
            let begun =
                first.iter().find(|begun| begun.cache == of.cache).ok_or(BandwidthError::BegunAnew)?;
            let passed = |now: u64, before: u64| now.checked_sub(before).ok_or(BandwidthError::BegunAnew);
            let total = passed(of.total.0, begun.total.0)?;
            // Both are read one after the other.
            let local = passed(of.local.0, begun.local.0)?.min(total);
            let sums = nodes.entry(node).or_default();
            (sums.0, sums.1) = (sums.0 + total, sums.1 + total - local);
        }
        let rate = |bytes: u64| BytesPerSecond(bytes as f64 / seconds);
        Ok(BandwidthMoment {
            at: now.saturating_sub(self.begin),
            by_node: nodes.iter().map(|(node, (total, _))| (*node, rate(*total))).collect(),
            remote: nodes.iter().map(|(node, (_, remote))| (*node, rate(*remote))).collect(),
        })
    }

    /// What was read up to now.
    pub fn so_far(&self) -> Reading<BandwidthOverTime> {
        let missing = self.failed.clone().or(self.moments.is_empty().then_some(BandwidthError::TooShort));
        match missing {
            Some(error) => Reading::unavailable(error.to_string()),
            None => Reading::Measured(BandwidthOverTime {
                source: BandwidthSource::Resctrl,
                moments: self.moments.clone(),
            }),
        }
    }

    /// All of it, when the program has ended at `now`.
    pub fn finish(mut self, now: Nanoseconds) -> Reading<BandwidthOverTime> {
        if now > self.last.0 {
            self.read(now);
        }
        self.so_far()
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

/// Two moments become one: their average by the time that each stands for.
fn halved(moments: &[BandwidthMoment]) -> Vec<BandwidthMoment> {
    let mut begin = Nanoseconds(0);
    let mut all = Vec::with_capacity(moments.len() / 2 + 1);
    for pair in moments.chunks(2) {
        let [first, second] = pair else {
            all.extend(pair.iter().cloned());
            continue;
        };
        let lengths = [first.at.saturating_sub(begin), second.at.saturating_sub(first.at)];
        let average = |one: BytesPerSecond, other: BytesPerSecond| {
            let bytes = one.0 * lengths[0].seconds() + other.0 * lengths[1].seconds();
            BytesPerSecond(bytes / (lengths[0] + lengths[1]).seconds())
        };
        let both = |first: &[(NodeId, BytesPerSecond)], second: &[(NodeId, BytesPerSecond)]| {
            let of = |(node, one): &(NodeId, BytesPerSecond)| {
                let (_, other) = second.iter().find(|(other, _)| other == node)?;
                Some((*node, average(*one, *other)))
            };
            first.iter().filter_map(of).collect()
        };
        all.push(BandwidthMoment {
            at: second.at,
            by_node: both(&first.by_node, &second.by_node),
            remote: both(&first.remote, &second.remote),
        });
        begin = second.at;
    }
    all
}
