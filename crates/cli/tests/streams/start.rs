//! How a parent may start us.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use libc::{SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGTTOU, SIGUSR1, SIGXCPU, SIGXFSZ};

/// What a parent leaves to its child.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start {
    pub closed: &'static [i32],
    pub ignored: &'static [i32],
    pub blocked: &'static [i32],
}

const USUAL: Start = Start { closed: &[], ignored: &[], blocked: &[] };

pub const STARTS: [Start; 14] = [
    USUAL,
    Start { closed: &[0], ..USUAL },
    Start { closed: &[1], ..USUAL },
    Start { closed: &[2], ..USUAL },
    Start { closed: &[0, 1], ..USUAL },
    Start { closed: &[0, 2], ..USUAL },
    Start { closed: &[1, 2], ..USUAL },
    Start { closed: &[0, 1, 2], ..USUAL },
    Start { ignored: &[SIGCHLD], ..USUAL },
    Start { ignored: &[SIGPIPE, SIGXFSZ, SIGXCPU], ..USUAL },
    Start { ignored: &[SIGHUP, SIGINT, SIGQUIT, SIGTTOU], ..USUAL },
    Start { blocked: &[SIGTERM, SIGINT, SIGCHLD, SIGUSR1], ..USUAL },
    // All signals, also those of the C library's own threads.
    Start { blocked: &ALL, ..USUAL },
    Start { closed: &[0, 1, 2], ignored: &[SIGCHLD, SIGPIPE, SIGHUP], blocked: &[SIGTERM, SIGCHLD, SIGPIPE] },
];

const ALL: [i32; 64] = {
    let mut all = [0; 64];
    let mut k = 0;
    while k < all.len() {
        all[k] = k as i32 + 1;
        k += 1;
    }
    all
};

impl Start {
    /// Starts `command` so. What is not said here is as usual, whatever started the tests.
    pub fn apply(self, command: &mut Command) {
        // SAFETY: between fork and exec only system calls are made, on values that live there.
        unsafe {
            command.pre_exec(move || {
                for signal in
                    ALL.into_iter().filter(|signal| ![libc::SIGKILL, libc::SIGSTOP].contains(signal))
                {
                    let ignored = self.ignored.contains(&signal);
                    libc::signal(signal, if ignored { libc::SIG_IGN } else { libc::SIG_DFL });
                }
                let set = self.blocked.iter().fold(0u64, |set, signal| set | 1 << (signal - 1));
                libc::syscall(
                    libc::SYS_rt_sigprocmask,
                    libc::SIG_SETMASK,
                    &raw const set,
                    0,
                    size_of_val(&set),
                );
                for fd in self.closed {
                    libc::close(*fd);
                }
                Ok(())
            });
        }
    }
}

/// What may be behind a stream that we write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    Reader,
    Nothing,
    Closed,
    FullDisk,
    NoReader,
}

pub const BEHIND: [Behind; 5] =
    [Behind::Reader, Behind::Nothing, Behind::Closed, Behind::FullDisk, Behind::NoReader];

/// Each of both streams with some of the other's: all of them behind the one while the other's go round.
pub fn pairs() -> impl Iterator<Item = (Behind, Behind)> {
    let round = |shift: usize| (0..5).map(move |k| (BEHIND[k], BEHIND[(k + shift) % 5]));
    // A full disk is told where somebody reads.
    round(0).chain(round(2))
}

impl Behind {
    fn stdio(self) -> Stdio {
        match self {
            Behind::Reader => Stdio::piped(),
            Behind::Nothing | Behind::Closed => Stdio::null(),
            Behind::FullDisk => std::fs::File::options().write(true).open("/dev/full").unwrap().into(),
            Behind::NoReader => io::pipe().unwrap().1.into(),
        }
    }
}

/// With these behind the standard output and error; one that is closed takes the standard input with it.
pub fn with_streams(command: &mut Command, out: Behind, err: Behind) {
    command.stdin(Stdio::null()).stdout(out.stdio()).stderr(err.stdio());
    let closed: &[i32] = match (out == Behind::Closed, err == Behind::Closed) {
        (false, false) => &[],
        (true, false) => &[0, 1],
        (false, true) => &[0, 2],
        (true, true) => &[0, 1, 2],
    };
    Start { closed, ..Start::default() }.apply(command);
}
