//! Counters of the processor and of the kernel.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};

use numawise_syscalls::{self as raw, CounterAttributes, Errno};
use numawise_units::{CpuId, Nanoseconds};

#[cfg(test)]
#[path = "counter_tests.rs"]
mod tests;

/// `type` of struct perf_event_attr, from the kernel's include/uapi/linux/perf_event.h.
pub const KIND_HARDWARE: u32 = 0;
pub const KIND_SOFTWARE: u32 = 1;
pub const KIND_RAW: u32 = 4;
/// `config` with `KIND_HARDWARE`. On a processor with several kinds of cores the number of their source stands in the upper half.
pub const HARDWARE_CYCLES: u64 = 0;
pub const HARDWARE_INSTRUCTIONS: u64 = 1;
/// `config` with `KIND_SOFTWARE`.
pub const SOFTWARE_TASK_CLOCK: u64 = 1;
pub const SOFTWARE_PAGE_FAULTS: u64 = 2;

/// A counter that is open: it may have been opened by another process.
#[derive(Debug)]
pub struct Counter(File);

/// What a counter shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterValue {
    pub count: u64,
    /// How long it was wanted, and how long of that it was on, over all threads.
    pub wanted: Nanoseconds,
    pub on: Nanoseconds,
}

impl Counter {
    /// Opens one for the calling thread and those that it makes later, as far as `flags` say so.
    ///
    /// # Errors
    /// As [`raw::open_counter`].
    #[doc(alias = "perf_event_open")]
    pub fn own(kind: u32, config: u64, flags: u64) -> Result<Counter, Errno> {
        let descriptor = raw::open_counter(&CounterAttributes::new(kind, config, flags))?;
        // SAFETY: the descriptor is new and belongs to nobody else.
        Ok(Counter::from(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Opens one of a CPU, for all that runs there, or of what belongs to several CPUs of which this is one, such as a memory controller.
    ///
    /// # Errors
    /// As [`raw::open_counter_of_cpu`].
    pub fn of_cpu(kind: u32, config: u64, cpu: CpuId) -> Result<Counter, Errno> {
        let descriptor = raw::open_counter_of_cpu(&CounterAttributes::new(kind, config, 0), cpu.0)?;
        // SAFETY: the descriptor is new and belongs to nobody else.
        Ok(Counter::from(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// What it shows now, or showed when what it counts had ended.
    ///
    /// # Errors
    /// Where it is no counter, or the kernel could not have it on at all.
    pub fn read(&self) -> io::Result<CounterValue> {
        let mut bytes = [0; 24];
        let length = (&self.0).read(&mut bytes)?;
        if length != bytes.len() {
            return Err(io::Error::other(format!("{length} bytes were read from a counter, not 24")));
        }
        let word = |k: usize| u64::from_ne_bytes(std::array::from_fn(|byte| bytes[8 * k + byte]));
        Ok(CounterValue { count: word(0), wanted: Nanoseconds(word(1)), on: Nanoseconds(word(2)) })
    }
}

impl From<OwnedFd> for Counter {
    fn from(descriptor: OwnedFd) -> Counter {
        Counter(descriptor.into())
    }
}
