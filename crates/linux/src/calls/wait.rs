//! Waiting for child processes, and what the kernel accounted for them.

use std::io;

use numawise_units::{Bytes, Nanoseconds, Pid};

use super::checked;

#[cfg(test)]
#[path = "wait_tests.rs"]
mod tests;

/// The way in which a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndStatus {
    Exited(i32),
    Signalled(i32),
}

/// What getrusage(2) counts for a process and those of its descendants that it has waited for.
#[doc(alias = "rusage")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accounted {
    pub user: Nanoseconds,
    pub system: Nanoseconds,
    /// The largest resident set of any single process. See [`Accounted::peak_of_child`].
    pub peak: Bytes,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

/// Waits until a child has ended, and leaves it a zombie: its number and its group's stay its own.
///
/// # Errors
/// When it is no child of this process.
#[doc(alias = "waitid")]
pub fn until_ended(child: Pid) -> io::Result<()> {
    retried(|| {
        // SAFETY: the kernel writes into the live, zeroed struct.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, child.0 as libc::id_t, &mut info, libc::WEXITED | libc::WNOWAIT)
        }
    })
}

/// Waits for a child and takes it off the list of processes.
///
/// # Errors
/// When it is no child of this process.
#[doc(alias = "wait4")]
pub fn reap(child: Pid) -> io::Result<(EndStatus, Accounted)> {
    let mut status = 0;
    // SAFETY: rusage is a struct of integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes into two live values.
    retried(|| unsafe { libc::wait4(child.0, &mut status, 0, &mut usage) })?;
    let end = if libc::WIFSIGNALED(status) {
        EndStatus::Signalled(libc::WTERMSIG(status))
    } else {
        EndStatus::Exited(libc::WEXITSTATUS(status))
    };
    Ok((end, Accounted::from_kernel(&usage)))
}

impl Accounted {
    /// What this process itself has used.
    #[doc(alias = "getrusage")]
    pub fn own() -> Self {
        // SAFETY: rusage is a struct of integers, for which zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes into the live struct. It cannot fail for this process.
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
        Accounted::from_kernel(&usage)
    }

    /// The largest resident set of a child. At exec the kernel folds in what the child shared with its parent after the fork
    /// (`exec_mmap`), so that a small program shows its parent's peak.
    ///
    /// # Errors
    /// This process's own peak, where the child's is not above it.
    pub fn peak_of_child(&self) -> Result<Bytes, Bytes> {
        let own = Accounted::own().peak;
        if self.peak > own { Ok(self.peak) } else { Err(own) }
    }

    fn from_kernel(usage: &libc::rusage) -> Self {
        let span = |time: libc::timeval| {
            Nanoseconds(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000)
        };
        Accounted {
            user: span(usage.ru_utime),
            system: span(usage.ru_stime),
            peak: Bytes::kib(usage.ru_maxrss as u64),
            minor_faults: usage.ru_minflt as u64,
            major_faults: usage.ru_majflt as u64,
            voluntary_switches: usage.ru_nvcsw as u64,
            involuntary_switches: usage.ru_nivcsw as u64,
        }
    }
}

fn retried(mut call: impl FnMut() -> libc::c_int) -> io::Result<()> {
    loop {
        match checked(call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.map(drop),
        }
    }
}
