//! A program that we wait for, as close as it can be to one that was started without us: it has our streams, our process group
//! and with it our terminal, and what is sent to us is sent on to it.
//!
//! What is typed on the terminal reaches both, so that only what a process sends to us by our number goes on. Who sends to the
//! whole group reaches the program twice. When it stops we stop, so that the shell has its terminal back, and both go on together.
//! When we are killed, it is.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;

use numawise_facts::{Exit, ResourceUsage, RunSpec, TaskPlacement};
use numawise_linux::calls::clock;
use numawise_linux::calls::signal::{self, AllBlocked};
use numawise_linux::calls::wait::{self, ChildEvent};
use numawise_units::{Nanoseconds, Pid};

use crate::child::{self, Plan, ProcessGroup};
use crate::exec::{Words, must_set_affinity};
use crate::policy::policy;
use crate::{Change, LaunchError, waiter};

/// A program that runs. To be waited for: without that, it goes on until we end.
#[derive(Debug)]
#[must_use]
pub struct Foreground {
    pid: Pid,
    start: Nanoseconds,
    /// Signals wait for [`Foreground::wait`].
    _blocked: AllBlocked,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedProgram {
    pub exit: Exit,
    /// From just before exec to the end.
    pub wall: Nanoseconds,
    /// Of the program, and of those that it waited for.
    pub usage: ResourceUsage,
}

impl Foreground {
    /// Places a process as `task` says, and starts the program of `spec` in it, with `changes` to our environment.
    ///
    /// Must be called while this process has one thread and no other child: signals are held back in the calling thread only.
    ///
    /// # Errors
    /// What failed; nothing runs then.
    pub fn spawn(
        spec: &RunSpec,
        task: &TaskPlacement,
        changes: &[Change],
    ) -> Result<Foreground, LaunchError> {
        let words = Words::new(spec, task, changes)?;
        let directory = CString::new(spec.directory.as_os_str().as_bytes())
            .map_err(|_| LaunchError::ZeroByte(spec.directory.display().to_string()))?;
        let plan = Plan {
            words: &words,
            directory: &directory,
            policy: policy(&task.memory),
            pages: task.memory.pages,
            cpus: if must_set_affinity(task) { task.cpus.words() } else { &[] },
            first_cpus: &[],
            stdin: None,
            output: None,
            group: ProcessGroup::Ours,
        };
        let system = |call| move |source| LaunchError::System { call, source };
        let (mut ours, ends) = child::pipes().map_err(system("pipe2"))?;
        let blocked = AllBlocked::new();
        let pid = child::fork(&plan, &ends, Pid(std::process::id() as i32), &blocked)
            .map_err(|errno| system("fork")(io::Error::from_raw_os_error(errno)))?;
        drop(ends);
        let placed = ours.placed().map_err(system("read")).and_then(|placed| {
            placed.map_err(|failed| child::describe(spec, task, &words, failed))?;
            ours.go();
            let started = ours.started().map_err(system("read"))?;
            started.map_err(|failed| child::describe(spec, task, &words, failed))
        });
        match placed {
            Ok(start) => Ok(Foreground {
                pid,
                start: start.map_or_else(clock::monotonic, Nanoseconds),
                _blocked: blocked,
            }),
            Err(error) => {
                // It has ended, or waits for a word from us that will not come.
                drop(ours);
                let _ = wait::reap(pid);
                Err(error)
            }
        }
    }

    /// The process of the program.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits for the program to end, and sends on to it what is sent to us.
    pub fn wait(self) -> EndedProgram {
        self.until_end()
    }

    /// The same for one of a launcher's ranks: when the program has ended, SIGTERM is ignored from then on. Launchers send it to all ranks
    /// when one has died, also to those who have just then something to say of that.
    pub fn wait_as_rank(self) -> EndedProgram {
        let ended = self.until_end();
        // What came meanwhile is forgotten with it.
        signal::ignore(libc::SIGTERM);
        ended
    }

    fn until_end(&self) -> EndedProgram {
        loop {
            // An end that came before is not announced again.
            if let Some(ended) = self.take_events() {
                return ended;
            }
            let received = signal::wait_for_any();
            // What the program itself sends, to its group or to its parent, is not for it.
            let is_meant = received.sender.is_some_and(|sender| sender != self.pid);
            if is_meant && received.number != libc::SIGCHLD {
                signal::send_to_child(self.pid, received.number);
            }
        }
    }

    fn take_events(&self) -> Option<EndedProgram> {
        loop {
            match wait::any_child() {
                ChildEvent::Ended(pid, status, accounted) if pid == self.pid => {
                    return Some(EndedProgram {
                        exit: waiter::exit(status),
                        wall: clock::monotonic().saturating_sub(self.start),
                        usage: waiter::usage(&accounted),
                    });
                }
                ChildEvent::Stopped(pid, _) if pid == self.pid => {
                    signal::stop_at_once();
                    signal::send_to_child(self.pid, libc::SIGCONT);
                }
                ChildEvent::Nothing | ChildEvent::NoChild => return None,
                ChildEvent::Ended(..) | ChildEvent::Stopped(..) | ChildEvent::Continued(_) => {}
            }
        }
    }
}
