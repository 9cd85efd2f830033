//! Signals.

use std::io;

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

/// Stops this process as Ctrl-Z does, until somebody continues it.
#[doc(alias = "SIGTSTP")]
pub fn stop_self() {
    // SAFETY: raise touches no memory of ours.
    unsafe { libc::raise(libc::SIGTSTP) };
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
