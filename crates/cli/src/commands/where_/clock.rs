//! The clocks of looks.

use numawise_units::Nanoseconds;

/// Since the start of the system, as looks have it.
pub fn boot_time() -> Nanoseconds {
    clock(libc::CLOCK_BOOTTIME)
}

/// What this process has used, all threads of it: a large look takes several.
pub fn cpu_time() -> Nanoseconds {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock(id: libc::clockid_t) -> Nanoseconds {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime writes one timespec, which lives until the call returns. It cannot fail for these clocks.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    Nanoseconds(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
