//! How much the memory of the machine had to do while the program ran.

use std::collections::BTreeMap;

use numawise_units::{BytesPerSecond, Nanoseconds, NodeId, Ratio};
use serde::{Deserialize, Serialize};

/// Bytes per second by node, over time: what its CPUs read and wrote, or what its memory was read and written, as the source says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BandwidthOverTime {
    pub source: BandwidthSource,
    /// In the order of time.
    pub moments: Vec<BandwidthMoment>,
}

impl BandwidthOverTime {
    /// Of each node over the whole time; nothing of no time.
    pub fn mean(&self) -> BandwidthMoment {
        let mut begin = Nanoseconds(0);
        let [mut by_node, mut remote] = [(); 2].map(|()| BTreeMap::<NodeId, f64>::new());
        for moment in &self.moments {
            let length = moment.at.saturating_sub(begin).seconds();
            begin = moment.at;
            for (sums, of) in [(&mut by_node, &moment.by_node), (&mut remote, &moment.remote)] {
                for (node, rate) in of {
                    *sums.entry(*node).or_default() += rate.0 * length;
                }
            }
        }
        let mean = |bytes: BTreeMap<NodeId, f64>| {
            let known = bytes.into_iter().filter(|_| begin > Nanoseconds(0));
            known.map(|(node, bytes)| (node, BytesPerSecond(bytes / begin.seconds()))).collect()
        };
        BandwidthMoment { at: begin, by_node: mean(by_node), remote: mean(remote) }
    }
}

/// What bandwidth is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BandwidthSource {
    /// Memory bandwidth monitoring of the processor, read through resctrl: of all programs of the machine.
    Resctrl,
    /// Counters of the memory controllers: what the ordinary memory of each node was read and written, by all programs of the machine.
    MemoryControllers,
    /// Samples of accesses: an estimate, as no numawise makes it now.
    Samples,
}

/// On average from the moment before, or from the begin of the run, to this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BandwidthMoment {
    /// Since the begin of the run.
    pub at: Nanoseconds,
    /// What the CPUs of each node read and wrote, or what its memory was, as the source says.
    pub by_node: Vec<(NodeId, BytesPerSecond)>,
    /// Of it, from and to memory of other nodes; nothing of a node of which that is not known.
    #[serde(default)]
    pub remote: Vec<(NodeId, BytesPerSecond)>,
}

/// The part of the program's time in which its CPUs waited for memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryBound {
    pub share: Ratio,
    pub source: MemoryBoundSource,
}

/// What it is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryBoundSource {
    /// Samples that were taken behind an access to memory other than the stack, of all samples: an upper bound, as caches answer some accesses at
    /// once.
    Samples,
    /// Counters of the processor, of the program's own code: of the places for an operation that the pipeline had, those that stayed empty because
    /// of memory.
    Slots,
    /// Counters of the processor, of the program's own code: of the cycles, those in which nothing was executed and a load had not come back.
    StallCycles,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_by_the_time_that_each_moment_stands_for() {
        let rate = |rate| vec![(NodeId(1), BytesPerSecond(rate))];
        let moments = vec![
            BandwidthMoment { at: Nanoseconds(1_000_000_000), by_node: rate(8.0), remote: rate(0.0) },
            BandwidthMoment { at: Nanoseconds(4_000_000_000), by_node: rate(4.0), remote: rate(4.0) },
        ];
        let mean = BandwidthOverTime { source: BandwidthSource::Resctrl, moments }.mean();
        assert_eq!((mean.by_node, mean.remote), (rate(5.0), rate(3.0)));
        assert_eq!(
            BandwidthOverTime { source: BandwidthSource::Resctrl, moments: vec![] }.mean().by_node,
            []
        );
    }
}
