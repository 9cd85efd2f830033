//! A terminal that a command is started on, and whoever sits before it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{PATIENCE, Place};

pub const CTRL_C: u8 = 3;
pub const CTRL_Z: u8 = 26;

/// A terminal, seen from its other end.
pub struct Terminal {
    keys: File,
    /// What was read of it so far.
    pub shown: String,
}

impl Terminal {
    /// Starts a command as the leader of a session on a new terminal.
    pub fn start(command: &mut Command) -> (Terminal, Child) {
        let mut name = [0; 64];
        // SAFETY: system calls on a descriptor that is ours from here on, and on a buffer with its length.
        let (master, named) = unsafe {
            let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            assert!(master >= 0 && libc::grantpt(master) == 0 && libc::unlockpt(master) == 0);
            (File::from_raw_fd(master), libc::ptsname_r(master, name.as_mut_ptr(), name.len()))
        };
        assert_eq!(named, 0);
        // SAFETY: the kernel has ended the name with NUL.
        let name = unsafe { std::ffi::CStr::from_ptr(name.as_ptr()) }.to_str().unwrap().to_owned();
        let end = || File::options().read(true).write(true).open(&name).unwrap();
        command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
        // SAFETY: two system calls, which may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                match libc::ioctl(0, libc::TIOCSCTTY, 0) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().unwrap();
        // Our copies of its end are closed, so that it notices when we go.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        (Terminal { keys: master, shown: String::new() }, child)
    }

    /// Presses a key.
    pub fn press(&mut self, key: u8) {
        self.keys.write_all(&[key]).unwrap();
    }

    /// Reads what is shown for a time, so that whoever writes does not wait for us.
    pub fn read_for(&mut self, time: Duration) {
        let until = Instant::now() + time;
        let mut buffer = [0; 4096];
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let mut ready = libc::pollfd { fd: self.keys.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one structure, which is there until the call returns.
            if unsafe { libc::poll(&raw mut ready, 1, left.as_millis().clamp(1, 50) as i32) } > 0 {
                match self.keys.read(&mut buffer) {
                    Ok(length) => self.shown.push_str(&String::from_utf8_lossy(&buffer[..length])),
                    Err(_) => std::thread::sleep(until.saturating_duration_since(Instant::now())),
                }
            }
        }
    }
}

pub fn ended(child: &mut Child, what: &str) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: it still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `numawise WORDS` as it is typed, or behind a shell that waits for it.
pub fn typed(place: &Place, words: &[&str], behind_a_shell: bool) -> Command {
    let mut command = Command::new(if behind_a_shell { "sh" } else { env!("CARGO_BIN_EXE_numawise") });
    if behind_a_shell {
        command.args(["-c", "\"$@\"; exit", "sh", env!("CARGO_BIN_EXE_numawise")]);
    }
    command.args(words);
    place.settle(&mut command);
    command
}
