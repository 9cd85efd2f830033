//! Loads that the processor sampled, by where their data came from.
//!
//! The kernel puts what processors say of it into one word, `union perf_mem_data_src` of linux/perf_event.h: an older part, in which each place
//! has a bit, and since Linux 4.14 a number of the place, a mark for other nodes, and (5.16) how far away these are.

use std::collections::BTreeMap;

use numawise_facts::objects::{DataSource, SampledLoads};
use numawise_linux::samples::SampledLoad;
use numawise_units::Cycles;

#[cfg(test)]
#[path = "loads_tests.rs"]
mod tests;

/// A load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub from: DataSource,
    /// Another core had it modified in its cache.
    pub modified: bool,
    pub time: Option<Cycles>,
}

impl Load {
    /// Nothing of what is no load: a store, another instruction.
    pub fn of(sampled: SampledLoad) -> Option<Load> {
        let word = Word(sampled.data_source);
        if word.part(OPERATION) & LOAD == 0 {
            return None;
        }
        // 0 is none; seconds are none of an access, but what some processors say of an interrupted one.
        let time = (1..LONGEST).contains(&sampled.weight).then_some(Cycles(sampled.weight));
        Some(Load { from: word.source(), modified: word.part(SNOOP) & MODIFIED != 0, time })
    }
}

/// First bit and number of bits of a part.
type Part = (u32, u32);

const OPERATION: Part = (0, 5);
const LEVEL: Part = (5, 14);
const SNOOP: Part = (19, 5);
const LEVEL_NUMBER: Part = (33, 4);
const REMOTE: Part = (37, 1);
const HOPS: Part = (43, 3);

const LONGEST: u64 = 1 << 32;
/// PERF_MEM_OP_LOAD.
const LOAD: u64 = 2;
/// PERF_MEM_LVL_MISS.
const MISSED: u64 = 4;
/// PERF_MEM_SNOOP_HITM.
const MODIFIED: u64 = 16;
/// PERF_MEM_HOPS_0: another core of the same node.
const SAME_NODE: u64 = 1;

/// What the kernel says of one access.
#[derive(Debug, Clone, Copy)]
struct Word(u64);

impl Word {
    fn part(self, (first, bits): Part) -> u64 {
        self.0 >> first & ((1 << bits) - 1)
    }

    fn source(self) -> DataSource {
        let source = self.by_number().or_else(|| self.by_level());
        // A cache that did not have it, and nothing of who had: PEBS says so where it does not know.
        let missed = self.part(LEVEL) & MISSED != 0;
        source.filter(|of| !(missed && of.is_own_cache())).unwrap_or(DataSource::Unknown)
    }

    fn is_remote(self) -> bool {
        match self.part(HOPS) {
            0 => self.part(REMOTE) != 0,
            hops => hops != SAME_NODE,
        }
    }

    /// PERF_MEM_LVLNUM_*; nothing where there is none.
    fn by_number(self) -> Option<DataSource> {
        let is_other_core = self.part(HOPS) == SAME_NODE;
        let near = |near: DataSource| match () {
            () if self.is_remote() => DataSource::RemoteCache,
            () if is_other_core => DataSource::OtherCore,
            () => near,
        };
        Some(match self.part(LEVEL_NUMBER) {
            0x1 => near(DataSource::L1),
            // 0x5: the buffer of what the second cache waits for.
            0x2 | 0x5 => near(DataSource::L2),
            0x3 | 0x4 => near(DataSource::L3),
            0x8 | 0xa => DataSource::Uncached,
            0x9 => DataSource::CxlMemory,
            0xb => near(DataSource::OtherCore),
            0xc => DataSource::LineFillBuffer,
            0xd if self.is_remote() => DataSource::RemoteMemory,
            0xd => DataSource::LocalMemory,
            0xe => DataSource::PersistentMemory,
            _ => return None,
        })
    }

    /// PERF_MEM_LVL_*; nothing where there is none.
    fn by_level(self) -> Option<DataSource> {
        const SOURCES: [(u64, DataSource); 8] = [
            (1 << 3, DataSource::L1),
            (1 << 4, DataSource::LineFillBuffer),
            (1 << 5, DataSource::L2),
            (1 << 6, DataSource::L3),
            (1 << 7, DataSource::LocalMemory),
            // One hop away, and two.
            (1 << 8 | 1 << 9, DataSource::RemoteMemory),
            // The same of caches.
            (1 << 10 | 1 << 11, DataSource::RemoteCache),
            (1 << 12 | 1 << 13, DataSource::Uncached),
        ];
        let level = self.part(LEVEL);
        SOURCES.into_iter().find(|(bits, _)| level & bits != 0).map(|(_, source)| source)
    }
}

/// What was counted of one object.
#[derive(Debug, Clone, Default)]
pub struct Loads(BTreeMap<DataSource, SampledLoads>);

impl Loads {
    pub fn add(&mut self, load: &Load) {
        let none = SampledLoads { from: load.from, samples: 0, modified: 0, timed: 0, cycles: Cycles(0) };
        let of = self.0.entry(load.from).or_insert(none);
        of.samples += 1;
        of.modified += u64::from(load.modified);
        if let Some(time) = load.time {
            of.timed += 1;
            of.cycles = Cycles(of.cycles.0.saturating_add(time.0));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn finish(self) -> Vec<SampledLoads> {
        self.0.into_values().collect()
    }
}
