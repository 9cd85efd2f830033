//! Clocks.

use numawise_syscalls as raw;
use numawise_units::{Nanoseconds, Pid};

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;

/// Time since the start of the system, sleep included: the clock in which `/proc` says when a task began.
#[doc(alias = "CLOCK_BOOTTIME")]
pub fn since_boot() -> Nanoseconds {
    there(libc::CLOCK_BOOTTIME)
}

/// Time since 1970-01-01 UTC.
#[doc(alias = "CLOCK_REALTIME")]
pub fn unix_time() -> Nanoseconds {
    there(libc::CLOCK_REALTIME)
}

/// Time that only goes forward, from a beginning that means nothing.
#[doc(alias = "CLOCK_MONOTONIC")]
pub fn monotonic() -> Nanoseconds {
    there(libc::CLOCK_MONOTONIC)
}

/// CPU time that this process has used, all its threads together.
#[doc(alias = "CLOCK_PROCESS_CPUTIME_ID")]
pub fn process_cpu_time() -> Nanoseconds {
    there(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time that the calling thread has used.
#[doc(alias = "CLOCK_THREAD_CPUTIME_ID")]
pub fn thread_cpu_time() -> Nanoseconds {
    there(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time that another thread of this process has used; none when it has ended.
pub fn cpu_time_of(thread: Pid) -> Option<Nanoseconds> {
    // The kernel's encoding of a thread's CPU clock: the complement of the identifier above three bits that say
    // "one thread, scheduler's count" (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED).
    raw::clock((!thread.0 << 3) | 6).ok().map(Nanoseconds)
}

/// The length of a clock tick, in which `/proc` counts.
#[doc(alias = "USER_HZ")]
pub fn tick() -> Nanoseconds {
    // SAFETY: sysconf reads a constant of the system.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Nanoseconds(1_000_000_000 / u64::try_from(per_second).unwrap_or(100).max(1))
}

/// A clock that every kernel has.
fn there(id: libc::clockid_t) -> Nanoseconds {
    Nanoseconds(raw::clock(id).unwrap_or_default())
}
