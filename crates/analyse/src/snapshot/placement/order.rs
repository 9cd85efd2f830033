//! Which of two stands before the other, whatever order they come in.

use std::cmp::Ordering;

use numawise_facts::merged::{DelayedProcess, OverfullCpus, RemoteProcess};

/// Whose threads waited for longer.
pub fn by_delay(one: &DelayedProcess, other: &DelayedProcess) -> Ordering {
    (one.delay, &one.process).cmp(&(other.delay, &other.process))
}

/// Of whose memory the larger part is elsewhere.
pub fn by_part(one: &RemoteProcess, other: &RemoteProcess) -> Ordering {
    let crossed = |a: &RemoteProcess, b: &RemoteProcess| u128::from(a.elsewhere.0) * u128::from(b.all.0);
    crossed(one, other).cmp(&crossed(other, one)).then_with(|| one.process.cmp(&other.process))
}

/// The fullest first.
pub fn by_fullness(one: &OverfullCpus, other: &OverfullCpus) -> Ordering {
    let threads_of_a_cpu =
        |of: &OverfullCpus| of.threads.saturating_mul(1000) / (of.cpus.len() as u64).max(1);
    threads_of_a_cpu(other)
        .cmp(&threads_of_a_cpu(one))
        .then_with(|| (&one.host, one.cpus.words()).cmp(&(&other.host, other.cpus.words())))
}
