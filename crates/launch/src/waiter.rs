//! One thread for each task sleeps until it ends, so that the end is seen at once and not at the next look.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use numawise_facts::{Exit, Reading};
use numawise_units::{Bytes, Nanoseconds, Pid, TaskId};

use crate::child;
use crate::job::{FinishedTask, Usage};
use crate::output::Drain;

/// What the waiting threads and the job share.
#[derive(Debug)]
pub struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    ends: Vec<Option<Result<FinishedTask, i32>>>,
    /// Processes whose numbers are still theirs: not reaped.
    reaped: Vec<bool>,
    kill_leftovers: bool,
}

/// A task that runs.
#[derive(Debug)]
pub struct Watched {
    pub slot: usize,
    pub task: TaskId,
    pub pid: Pid,
    /// CLOCK_MONOTONIC, in nanoseconds.
    pub start: u64,
    pub drain: Option<Drain>,
}

impl Shared {
    pub fn new(tasks: usize) -> Arc<Shared> {
        Arc::new(Shared {
            state: Mutex::new(State {
                ends: vec![None; tasks],
                reaped: vec![false; tasks],
                kill_leftovers: false,
            }),
            changed: Condvar::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a signal to the process groups of the tasks that have not ended.
    pub fn signal(&self, pids: &[Pid], signal: i32) {
        let state = self.lock();
        for (pid, reaped) in pids.iter().zip(&state.reaped) {
            if !reaped {
                // SAFETY: the process is not reaped, so the group still has its number.
                unsafe { libc::kill(-pid.0, signal) };
            }
        }
    }

    /// From now on, what a task leaves in its group when it ends is killed.
    pub fn kill_leftovers(&self) {
        self.lock().kill_leftovers = true;
    }

    /// Waits until all tasks have ended; false when that took longer than `timeout`.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        let running = |state: &mut State| state.ends.iter().any(Option::is_none);
        let state = self.lock();
        match timeout {
            None => {
                drop(self.changed.wait_while(state, running).unwrap_or_else(PoisonError::into_inner));
                true
            }
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(state, timeout, running);
                !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
            }
        }
    }

    /// How the tasks ended; to be called when all have.
    pub fn ends(&self) -> Vec<io::Result<FinishedTask>> {
        let state = self.lock();
        let ends = state.ends.iter().flatten().cloned();
        ends.map(|end| end.map_err(io::Error::from_raw_os_error)).collect()
    }
}

impl Watched {
    /// Starts the thread that waits.
    pub fn watch(self, shared: &Arc<Shared>) -> io::Result<()> {
        let shared = Arc::clone(shared);
        let body = move || {
            let slot = self.slot;
            let end = self.wait(&shared);
            shared.lock().ends[slot] = Some(end);
            shared.changed.notify_all();
        };
        Builder::new().name("waiter".to_owned()).stack_size(128 << 10).spawn(body).map(drop)
    }

    fn wait(self, shared: &Shared) -> Result<FinishedTask, i32> {
        // First without reaping: while the process is a zombie, its number is its own and signals go to the right group.
        let ended = retry(|| {
            // SAFETY: the kernel writes into the live, zeroed struct.
            unsafe {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let flags = libc::WEXITED | libc::WNOWAIT;
                libc::waitid(libc::P_PID, self.pid.0 as libc::id_t, &mut info, flags)
            }
        });
        let end = child::now();
        let mut status = 0;
        // SAFETY: rusage is a struct of integers, for which zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        let reaped = {
            let mut state = shared.lock();
            if state.kill_leftovers && ended.is_ok() {
                // SAFETY: the zombie keeps the number of the group.
                unsafe { libc::kill(-self.pid.0, libc::SIGKILL) };
            }
            state.reaped[self.slot] = true;
            // SAFETY: the kernel writes into two live values.
            ended.and_then(|_| retry(|| unsafe { libc::wait4(self.pid.0, &mut status, 0, &mut usage) }))
        };
        let output = self.drain.map(Drain::finish).unwrap_or_default();
        reaped?;
        Ok(FinishedTask {
            task: self.task,
            pid: self.pid,
            exit: exit(status),
            wall: Nanoseconds(end.saturating_sub(self.start)),
            usage: accounted(&usage),
            output,
        })
    }
}

fn retry(mut call: impl FnMut() -> libc::c_int) -> Result<libc::c_int, i32> {
    loop {
        match call() {
            -1 if crate::syscalls::errno() == libc::EINTR => {}
            -1 => return Err(crate::syscalls::errno()),
            result => return Ok(result),
        }
    }
}

fn exit(status: libc::c_int) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    }
}

fn accounted(usage: &libc::rusage) -> Usage {
    let span =
        |time: libc::timeval| Nanoseconds(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000);
    Usage {
        user: span(usage.ru_utime),
        system: span(usage.ru_stime),
        max_rss: peak(Bytes::kib(usage.ru_maxrss as u64)),
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    }
}

/// At exec the kernel folds the peak of the memory that the child shared with us into the child's own (`exec_mmap`).
fn peak(counted: Bytes) -> Reading<Bytes> {
    // SAFETY: the kernel writes into the live, zeroed struct.
    let own = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        Bytes::kib(usage.ru_maxrss as u64)
    };
    if counted > own {
        Reading::Measured(counted)
    } else {
        Reading::unavailable(format!("at most {own}, which numawise itself has used"))
    }
}
