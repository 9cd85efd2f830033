//! What an input may cost, and what it did cost.

use std::mem::MaybeUninit;
use std::time::Duration;

/// CPU time for one input, of the process and of its children (a busy computer does not count), without what its length costs.
const TIME: Duration = Duration::from_secs(1);
/// What each MiB of an input may cost besides. A reader that takes a record row by row keeps far below it, also in a build without
/// optimisation; one that looks at every row for every other does not, with the thousands of rows that some inputs have.
const TIME_OF_MEBIBYTE: Duration = Duration::from_millis(250);
/// Wall time after which a reader is taken to wait for ever.
pub const WAITING: Duration = Duration::from_secs(30);
/// Memory for one input: that of our own allocator, and what is resident, which C libraries and children have too.
pub const MEMORY: usize = 1 << 30;
/// Address space of a worker: beyond it the kernel refuses.
const ADDRESSES: u64 = 6 << 30;

/// The CPU time that an input of so many bytes may take.
pub fn time(bytes: usize) -> Duration {
    TIME + TIME_OF_MEBIBYTE.mul_f64(bytes as f64 / f64::from(1 << 20))
}

/// CPU time so far of this process and of its children that were waited for.
pub fn cpu_time() -> Duration {
    usage(libc::RUSAGE_SELF).0 + usage(libc::RUSAGE_CHILDREN).0
}

/// The most that was ever resident, in this process or in a child.
pub fn most_resident() -> usize {
    usage(libc::RUSAGE_SELF).1.max(usage(libc::RUSAGE_CHILDREN).1)
}

fn usage(whose: libc::c_int) -> (Duration, usize) {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: room for one value, which is all zeros before.
    let usage = unsafe {
        libc::getrusage(whose, usage.as_mut_ptr());
        usage.assume_init()
    };
    let span = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    (span(usage.ru_utime) + span(usage.ru_stime), usage.ru_maxrss as usize * 1024)
}

/// Limits this process and its children.
pub fn limit() {
    for (what, most) in [(libc::RLIMIT_AS, ADDRESSES), (libc::RLIMIT_CORE, 0)] {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: a plain system call on a value that lives long enough.
        unsafe { libc::setrlimit(what, &limit) };
    }
}
