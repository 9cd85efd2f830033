//! One or several tasks of a program, started side by side and waited for.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::Duration;

use numawise_facts::{Placement, RunSpec, TaskPlacement};
use numawise_linux::calls::signal::AllBlocked;
use numawise_linux::calls::{clock, inherited, stop, wait};
use numawise_linux::raw::Errno;
use numawise_units::{CpuSet, Nanoseconds, Pid};

use crate::child::{self, Ends, Forked, Plan, ProcessGroup, Step};
use crate::exec::{Words, must_set_affinity};
use crate::output::Drain;
use crate::policy::policy;
use crate::report::{Order, Report};
use crate::supervisor::{self, Charge, Leftovers, Standing};
use crate::waiter::{FinishedTask, LeftBehind, RunningTask, Shared, StoppedTask, order};
use crate::{Change, EvenStart, LaunchError, Pinner, environment, task_changes};

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;

/// Where the tasks write. They always read from `/dev/null`, but where this process was started with no standard input at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Io {
    /// Standard output and error are kept for [`FinishedTask::output`].
    Capture,
    /// Where we write.
    Inherit,
}

/// How the tasks of a job are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start<'a> {
    pub io: Io,
    /// Pins the threads of every runtime where the plan says so; without it only those of OpenMP are.
    pub pinner: Option<&'a Pinner>,
    pub leftovers: Leftovers,
    pub variables: Variables<'a>,
    /// Where each task begins: it gets its own CPUs at exec, and the kernel lets it go on from there. The first task on the first of
    /// these, and so on; none of them: wherever the kernel puts a new process.
    pub first_cpus: &'a [CpuSet],
    /// The command of each task, where they differ in more than its number; none: what the job is started with.
    pub commands: &'a [RunSpec],
}

/// What the tasks get as their environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variables<'a> {
    /// Ours, with what the plan needs.
    OfPlan,
    /// The same, and as large for all runs that are compared, so that all of them start alike.
    Even(EvenStart),
    /// Ours with these changes, whatever the plan says.
    Ours(&'a [Change]),
}

impl From<Io> for Start<'_> {
    fn from(io: Io) -> Self {
        Start {
            io,
            pinner: None,
            leftovers: Leftovers::Leave,
            variables: Variables::OfPlan,
            first_cpus: &[],
            commands: &[],
        }
    }
}

/// A job that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// In the order of the plan.
    pub tasks: Vec<FinishedTask>,
    /// What had to be ended after them; nothing where they may leave it.
    pub left_behind: LeftBehind,
}

impl Finished {
    /// From the start of the first task to the end of the last is at least this: the longest task.
    pub fn longest(&self) -> Nanoseconds {
        self.tasks.iter().map(|task| task.wall).max().unwrap_or_default()
    }
}

/// A running job. Dropping it ends its tasks and all that they started.
///
/// A process of ours is the parent of the tasks, the supervisor: when we end, however that comes, it kills them and what they
/// have started, also in sessions of its own. Each task leads its own process group: Ctrl-C on the terminal reaches us, not them.
#[derive(Debug)]
pub struct Job {
    pids: Vec<Pid>,
    orders: File,
    shared: Arc<Shared>,
    drains: Vec<Option<Drain>>,
    finished: Option<Finished>,
    /// While it lives, Ctrl-Z is asked for in [`Job::stop_with_us`].
    stops: stop::Held,
}

impl Job {
    /// Starts one process for each task of the plan. All are placed before the first begins, and then begin together.
    ///
    /// # Errors
    /// What failed, for the first task that failed; none is left running then.
    pub fn spawn<'a>(
        spec: &RunSpec,
        placement: &Placement,
        start: impl Into<Start<'a>>,
    ) -> Result<Job, LaunchError> {
        let start = start.into();
        if placement.tasks.is_empty() {
            return Err(LaunchError::NoTask);
        }
        let (mut words, mut drains, mut forked, mut plans) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (k, task) in placement.tasks.iter().enumerate() {
            let command = start.commands.get(k).unwrap_or(spec);
            words.push(words_of(command, task, placement, start)?.without_missing(&spec.directory));
        }
        let directory = CString::new(spec.directory.as_os_str().as_bytes())
            .map_err(|_| LaunchError::ZeroByte(spec.directory.display().to_string()))?;
        let null = File::open("/dev/null").map_err(system("open /dev/null"))?;
        let first_cpus: Vec<CpuSet> = placement
            .tasks
            .iter()
            .enumerate()
            .map(|(k, task)| first_cpus(task, k, start.first_cpus))
            .collect();
        for ((task, words), first_cpus) in placement.tasks.iter().zip(&words).zip(&first_cpus) {
            let (drain, output) = capture(start.io)?;
            let (ours, ends) = child::pipes().map_err(system("pipe2"))?;
            plans.push((plan(task, words, &directory, &null, output, first_cpus), ends));
            drains.push(drain);
            forked.push(ours);
        }
        let mut held = Supervised::start(&plans, &null, start.leftovers)?;
        drop(plans); // our copies of the children's ends
        let mut pids = Vec::new();
        for _ in &placement.tasks {
            pids.push(held.next_pid()?);
        }
        let describe =
            |k: usize, failed: (Step, Errno)| child::describe(spec, &placement.tasks[k], &words[k], failed);
        for (k, child) in forked.iter_mut().enumerate() {
            child.placed().map_err(system("read"))?.map_err(|failed| describe(k, failed))?;
        }
        forked.iter_mut().for_each(Forked::go);
        let mut tasks = Vec::new();
        for (k, child) in forked.iter_mut().enumerate() {
            let start = child.started().map_err(system("read"))?.map_err(|failed| describe(k, failed))?;
            let start = start.map_or_else(clock::monotonic, Nanoseconds);
            tasks.push(RunningTask::new(placement.tasks[k].task, pids[k], start));
        }
        let shared = Shared::new(tasks).map_err(system("eventfd"))?;
        let orders = held.heard_by(&shared)?;
        Ok(Job { pids, orders, shared, drains, finished: None, stops: stop::Held::new() })
    }

    /// The processes, in the order of the plan's tasks.
    pub fn pids(&self) -> &[Pid] {
        &self.pids
    }

    /// What came of the job, when it is over.
    ///
    /// # Errors
    /// [`LaunchError::SupervisorLost`].
    pub fn try_wait(&mut self) -> Result<Option<Finished>, LaunchError> {
        self.wait_timeout(Duration::ZERO)
    }

    /// Waits at most so long for the job to be over: all tasks have ended, and what they left behind is dealt with. Comes back earlier when
    /// this thread has handled a signal.
    ///
    /// # Errors
    /// As [`Job::try_wait`].
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<Option<Finished>, LaunchError> {
        if self.shared.wait_or_signal(timeout) { self.finished().map(Some) } else { Ok(None) }
    }

    /// Waits for the job to be over.
    ///
    /// # Errors
    /// As [`Job::try_wait`].
    pub fn wait(&mut self) -> Result<Finished, LaunchError> {
        while !self.shared.wait(Duration::MAX) {}
        self.finished()
    }

    /// As [`Job::wait_timeout`], for all tasks to end, not for what they leave behind; their output is not taken yet.
    ///
    /// # Errors
    /// As [`Job::try_wait`].
    pub fn wait_tasks(&self, timeout: Duration) -> Result<Option<Vec<FinishedTask>>, LaunchError> {
        if !self.shared.wait_tasks_or_signal(timeout) {
            return Ok(None);
        }
        self.shared.ends().ok_or(LaunchError::SupervisorLost).map(Some)
    }

    /// The task that has been stopped for longest, where one is.
    pub fn stopped(&self) -> Option<StoppedTask> {
        self.shared.stopped()
    }

    fn finished(&mut self) -> Result<Finished, LaunchError> {
        if let Some(finished) = &self.finished {
            return Ok(finished.clone());
        }
        let mut tasks = self.shared.ends().ok_or(LaunchError::SupervisorLost)?;
        for (task, drain) in tasks.iter_mut().zip(&mut self.drains) {
            task.output = drain.take().map(Drain::finish).unwrap_or_default();
        }
        let finished = Finished { tasks, left_behind: self.shared.left_behind() };
        self.finished = Some(finished.clone());
        Ok(finished)
    }

    /// When the terminal has asked this process to stop (Ctrl-Z), stops the tasks, then this process, and lets the tasks go on
    /// when it is continued. To be called often by who waits for the job; see [`numawise_linux::calls::stop`].
    ///
    /// True when that was so.
    pub fn stop_with_us(&self) -> bool {
        let asked = self.stops.is_asked();
        if asked {
            self.signal(libc::SIGTSTP);
            stop::now();
            self.signal(libc::SIGCONT);
        }
        asked
    }

    /// Sends a signal to the process groups of all tasks that have not ended, and waits for nothing.
    pub fn signal(&self, signal: i32) {
        order(&self.orders, Order::Signal(signal));
    }

    /// As [`Job::end`] with SIGTERM.
    pub fn kill(&mut self, grace: Duration) {
        self.end(libc::SIGTERM, grace);
    }

    /// Ends all tasks and what they have started: with `signal`, and after `grace` with SIGKILL. Comes back when they have ended,
    /// or when the kernel holds them: some seconds after SIGKILL without another end of a task.
    pub fn end(&mut self, signal: i32, grace: Duration) {
        order(&self.orders, Order::EndLeftovers);
        self.signal(signal);
        self.signal(libc::SIGCONT); // a stopped process hears nothing but SIGKILL and this
        if !self.shared.wait(grace) {
            order(&self.orders, Order::Kill);
            let mut ended = None;
            while !self.shared.wait(Duration::from_secs(3)) {
                let before = ended.replace(self.shared.ended());
                if before == ended {
                    break;
                }
            }
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.shared.wait(Duration::ZERO) {
            self.kill(Duration::from_millis(200));
        }
    }
}

/// A supervisor that nobody hears yet. Without its owner it kills its tasks and goes.
struct Supervised {
    pid: Pid,
    orders: Option<File>,
    reports: Option<File>,
}

impl Supervised {
    fn start(
        plans: &[(Plan<'_>, Ends)],
        null: &File,
        leftovers: Leftovers,
    ) -> Result<Supervised, LaunchError> {
        let (hears, orders) = child::pipe().map_err(system("pipe2"))?;
        let (reports, tells) = child::pipe().map_err(system("pipe2"))?;
        let mut tasks: Vec<supervisor::Task> = plans.iter().map(|_| supervisor::Task::NONE).collect();
        let charge = Charge {
            plans,
            null,
            tasks: &mut tasks,
            orders: hears,
            reports: tells,
            leftovers,
            standing: Standing::OfJob,
            owner: Pid(std::process::id() as i32),
        };
        let pid = supervisor::fork(charge, &AllBlocked::new()).map_err(fork_failed)?;
        Ok(Supervised { pid, orders: Some(File::from(orders)), reports: Some(File::from(reports)) })
    }

    /// The process of the next task.
    fn next_pid(&mut self) -> Result<Pid, LaunchError> {
        let report = self.reports.as_mut().map(Report::next).transpose().map_err(system("read"))?.flatten();
        match report {
            Some(Report::Forked { pid, .. }) => Ok(pid),
            Some(Report::NotForked { errno }) => Err(fork_failed(errno)),
            _ => Err(LaunchError::SupervisorLost),
        }
    }

    /// From now on a thread hears it; gives what orders are written to.
    fn heard_by(mut self, shared: &Arc<Shared>) -> Result<File, LaunchError> {
        let (Some(orders), Some(reports)) = (self.orders.take(), self.reports.take()) else {
            return Err(LaunchError::SupervisorLost);
        };
        if let Err(error) = shared.hear(reports, self.pid) {
            self.orders = Some(orders);
            return Err(system("pthread_create")(error));
        }
        Ok(orders)
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // Whoever took the orders has a thread that waits for it.
        if let Some(orders) = self.orders.take() {
            order(&orders, Order::Kill);
            drop(orders);
            let _ = wait::reap(self.pid);
        }
    }
}

fn fork_failed(errno: Errno) -> LaunchError {
    system("fork")(io::Error::from_raw_os_error(errno))
}

fn words_of(
    spec: &RunSpec,
    task: &TaskPlacement,
    placement: &Placement,
    start: Start<'_>,
) -> Result<Words, LaunchError> {
    let Placement { binding, tasks, .. } = placement;
    let changes = match start.variables {
        Variables::Even(even) => even.changes(task, *binding, tasks.len(), start.pinner),
        Variables::OfPlan => {
            let mut changes = environment(task, *binding, start.pinner);
            changes.extend(task_changes(task.task, tasks.len()));
            changes
        }
        Variables::Ours(changes) => changes.to_vec(),
    };
    Words::new(spec, task, &changes)
}

/// What takes the output of a task, and where the task writes it.
fn capture(io: Io) -> Result<(Option<Drain>, Option<OwnedFd>), LaunchError> {
    Ok(match io {
        Io::Inherit => (None, None),
        Io::Capture => {
            let (reads, writes) = child::pipe().map_err(system("pipe2"))?;
            (Some(Drain::start(reads).map_err(system("pthread_create"))?), Some(writes))
        }
    })
}

fn plan<'a>(
    task: &'a TaskPlacement,
    words: &'a Words,
    directory: &'a CString,
    null: &'a File,
    output: Option<OwnedFd>,
    first_cpus: &'a CpuSet,
) -> Plan<'a> {
    let stdin = (!inherited::was_closed(libc::STDIN_FILENO)).then_some(null);
    let begins_elsewhere = !first_cpus.is_empty();
    let cpus = if begins_elsewhere || must_set_affinity(task) { task.cpus.words() } else { &[] };
    Plan {
        words,
        directory,
        policy: policy(&task.memory),
        pages: task.memory.pages,
        cpus,
        first_cpus: if begins_elsewhere { first_cpus.words() } else { &[] },
        stdin,
        output,
        group: ProcessGroup::Own,
    }
}

/// Where a task begins, of what it may use; empty where it may use all of it, or nothing.
fn first_cpus(task: &TaskPlacement, number: usize, of: &[CpuSet]) -> CpuSet {
    let Some(turn) = number.checked_rem(of.len()) else { return CpuSet::new() };
    let first = task.cpus.intersection(&of[turn]);
    if first == task.cpus { CpuSet::new() } else { first }
}

fn system(call: &'static str) -> impl Fn(io::Error) -> LaunchError {
    move |source| LaunchError::System { call, source }
}
