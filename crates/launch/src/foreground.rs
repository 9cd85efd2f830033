//! A program that we wait for, as close as it can be to one that was started without us: it has our streams, our process group
//! and with it our terminal, and what is sent to us is sent on to it.
//!
//! What is typed on the terminal reaches both, so that only what a process sends to us by our number goes on, and the hang-up of a terminal
//! whose session we lead. Who sends to the
//! whole group reaches the program twice. When it stops we stop, so that the shell has its terminal back, and both go on together.
//!
//! Its parent is a [supervisor](crate::supervisor): when we are killed, the program is, and whatever it has started.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use numawise_facts::{Exit, ResourceUsage, RunSpec, TaskPlacement};
use numawise_linux::calls::clock;
use numawise_linux::calls::signal::{self, AllBlocked, AnySignal, ReceivedSignal};
use numawise_linux::calls::{process, wait};
use numawise_units::{Nanoseconds, Pid};

use crate::child::{self, Plan, ProcessGroup};
use crate::exec::{Words, must_set_affinity};
use crate::policy::policy;
use crate::report::{Order, Report};
use crate::supervisor::{self, Charge, Leftovers, Standing, Task};
use crate::waiter::order;
use crate::{Change, LaunchError, waiter};

/// What becomes of what the program has started, and of what is ours.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    /// When we are asked to end, what the program leaves is ended after it. Otherwise it goes on, as without us; where we are killed, it is ended in any
    /// case.
    pub ends_leftovers: bool,
    /// Done by the supervisor when we have ended, however that came.
    pub after_us: &'a dyn Fn(),
}

/// A program that runs. As long as this is there, the supervisor is.
#[derive(Debug)]
#[must_use]
pub struct Foreground {
    pid: Pid,
    start: Nanoseconds,
    supervisor: Supervisor,
    ends_leftovers: bool,
    signals: AnySignal,
    /// Where SIGUSR2 is for us, what it sets.
    user_signal: Option<Arc<AtomicBool>>,
    /// Signals wait for [`Foreground::wait`].
    blocked: Option<AllBlocked>,
}

/// It ends what is left of the program, and goes, when nobody holds the pipe of orders any more.
#[derive(Debug)]
struct Supervisor {
    pid: Pid,
    orders: Option<File>,
    reports: File,
    /// The program has ended, and what it left is dealt with.
    is_over: bool,
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if !self.is_over {
            self.order(Order::Kill);
        }
        drop(self.orders.take());
        let _ = wait::reap(self.pid);
    }
}

impl Supervisor {
    fn order(&self, what: Order) {
        if let Some(orders) = &self.orders {
            order(orders, what);
        }
    }

    /// The process of the program.
    fn task(&mut self) -> Result<Pid, LaunchError> {
        let told = Report::next(&mut self.reports).map_err(system("read"))?;
        match told {
            Some(Report::Forked { pid, .. }) => Ok(pid),
            Some(Report::NotForked { errno }) => Err(system("fork")(io::Error::from_raw_os_error(errno))),
            _ => Err(LaunchError::SupervisorLost),
        }
    }
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

/// Who has asked us to end, as far as we know.
#[derive(Debug, Default)]
struct Asked {
    /// SIGTERM or SIGHUP came.
    to_end: bool,
    /// SIGINT or SIGQUIT came, which a program may take as it likes.
    to_break_off: bool,
}

impl Asked {
    fn note(&mut self, signal: i32) {
        self.to_end |= [libc::SIGTERM, libc::SIGHUP].contains(&signal);
        self.to_break_off |= BREAKING_OFF.contains(&signal);
    }

    /// Whether a program that ended so did as we were asked.
    fn is_reason_of(&self, exit: Exit) -> bool {
        // A shell and many others say by their status which signal they ended by.
        let ended_by = match exit {
            Exit::Signal(number) => number,
            Exit::Code(code) => code - 128,
        };
        self.to_end || self.to_break_off && BREAKING_OFF.contains(&ended_by)
    }
}

const BREAKING_OFF: [i32; 2] = [libc::SIGINT, libc::SIGQUIT];

fn system(call: &'static str) -> impl Fn(io::Error) -> LaunchError {
    move |source| LaunchError::System { call, source }
}

impl Foreground {
    /// Places a process as `task` says, and starts the program of `spec` in it, with `changes` to our environment.
    ///
    /// Must be called while this process has one thread and no other child: signals are held back in the calling thread only, and the supervisor
    /// may do anything after us.
    ///
    /// # Errors
    /// What failed; nothing runs then.
    pub fn spawn(
        spec: &RunSpec,
        task: &TaskPlacement,
        changes: &[Change],
        keeping: Keeping<'_>,
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
        let null =
            File::options().read(true).write(true).open("/dev/null").map_err(system("open /dev/null"))?;
        let (mut ours, ends) = child::pipes().map_err(system("pipe2"))?;
        let blocked = AllBlocked::new();
        let mut supervisor = supervise(&[(plan, ends)], &null, keeping, &blocked)?;
        let pid = supervisor.task()?;
        let signals = AnySignal::new().map_err(system("signalfd"))?;
        let failed = |failed| child::describe(spec, task, &words, failed);
        // Where it fails, the child has ended or waits for a word from us that will not come, and the supervisor ends with it.
        ours.placed().map_err(system("read"))?.map_err(failed)?;
        ours.go();
        let start = ours.started().map_err(system("read"))?.map_err(failed)?;
        let start = start.map_or_else(clock::monotonic, Nanoseconds);
        let ends_leftovers = keeping.ends_leftovers;
        Ok(Foreground {
            pid,
            start,
            supervisor,
            ends_leftovers,
            signals,
            user_signal: None,
            blocked: Some(blocked),
        })
    }

    /// From now on SIGUSR2 is not for the program: it sets `place`.
    pub fn keep_user_signal(&mut self, place: Arc<AtomicBool>) {
        self.user_signal = Some(place);
    }

    /// The process of the program.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits for the program to end, and sends on to it what is sent to us. From then on signals are ours again.
    pub fn wait(&mut self) -> EndedProgram {
        let ended = self.until_end();
        self.blocked = None;
        ended
    }

    /// The same for one of a launcher's ranks: when the program has ended, SIGTERM is ignored from then on. Launchers send it to all ranks
    /// when one has died, also to those who have just then something to say of that.
    pub fn wait_as_rank(&mut self) -> EndedProgram {
        let ended = self.until_end();
        // What came meanwhile is forgotten with it.
        signal::ignore(libc::SIGTERM);
        self.blocked = None;
        ended
    }

    fn until_end(&mut self) -> EndedProgram {
        let mut asked = Asked::default();
        let mut ended = None;
        loop {
            let mut is_stopped = false;
            // Who has been continued meanwhile does not stop us.
            while let Some(report) = self.report(0) {
                match report {
                    Ok(Report::Ended { status, at, accounted, .. }) => {
                        let exit = waiter::exit(status);
                        ended = Some(EndedProgram {
                            exit,
                            wall: at.saturating_sub(self.start),
                            usage: waiter::usage(&accounted),
                        });
                        self.take_signals(&mut asked);
                        let ends = self.ends_leftovers && asked.is_reason_of(exit);
                        self.supervisor.order(if ends { Order::EndLeftovers } else { Order::LeaveLeftovers });
                    }
                    Ok(Report::Stopped { .. }) => is_stopped = true,
                    Ok(Report::Continued { .. }) => is_stopped = false,
                    Ok(Report::Done { .. }) => {
                        self.supervisor.is_over = true;
                        return ended.unwrap_or_else(|| self.lost());
                    }
                    Ok(Report::Forked { .. } | Report::NotForked { .. } | Report::Left { .. }) => {}
                    Err(_) => return ended.unwrap_or_else(|| self.lost()),
                }
            }
            if is_stopped {
                signal::stop_at_once();
                self.supervisor.order(Order::Signal(libc::SIGCONT));
            }
            self.take_signals(&mut asked);
            self.sleep();
        }
    }

    /// The next report, where one comes within so many milliseconds; an error where none will come any more.
    fn report(&mut self, patience: i32) -> Option<io::Result<Report>> {
        let mut entry =
            libc::pollfd { fd: self.supervisor.reports.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one live entry.
        if unsafe { libc::poll(&raw mut entry, 1, patience) } != 1 {
            return None;
        }
        let report = Report::next(&mut self.supervisor.reports);
        Some(report.and_then(|report| report.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())))
    }

    /// Until something comes from the supervisor or to us.
    fn sleep(&self) {
        let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut entries = [entry(self.supervisor.reports.as_raw_fd()), entry(self.signals.as_raw_fd())];
        // SAFETY: two live entries.
        unsafe { libc::poll(entries.as_mut_ptr(), 2, -1) };
    }

    /// Sends on to the program what came to us and is meant for it.
    fn take_signals(&self, asked: &mut Asked) {
        while let Some(ReceivedSignal { number, sender }) = self.signals.next() {
            if let Some(place) = self.user_signal.as_ref().filter(|_| number == libc::SIGUSR2) {
                place.store(true, Relaxed);
                continue;
            }
            // What the program itself sends, to its group or to its parent, is not for it.
            if number == libc::SIGCHLD || sender == Some(self.pid) {
                continue;
            }
            asked.note(number);
            // A terminal that goes tells the leader of its session alone, which the program would be without us.
            let is_hung_up = number == libc::SIGHUP && process::leads_session();
            if sender.is_some() || is_hung_up {
                self.supervisor.order(Order::Signal(number));
            }
        }
    }

    /// The supervisor was killed, and the kernel has killed the program with it.
    fn lost(&self) -> EndedProgram {
        EndedProgram {
            exit: Exit::Signal(libc::SIGKILL),
            wall: clock::monotonic().saturating_sub(self.start),
            usage: ResourceUsage::unavailable("the process that started the program was killed with it"),
        }
    }
}

/// Forks the supervisor of one program.
fn supervise(
    plans: &[(Plan<'_>, child::Ends); 1],
    null: &File,
    keeping: Keeping<'_>,
    blocked: &AllBlocked,
) -> Result<Supervisor, LaunchError> {
    let (hears, orders) = child::pipe().map_err(system("pipe2"))?;
    let (reports, tells) = child::pipe().map_err(system("pipe2"))?;
    let charge = Charge {
        plans,
        null,
        tasks: &mut [Task::NONE],
        orders: hears,
        reports: tells,
        leftovers: Leftovers::AsTold,
        standing: Standing::OfForeground(keeping.after_us),
        owner: Pid(std::process::id() as i32),
    };
    let pid = supervisor::fork(charge, blocked)
        .map_err(|errno| system("fork")(io::Error::from_raw_os_error(errno)))?;
    Ok(Supervisor { pid, orders: Some(File::from(orders)), reports: File::from(reports), is_over: false })
}
