//! One or several tasks of a program, started side by side and waited for.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numawise_facts::{Placement, RunSpec, TaskPlacement};
use numawise_linux::calls::{clock, inherited};
use numawise_linux::raw::Errno;
use numawise_units::{Nanoseconds, Pid};

use crate::child::{self, Forked, Plan, Step};
use crate::exec::{Words, must_set_affinity};
use crate::output::Drain;
use crate::policy::policy;
use crate::waiter::{FinishedTask, Shared, Watched};
use crate::{LaunchError, Pinner, environment, task_changes};

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
}

impl From<Io> for Start<'_> {
    fn from(io: Io) -> Self {
        Start { io, pinner: None }
    }
}

/// A job that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// In the order of the plan.
    pub tasks: Vec<FinishedTask>,
}

impl Finished {
    /// From the start of the first task to the end of the last is at least this: the longest task.
    pub fn longest(&self) -> Nanoseconds {
        self.tasks.iter().map(|task| task.wall).max().unwrap_or_default()
    }
}

/// A running job. Dropping it ends its tasks.
///
/// The tasks die with the thread that called [`Job::spawn`] (`PR_SET_PDEATHSIG`), so that thread has to stay as long as
/// they run. Each task leads its own process group: Ctrl-C on the terminal reaches us, not them.
#[derive(Debug)]
pub struct Job {
    pids: Vec<Pid>,
    shared: Arc<Shared>,
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
        let mut nursery = Nursery::default();
        let mut drains = Vec::new();
        let mut words = Vec::new();
        for task in &placement.tasks {
            let (child, drain, task_words) = fork(spec, task, placement, start)?;
            nursery.children.push(child);
            drains.push(drain);
            words.push(task_words);
        }
        let describe =
            |k: usize, failed: (Step, Errno)| describe(spec, &placement.tasks[k], &words[k], failed);
        for (k, child) in nursery.children.iter_mut().enumerate() {
            child.placed().map_err(system("read"))?.map_err(|failed| describe(k, failed))?;
        }
        nursery.children.iter_mut().for_each(Forked::go);
        let mut starts = Vec::new();
        for (k, child) in nursery.children.iter_mut().enumerate() {
            starts.push(child.started().map_err(system("read"))?.map_err(|failed| describe(k, failed))?);
        }
        let pids: Vec<Pid> = nursery.children.iter().map(|child| child.pid).collect();
        let shared = Shared::new(pids.len());
        for (k, (start, drain)) in starts.into_iter().zip(drains).enumerate() {
            let watched = Watched {
                slot: k,
                task: placement.tasks[k].task,
                pid: pids[k],
                start: start.map_or_else(clock::monotonic, Nanoseconds),
                drain,
            };
            if let Err(error) = watched.watch(&shared) {
                shared.signal(&pids[..k], libc::SIGKILL);
                nursery.children.drain(..k);
                return Err(system("pthread_create")(error));
            }
        }
        nursery.children.clear();
        Ok(Job { pids, shared })
    }

    /// The processes, in the order of the plan's tasks.
    pub fn pids(&self) -> &[Pid] {
        &self.pids
    }

    /// What came of the job, when all its tasks have ended.
    ///
    /// # Errors
    /// When a task cannot be waited for (the signal SIGCHLD is ignored, or somebody else waited for it).
    pub fn try_wait(&mut self) -> Result<Option<Finished>, LaunchError> {
        self.wait_timeout(Duration::ZERO)
    }

    /// Waits at most so long for all tasks to end.
    ///
    /// # Errors
    /// As [`Job::try_wait`].
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<Option<Finished>, LaunchError> {
        if self.shared.wait(Some(timeout)) { self.finished().map(Some) } else { Ok(None) }
    }

    /// Waits for all tasks to end.
    ///
    /// # Errors
    /// As [`Job::try_wait`].
    pub fn wait(&mut self) -> Result<Finished, LaunchError> {
        self.shared.wait(None);
        self.finished()
    }

    fn finished(&self) -> Result<Finished, LaunchError> {
        let tasks = self.shared.ends().into_iter().map(|end| end.map_err(system("wait4")));
        Ok(Finished { tasks: tasks.collect::<Result<_, _>>()? })
    }

    /// Sends a signal to the process groups of all tasks that have not ended, and waits for nothing.
    pub fn signal(&self, signal: i32) {
        self.shared.signal(&self.pids, signal);
    }

    /// As [`Job::end`] with SIGTERM.
    pub fn kill(&mut self, grace: Duration) {
        self.end(libc::SIGTERM, grace);
    }

    /// Ends all tasks and what they started in their process groups: with `signal`, and after `grace` with SIGKILL. Comes
    /// back when they have ended, or two seconds after SIGKILL when the kernel holds them.
    pub fn end(&mut self, signal: i32, grace: Duration) {
        self.shared.kill_leftovers();
        self.signal(signal);
        self.shared.signal(&self.pids, libc::SIGCONT); // a stopped process hears nothing but SIGKILL and this
        let patience = Instant::now() + grace;
        if !self.shared.wait(Some(patience.saturating_duration_since(Instant::now()))) {
            self.shared.signal(&self.pids, libc::SIGKILL);
            self.shared.wait(Some(Duration::from_secs(2)));
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.shared.wait(Some(Duration::ZERO)) {
            self.kill(Duration::from_millis(200));
        }
    }
}

/// Children that nobody watches yet. Those still in it when it goes are killed and reaped.
#[derive(Default)]
struct Nursery {
    children: Vec<Forked>,
}

impl Drop for Nursery {
    fn drop(&mut self) {
        for child in &self.children {
            // SAFETY: the child is ours and not reaped, so its number is its own.
            unsafe {
                libc::kill(child.pid.0, libc::SIGKILL);
                libc::waitpid(child.pid.0, std::ptr::null_mut(), 0);
            }
        }
    }
}

fn fork(
    spec: &RunSpec,
    task: &TaskPlacement,
    placement: &Placement,
    start: Start<'_>,
) -> Result<(Forked, Option<Drain>, Words), LaunchError> {
    let mut changes = environment(task, placement.binding, start.pinner);
    changes.extend(task_changes(task.task, placement.tasks.len()));
    let words = Words::new(spec, task, &changes)?;
    let directory = CString::new(spec.directory.as_os_str().as_bytes())
        .map_err(|_| LaunchError::ZeroByte(spec.directory.display().to_string()))?;
    let (drain, output) = match start.io {
        Io::Inherit => (None, None),
        Io::Capture => {
            let (reads, writes) = child::pipe().map_err(system("pipe2"))?;
            (Some(Drain::start(reads).map_err(system("pthread_create"))?), Some(writes))
        }
    };
    let nothing = || File::open("/dev/null").map_err(system("open /dev/null"));
    let closed = inherited::was_closed(libc::STDIN_FILENO);
    let stdin = if closed { None } else { Some(nothing()?) };
    let cpus = if must_set_affinity(task) { task.cpus.words() } else { &[] };
    let policy = policy(&task.memory);
    let pages = task.memory.pages;
    let plan =
        Plan { words: &words, directory: &directory, policy, pages, cpus, stdin: stdin.as_ref(), output };
    let forked = child::fork(&plan).map_err(system("fork"))?;
    Ok((forked, drain, words))
}

fn system(call: &'static str) -> impl Fn(io::Error) -> LaunchError {
    move |source| LaunchError::System { call, source }
}

/// What a child's report means.
fn describe(
    spec: &RunSpec,
    task: &TaskPlacement,
    words: &Words,
    (step, errno): (Step, Errno),
) -> LaunchError {
    let source = io::Error::from_raw_os_error(errno);
    match step {
        Step::Ready | Step::Setup => LaunchError::System { call: "setting up the process", source },
        Step::Directory => LaunchError::Directory { directory: spec.directory.clone(), source },
        Step::Policy => LaunchError::MemoryPolicy { plan: task.memory.clone(), source },
        Step::Pages => LaunchError::Pages { pages: task.memory.pages, source },
        Step::Affinity => LaunchError::Affinity { cpus: task.cpus.clone(), source },
        Step::Exec => words.explain(&spec.directory, errno),
    }
}
