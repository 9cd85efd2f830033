//! The standard error of a program that is not ours.
//!
//! Its number may be another file's by the time we have something to say: a program that began without a standard error gets it
//! for the first file that it opens. And a pipe without a reader, or a file at its limit, must not end a program that writes nothing there
//! itself.

use core::ffi::c_long;
use core::sync::atomic::{AtomicU64, Ordering};

const NUMBER: c_long = 2;
/// Bytes in a set of signals as the kernel has it.
const SET: usize = size_of::<u64>();

/// The file that was there at the beginning; zeros for none.
static DEVICE: AtomicU64 = AtomicU64::new(0);
static INODE: AtomicU64 = AtomicU64::new(0);

/// Remembers where messages may go; to be called before the program opens anything.
pub fn remember() {
    if let Some((device, inode)) = identity() {
        DEVICE.store(device, Ordering::Relaxed);
        INODE.store(inode, Ordering::Relaxed);
    }
}

/// Writes to the standard error, where it still is what it was at the beginning.
pub fn write(bytes: &[u8]) {
    let known = (DEVICE.load(Ordering::Relaxed), INODE.load(Ordering::Relaxed));
    if known != (0, 0) && identity() == Some(known) {
        without_signals(|| {
            // Not by write(3), where a thread that is cancelled would end.
            // SAFETY: the buffer is live and its length is given. Where nothing can be written, there is nobody to tell.
            unsafe { libc::syscall(libc::SYS_write, NUMBER, bytes.as_ptr(), bytes.len()) };
        });
    }
}

/// By system calls: which version of the C library has these functions differs.
fn identity() -> Option<(u64, u64)> {
    // SAFETY: a stat is integers, for which zeros are values.
    let mut facts: libc::stat = unsafe { core::mem::zeroed() };
    // SAFETY: the kernel writes one stat, which lives through the call.
    let failed = unsafe { libc::syscall(libc::SYS_fstat, NUMBER, &raw mut facts) } != 0;
    (!failed).then_some((facts.st_dev, facts.st_ino))
}

/// Keeps SIGPIPE and SIGXFSZ of a write from the thread, those alone that were not on their way before.
fn without_signals(write: impl FnOnce()) {
    let bit = |signal: i32| 1u64 << (signal - 1);
    let ours = bit(libc::SIGPIPE) | bit(libc::SIGXFSZ);
    let (mut mask, mut before, mut now) = (0u64, 0u64, 0u64);
    let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: sets of signals as the kernel has them, which live through the calls; nothing else is touched.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_BLOCK, &raw const ours, &raw mut mask, SET);
        libc::syscall(libc::SYS_rt_sigpending, &raw mut before, SET);
        write();
        libc::syscall(libc::SYS_rt_sigpending, &raw mut now, SET);
        let came = now & !before & ours;
        if came != 0 {
            let none = core::ptr::null::<libc::siginfo_t>();
            libc::syscall(libc::SYS_rt_sigtimedwait, &raw const came, none, &raw const at_once, SET);
        }
        let none = core::ptr::null::<u64>();
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const mask, none, SET);
    }
}
