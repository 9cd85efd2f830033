//! A process of ours that lives on where all others of ours are killed at once, as launchers do it when a rank has died, or that waits for
//! our end, also as the program that we became.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use numawise_linux::calls::{process, wait};
use numawise_units::Pid;

/// Signals that are sent to all processes of a job to end it.
const IGNORED: [i32; 5] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGPIPE];

/// Does `work` in a process that is nobody's child, in a session of its own, and has none of our files open: nobody waits for it, and
/// no pipe of ours stays open because of it. Values of ours that hold files are not to be used in `work` as what they were.
///
/// Must be called while this process has one thread: the other process is forked and does not exec.
///
/// # Errors
/// Where the system makes no process.
pub fn stand_by(work: impl FnOnce()) -> io::Result<()> {
    apart(|| {
        let_go(&[0, 1, 2]);
        work();
    })
}

/// The same once this process has ended, however that comes and whatever program it has become. The other one keeps our standard error for
/// what it has to say, so that a pipe there stays open until it has done its work.
///
/// # Errors
/// As [`stand_by`], and where the end of a process cannot be waited for (before Linux 5.3).
pub fn when_ended(work: impl FnOnce()) -> io::Result<()> {
    let end = process::end_of(Pid(std::process::id() as i32))?;
    apart(|| {
        // SAFETY: takes two numbers; the standard input of that process is nobody else's.
        unsafe { libc::dup2(end.as_raw_fd(), 0) };
        let_go(&[1]);
        let mut ended = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
        // SAFETY: one live structure.
        while unsafe { libc::poll(&raw mut ended, 1, -1) } != 1 {
            // Without memory for the call; nothing may be done before the end.
            thread::sleep(Duration::from_millis(100));
        }
        work();
    })
}

fn apart(work: impl FnOnce()) -> io::Result<()> {
    // SAFETY: there is one thread, so that no lock is held in the child; it never returns.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            // SAFETY: as above; a leader of no group may begin a session, and its child has no parent but the system's first process.
            if unsafe { libc::setsid() } < 0 || unsafe { libc::fork() } != 0 {
                end();
            }
            process::set_name(c"nw-stand-by");
            // What fails here fails where nobody can be told.
            let _ = catch_unwind(AssertUnwindSafe(work));
            end()
        }
        child => wait::reap(Pid(child)).map(drop),
    }
}

/// Has nothing of ours open but what of the standard streams is not in the list.
fn let_go(closed: &[RawFd]) {
    for signal in IGNORED {
        // SAFETY: no handler of ours is called.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
        for stream in closed {
            // SAFETY: takes two numbers; the standard streams of this process are nobody else's.
            unsafe { libc::dup2(null.as_raw_fd(), *stream) };
        }
        // It may be one of those that are closed now.
        std::mem::forget(null);
    }
    // SAFETY: whoever holds them is told not to use them.
    unsafe { process::close_all(3, i32::MAX) };
}

/// Without what is done at the end of a program: buffers are the parent's.
fn end() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn it_has_no_file_of_ours_and_is_no_child_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let (told, held) = (folder.path().join("told"), folder.path().join("held"));
        let ours = File::create(&held).unwrap();
        ours.lock().unwrap();
        stand_by(|| {
            let open = (3..64).filter(|number| {
                // SAFETY: asks for the flags of a number.
                unsafe { libc::fcntl(*number, libc::F_GETFD) >= 0 }
            });
            let text = format!("{} {}", open.count(), std::process::id());
            std::fs::write(folder.path().join("draft"), text).unwrap();
            std::fs::rename(folder.path().join("draft"), &told).unwrap();
        })
        .unwrap();
        let begun = Instant::now();
        while !told.exists() && begun.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let text = std::fs::read_to_string(&told).unwrap();
        let (open, pid) = text.split_once(' ').unwrap();
        assert_eq!(open, "0");
        assert!(wait::reap(Pid(pid.parse().unwrap())).is_err(), "it is nobody's child");
        drop(ours);
        // Another test may be between fork and exec just now, with all of our files.
        let is_free = |_| {
            std::thread::sleep(Duration::from_millis(5));
            File::open(&held).unwrap().try_lock().is_ok()
        };
        assert!((0..2000).any(is_free), "the lock went with it");
    }
}
