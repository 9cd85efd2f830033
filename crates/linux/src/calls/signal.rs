//! Signals.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use numawise_units::Pid;

use super::checked;

/// True when this process ignores a signal, as programs do that nohup(1) starts.
#[doc(alias = "sigaction")]
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: a null action only asks; the kernel writes the present one into the live, zeroed struct.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

/// This process ignores a signal from now on, and what of it was held back.
#[doc(alias = "SIG_IGN")]
pub fn ignore(signal: i32) {
    // SAFETY: no function of ours is called.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Stops this process as Ctrl-Z does, until somebody continues it.
#[doc(alias = "SIGTSTP")]
pub fn stop_self() {
    // SAFETY: raise touches no memory of ours.
    unsafe { libc::raise(libc::SIGTSTP) };
}

/// All signals that this thread can hold back are held back until it goes.
#[doc(alias = "pthread_sigmask")]
#[derive(Debug)]
pub struct AllBlocked(libc::sigset_t);

impl AllBlocked {
    pub fn new() -> Self {
        // SAFETY: sigfillset initialises the set, and the kernel writes the former mask into the other live one.
        unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) =
                (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            AllBlocked(before)
        }
    }
}

impl AllBlocked {
    /// Gives the mask back that was before, in a child that was forked meanwhile. Allocates nothing.
    pub fn give_back(&self) {
        // SAFETY: the mask was filled by the kernel.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}

impl Default for AllBlocked {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for AllBlocked {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Children that end wait to be waited for, also where this process was started with SIGCHLD ignored.
pub fn heed_children() {
    // SAFETY: the default action is no function of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// A descriptor that is ready to read when something happened to a child of this process, which must have SIGCHLD blocked and
/// heeded ([`heed_children`]). Allocates nothing.
///
/// # Errors
/// When no descriptor is to be had.
#[doc(alias = "signalfd")]
pub fn of_children() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by sigemptyset before use; the descriptor is new and belongs to nobody else.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        let fd = checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Sends a signal to a child that was not waited for, so that the number is its own. Whether it has ended matters to nobody.
#[doc(alias = "kill")]
pub fn send_to_child(child: Pid, signal: i32) {
    if child.0 > 1 {
        // SAFETY: sending a signal touches no memory of ours.
        unsafe { libc::kill(child.0, signal) };
    }
}

/// A signal that came to this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedSignal {
    pub number: i32,
    /// The process that sent it; none where the kernel did, as of a terminal.
    pub sender: Option<Pid>,
}

/// Any signal that comes to this process. All must be blocked ([`AllBlocked`]).
#[doc(alias = "signalfd")]
#[derive(Debug)]
pub struct AnySignal(OwnedFd);

impl AnySignal {
    /// # Errors
    /// When no descriptor is to be had.
    pub fn new() -> io::Result<AnySignal> {
        // SAFETY: the set is initialised by sigfillset before use; the descriptor is new and belongs to nobody else.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut set);
            let fd = checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?;
            Ok(AnySignal(OwnedFd::from_raw_fd(fd)))
        }
    }

    /// The next one that has come; none where there is none now.
    pub fn next(&self) -> Option<ReceivedSignal> {
        let mut information = std::mem::MaybeUninit::<libc::signalfd_siginfo>::zeroed();
        let length = size_of::<libc::signalfd_siginfo>();
        // SAFETY: the kernel writes at most the structure, which is live and of which zeros are a value.
        let (read, information) = unsafe {
            let read = libc::read(self.0.as_raw_fd(), information.as_mut_ptr().cast(), length);
            (read, information.assume_init())
        };
        let is_sent = information.ssi_code <= 0;
        (usize::try_from(read) == Ok(length)).then(|| ReceivedSignal {
            number: information.ssi_signo.cast_signed(),
            sender: is_sent.then(|| Pid(information.ssi_pid.cast_signed())),
        })
    }
}

impl AsRawFd for AnySignal {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Stops this process, which cannot be kept from it, until somebody continues it.
#[doc(alias = "SIGSTOP")]
pub fn stop_at_once() {
    // SAFETY: raise touches no memory of ours.
    unsafe { libc::raise(libc::SIGSTOP) };
}

/// Sends a signal to all processes of a group.
///
/// # Errors
/// When the group is no more or is another user's.
#[doc(alias = "killpg")]
pub fn send_to_group(group: Pid, signal: i32) -> io::Result<()> {
    // Of 0 and 1 the negative is not a group: it means the own one, and all processes.
    if group.0 <= 1 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: sending a signal touches no memory of ours.
    checked(unsafe { libc::kill(-group.0, signal) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_known() {
        // Rust's start ignores it.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGUSR2));
        assert!(!is_ignored(9999));
    }

    #[test]
    fn only_groups_get_signals() {
        for group in [i32::MIN, -5, 0, 1] {
            assert_eq!(send_to_group(Pid(group), 0).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        assert!(send_to_group(Pid(i32::MAX), 0).is_err());
    }
}
