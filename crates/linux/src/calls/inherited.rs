//! What this process was started with, where it needs something else for itself: descriptors and signals. A program that it
//! becomes or starts gets all of it as it was.
//!
//! * Standard streams that are closed are opened on `/dev/null`, so that no file of ours gets their numbers. They are closed
//!   again by exec.
//! * SIGCHLD that is ignored would leave no child to wait for; SIGPIPE and SIGXFSZ would end us where a write can fail as well;
//!   blocked signals would keep us from being interrupted while a program runs, or while we measure.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::signal;

#[cfg(test)]
#[path = "inherited_tests.rs"]
mod tests;

/// The standard streams that were closed, a bit for each.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Opens those of the descriptors 0, 1 and 2 that are closed. To be called before anything else is opened.
///
/// # Errors
/// When one of them cannot be opened: the next file would get its number.
#[doc(alias = "poll")]
pub fn open_standard_streams() -> io::Result<()> {
    let mut streams = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: poll reads and writes three pollfds, which live until the call returns.
    let told = unsafe { libc::poll(streams.as_mut_ptr(), 3, 0) };
    if told == 0 {
        return Ok(());
    }
    for stream in streams {
        // Not only a closed one cannot be polled; and a process that may have two files open cannot poll three.
        if (told < 0 || stream.revents & libc::POLLNVAL != 0) && is_closed(stream.fd) {
            open_nothing(stream.fd)?;
            CLOSED.fetch_or(1 << stream.fd, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// True when this process was started with the descriptor closed.
pub fn was_closed(stream: i32) -> bool {
    (0..3).contains(&stream) && CLOSED.load(Ordering::Relaxed) & (1 << stream) != 0
}

fn is_closed(fd: i32) -> bool {
    // SAFETY: asks for a flag.
    (unsafe { libc::fcntl(fd, libc::F_GETFD) }) < 0
}

/// Opens a file of which nothing can be read and into which nothing can be written, under the lowest free number.
fn open_nothing(expected: i32) -> io::Result<()> {
    let way = if expected == 0 { libc::O_RDONLY } else { libc::O_WRONLY };
    // Where there is no /dev, a descriptor that can be neither read nor written.
    let mut error = io::Error::from(io::ErrorKind::AlreadyExists);
    for (path, way) in [(c"/dev/null", way), (c"/", libc::O_PATH)] {
        // SAFETY: the path ends with NUL.
        let fd = unsafe { libc::open(path.as_ptr(), way | libc::O_CLOEXEC) };
        if fd == expected {
            return Ok(());
        }
        if fd < 0 {
            error = io::Error::last_os_error();
        } else {
            // SAFETY: it was opened a few lines above and nobody else knows it.
            unsafe { libc::close(fd) };
        }
    }
    Err(error)
}

/// The signals whose action is another for us, with that action.
const OURS: [(i32, libc::sighandler_t); 3] =
    [(libc::SIGCHLD, libc::SIG_DFL), (libc::SIGPIPE, libc::SIG_IGN), (libc::SIGXFSZ, libc::SIG_IGN)];

/// The actions as they were.
static ACTIONS: OnceLock<[libc::sigaction; OURS.len()]> = OnceLock::new();
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The mask as it was.
static MASK: OnceLock<libc::sigset_t> = OnceLock::new();
static UNBLOCKED: AtomicBool = AtomicBool::new(false);

/// From now on children can be waited for, and a write that fails is an error. To be called in the first thread, before there are
/// others; a second call does nothing.
#[doc(alias = "sigaction")]
pub fn take_signals() {
    if TAKEN.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: both structures are integers and pointers that may be null, for which zeros are values; they live through the
    // calls, which take or write one of them each, and the actions are those of the kernel.
    let before = unsafe {
        let mut before: [libc::sigaction; OURS.len()] = std::mem::zeroed();
        for ((signal, action), before) in OURS.into_iter().zip(&mut before) {
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = action;
            libc::sigaction(signal, &ours, before);
        }
        before
    };
    // What was given back is the same as at first.
    ACTIONS.get_or_init(|| before);
}

/// From now on no signal is blocked. To be called as [`take_signals`], by who stays until a program has ended, or works for long: a
/// signal that came while it was blocked arrives now. A program that takes our place gets such a signal itself.
#[doc(alias = "sigprocmask")]
pub fn unblock_signals() {
    if UNBLOCKED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: a set is integers, for which zeros are values; both sets live through the call.
    let before = unsafe {
        let mut before: libc::sigset_t = std::mem::zeroed();
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, &mut before);
        before
    };
    MASK.get_or_init(|| before);
}

/// The same where children could not be waited for; costs one question where they could.
pub fn take_signals_to_wait() {
    if signal::is_ignored(libc::SIGCHLD) {
        take_signals();
    }
}

/// Gives actions and mask back as they were, for a program that takes our place. Makes only system calls, so it may stand between
/// fork and exec. Streams that were closed are closed by exec.
pub fn give_back_signals() {
    if TAKEN.swap(false, Ordering::Relaxed) {
        for ((signal, _), action) in OURS.into_iter().zip(ACTIONS.get().into_iter().flatten()) {
            // SAFETY: reads what `take_signals` got from the kernel; there is no function of ours among the actions.
            unsafe { libc::sigaction(signal, action, std::ptr::null_mut()) };
        }
    }
    if let Some(before) = MASK.get().filter(|_| UNBLOCKED.swap(false, Ordering::Relaxed)) {
        // SAFETY: reads what `unblock_signals` got from the kernel.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
    }
}
