//! The loops that load memory in a benchmark: which of them were tried where a figure was taken, and which one won.

use numawise_units::BytesPerSecond;
use serde::{Deserialize, Serialize};

use crate::{Estimate, Reading};

/// Vector instructions, the widest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vectors {
    Avx512,
    Avx2,
    Sse2,
    Neon,
    /// What the compiler makes of plain Rust; stores go through the caches.
    Portable,
}

impl Vectors {
    pub const ALL: [Vectors; 5] =
        [Vectors::Avx512, Vectors::Avx2, Vectors::Sse2, Vectors::Neon, Vectors::Portable];

    /// The name in JSON and in texts.
    pub fn name(self) -> &'static str {
        match self {
            Vectors::Avx512 => "avx512",
            Vectors::Avx2 => "avx2",
            Vectors::Sse2 => "sse2",
            Vectors::Neon => "neon",
            Vectors::Portable => "portable",
        }
    }
}

/// The way of a loop through its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopPath {
    /// From the first line to the last, as every simple program does it.
    Straight,
    /// Fetching ahead, and for most mixes through several parts of the lines at once, so that the core has more lines under
    /// way.
    Tuned,
}

impl LoopPath {
    /// The name in JSON and in texts.
    pub fn name(self) -> &'static str {
        match self {
            LoopPath::Straight => "straight",
            LoopPath::Tuned => "tuned",
        }
    }
}

/// A loop for some mix of reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MemoryLoop {
    pub vectors: Vectors,
    pub path: LoopPath,
}

/// As people read it: `avx512 tuned`.
impl std::fmt::Display for MemoryLoop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{} {}", self.vectors.name(), self.path.name()))
    }
}

/// What a loop came to in a trial of some milliseconds, in turns with the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopTrial {
    #[serde(flatten)]
    pub candidate: MemoryLoop,
    pub rate: Reading<Estimate<BytesPerSecond>>,
}

/// The loop that a figure was taken with, and all that were tried for it on the same CPUs and the same memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopChoice {
    pub chosen: MemoryLoop,
    /// In the order in which they took their first turns; empty where there is but one loop.
    pub trials: Vec<LoopTrial>,
}

/// The lowest and the highest median of one figure on several buffers, which were held at the same time and so lie in
/// different places of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BufferSpread<T> {
    pub lowest: T,
    pub highest: T,
    pub buffers: u32,
    /// Whether they are further apart than repetitions on one buffer explain: the intervals of these two do not meet.
    pub apart: bool,
}

impl<T> BufferSpread<T> {
    /// The same in another type or unit, which must keep the order.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> BufferSpread<U> {
        let BufferSpread { lowest, highest, buffers, apart } = self;
        BufferSpread { lowest: f(lowest), highest: f(highest), buffers, apart }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_format() {
        for vectors in Vectors::ALL {
            assert_eq!(serde_json::to_value(vectors).unwrap(), vectors.name());
        }
        for path in [LoopPath::Straight, LoopPath::Tuned] {
            assert_eq!(serde_json::to_value(path).unwrap(), path.name());
        }
        let chosen = MemoryLoop { vectors: Vectors::Avx2, path: LoopPath::Straight };
        let trial = LoopTrial { candidate: chosen, rate: Reading::unavailable("no time") };
        let text = serde_json::to_string(&trial).unwrap();
        assert!(text.starts_with(r#"{"vectors":"avx2","path":"straight","rate":"#), "{text}");
        assert_eq!(chosen.to_string(), "avx2 straight");
    }
}
