//! Threads: the CPUs on which they run.

use numawise_linux::calls::affinity;
use numawise_units::{CpuSet, Pid};

use crate::Error;

/// A thread of any process; 0 is the calling one.
fn number(of: i32) -> Result<Pid, Error> {
    if of >= 0 {
        return Ok(Pid(of));
    }
    Err(Error::Invalid {
        argument: "thread",
        found: of.to_string(),
        expected: "0 for the calling thread, or the number that gettid(2) gives",
    })
}

/// # Errors
/// Where the thread has ended, or the kernel refuses the call.
pub fn cpus_of_thread(of: i32) -> Result<CpuSet, Error> {
    affinity::of(number(of)?).map_err(|source| Error::System { call: "sched_getaffinity", source })
}

/// # Errors
/// As of [`cpus_of_thread`], and where none of the CPUs may be used.
pub fn set_cpus_of_thread(of: i32, cpus: &CpuSet) -> Result<(), Error> {
    let set = match number(of)? {
        Pid(0) => affinity::set_own(cpus),
        thread => affinity::set(thread, cpus),
    };
    set.map_err(|source| Error::System { call: "sched_setaffinity", source })
}
