//! One thread for each task sleeps until it ends, so that the end is seen at once and not at the next look.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use numawise_facts::{Exit, Reading, ResourceUsage};
use numawise_linux::calls::wait::{self, Accounted, EndStatus};
use numawise_linux::calls::{clock, signal};
use numawise_units::{Nanoseconds, Pid, TaskId};

use crate::output::{Drain, Output};

/// A task that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedTask {
    pub task: TaskId,
    pub pid: Pid,
    pub exit: Exit,
    /// From just before exec to the end of the process.
    pub wall: Nanoseconds,
    pub usage: ResourceUsage,
    /// Empty unless captured.
    pub output: Output,
}

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
    /// On the monotonic clock.
    pub start: Nanoseconds,
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
    pub fn signal(&self, pids: &[Pid], number: i32) {
        let state = self.lock();
        for (pid, reaped) in pids.iter().zip(&state.reaped) {
            if !reaped {
                // The process is not reaped, so the group still has its number.
                let _ = signal::send_to_group(*pid, number);
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
        let errno = |error: io::Error| error.raw_os_error().unwrap_or(0);
        // First without reaping: while the process is a zombie, its number is its own and signals go to the right group.
        let ended = wait::until_ended(self.pid);
        let end = clock::monotonic();
        let reaped = {
            let mut state = shared.lock();
            if state.kill_leftovers && ended.is_ok() {
                // The zombie keeps the number of the group. An empty group is no failure.
                let _ = signal::send_to_group(self.pid, libc::SIGKILL);
            }
            state.reaped[self.slot] = true;
            ended.and_then(|()| wait::reap(self.pid))
        };
        let output = self.drain.map(Drain::finish).unwrap_or_default();
        let (status, accounted) = reaped.map_err(errno)?;
        Ok(FinishedTask {
            task: self.task,
            pid: self.pid,
            exit: match status {
                EndStatus::Exited(code) => Exit::Code(code),
                EndStatus::Signalled(signal) => Exit::Signal(signal),
            },
            wall: end.saturating_sub(self.start),
            usage: usage(&accounted),
            output,
        })
    }
}

fn usage(accounted: &Accounted) -> ResourceUsage {
    ResourceUsage {
        user: accounted.user,
        system: accounted.system,
        peak_memory: match accounted.peak_of_child() {
            Ok(peak) => Reading::Measured(peak),
            Err(own) => Reading::unavailable(format!(
                "not above numawise's own peak ({own}), which a program inherits"
            )),
        },
        minor_faults: Reading::Measured(accounted.minor_faults),
        major_faults: Reading::Measured(accounted.major_faults),
        voluntary_switches: Reading::Measured(accounted.voluntary_switches),
        involuntary_switches: Reading::Measured(accounted.involuntary_switches),
    }
}
