//! A thread hears the reports of the supervisor, so that the end of a task is known at once and not at the next look.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use numawise_facts::{Exit, Reading, ResourceUsage};
use numawise_linux::calls::bell::Bell;
use numawise_linux::calls::clock;
use numawise_linux::calls::wait::{self, Accounted, EndStatus};
use numawise_units::{Nanoseconds, Pid, TaskId};

use crate::output::Output;
use crate::report::{Order, Report};

/// A task that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedTask {
    pub task: TaskId,
    pub pid: Pid,
    pub exit: Exit,
    /// From just before exec to the end of the process.
    pub wall: Nanoseconds,
    /// How long of that it was stopped (SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU).
    pub stopped: Nanoseconds,
    pub usage: ResourceUsage,
    /// Empty unless captured.
    pub output: Output,
}

/// What the tasks left behind when all of them had ended, and had to be ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftBehind {
    /// Names of programs, the first few.
    pub names: Vec<String>,
    pub processes: u64,
    /// Those that did not end even when they were killed, since the kernel holds them.
    pub held: u64,
}

/// A task that is stopped now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoppedTask {
    pub pid: Pid,
    /// What stopped it.
    pub signal: i32,
    pub stopped_for: Nanoseconds,
}

/// What the hearing thread and the job share.
#[derive(Debug)]
pub struct Shared {
    state: Mutex<State>,
    /// Rung at each change.
    changed: Bell,
}

#[derive(Debug)]
struct State {
    tasks: Vec<RunningTask>,
    left: LeftBehind,
    end: Option<JobEnd>,
}

/// How the job came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobEnd {
    /// All tasks have ended, and what they left behind is dealt with.
    Complete,
    /// The supervisor was killed, and the kernel killed the tasks with it.
    SupervisorLost,
}

/// A task that runs, and then its end.
#[derive(Debug)]
pub struct RunningTask {
    pub task: TaskId,
    pub pid: Pid,
    /// On the monotonic clock.
    pub start: Nanoseconds,
    /// The signal and the time, while it is stopped.
    stop: Option<(i32, Nanoseconds)>,
    stopped: Nanoseconds,
    end: Option<FinishedTask>,
}

impl RunningTask {
    pub fn new(task: TaskId, pid: Pid, start: Nanoseconds) -> Self {
        RunningTask { task, pid, start, stop: None, stopped: Nanoseconds(0), end: None }
    }

    /// It runs again, or has ended.
    fn goes_on(&mut self, at: Nanoseconds) {
        if let Some((_, since)) = self.stop.take() {
            self.stopped = self.stopped + at.saturating_sub(since);
        }
    }
}

impl Shared {
    /// # Errors
    /// Where the kernel has no descriptor for it.
    pub fn new(tasks: Vec<RunningTask>) -> io::Result<Arc<Shared>> {
        let state = State { tasks, left: LeftBehind::default(), end: None };
        Ok(Arc::new(Shared { state: Mutex::new(state), changed: Bell::new()? }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears the supervisor to its end, in a thread of its own.
    pub fn hear(self: &Arc<Self>, mut reports: File, supervisor: Pid) -> io::Result<()> {
        let shared = Arc::clone(self);
        let body = move || {
            while let Ok(Some(report)) = Report::next(&mut reports) {
                shared.take(report);
            }
            // It has ended or is about to. Who ignores SIGCHLD has nothing to wait for.
            let _ = wait::reap(supervisor);
            let mut state = shared.lock();
            state.end = state.end.or(Some(JobEnd::SupervisorLost));
            drop(state);
            shared.changed.ring();
        };
        Builder::new().name("waiter".to_owned()).stack_size(128 << 10).spawn(body).map(drop)
    }

    fn take(&self, report: Report) {
        let mut state = self.lock();
        match report {
            Report::Ended { slot, status, at, accounted } => {
                if let Some(task) = state.tasks.get_mut(slot as usize) {
                    task.goes_on(at);
                    task.end = Some(FinishedTask {
                        task: task.task,
                        pid: task.pid,
                        exit: exit(status),
                        wall: at.saturating_sub(task.start),
                        stopped: task.stopped,
                        usage: usage(&accounted),
                        output: Output::default(),
                    });
                }
            }
            Report::Stopped { slot, signal, at } => {
                if let Some(task) = state.tasks.get_mut(slot as usize) {
                    task.stop = task.stop.or(Some((signal, at)));
                }
            }
            Report::Continued { slot, at } => {
                if let Some(task) = state.tasks.get_mut(slot as usize) {
                    task.goes_on(at);
                }
            }
            Report::Left { name } => {
                let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
                state.left.names.push(String::from_utf8_lossy(&name[..length]).into_owned());
            }
            Report::Done { ended, held } => {
                (state.left.processes, state.left.held) = (ended, held);
                state.end = Some(JobEnd::Complete);
            }
            Report::Forked { .. } | Report::NotForked { .. } => {}
        }
        drop(state);
        self.changed.ring();
    }

    /// Waits until all is over; false when that took longer than `timeout`. As all that waits, for one thread at a time.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.wait_until(timeout, false, |state| state.end.is_some())
    }

    /// The same; false also when this thread has handled a signal meanwhile.
    pub fn wait_or_signal(&self, timeout: Duration) -> bool {
        self.wait_until(timeout, true, |state| state.end.is_some())
    }

    /// The same, until all tasks have ended; what they leave behind may still be there.
    pub fn wait_tasks_or_signal(&self, timeout: Duration) -> bool {
        self.wait_until(timeout, true, |state| {
            state.end.is_some() || state.tasks.iter().all(|task| task.end.is_some())
        })
    }

    fn wait_until(&self, timeout: Duration, to_signal: bool, over: impl Fn(&State) -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if over(&self.lock()) {
                return true;
            }
            let left = timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return false;
            }
            if !self.changed.wait(left) && to_signal {
                // A signal, or the end of the time.
                return over(&self.lock());
            }
        }
    }

    /// How the tasks ended, when all have; none when the supervisor was lost before.
    pub fn ends(&self) -> Option<Vec<FinishedTask>> {
        self.lock().tasks.iter().map(|task| task.end.clone()).collect()
    }

    /// How many tasks have ended.
    pub fn ended(&self) -> usize {
        self.lock().tasks.iter().filter(|task| task.end.is_some()).count()
    }

    pub fn left_behind(&self) -> LeftBehind {
        self.lock().left.clone()
    }

    /// The task that has been stopped for longest.
    pub fn stopped(&self) -> Option<StoppedTask> {
        let (state, now) = (self.lock(), clock::monotonic());
        let stopped = state.tasks.iter().filter_map(|task| {
            let (signal, since) = task.stop?;
            Some(StoppedTask { pid: task.pid, signal, stopped_for: now.saturating_sub(since) })
        });
        stopped.max_by_key(|task| task.stopped_for)
    }
}

/// Gives the supervisor an order.
pub fn order(orders: &File, order: Order) {
    // A supervisor that is gone has nothing left to do.
    let _ = (&mut &*orders).write_all(&order.encode());
}

/// How a child ended.
pub fn exit(status: EndStatus) -> Exit {
    match status {
        EndStatus::Exited(code) => Exit::Code(code),
        EndStatus::Signalled(signal) => Exit::Signal(signal),
    }
}

/// What the kernel accounted for a child.
pub fn usage(accounted: &Accounted) -> ResourceUsage {
    ResourceUsage {
        user: Reading::Measured(accounted.user),
        system: Reading::Measured(accounted.system),
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
