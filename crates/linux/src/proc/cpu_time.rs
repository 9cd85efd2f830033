//! `/proc/stat`: the CPU time of the whole computer and of each CPU, in ticks since the start of the system.

use numawise_units::{CpuId, stored};

use crate::error::{Error, Malformed};
use crate::file::{number, read_path};
use crate::roots::Roots;

#[cfg(test)]
#[path = "cpu_time_tests.rs"]
mod tests;

/// What the CPUs did, in ticks (see [`tick`](crate::calls::clock::tick)). Guests are part of `user` and `nice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTicks {
    pub user: u64,
    pub nice: u64,
    pub system: u64,
    pub idle: u64,
    pub iowait: u64,
    pub irq: u64,
    pub softirq: u64,
    /// Given to others by the hypervisor while there was work.
    pub steal: u64,
}

/// The text of the file, of which [`CpuTicks`] takes what it needs.
///
/// # Errors
/// When it cannot be read.
pub fn text(roots: &Roots) -> Result<Vec<u8>, Error> {
    let mut buffer = Vec::with_capacity(16 << 10);
    read_path(&roots.path("/proc/stat"), &mut buffer)?;
    Ok(buffer)
}

impl CpuTicks {
    /// Of all CPUs together, from the first line.
    ///
    /// # Errors
    /// When the first line is not that of all CPUs.
    pub fn of_all(text: &[u8]) -> Result<Self, Malformed> {
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        match Self::line(line) {
            Some((None, ticks)) => Ok(ticks),
            _ => {
                Err(Malformed::new(line, "'cpu user nice system idle iowait irq softirq steal ...' in ticks"))
            }
        }
    }

    /// Of each CPU that is online.
    pub fn by_cpu(text: &[u8]) -> impl Iterator<Item = (CpuId, Self)> {
        let lines = text.split(|&byte| byte == b'\n').take_while(|line| line.starts_with(b"cpu"));
        lines.filter_map(|line| Self::line(line).and_then(|(cpu, ticks)| Some((cpu?, ticks))))
    }

    /// All that was neither idle nor stolen.
    pub fn busy(&self) -> u64 {
        sum(&[self.user, self.nice, self.system, self.irq, self.softirq])
    }

    pub fn total(&self) -> u64 {
        sum(&[self.busy(), self.idle, self.iowait, self.steal])
    }

    fn line(line: &[u8]) -> Option<(Option<CpuId>, Self)> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let cpu = match words.next()?.strip_prefix(b"cpu")? {
            b"" => None,
            index => Some(stored(number(index)?).ok()?),
        };
        let mut next = || number(words.next()?);
        let ticks = CpuTicks {
            user: next()?,
            nice: next()?,
            system: next()?,
            idle: next()?,
            iowait: next()?,
            irq: next()?,
            softirq: next()?,
            steal: next()?,
        };
        Some((cpu, ticks))
    }
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
}
