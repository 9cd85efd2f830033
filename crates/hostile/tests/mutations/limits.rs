//! What an input may cost, and what it did cost.

use std::mem::MaybeUninit;
use std::time::Duration;

/// CPU time for one input, of the process and of its children (a busy computer does not count), without what its length costs.
const TIME: Duration = Duration::from_secs(1);
/// What each MiB of an input may cost besides, as a multiple of what [`Yardstick`] takes for one. A reader that takes a record row by row
/// keeps below half of it; one that looks at every row for every other does not, with the thousands of rows that some inputs have.
const YARDSTICKS: f64 = 4.0;
/// Wall time after which a reader is taken to wait for ever.
pub const WAITING: Duration = Duration::from_secs(300);
/// Memory for one input: that of our own allocator, and what is resident, which C libraries and children have too.
pub const MEMORY: usize = 1 << 30;
/// Address space of a worker: beyond it the kernel refuses.
const ADDRESSES: u64 = 6 << 30;

/// The CPU time in which this build, on this machine, parses and prints a MiB of JSON: a good part of what a reader of a record does, and
/// slower on one processor than on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Yardstick(Duration);

impl Yardstick {
    /// Measures, in some tenths of a second.
    pub fn measure() -> Self {
        let row = r#"{"id":17,"seconds":0.0625,"nodes":[0,1],"command":"solver --grid 64","node":null},"#;
        let rows = (1 << 20) / row.len();
        let text = format!("[{}{{}}]", row.repeat(rows));
        let begun = cpu_time();
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let printed = serde_json::to_string_pretty(&value).expect("room for it");
        assert!(printed.len() > text.len(), "each part stands in a line of its own");
        Self(cpu_time().saturating_sub(begun))
    }

    /// The CPU time that an input of so many bytes may take.
    pub fn allows(self, bytes: usize) -> Duration {
        TIME + self.0.mul_f64(YARDSTICKS * bytes as f64 / f64::from(1 << 20))
    }
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
