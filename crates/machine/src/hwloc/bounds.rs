//! What the helper process may take, and that it does not outlive us.
//!
//! hwloc takes memory for as many CPUs as the highest number in a file, and time by the square of what lies side by side in it. A
//! description from elsewhere gets as much as the largest machines need; what takes more is refused.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use libc::c_int;

/// CPU time for a description from elsewhere. Machines with 2,000 CPUs take 50 ms, those with 8,192 some 300.
const FOREIGN_TIME: Duration = Duration::from_millis(700);

/// How much the helper may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub cpu: Duration,
    /// Wall time: longer, since the computer may be busy.
    pub wall: Duration,
    /// Address space beyond what we have.
    memory: u64,
}

impl Bounds {
    /// For this machine, whose devices hwloc asks one by one; the largest take a second or two.
    pub const LIVE: Bounds =
        Bounds { cpu: Duration::from_secs(20), wall: Duration::from_secs(60), memory: 1 << 30 };
    /// For a description from elsewhere.
    pub const FOREIGN: Bounds =
        Bounds { cpu: FOREIGN_TIME, wall: Duration::from_secs(20), memory: 512 << 20 };

    /// Bounds this process, which is the helper. `parent` is who started it, `own` the size of the address space.
    pub fn enter(&self, parent: libc::pid_t, own: u64) {
        let limit = |what, most: u64| {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: a plain system call on a value that lives long enough.
            unsafe { libc::setrlimit(what, &limit) };
        };
        // No core file of an assertion.
        limit(libc::RLIMIT_CORE, 0);
        // Seconds only: behind the timer, in case that somebody catches its signal.
        limit(libc::RLIMIT_CPU, self.cpu.as_secs() + 2);
        limit(libc::RLIMIT_AS, own.saturating_add(self.memory));
        let once = libc::timeval {
            tv_sec: self.cpu.as_secs() as libc::time_t,
            tv_usec: self.cpu.subsec_micros().into(),
        };
        let timer = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: once };
        // SAFETY: system calls on values that live long enough; what is inherited of these signals is replaced by what the
        // kernel does of its own, so that they end this process.
        unsafe {
            let mut ends = MaybeUninit::<libc::sigset_t>::zeroed();
            libc::sigemptyset(ends.as_mut_ptr());
            for signal in [libc::SIGPROF, libc::SIGXCPU] {
                libc::signal(signal, libc::SIG_DFL);
                libc::sigaddset(ends.as_mut_ptr(), signal);
            }
            libc::sigprocmask(libc::SIG_UNBLOCK, ends.as_ptr(), std::ptr::null_mut());
            libc::setitimer(libc::ITIMER_PROF, &timer, std::ptr::null_mut());
            // The helper ends with us; where we are gone already, nobody waits for an answer.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != parent {
                libc::_exit(1);
            }
        }
    }

    /// Whether a signal means that a bound of time was reached.
    pub fn is_out_of_time(signal: c_int) -> bool {
        matches!(signal, libc::SIGPROF | libc::SIGXCPU)
    }
}

/// Waits until `pipe` can be read or is closed at the other end; false when `deadline` comes first.
pub(super) fn readable(pipe: RawFd, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut entry = libc::pollfd { fd: pipe, events: libc::POLLIN, revents: 0 };
        let milliseconds = c_int::try_from(left.as_millis()).unwrap_or(c_int::MAX);
        // SAFETY: one entry, which lives through the call.
        match unsafe { libc::poll(&mut entry, 1, milliseconds) } {
            0 if left.is_zero() => return Ok(false),
            0 => {}
            n if n > 0 => return Ok(true),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}
