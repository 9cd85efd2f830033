//! How often to look, so that looking costs little.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;

/// Looks at threads may take one part in this many of a CPU, and looks at memory as much again. That is 0.8 %: drawing needs
/// its part of the 1 % that watching may take.
const PART: u64 = 250;

/// What looks have cost, in CPU time of our own, and what follows from it.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    /// A look without memory.
    light: Option<Nanoseconds>,
    /// What memory takes on top.
    memory: Option<Nanoseconds>,
    /// When memory was looked at last.
    memory_at: Option<Nanoseconds>,
}

impl Pace {
    /// Notes what a look has cost.
    pub fn note(&mut self, at: Nanoseconds, cost: Nanoseconds, with_memory: bool) {
        if !with_memory {
            self.light = Some(smooth(self.light, cost));
            return;
        }
        // Until there was a look without memory, all of it is taken for memory's.
        let memory = cost.saturating_sub(self.light.unwrap_or_default());
        self.memory = Some(smooth(self.memory, memory));
        self.memory_at = Some(at);
    }

    /// Whether the look that begins now should be one at memory too.
    pub fn memory_is_due(&self, now: Nanoseconds) -> bool {
        let (Some(cost), Some(last)) = (self.memory, self.memory_at) else { return true };
        now.saturating_sub(last) >= Nanoseconds(cost.0.saturating_mul(PART))
    }

    /// The least time between looks that costs no more than looking may.
    pub fn least(&self) -> Nanoseconds {
        Nanoseconds(self.light.unwrap_or_default().0.saturating_mul(PART))
    }
}

/// One slow look does not change everything, several do.
fn smooth(before: Option<Nanoseconds>, now: Nanoseconds) -> Nanoseconds {
    match before {
        Some(before) => Nanoseconds((3 * before.0 + now.0) / 4),
        None => now,
    }
}
