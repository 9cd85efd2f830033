//! What was seen of a traced thread from outside, now and then: what changed between two looks.

use numawise_units::{Arrange, Bytes, CpuId, Nanoseconds, NodeId};
use serde::{Deserialize, Serialize};

/// A thread as it was looked at while it ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenThread {
    /// How often it was looked at.
    pub looks: u64,
    /// In the order of time; what is joined of several looks stands for all of them.
    pub changes: Vec<SeenChange>,
}

/// What changed from one look to the next; when between them is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[u64; 6]", into = "[u64; 6]")]
pub struct SeenChange {
    /// Both by the monotonic clock of the host.
    pub before: Nanoseconds,
    pub at: Nanoseconds,
    pub what: SeenKind,
}

/// What it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenKind {
    /// The thread was on another CPU.
    Moved { from: CpuId, to: CpuId },
    /// It had so many page faults that were resolved without a disk.
    Faults(u64),
    /// It was ready and waited for a CPU.
    NoCpu(Nanoseconds),
    /// Of the process: memory is on one node that was on another one. Of several nodes, those with the most.
    MemoryMoved { from: NodeId, to: NodeId, bytes: Bytes },
}

impl SeenThread {
    /// Adds a change; where there are `most`, every second one is joined with the one of its kind before, so that none is lost.
    pub fn add(&mut self, change: SeenChange, most: usize) {
        self.changes.push(change);
        if self.changes.len() < most {
            return;
        }
        let mut open: [Option<SeenChange>; 4] = [None; 4];
        let mut joined = Vec::with_capacity(most);
        for change in self.changes.drain(..) {
            let Some(place) = open.get_mut(change.what.number()) else { continue };
            match place.take() {
                Some(before) => joined.push(before.joined(change)),
                None => *place = Some(change),
            }
        }
        joined.extend(open.into_iter().flatten());
        joined.arrange_by_key(|change| change.at);
        self.changes = joined;
    }
}

impl SeenKind {
    fn number(self) -> usize {
        match self {
            SeenKind::Moved { .. } => 0,
            SeenKind::Faults(_) => 1,
            SeenKind::NoCpu(_) => 2,
            SeenKind::MemoryMoved { .. } => 3,
        }
    }
}

/// Numbers that are no change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no change of a thread")]
pub struct NoChange([u64; 6]);

impl From<SeenChange> for [u64; 6] {
    /// Look before, look, kind, and what it was from, what to, how much.
    fn from(of: SeenChange) -> [u64; 6] {
        let [from, to, much] = match of.what {
            SeenKind::Moved { from, to } => [from.0.into(), to.0.into(), 0],
            SeenKind::Faults(much) | SeenKind::NoCpu(Nanoseconds(much)) => [much, 0, 0],
            SeenKind::MemoryMoved { from, to, bytes } => [from.0.into(), to.0.into(), bytes.0],
        };
        [of.before.0, of.at.0, of.what.number() as u64, from, to, much]
    }
}

impl TryFrom<[u64; 6]> for SeenChange {
    type Error = NoChange;

    fn try_from(of: [u64; 6]) -> Result<SeenChange, NoChange> {
        let [before, at, kind, from, to, much] = of;
        let small = |number: u64| u32::try_from(number).map_err(|_| NoChange(of));
        let what = match kind {
            0 => SeenKind::Moved { from: CpuId(small(from)?), to: CpuId(small(to)?) },
            1 => SeenKind::Faults(from),
            2 => SeenKind::NoCpu(Nanoseconds(from)),
            3 => {
                let (from, to) = (NodeId(small(from)?), NodeId(small(to)?));
                SeenKind::MemoryMoved { from, to, bytes: Bytes(much) }
            }
            _ => return Err(NoChange(of)),
        };
        Ok(SeenChange { before: Nanoseconds(before), at: Nanoseconds(at), what })
    }
}

impl SeenChange {
    /// With a later one of its kind.
    fn joined(self, later: SeenChange) -> SeenChange {
        let what = match (self.what, later.what) {
            (SeenKind::Moved { from, .. }, SeenKind::Moved { to, .. }) => SeenKind::Moved { from, to },
            (SeenKind::Faults(one), SeenKind::Faults(other)) => SeenKind::Faults(one.saturating_add(other)),
            (SeenKind::NoCpu(one), SeenKind::NoCpu(other)) => SeenKind::NoCpu(one + other),
            (SeenKind::MemoryMoved { from, bytes, .. }, SeenKind::MemoryMoved { to, bytes: more, .. }) => {
                SeenKind::MemoryMoved { from, to, bytes: Bytes(bytes.0.saturating_add(more.0)) }
            }
            (_, later) => later,
        };
        SeenChange { before: self.before, at: later.at, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_are_too_many_changes_neighbours_of_a_kind_are_joined() {
        let mut seen = SeenThread::default();
        let at = |at: u64, what| SeenChange { before: Nanoseconds(at - 1), at: Nanoseconds(at), what };
        for k in 1..=4 {
            let (from, to) = (CpuId(k as u32 - 1), CpuId(k as u32));
            seen.add(at(2 * k, SeenKind::Moved { from, to }), 8);
            seen.add(at(2 * k + 1, SeenKind::Faults(k)), 8);
        }
        assert_eq!(seen.changes.len(), 4, "{:?}", seen.changes);
        let first = seen.changes[0];
        assert_eq!((first.before, first.at), (Nanoseconds(1), Nanoseconds(4)));
        assert_eq!(first.what, SeenKind::Moved { from: CpuId(0), to: CpuId(2) });
        let faults = seen.changes.iter().filter_map(|change| match change.what {
            SeenKind::Faults(faults) => Some(faults),
            _ => None,
        });
        assert_eq!(faults.sum::<u64>(), 10);
    }
}
