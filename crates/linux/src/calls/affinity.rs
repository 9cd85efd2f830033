//! The CPUs on which threads may run.

use std::io;

use numawise_syscalls::{self as raw, MASK_WORDS};
use numawise_units::{CpuId, CpuSet, Pid};

use super::error;

#[cfg(test)]
#[path = "affinity_tests.rs"]
mod tests;

/// The CPUs on which the calling thread may run.
///
/// # Errors
/// When the call is forbidden.
#[doc(alias = "sched_getaffinity")]
pub fn own() -> io::Result<CpuSet> {
    of(Pid(0))
}

/// The CPUs on which a thread of any process may run. No permission is needed.
///
/// # Errors
/// When the thread has ended or the call is forbidden.
pub fn of(thread: Pid) -> io::Result<CpuSet> {
    let mut words = [0u64; MASK_WORDS];
    let written = raw::affinity(thread.0, &mut words).map_err(error)?;
    Ok(CpuSet::from_words(&words[..written]))
}

/// Runs a thread of any process on these CPUs only, as far as its cpuset has them.
///
/// # Errors
/// When it is another user's, when it has ended, when its cpuset has none of these CPUs, or the call is forbidden.
pub fn set(thread: Pid, cpus: &CpuSet) -> io::Result<()> {
    // 0 would be the calling thread, and less is no thread.
    if thread.0 <= 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    raw::set_affinity(thread.0, cpus.words()).map_err(error)
}

/// Runs the calling thread on these CPUs only, as far as its cpuset has them.
///
/// # Errors
/// When none of them may be used, or the call is forbidden.
#[doc(alias = "sched_setaffinity")]
pub fn set_own(cpus: &CpuSet) -> io::Result<()> {
    raw::set_affinity(0, cpus.words()).map_err(error)
}

/// Runs the calling thread on one CPU only.
///
/// # Errors
/// When there is no such CPU, or it may not be used.
pub fn pin(cpu: CpuId) -> io::Result<()> {
    set_own(&CpuSet::single(cpu))
}

/// The CPUs that the kernel would let the calling thread have, whatever its mask is: those online in its cpuset.
///
/// The kernel cuts a mask to what the cpuset allows, so a thread that asks for all CPUs and then looks at what it got
/// knows, also where no cgroup can be seen. The thread gets its mask back.
///
/// # Errors
/// When a call is forbidden.
pub fn widest() -> io::Result<CpuSet> {
    let before = own()?;
    raw::set_affinity(0, &[u64::MAX; MASK_WORDS]).map_err(error)?;
    let widest = own();
    // Fails only when the cpuset has lost all these CPUs meanwhile, and then the kernel gives others by itself.
    let _ = set_own(&before);
    widest
}

/// What the kernel says to a thread that asks for no CPU at all. The kernel itself refuses that (`EINVAL`) and changes nothing; a
/// filter refuses it, or reports success, before the kernel looks at it.
///
/// # Errors
/// The error number of the call.
pub fn set_none() -> Result<(), raw::Errno> {
    raw::set_affinity(0, &[0])
}

/// The CPU that the calling thread is on.
///
/// # Errors
/// When the call is forbidden.
#[doc(alias = "getcpu")]
pub fn current_cpu() -> io::Result<CpuId> {
    let mut cpu = 0u32;
    let none = std::ptr::null_mut::<u8>();
    // SAFETY: writes one number; the others are not asked for.
    let result = unsafe { libc::syscall(libc::SYS_getcpu, &raw mut cpu, none, none) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(CpuId(cpu)) }
}
