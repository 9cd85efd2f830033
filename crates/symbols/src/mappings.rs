//! Which file lies where in a process.

use std::collections::BTreeMap;

#[cfg(test)]
#[path = "mappings_tests.rs"]
mod tests;

/// A part of a file in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedPart {
    pub begin: u64,
    pub end: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// Number of the file; none for memory without a file that can be read.
    pub file: Option<u32>,
    /// The kernel has put it there.
    pub is_kernels: bool,
}

impl MappedPart {
    /// Where in the file an address of this part lies.
    pub fn offset_of(&self, address: u64) -> u64 {
        self.offset.wrapping_add(address.wrapping_sub(self.begin))
    }
}

/// The code of a process, without overlaps.
#[derive(Debug, Clone, Default)]
pub struct Mappings {
    by_begin: BTreeMap<u64, MappedPart>,
}

impl Mappings {
    /// Adds a part, which takes the place of what it overlaps.
    pub fn insert(&mut self, part: MappedPart) {
        if part.end <= part.begin {
            return;
        }
        let first = self.by_begin.range(..part.begin).next_back().map_or(part.begin, |(begin, _)| *begin);
        let overlapping: Vec<MappedPart> = self
            .by_begin
            .range(first..part.end)
            .map(|(_, old)| *old)
            .filter(|old| old.end > part.begin)
            .collect();
        for old in overlapping {
            self.by_begin.remove(&old.begin);
            if old.begin < part.begin {
                self.by_begin.insert(old.begin, MappedPart { end: part.begin, ..old });
            }
            if old.end > part.end {
                let rest = MappedPart { begin: part.end, offset: old.offset_of(part.end), ..old };
                self.by_begin.insert(part.end, rest);
            }
        }
        self.by_begin.insert(part.begin, part);
    }

    pub fn at(&self, address: u64) -> Option<MappedPart> {
        let (_, part) = self.by_begin.range(..=address).next_back()?;
        (address < part.end).then_some(*part)
    }

    pub fn all(&self) -> impl Iterator<Item = MappedPart> {
        self.by_begin.values().copied()
    }
}
