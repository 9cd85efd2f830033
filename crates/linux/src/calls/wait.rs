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

/// What happened to a child of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEvent {
    /// It ended and is off the list of processes: its number is no longer its own.
    Ended(Pid, EndStatus, Accounted),
    /// It was stopped, by this signal.
    Stopped(Pid, i32),
    /// It goes on.
    Continued(Pid),
    /// There are children, and nothing happened to them.
    Nothing,
    /// There is no child.
    NoChild,
}

/// What happened to any child, without waiting for it. Allocates nothing.
#[doc(alias = "wait4")]
pub fn any_child() -> ChildEvent {
    let mut status = 0;
    // SAFETY: rusage is a struct of integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let options = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
    // SAFETY: the kernel writes into two live values.
    match unsafe { libc::wait4(-1, &mut status, options, &mut usage) } {
        0 => ChildEvent::Nothing,
        pid if pid < 0 => ChildEvent::NoChild,
        pid if libc::WIFSTOPPED(status) => ChildEvent::Stopped(Pid(pid), libc::WSTOPSIG(status)),
        pid if libc::WIFCONTINUED(status) => ChildEvent::Continued(Pid(pid)),
        pid => ChildEvent::Ended(Pid(pid), EndStatus::of(status), Accounted::from_kernel(&usage)),
    }
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
    Ok((EndStatus::of(status), Accounted::from_kernel(&usage)))
}

impl EndStatus {
    fn of(status: libc::c_int) -> Self {
        if libc::WIFSIGNALED(status) {
            EndStatus::Signalled(libc::WTERMSIG(status))
        } else {
            EndStatus::Exited(libc::WEXITSTATUS(status))
        }
    }
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
