//! Processes, their users and their limits.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use numawise_units::Pid;

use super::checked;

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;

/// The identifier of the calling thread.
#[doc(alias = "gettid")]
pub fn own_thread() -> Pid {
    // SAFETY: takes no arguments and cannot fail.
    Pid(unsafe { libc::syscall(libc::SYS_gettid) } as i32)
}

/// The file that this process executes, open; also when it was replaced or removed in the meantime.
#[doc(alias = "/proc/self/exe")]
pub fn own_program() -> io::Result<File> {
    File::open("/proc/self/exe")
}

/// True when a process is there, though perhaps not ours to signal: it is asked with signal 0, which does nothing.
pub fn exists(pid: Pid) -> bool {
    // SAFETY: signal 0 is never delivered.
    let failed = unsafe { libc::kill(pid.0, 0) } != 0;
    !failed || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// Makes this process the parent of what its descendants leave behind, in place of the system's first process.
#[doc(alias = "PR_SET_CHILD_SUBREAPER")]
pub fn become_subreaper() {
    // SAFETY: prctl with these words touches no memory. Every kernel since 3.4 takes it.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// The name of this thread, as ps(1) shows it; more than 15 bytes are cut off.
#[doc(alias = "PR_SET_NAME")]
pub fn set_name(name: &CStr) {
    // SAFETY: the kernel copies from a live string.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) };
}

/// Lets others have the CPU first: this thread has a tenth of what another one on its CPU has. It stays as it is where the kernel refuses.
#[doc(alias = "setpriority")]
pub fn stand_back() {
    /// Each step makes the share smaller by a fifth (sched_prio_to_weight in the kernel's sched/core.c): ten of them, to a tenth.
    const NICE: libc::c_int = 10;
    // SAFETY: no memory is handed over. On Linux the priority is the thread's own.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, own_thread().0 as libc::id_t, NICE) };
}

/// A descriptor that is ready to read once the process has ended. Allocates nothing.
///
/// # Errors
/// When there is no such process, or the kernel has none (before Linux 5.3).
#[doc(alias = "pidfd_open")]
pub fn end_of(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: takes two numbers.
    let fd = checked(unsafe { libc::syscall(libc::SYS_pidfd_open, pid.0, 0) } as i32)?;
    // SAFETY: the descriptor is new and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Closes all descriptors from `first` to `last`, whoever uses them. Allocates nothing.
///
/// # Safety
/// None of them is used afterwards, by any owner.
#[doc(alias = "close_range")]
pub unsafe fn close_all(first: RawFd, last: RawFd) {
    if first > last {
        return;
    }
    // SAFETY: takes three numbers; that nobody uses the descriptors is the caller's promise.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } != 0 {
        // Before Linux 5.9. More than these are rarely open, and what stays open does no harm but to be open.
        let open =
            open_files_limit().and_then(|most| RawFd::try_from(most).ok()).unwrap_or(RawFd::MAX).min(4096);
        for fd in first..=last.min(open) {
            // SAFETY: as above.
            unsafe { libc::close(fd) };
        }
    }
}

/// The most of a resource that this process may have, and how far it may raise that; `RLIM_INFINITY` where there is no limit. None where the
/// kernel does not know the resource.
#[doc(alias = "getrlimit")]
pub(crate) fn limit(resource: libc::__rlimit_resource_t) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit, which `limit` is.
    let failed = unsafe { libc::getrlimit(resource, &raw mut limit) } != 0;
    (!failed).then_some(limit)
}

/// The same as a number, where there is a limit.
pub(crate) fn most(resource: libc::__rlimit_resource_t) -> Option<u64> {
    limit(resource).map(|limit| limit.rlim_cur).filter(|most| *most != libc::RLIM_INFINITY)
}

/// The number of files that this process may have open at once; none where there is no limit.
#[doc(alias = "RLIMIT_NOFILE")]
pub fn open_files_limit() -> Option<u64> {
    most(libc::RLIMIT_NOFILE)
}

/// Whether this process leads its session: then it is told when the terminal goes.
#[doc(alias = "getsid")]
pub fn leads_session() -> bool {
    // SAFETY: both take numbers and touch no memory.
    unsafe { libc::getsid(0) == libc::getpid() }
}

/// The number of the user whose rights this process has.
#[doc(alias = "geteuid")]
pub fn user() -> u32 {
    // SAFETY: takes no arguments and cannot fail.
    unsafe { libc::geteuid() }
}

/// The number of a user by name; none where the computer knows no such user.
#[doc(alias = "getpwnam_r")]
pub fn user_number(name: &str) -> Option<u32> {
    let name = CString::new(name).ok()?;
    // SAFETY: a passwd is numbers and pointers, for which zeros are values.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // Long enough for any entry: directories and real names are shorter.
    let mut buffer = vec![0; 64 << 10];
    // SAFETY: name ends with a zero; entry, buffer (with its length) and found live until the call returns, and what the
    // entry points to lies in the buffer.
    unsafe {
        libc::getpwnam_r(name.as_ptr(), &raw mut entry, buffer.as_mut_ptr(), buffer.len(), &raw mut found);
    }
    (!found.is_null()).then_some(entry.pw_uid)
}
