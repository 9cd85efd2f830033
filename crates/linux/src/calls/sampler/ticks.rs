//! Times of the processor's generic timer, by which accesses are timed that it samples itself.

use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "ticks_tests.rs"]
mod tests;

/// The generic timer and the monotonic clock at one moment.
#[derive(Debug, Clone, Copy)]
pub struct TimerNow {
    pub ticks: u64,
    pub hertz: u64,
    pub at: Nanoseconds,
}

impl TimerNow {
    /// Where there is such a timer.
    #[cfg(target_arch = "aarch64")]
    pub fn read() -> Option<TimerNow> {
        let (ticks, hertz): (u64, u64);
        // SAFETY: Linux lets programs read both registers, which have no other effect.
        unsafe {
            std::arch::asm!("mrs {}, cntvct_el0", "mrs {}, cntfrq_el0", out(reg) ticks, out(reg) hertz, options(nomem, nostack));
        }
        Some(TimerNow { ticks, hertz, at: super::super::clock::monotonic() })
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub fn read() -> Option<TimerNow> {
        None
    }

    /// When that tick was, at most `latest`.
    pub fn at(&self, ticks: u64, latest: Nanoseconds) -> Nanoseconds {
        let ago =
            u128::from(self.ticks.saturating_sub(ticks)) * 1_000_000_000 / u128::from(self.hertz.max(1));
        let ago = Nanoseconds(u64::try_from(ago).unwrap_or(u64::MAX));
        self.at.saturating_sub(ago).min(latest)
    }
}
