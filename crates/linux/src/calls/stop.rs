//! Ctrl-Z: a process that holds others stops them first, then itself.
//!
//! The signal reaches the process group that the terminal belongs to, of which programs that we hold are no part. Once
//! [`hold_back`] was called, it waits for who holds something ([`Held`]) to ask for it; while nobody does, it stops us at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{checked, signal};

/// How many hold something that has to stop with us.
static HOLDERS: AtomicUsize = AtomicUsize::new(0);
/// The signal came, and nobody has asked for it yet.
static CAME: AtomicBool = AtomicBool::new(false);

/// Something that has to be stopped before us.
#[derive(Debug)]
pub struct Held(());

impl Held {
    pub fn new() -> Held {
        HOLDERS.fetch_add(1, Ordering::SeqCst);
        Held(())
    }

    /// True once for each time that the terminal asked us to stop.
    pub fn is_asked(&self) -> bool {
        CAME.swap(false, Ordering::SeqCst)
    }
}

impl Default for Held {
    fn default() -> Self {
        Held::new()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // What came since it was last asked for is late, but not lost.
        if HOLDERS.fetch_sub(1, Ordering::SeqCst) == 1 && CAME.swap(false, Ordering::SeqCst) {
            now();
        }
    }
}

/// From now on Ctrl-Z waits for those that hold something. Where it is ignored, it stays so.
///
/// # Errors
/// When the kernel takes no handler.
#[doc(alias = "SIGTSTP")]
pub fn hold_back() -> io::Result<()> {
    if signal::is_ignored(libc::SIGTSTP) { Ok(()) } else { handle() }
}

fn handle() -> io::Result<()> {
    // SAFETY: the handler only makes system calls and uses atomics; the structure lives through the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = came as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        checked(libc::sigaction(libc::SIGTSTP, &action, std::ptr::null_mut())).map(drop)
    }
}

extern "C" fn came(_: libc::c_int) {
    // Who presses it twice has waited long enough.
    if HOLDERS.load(Ordering::SeqCst) == 0 || CAME.swap(true, Ordering::SeqCst) {
        now();
    }
}

/// Stops this process as Ctrl-Z does without a handler, and comes back when it is continued. Makes only system calls.
pub fn now() {
    // SAFETY: the sets are initialised by sigemptyset before use, all structures live through the calls, and errno is that of this
    // thread, which the code that a handler interrupts must find as it was.
    unsafe {
        let errno = *libc::__errno_location();
        let mut default: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        let (mut only, mut mask): (libc::sigset_t, libc::sigset_t) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut only);
        libc::sigaddset(&mut only, libc::SIGTSTP);
        libc::sigaction(libc::SIGTSTP, &default, &mut before);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &only, &mut mask);
        libc::raise(libc::SIGTSTP);
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, std::ptr::null_mut());
        libc::sigaction(libc::SIGTSTP, &before, std::ptr::null_mut());
        *libc::__errno_location() = errno;
    }
}
