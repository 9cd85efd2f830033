//! `/proc/PID/task/TID/schedstat`: CPU time and run delay in nanoseconds.

use numawise_units::Nanoseconds;

use super::file::number;
use crate::error::Malformed;

#[cfg(test)]
mod tests;

/// What the scheduler counted for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchedStat {
    pub cpu_time: Nanoseconds,
    /// Time ready and waiting for a CPU.
    pub run_delay: Nanoseconds,
    /// Times put on a CPU. 0 for a task that has run means that the kernel does not count.
    pub slices: u64,
}

impl SchedStat {
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let mut next = || number(fields.next()?);
        let all = (|| {
            Some(SchedStat {
                cpu_time: Nanoseconds(next()?),
                run_delay: Nanoseconds(next()?),
                slices: next()?,
            })
        })();
        all.ok_or_else(|| Malformed::new(text, "three numbers: CPU time, run delay, time slices"))
    }
}
