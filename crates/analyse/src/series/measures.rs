//! Sums over samples, which leave out what could not be seen and keep the first reason for it.

use numawise_facts::{Reading, Reason};
use numawise_tables::{LocalChange, LocalShare, MemoryChange};
use numawise_units::{Bytes, Nanoseconds, Ratio};

const NO_SAMPLES: &str = "nothing was recorded yet";
/// Time passes only between samples.
const ONE_SAMPLE: &str = "it takes two samples, one after the other";

/// A value, or the first reason why there is none.
fn or_reason<T>(value: Option<T>, reason: Option<Reason>, otherwise: &'static str) -> Reading<T> {
    match (value, reason) {
        (Some(value), _) => Reading::Measured(value),
        (None, Some(unavailable)) => Reading::Unavailable { unavailable },
        (None, None) => Reading::unavailable(otherwise),
    }
}

/// Memory over samples.
#[derive(Default)]
pub struct Memory {
    /// First, last, peak, and when that was.
    seen: Option<(Bytes, Bytes, Bytes, Nanoseconds)>,
    reason: Option<Reason>,
}

impl Memory {
    pub fn add(&mut self, now: Reading<Bytes>, at: Nanoseconds) {
        match now {
            Reading::Measured(now) => {
                let (first, _, peak, peak_at) = self.seen.unwrap_or((now, now, now, at));
                let (peak, peak_at) = if now > peak { (now, at) } else { (peak, peak_at) };
                self.seen = Some((first, now, peak, peak_at));
            }
            Reading::Unavailable { unavailable } => {
                self.reason.get_or_insert(unavailable);
            }
        }
    }

    pub fn was_seen(&self) -> bool {
        self.seen.is_some()
    }

    pub fn change(self) -> MemoryChange {
        let seen = or_reason(self.seen, self.reason, NO_SAMPLES);
        MemoryChange {
            first: seen.clone().map(|(first, ..)| first),
            last: seen.clone().map(|(_, last, ..)| last),
            peak: seen.clone().map(|(_, _, peak, _)| peak),
            peak_at: seen.map(|(.., at)| at),
        }
    }
}

/// The mean of a share over the time between samples.
#[derive(Default)]
pub struct Mean {
    sum: f64,
    time: f64,
    reason: Option<Reason>,
}

impl Mean {
    /// `span` is the time over which the share is meant: none at the first sample of a session.
    pub fn add(&mut self, share: &Reading<Ratio>, span: Option<Nanoseconds>) {
        let Some(span) = span else { return };
        match share {
            Reading::Measured(share) => {
                self.sum += share.0 * span.seconds();
                self.time += span.seconds();
            }
            Reading::Unavailable { unavailable } => {
                self.reason.get_or_insert_with(|| unavailable.clone());
            }
        }
    }

    pub fn reading(self) -> Reading<Ratio> {
        or_reason((self.time > 0.0).then(|| Ratio(self.sum / self.time)), self.reason, ONE_SAMPLE)
    }
}

/// The share of local pages over samples.
#[derive(Default)]
pub struct Locality {
    seen: Option<LocalChange>,
    reason: Option<Reason>,
}

impl Locality {
    pub fn add(&mut self, local: &Reading<LocalShare>, at: Nanoseconds) {
        match local {
            Reading::Measured(LocalShare { at_most: now, .. }) => {
                let before = LocalChange { first: *now, last: *now, least: *now, least_at: at };
                let mut seen = self.seen.unwrap_or(before);
                seen.last = *now;
                if now.0 < seen.least.0 {
                    (seen.least, seen.least_at) = (*now, at);
                }
                self.seen = Some(seen);
            }
            Reading::Unavailable { unavailable } => {
                self.reason.get_or_insert_with(|| unavailable.clone());
            }
        }
    }

    pub fn change(self) -> Reading<LocalChange> {
        or_reason(self.seen, self.reason, NO_SAMPLES)
    }
}

/// A sum of what happened between samples.
#[derive(Default)]
pub struct Counts {
    sum: Option<u64>,
    reason: Option<Reason>,
}

impl Counts {
    pub fn add(&mut self, recent: &Reading<u64>) {
        match recent {
            Reading::Measured(count) => {
                self.sum = Some(self.sum.unwrap_or(0).saturating_add(*count));
            }
            Reading::Unavailable { unavailable } => {
                self.reason.get_or_insert_with(|| unavailable.clone());
            }
        }
    }

    pub fn reading(self) -> Reading<u64> {
        or_reason(self.sum, self.reason, ONE_SAMPLE)
    }
}
