//! Moments at a regular interval.

use crate::Nanoseconds;

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;

/// Moments one interval apart from the first on, without drift, by any clock that only goes forward.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    next: Nanoseconds,
    interval: Nanoseconds,
}

impl Schedule {
    /// The first moment is one interval from now.
    pub fn new(now: Nanoseconds, interval: Nanoseconds) -> Self {
        Schedule { next: now + interval, interval }
    }

    /// How long to wait.
    pub fn left(&self, now: Nanoseconds) -> Nanoseconds {
        self.next.saturating_sub(now)
    }

    /// What was due begins now: the next moment is a whole number of intervals after the one that was due. Those that were
    /// missed are left out.
    pub fn begin(&mut self, now: Nanoseconds) {
        let late = now.saturating_sub(self.next).0 / self.interval.0.max(1);
        self.next = self.next + Nanoseconds(self.interval.0.max(1).saturating_mul(late + 1));
    }

    /// From now on with another interval.
    pub fn change(&mut self, now: Nanoseconds, interval: Nanoseconds) {
        if interval != self.interval {
            *self = Schedule::new(now, interval);
        }
    }
}
