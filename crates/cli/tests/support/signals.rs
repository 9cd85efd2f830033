//! Signals as somebody at a terminal has them. A shell that runs the tests in its background ignores some, which programs inherit.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has a command start with the signals that ask a program to end neither ignored nor blocked, whatever started the tests.
pub fn as_usual(command: &mut Command) {
    // SAFETY: between fork and exec only system calls are made, on values that live there.
    unsafe {
        command.pre_exec(|| {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
                libc::signal(signal, libc::SIG_DFL);
                libc::sigaddset(&raw mut set, signal);
            }
            match libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut()) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
}
