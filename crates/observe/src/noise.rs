//! The noise of the machine: what hypervisor and other processes took while a trial ran.

use std::path::Path;

use numawise_facts::{HostNoise, Reading};
use numawise_units::{Nanoseconds, Ratio};

use crate::error::{Error, Malformed};
use crate::read::file::{number, read_path};
use crate::sys;

#[cfg(test)]
#[path = "noise_tests.rs"]
mod tests;

/// Trials shorter than this have no noise figure: five ticks of 10 ms, so that one tick more or less is a fifth at most.
const SHORTEST: Nanoseconds = Nanoseconds(50_000_000);

/// More CPU time in the trial than the host counted at all, as a share of the machine: above this the host's count is
/// not of the same CPUs (a container with a `/proc/stat` of its own).
const CONTRADICTION: f64 = 0.1;

/// CPU time of the whole machine up to a moment, from the first line of `/proc/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostCpu {
    busy: Nanoseconds,
    steal: Nanoseconds,
    total: Nanoseconds,
}

impl HostCpu {
    /// # Errors
    /// When `stat` below `proc` is not there or is not what proc(5) says.
    pub fn read(proc: &Path) -> Result<Self, Error> {
        let path = proc.join("stat");
        let mut buffer = Vec::with_capacity(16 << 10);
        read_path(&path, &mut buffer)?;
        Self::parse(&buffer, sys::tick()).map_err(|problem| problem.at(&path))
    }

    fn parse(text: &[u8], tick: Nanoseconds) -> Result<Self, Malformed> {
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let problem =
            || Malformed::new(line, "'cpu user nice system idle iowait irq softirq steal ...' in ticks");
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next() != Some(b"cpu") {
            return Err(problem());
        }
        // Behind `steal` come guest times, which are part of `user` and `nice` already.
        let mut ticks = [0u64; 8];
        for slot in &mut ticks {
            *slot = words.next().and_then(number).ok_or_else(problem)?;
        }
        let [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
        let time = |ticks: u64| Nanoseconds(ticks.saturating_mul(tick.0));
        let sum = |parts: &[u64]| parts.iter().fold(0u64, |sum, part| sum.saturating_add(*part));
        let busy = sum(&[user, nice, system, irq, softirq]);
        Ok(HostCpu { busy: time(busy), steal: time(steal), total: time(sum(&[busy, idle, iowait, steal])) })
    }
}

/// What others took between `before` and `after`, where the trial itself used `ours` during `wall`.
pub(crate) fn noise(
    before: &Result<HostCpu, Error>,
    after: &Result<HostCpu, Error>,
    ours: Nanoseconds,
    wall: Nanoseconds,
) -> HostNoise {
    let none = |reason: String| HostNoise {
        steal: Reading::unavailable(reason.clone()),
        other_load: Reading::unavailable(reason),
    };
    let (before, after) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return none(error.to_string()),
    };
    if wall < SHORTEST {
        return none(format!(
            "the trial took {wall}; the kernel counts in ticks of {}, so that shares mean nothing below {SHORTEST}",
            sys::tick()
        ));
    }
    let total = after.total.saturating_sub(before.total).seconds();
    if total <= 0.0 {
        return none("/proc/stat did not advance during the trial".to_owned());
    }
    let busy = after.busy.saturating_sub(before.busy).seconds();
    let others = (busy - ours.seconds()) / total;
    HostNoise {
        steal: Reading::Measured(Ratio(after.steal.saturating_sub(before.steal).seconds() / total)),
        other_load: if others < -CONTRADICTION {
            Reading::unavailable(format!(
                "/proc/stat counts {busy:.2} s of CPU time where the trial alone used {:.2} s: it shows not all CPUs, or loses ticks",
                ours.seconds()
            ))
        } else {
            // A little below zero is the ticks' rounding.
            Reading::Measured(Ratio(others.max(0.0)))
        },
    }
}
