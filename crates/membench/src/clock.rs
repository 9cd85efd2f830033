//! Time in seconds, as measurements divide it.

use numawise_linux::calls::clock;

/// A clock that only goes forward.
pub fn now() -> f64 {
    clock::monotonic().seconds()
}

/// CPU time of the calling thread.
pub fn thread_seconds() -> f64 {
    clock::thread_cpu_time().seconds()
}

/// CPU time of the whole process.
pub fn process_seconds() -> f64 {
    clock::process_cpu_time().seconds()
}
