//! How much was there at one time, where each allocation that was written down stands for many that were not.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;

/// So many changes make one mean: it is then known within some 12 %, where blocks are freed soon.
const CHANGES: u32 = 512;
/// And it is of as long at least.
const SHORTEST: Nanoseconds = Nanoseconds(20_000_000);

/// Sums of what is there at a moment jump by the weight of one block, so that their peak is far above what there was. Means over time do not: the largest of
/// these is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveEstimate {
    now: u64,
    last: Nanoseconds,
    begun: Nanoseconds,
    changes: u32,
    /// Bytes times nanoseconds.
    area: u128,
    most: u64,
}

impl LiveEstimate {
    /// So much is known to be there.
    pub fn new(now: u64, at: Nanoseconds) -> LiveEstimate {
        LiveEstimate { now, last: at, begun: at, changes: 0, area: 0, most: 0 }
    }

    pub fn change(&mut self, at: Nanoseconds, change: impl FnOnce(u64) -> u64) {
        // Times of two threads may be out of order by as long as a record takes.
        let at = at.max(self.last);
        self.area += u128::from(self.now) * u128::from(at.0 - self.last.0);
        self.last = at;
        self.now = change(self.now);
        self.changes += 1;
        if self.changes >= CHANGES && at.0 - self.begun.0 >= SHORTEST.0 {
            self.most = self.most.max(self.mean());
            (self.begun, self.changes, self.area) = (at, 0, 0);
        }
    }

    fn mean(&self) -> u64 {
        let mean = self.area / u128::from(self.last.0.saturating_sub(self.begun.0).max(1));
        u64::try_from(mean).unwrap_or(u64::MAX)
    }

    /// The largest mean; 0 where there were too few changes for one.
    pub fn most(&self) -> u64 {
        if self.changes >= CHANGES / 4 { self.most.max(self.mean()) } else { self.most }
    }
}
