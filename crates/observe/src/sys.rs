//! The system calls that no file of `/proc` replaces.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};

use numawise_units::{Bytes, CpuSet, Nanoseconds, Pid};

#[cfg(test)]
#[path = "sys_tests.rs"]
mod tests;

/// CPU time that the calling thread has used.
pub(crate) fn own_cpu_time() -> Nanoseconds {
    clock(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default()
}

/// CPU time that another thread of this process has used; none when it has ended.
pub(crate) fn cpu_time_of(thread: Pid) -> Option<Nanoseconds> {
    // The kernel's encoding of a thread's CPU clock: the complement of the identifier above three bits that say
    // "one thread, scheduler's count" (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED).
    clock((!thread.0 << 3) | 6)
}

/// Time since the start of the system, sleep included: the clock in which `/proc` tells when a task began.
pub(crate) fn since_boot() -> Nanoseconds {
    clock(libc::CLOCK_BOOTTIME).unwrap_or_default()
}

/// Time since 1970-01-01 UTC.
pub(crate) fn unix_time() -> Nanoseconds {
    clock(libc::CLOCK_REALTIME).unwrap_or_default()
}

/// Opens a file below an open directory for reading. For many files in one directory this saves the walk down to it.
pub(crate) fn open_at(directory: &File, name: &CStr) -> io::Result<File> {
    // SAFETY: `name` ends with a zero byte and the descriptor is open as long as `directory` lives.
    let opened =
        unsafe { libc::openat(directory.as_raw_fd(), name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that was just opened and that nobody else owns.
    Ok(unsafe { File::from_raw_fd(opened) })
}

/// True when a process is there, though perhaps not ours to signal: it is asked with signal 0, which does nothing.
pub(crate) fn exists(pid: Pid) -> bool {
    // SAFETY: signal 0 is never delivered.
    let failed = unsafe { libc::kill(pid.0, 0) } != 0;
    !failed || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

fn clock(id: libc::clockid_t) -> Option<Nanoseconds> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec, which `time` is.
    let failed = unsafe { libc::clock_gettime(id, &mut time) } != 0;
    (!failed).then(|| Nanoseconds(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64))
}

/// The identifier of the calling thread.
pub(crate) fn own_thread() -> Pid {
    // SAFETY: takes no arguments and cannot fail.
    Pid(unsafe { libc::syscall(libc::SYS_gettid) } as i32)
}

/// The affinity mask of a thread, which needs no permission.
pub(crate) fn affinity(thread: Pid) -> io::Result<CpuSet> {
    // 8192 CPUs, the most that Linux can be built for.
    let mut words = [0u64; 128];
    // SAFETY: the kernel writes at most the bytes that it is told `words` has.
    let written = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, thread.0, size_of_val(&words), words.as_mut_ptr())
    };
    match usize::try_from(written) {
        Ok(bytes) => Ok(CpuSet::from_words(&words[..bytes.div_ceil(8)])),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Asks where the pages at `addresses` of a process are: a node, or a negative errno (`-ENOENT`: not resident).
/// Nothing is moved.
pub(crate) fn page_nodes(process: Pid, addresses: &[usize], nodes: &mut [i32]) -> io::Result<()> {
    assert_eq!(addresses.len(), nodes.len(), "one answer for each page");
    // SAFETY: both arrays have as many elements as are told; without target nodes (null) the kernel reads the first and
    // writes the second only. The addresses are of the other process and are never followed here.
    let failed = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            process.0,
            addresses.len(),
            addresses.as_ptr(),
            std::ptr::null::<i32>(),
            nodes.as_mut_ptr(),
            0,
        )
    };
    match failed {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Where `byte` is first in `text`: many bytes at a time, which matters for files of megabytes.
pub(crate) fn find_byte(text: &[u8], byte: u8) -> Option<usize> {
    // SAFETY: memchr reads at most the bytes that it is told `text` has.
    let found = unsafe { libc::memchr(text.as_ptr().cast(), i32::from(byte), text.len()) };
    (!found.is_null()).then(|| found as usize - text.as_ptr() as usize)
}

/// The usual size of a page.
pub(crate) fn page_size() -> Bytes {
    // SAFETY: sysconf reads a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Bytes(u64::try_from(size).unwrap_or(4096))
}

/// The length of a clock tick, in which `/proc` counts.
pub(crate) fn tick() -> Nanoseconds {
    // SAFETY: sysconf reads a constant of the system.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Nanoseconds(1_000_000_000 / u64::try_from(per_second).unwrap_or(100).max(1))
}

/// How many files this process may have open at once.
pub(crate) fn open_files_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit, which `limit` is.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } != 0;
    if failed { 0 } else { limit.rlim_cur }
}
