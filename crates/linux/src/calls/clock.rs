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

/// The counter of the processors that all programs may read and that runs at one rate; none where this process may not.
#[doc(alias = "rdtsc")]
#[doc(alias = "cntvct_el0")]
pub fn counter() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        let mut allowed: libc::c_int = 0;
        // SAFETY: the kernel writes one int.
        let asked = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut allowed) };
        // SAFETY: every x86-64 processor has the instruction, and this process may use it.
        (asked == 0 && allowed == libc::PR_TSC_ENABLE).then(|| unsafe { core::arch::x86_64::_rdtsc() })
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: reads a register that every process may read.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        Some(ticks)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// The clocks of the system at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    monotonic: Nanoseconds,
    since_boot: Nanoseconds,
    unix_time: Nanoseconds,
}

/// What happened to the clocks between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockChanges {
    /// How long the system slept.
    pub suspended: Nanoseconds,
    /// By how much the time of day was set, forwards or backwards.
    pub set: Nanoseconds,
}

impl Moment {
    pub fn now() -> Self {
        // Until they are read without a pause between, or the system is too busy for that.
        let mut moment = Moment::read();
        for _ in 0..5 {
            if monotonic().saturating_sub(moment.monotonic) < Nanoseconds(1_000_000) {
                break;
            }
            moment = Moment::read();
        }
        moment
    }

    fn read() -> Self {
        Moment { monotonic: monotonic(), since_boot: since_boot(), unix_time: unix_time() }
    }

    /// What happened since an earlier moment.
    pub fn changes_since(&self, earlier: &Moment) -> ClockChanges {
        let passed = |now: Nanoseconds, then: Nanoseconds| i128::from(now.0) - i128::from(then.0);
        let of_boot = passed(self.since_boot, earlier.since_boot);
        let time = |difference: i128| Nanoseconds(u64::try_from(difference.abs()).unwrap_or(u64::MAX));
        ClockChanges {
            suspended: time((of_boot - passed(self.monotonic, earlier.monotonic)).max(0)),
            set: time(passed(self.unix_time, earlier.unix_time) - of_boot),
        }
    }
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
