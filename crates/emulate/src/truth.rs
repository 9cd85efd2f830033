//! The ground truth of a timed guest: which CPU fetched how many lines from which node, as the plugin counted them.

use std::time::Duration;

use crate::Error;

/// Counts between two moments of a guest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// One entry for each CPU and node with any traffic, by CPU, then node.
    pub counts: Vec<TrafficCount>,
    /// Lines that belong to no node's memory (firmware, video); many would mean that the plugin misjudges addresses.
    pub outside: u64,
    /// How long CPUs waited for memory, all together; by the host's clock.
    pub waited: Duration,
    /// How much of it they overslept and nothing made up for: other programs had the host's CPUs.
    pub lost: Duration,
    /// CPU time of the host for the emulation.
    pub computed: Duration,
}

/// What one CPU fetched from one node's memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrafficCount {
    /// The CPU.
    pub cpu: u32,
    /// The node.
    pub node: u32,
    /// Lines of 64 bytes its cache did not hold.
    pub lines: u64,
    /// Those of them that no prefetcher would have foreseen: they cost the full latency.
    pub exposed: u64,
    /// Changed lines written back.
    pub written: u64,
}

impl Truth {
    /// Lines fetched from a node's memory by all CPUs.
    #[must_use]
    pub fn lines_from(&self, node: u32) -> u64 {
        self.counts.iter().filter(|count| count.node == node).map(|count| count.lines).sum()
    }

    /// Lines fetched by all CPUs from all nodes.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.counts.iter().map(|count| count.lines).sum()
    }

    /// Of the time that the emulated CPUs were busy, the part in which they waited for memory; `None` when nothing was charged. The
    /// rest is the emulation's own: where it is large, memory weighs less than on the machine that is emulated.
    #[must_use]
    pub fn waiting_share(&self) -> Option<f64> {
        let (waited, computed) = (self.waited.as_secs_f64(), self.computed.as_secs_f64());
        (waited > 0.0).then(|| waited / (waited + computed))
    }

    /// The part of the waits that is not the memory's but the busy host's.
    #[must_use]
    pub fn lost_share(&self) -> Option<f64> {
        let (waited, lost) = (self.waited.as_secs_f64(), self.lost.as_secs_f64());
        (waited > 0.0).then(|| lost / waited)
    }

    /// Share of the lines that did not come from the CPU's local node; `None` when there are no lines.
    #[must_use]
    pub fn remote_share(&self, machine: &crate::EmulatedMachine) -> Option<f64> {
        let remote = |count: &&TrafficCount| machine.node_of_cpu(count.cpu) != Some(count.node);
        let remote: u64 = self.counts.iter().filter(remote).map(|count| count.lines).sum();
        (self.lines() > 0).then(|| remote as f64 / self.lines() as f64)
    }

    fn since(&self, earlier: &Self) -> Self {
        let counts = self.counts.iter().map(|&count| {
            let before = earlier.counts.iter().find(|e| (e.cpu, e.node) == (count.cpu, count.node));
            let before = before.copied().unwrap_or_default();
            TrafficCount {
                lines: count.lines - before.lines,
                exposed: count.exposed - before.exposed,
                written: count.written - before.written,
                ..count
            }
        });
        Self {
            counts: counts.collect(),
            outside: self.outside - earlier.outside,
            waited: self.waited.saturating_sub(earlier.waited),
            lost: self.lost.saturating_sub(earlier.lost),
            computed: self.computed.saturating_sub(earlier.computed),
        }
    }
}

/// Reads the plugin's file: the counts between each mark and the next.
///
/// # Errors
/// When a line is not what the plugin writes; a block without its `end` (QEMU was killed) is left out.
pub(crate) fn read(text: &str) -> Result<Vec<Truth>, Error> {
    let mut marks: Vec<Truth> = Vec::new();
    let mut now = Truth::default();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split(' ').collect();
        let flaw = || Error::Truth { line: index + 1, text: line.to_owned() };
        let number = |k: usize| words.get(k).and_then(|w| w.parse::<u64>().ok()).ok_or_else(flaw);
        let small = |k: usize| words.get(k).and_then(|w| w.parse::<u32>().ok()).ok_or_else(flaw);
        match words[0] {
            "mark" => now = Truth::default(),
            "lines" => now.counts.push(TrafficCount {
                cpu: small(1)?,
                node: small(2)?,
                lines: number(3)?,
                exposed: number(4)?,
                written: number(5)?,
            }),
            "outside" => now.outside += number(2)?,
            "slept" => {
                now.waited += Duration::from_nanos(number(2)?);
                // Older plugins, which are compared with, do not know it.
                if words.len() > 3 {
                    now.lost += Duration::from_nanos(number(3)?);
                }
            }
            "computed" => now.computed = Duration::from_nanos(number(1)?),
            "end" => marks.push(std::mem::take(&mut now)),
            _ => return Err(flaw()),
        }
    }
    Ok(marks.windows(2).map(|pair| pair[1].since(&pair[0])).collect())
}

#[cfg(test)]
#[path = "truth_tests.rs"]
mod tests;
