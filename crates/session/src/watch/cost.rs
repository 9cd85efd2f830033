//! What samples cost, and how often they may be taken.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;

/// Sampling threads may take one part in this many of a CPU, and sampling memory as much again. That is 0.8 %: drawing needs
/// its part of the 1 % that watching may take.
const PART: u64 = 250;

/// CPU time of our own that samples have taken, and what follows from it.
#[derive(Debug, Clone, Default)]
pub struct SamplingCost {
    /// A sample without memory.
    light: Option<Nanoseconds>,
    /// What memory takes on top.
    memory: Option<Nanoseconds>,
    /// When memory was sampled last.
    memory_at: Option<Nanoseconds>,
}

impl SamplingCost {
    /// Notes the cost of the sample that began at `at`.
    pub fn note(&mut self, at: Nanoseconds, cost: Nanoseconds, with_memory: bool) {
        if !with_memory {
            self.light = Some(smooth(self.light, cost));
            return;
        }
        // Until there was a sample without memory, all of it is taken for memory's.
        let memory = cost.saturating_sub(self.light.unwrap_or_default());
        self.memory = Some(smooth(self.memory, memory));
        self.memory_at = Some(at);
    }

    /// Whether the sample that begins now should include memory.
    pub fn memory_is_due(&self, now: Nanoseconds) -> bool {
        let (Some(cost), Some(last)) = (self.memory, self.memory_at) else { return true };
        now.saturating_sub(last) >= Nanoseconds(cost.0.saturating_mul(PART))
    }

    /// The least sampling interval that costs no more than sampling may.
    pub fn least_interval(&self) -> Nanoseconds {
        Nanoseconds(self.light.unwrap_or_default().0.saturating_mul(PART))
    }
}

/// The running mean: one slow sample does not change everything, several do.
fn smooth(before: Option<Nanoseconds>, now: Nanoseconds) -> Nanoseconds {
    match before {
        Some(before) => Nanoseconds((3 * before.0 + now.0) / 4),
        None => now,
    }
}
