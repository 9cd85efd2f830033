//! Which object lies at an address of a process, while it changes.

use std::collections::{BTreeMap, HashMap};

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;

/// A part of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Behind the last byte.
    pub end: u64,
    pub object: u32,
    /// Where the allocation begins and ends that it is a part of: mappings are unmapped in pieces.
    pub whole: (u64, u64),
    /// For how many allocations it stands.
    pub weight: u32,
}

/// What one allocation was when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone {
    pub object: u32,
    pub bytes: u64,
    pub weight: u32,
}

/// Objects by where they begin; none overlaps another of its layer.
#[derive(Debug, Clone, Default)]
pub struct Layer(BTreeMap<u64, Span>);

impl Layer {
    /// Puts an allocation there. What lay there before is gone, whether that was seen or not.
    pub fn insert(&mut self, begin: u64, bytes: u64, (object, weight): (u32, u32)) -> Vec<Gone> {
        let end = begin.saturating_add(bytes);
        let gone = self.cut(begin, end);
        if end > begin {
            self.0.insert(begin, Span { end, object, whole: (begin, end), weight });
        }
        gone
    }

    /// Takes out the allocation that begins there.
    pub fn remove(&mut self, begin: u64) -> Option<Gone> {
        let span = self.0.remove(&begin)?;
        Some(Gone { object: span.object, bytes: span.end - begin, weight: span.weight })
    }

    /// Takes out all bytes from `begin` to before `end`.
    pub fn cut(&mut self, begin: u64, end: u64) -> Vec<Gone> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let first = self.0.range(..begin).next_back().filter(|(_, span)| span.end > begin);
        let hit: Vec<(u64, Span)> = first
            .into_iter()
            .chain(self.0.range(begin..end.max(begin)))
            .map(|(at, span)| (*at, *span))
            .collect();
        let mut gone = Vec::with_capacity(hit.len());
        for (at, span) in hit {
            self.0.remove(&at);
            if at < begin {
                self.0.insert(at, Span { end: begin, ..span });
            }
            if span.end > end {
                self.0.insert(end, span);
            }
            let bytes = span.end.min(end) - at.max(begin);
            gone.push(Gone { object: span.object, bytes, weight: span.weight });
        }
        gone
    }

    /// What holds the address.
    pub fn find(&self, address: u64) -> Option<Span> {
        let (_, span) = self.0.range(..=address).next_back()?;
        (address < span.end).then_some(*span)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, Span)> {
        self.0.iter().map(|(begin, span)| (*begin, *span))
    }
}

/// All objects of a process: what lies in a mapping of an allocator belongs to the allocation, not to the mapping.
#[derive(Debug, Clone, Default)]
pub struct Live {
    pub heap: Layer,
    pub mapped: Layer,
    pub globals: Layer,
    /// Small allocations that were drawn, by their address: of all small ones, and of those of their call stack. What they stand for lies
    /// elsewhere too, so that no address is said to be theirs.
    pub drawn: HashMap<u64, [Option<Gone>; 2]>,
    /// Where blocks lay that stood for others. The allocator gives the same addresses out again: what is there now is one of the others, as far
    /// as it is none that is known.
    stood_for_others: Layer,
}

impl Live {
    /// A block of the heap is there.
    pub fn allocate(&mut self, begin: u64, bytes: u64, of: (u32, u32)) -> Vec<Gone> {
        self.stood_for_others.cut(begin, begin.saturating_add(bytes));
        self.heap.insert(begin, bytes, of)
    }

    /// It is freed.
    pub fn free(&mut self, begin: u64) -> Option<Gone> {
        let gone = self.heap.remove(begin)?;
        if gone.weight > 1 {
            self.stood_for_others.insert(begin, gone.bytes, (gone.object, gone.weight));
        }
        Some(gone)
    }

    /// What lies at an address that is in nothing that is known.
    pub fn likely(&self, address: u64) -> Option<Span> {
        self.stood_for_others.find(address)
    }

    pub fn find(&self, address: u64) -> Option<Span> {
        let layers = [&self.heap, &self.globals, &self.mapped];
        layers.into_iter().find_map(|layer| layer.find(address))
    }

    pub fn all(&self) -> impl Iterator<Item = (u64, Span)> {
        [&self.heap, &self.globals, &self.mapped].into_iter().flat_map(Layer::iter)
    }
}
