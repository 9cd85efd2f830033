//! `/proc/PID/task/TID/sched`: what the scheduler tells of a thread for debugging, in one file.

use numawise_units::Nanoseconds;

use crate::file::count;

#[cfg(test)]
#[path = "sched_tests.rs"]
mod tests;

/// What we use of `sched`. Its lines differ between kernels, so that any of them may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sched {
    /// Times that the scheduler moved the thread to another CPU.
    pub migrations: Option<u64>,
    pub cpu_time: Option<Nanoseconds>,
}

impl Sched {
    /// Takes lines such as `se.nr_migrations        :        17`.
    ///
    /// The first line holds the thread's name unescaped, but at 15 bytes that is too short to forge one of ours.
    pub fn parse(text: &[u8]) -> Self {
        let mut found = Sched::default();
        for line in text.split(|&byte| byte == b'\n') {
            let value = |name: &[u8]| {
                let rest = line.strip_prefix(name)?.trim_ascii_start();
                Some(rest.strip_prefix(b":")?.trim_ascii())
            };
            if let Some(text) = value(b"se.nr_migrations") {
                found.migrations = count(text);
            } else if let Some(text) = value(b"se.sum_exec_runtime") {
                found.cpu_time = milliseconds(text);
            }
            if found.migrations.is_some() && found.cpu_time.is_some() {
                break;
            }
        }
        found
    }
}

/// Milliseconds with exactly six digits behind the point.
fn milliseconds(text: &[u8]) -> Option<Nanoseconds> {
    let point = text.iter().position(|&byte| byte == b'.')?;
    let (whole, rest) = (count(&text[..point])?, &text[point + 1..]);
    let rest = (rest.len() == 6).then(|| count(rest)).flatten()?;
    Some(Nanoseconds(whole.checked_mul(1_000_000)?.checked_add(rest)?))
}
