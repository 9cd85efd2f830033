//! The clocks of a study: the time of day for who reads it, and one that nobody sets for the budget.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use numawise_units::Nanoseconds;

/// The time of day, and the time that a check has taken.
pub trait Clock {
    /// Nanoseconds since 1970 (UTC).
    fn now(&self) -> Nanoseconds;
    /// Since the check began, whatever is done to the time of day.
    fn elapsed(&self) -> Nanoseconds;
}

/// The clock of the system.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    /// When the check began.
    pub begun: Instant,
}

impl Clock for SystemClock {
    fn now(&self) -> Nanoseconds {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into()
    }

    fn elapsed(&self) -> Nanoseconds {
        self.begun.elapsed().into()
    }
}
