//! How often page faults are sampled: often, until that costs too much. A program that takes memory and gives it back all the time has
//! hundreds of thousands of page faults a second, and a sample of one takes twice as long as the fault.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "fault_period_tests.rs"]
mod tests;

/// Page faults from one sample to the next: prime numbers, so that no regular walk through memory is met again and again at the same
/// place. Shares were within 0.2 points with 17 in the prototype.
pub const FAULT_PERIODS: &[u64] = &[OFTEN, SELDOM];
const OFTEN: u64 = 31;
const SELDOM: u64 = 1021;
/// So many are sampled often, whatever that costs: a share of them has an interval of 1.5 points on each side.
const LEAST: u64 = 4096;
/// Samples, and what follows them, take one part in so many of the time since the begin, whichever thread has them: it may be the one for
/// which all wait, or have its CPU taken by the one that follows.
const PART: u64 = 100;
/// Of a sample whose cost could not be measured.
const USUAL: Nanoseconds = Nanoseconds(2_000);

/// Decides it for a program that runs.
#[derive(Debug)]
pub struct FaultPeriod {
    each: Nanoseconds,
    begun: Option<Nanoseconds>,
    samples: u64,
    period: u64,
}

impl FaultPeriod {
    /// `each`: what a sample costs, where that is known.
    pub fn new(each: Option<Nanoseconds>) -> FaultPeriod {
        FaultPeriod { each: each.unwrap_or(USUAL), begun: None, samples: 0, period: OFTEN }
    }

    /// So many more were found at that time; `following`: the CPU time that all of them, and what else is followed, took from us. The period
    /// from now on, where it is another one.
    pub fn after(&mut self, samples: u64, following: Nanoseconds, at: Nanoseconds) -> Option<u64> {
        let begun = *self.begun.get_or_insert(at);
        self.samples += samples;
        let sampling = self.samples.saturating_mul(self.each.0);
        let spent = sampling.saturating_add(following.0).saturating_mul(PART);
        let elapsed = at.saturating_sub(begun).0;
        let period = match self.period {
            OFTEN if self.samples > LEAST && spent > elapsed => SELDOM,
            SELDOM if spent < elapsed / 2 => OFTEN,
            as_before => as_before,
        };
        (std::mem::replace(&mut self.period, period) != period).then_some(period)
    }
}
