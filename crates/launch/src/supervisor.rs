//! The process between us and the tasks of a job: their parent, and that of all that they leave behind.
//!
//! It lives as long as the job. A process whose parent ends becomes its child (it is their subreaper, whatever sessions and groups
//! they made), so that ending its children until there are none ends the whole tree. It signals nothing but children of its own
//! that it has not waited for, and the groups that tasks lead: no number can have become another's. When we end, however that
//! comes, it kills the tree and goes. It sleeps otherwise, and reads the clock when a task ends.
//!
//! It is forked from a process with threads and does not exec, so it only makes system calls and allocates nothing. That of a program in the
//! foreground is forked from one without, and may do something after us.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use numawise_linux::calls::signal::AllBlocked;
use numawise_linux::calls::wait::{self, ChildEvent};
use numawise_linux::calls::{children, clock, process, signal};
use numawise_linux::raw::{self, Errno};
use numawise_units::{Nanoseconds, Pid};

use crate::child::{self, Ends, Plan};
use crate::report::{Order, Report};

#[cfg(test)]
#[path = "supervisor_tests.rs"]
mod tests;

/// What happens to processes that the tasks leave behind when all of them have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// They are ended: SIGTERM, and SIGKILL for those that do not heed it.
    End,
    /// They go on, as after a program that is started without us.
    Leave,
    /// It is told when all tasks have ended.
    AsTold,
}

/// How the supervisor stands to the processes around it.
#[derive(Clone, Copy)]
pub enum Standing<'a> {
    /// Each task leads a group of its own, which gets its signals. The supervisor goes with the last of them.
    OfJob,
    /// The one task is in our own group, and gets signals for itself. The supervisor stays as long as we do, and does this after us, in a process
    /// that was forked while we had one thread.
    OfForeground(&'a dyn Fn()),
}

/// Processes that end by themselves within this time of the last task are not left behind: the `tee` of a shell's output ends when
/// it has written what is left.
const SETTLE: Nanoseconds = Nanoseconds(50_000_000);
/// What is left behind has this time to end after SIGTERM.
const GRACE: Nanoseconds = Nanoseconds(500_000_000);
/// A killed process that has not ended after this time is held by the kernel.
const HELD: Nanoseconds = Nanoseconds(2_000_000_000);
/// How often new orphans are looked for while the tree is ended, in milliseconds: the kernel does not say when one comes.
const LOOK: i32 = 10;
/// The least time between two looks, a little less than [`LOOK`], so that waking early skips none; after a look that took longer, as long as that.
const BETWEEN_LOOKS: Nanoseconds = Nanoseconds(9_000_000);
/// Processes of which it is known that they have been asked to end. Of more, all are asked again.
const ASKED: usize = 512;
/// Names of left processes that are reported.
const NAMES: u64 = 16;

/// The process group and the end of a task.
pub struct Task {
    /// Zero when it was not forked, or was waited for.
    pid: Pid,
}

/// What the supervisor starts with. All of it is made before the fork.
pub struct Charge<'a> {
    pub plans: &'a [(Plan<'a>, Ends)],
    /// `/dev/null`, open.
    pub null: &'a File,
    /// A slot for each task.
    pub tasks: &'a mut [Task],
    pub orders: OwnedFd,
    pub reports: OwnedFd,
    pub leftovers: Leftovers,
    pub standing: Standing<'a>,
    /// Our own process.
    pub owner: Pid,
}

impl Task {
    pub const NONE: Task = Task { pid: Pid(0) };
}

/// Where the end of the tree has come to, and since when.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Tasks run.
    Running,
    /// All tasks have ended, and what they leave may still end by itself.
    Settling(Nanoseconds),
    /// What is left was asked to end.
    Asked(Nanoseconds),
    /// All are killed as they are found; the time is that of the last task that ended, or of the first kill.
    Killing(Nanoseconds),
    /// Nothing is left to do before our own end.
    Over,
}

struct Supervisor<'a> {
    standing: Standing<'a>,
    /// Nobody gives orders any more.
    is_alone: bool,
    tasks: &'a mut [Task],
    orders: File,
    reports: File,
    leftovers: Leftovers,
    stage: Stage,
    asked: [Pid; ASKED],
    /// How many were asked.
    ended: u64,
    /// When children were last looked for, and how long that took.
    look: (Nanoseconds, Nanoseconds),
}

/// The life of the supervisor. All signals are blocked.
fn live(charge: Charge<'_>, blocked: &AllBlocked) -> ! {
    process::become_subreaper();
    process::set_name(c"nw-supervisor");
    signal::heed_children();
    let Charge { plans, null, tasks, orders, reports, leftovers, standing, owner } = charge;
    // SAFETY: plain system calls; out of our process group, so that what is sent to it does not reach the supervisor. Of a foreground it goes
    // later, since its task stays.
    let own = unsafe {
        if matches!(standing, Standing::OfJob) {
            libc::setpgid(0, 0);
        }
        Pid(libc::getpid())
    };
    let mut supervisor = Supervisor {
        standing,
        is_alone: false,
        tasks,
        orders: without_waiting(orders),
        reports: File::from(reports),
        leftovers,
        stage: Stage::Running,
        asked: [Pid(0); ASKED],
        ended: 0,
        look: (Nanoseconds(0), Nanoseconds(0)),
    };
    for (slot, (plan, ends)) in plans.iter().enumerate() {
        match child::fork(plan, ends, own, blocked) {
            Ok(pid) => {
                supervisor.tasks[slot].pid = pid;
                supervisor.report(Report::Forked { slot: slot as u64, pid });
            }
            Err(errno) => {
                supervisor.report(Report::NotForked { errno });
                supervisor.kill();
                break;
            }
        }
    }
    if matches!(standing, Standing::OfForeground(_)) {
        // The task stays where we are. From another session the supervisor is nobody who could continue a program that stops: that is for
        // whoever has started us.
        // SAFETY: takes nothing; the supervisor leads no group.
        unsafe { libc::setsid() };
    }
    supervisor.let_go(null.as_raw_fd());
    supervisor.watch(owner)
}

/// The reading end of a pipe, which from now on gives what is there.
fn without_waiting(pipe: OwnedFd) -> File {
    // SAFETY: sets a flag of a descriptor that is open.
    unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    File::from(pipe)
}

fn leave() -> ! {
    // SAFETY: ends this process without running anything of its parent's.
    unsafe { libc::_exit(0) }
}

impl Supervisor<'_> {
    fn report(&mut self, report: Report) {
        // When nobody reads any more, the orders end too.
        let _ = self.reports.write_all(&report.encode());
    }

    /// Holds nothing open but its own pipes: a pipe of the tasks must end with them, and a terminal with us.
    fn let_go(&self, null: RawFd) {
        for fd in 0..3 {
            // SAFETY: both descriptors are open or the call fails; nothing here uses standard streams.
            unsafe { libc::dup2(null, fd) };
        }
        let (a, b) = (self.orders.as_raw_fd(), self.reports.as_raw_fd());
        let (low, high) = (a.min(b), a.max(b));
        // SAFETY: this process uses no others from here on and drops no owner of them: it leaves by _exit.
        unsafe {
            process::close_all(3, low - 1);
            process::close_all(low + 1, high - 1);
            process::close_all(high + 1, RawFd::MAX);
        }
    }

    fn watch(&mut self, owner: Pid) -> ! {
        let children = signal::of_children();
        let owner_end = process::end_of(owner);
        // SAFETY: getppid has no preconditions.
        if unsafe { libc::getppid() } != owner.0 {
            self.is_left();
        }
        let entry =
            |fd: Option<RawFd>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
        loop {
            let fd = |owned: &std::io::Result<OwnedFd>| owned.as_ref().ok().map(AsRawFd::as_raw_fd);
            let orders = (!self.is_alone).then(|| self.orders.as_raw_fd());
            let mut entries = [entry(orders), entry(fd(&children)), entry(orders.and(fd(&owner_end)))];
            let rests = matches!(self.stage, Stage::Running | Stage::Over) && children.is_ok();
            let patience = if rests { -1 } else { LOOK };
            // SAFETY: the array lives through the call and its length is given.
            unsafe { libc::poll(entries.as_mut_ptr(), 3, patience) };
            let now = clock::monotonic();
            if let Ok(children) = &children {
                let mut information = [0u8; size_of::<libc::signalfd_siginfo>()];
                // SAFETY: the buffer is live and its length is given; the descriptor does not wait.
                unsafe {
                    libc::read(children.as_raw_fd(), information.as_mut_ptr().cast(), information.len())
                };
            }
            let none_left = self.take_events();
            if entries[2].revents != 0 {
                self.is_left();
            }
            if entries[0].revents != 0 {
                self.take_orders();
            }
            self.go_on(now, none_left);
        }
    }

    /// Takes the ends and stops of children; true when there is no child any more. The time of each is taken behind it: a task may begin and
    /// end while those before it are taken.
    fn take_events(&mut self) -> bool {
        loop {
            let event = wait::any_child();
            let at = clock::monotonic();
            match event {
                ChildEvent::Nothing => return false,
                ChildEvent::NoChild => return true,
                ChildEvent::Ended(pid, status, accounted) => {
                    self.asked.iter_mut().filter(|asked| **asked == pid).for_each(|asked| *asked = Pid(0));
                    if let Some(slot) = self.slot(pid) {
                        self.tasks[slot].pid = Pid(0);
                        self.report(Report::Ended { slot: slot as u64, status, at, accounted });
                        self.has_ended(at);
                    }
                }
                ChildEvent::Stopped(pid, signal) => {
                    if let Some(slot) = self.slot(pid) {
                        self.report(Report::Stopped { slot: slot as u64, signal, at });
                    }
                }
                ChildEvent::Continued(pid) => {
                    if let Some(slot) = self.slot(pid) {
                        self.report(Report::Continued { slot: slot as u64, at });
                    }
                }
            }
        }
    }

    /// Tasks that end one after the other are not held by the kernel, however many they are.
    fn has_ended(&mut self, at: Nanoseconds) {
        if let Stage::Killing(since) = &mut self.stage {
            *since = at;
        }
    }

    fn slot(&self, pid: Pid) -> Option<usize> {
        self.tasks.iter().position(|task| task.pid == pid)
    }

    fn take_orders(&mut self) {
        loop {
            match Order::next(&mut self.orders) {
                Ok(Some(Order::Signal(signal))) => self.signal(signal),
                Ok(Some(Order::EndLeftovers)) => self.leftovers = Leftovers::End,
                Ok(Some(Order::LeaveLeftovers)) => self.leftovers = Leftovers::Leave,
                Ok(Some(Order::Kill)) => return self.kill(),
                Ok(None) => return,
                Err(_) => return self.is_left(), // our owner is gone, or wants nothing of the job any more
            }
        }
    }

    /// Sends a signal to the groups of the tasks, or to the one task that is in our own.
    fn signal(&self, number: i32) {
        for task in self.tasks.iter().filter(|task| task.pid.0 > 0) {
            // The task is not waited for, so it and its group still have their number.
            match self.standing {
                Standing::OfJob => drop(signal::send_to_group(task.pid, number)),
                Standing::OfForeground(_) => signal::send_to_child(task.pid, number),
            }
        }
    }

    /// Our owner has ended, or wants nothing of the job any more.
    fn is_left(&mut self) {
        self.is_alone = true;
        if self.stage == Stage::Over {
            self.go();
        }
        self.kill();
    }

    fn kill(&mut self) {
        self.signal(libc::SIGKILL);
        if !matches!(self.stage, Stage::Killing(_)) {
            self.stage = Stage::Killing(clock::monotonic());
        }
    }

    /// Goes on with ending the tree, where it is time to.
    fn go_on(&mut self, now: Nanoseconds, none_left: bool) {
        let tasks_ended = self.tasks.iter().all(|task| task.pid.0 == 0);
        if self.stage == Stage::Over {
            return;
        }
        if none_left || (tasks_ended && self.stage == Stage::Running && self.leftovers == Leftovers::Leave) {
            return self.done(0);
        }
        let over = |since: Nanoseconds, time: Nanoseconds| now.saturating_sub(since) >= time;
        match self.stage {
            Stage::Running if tasks_ended && self.leftovers == Leftovers::End => {
                self.stage = Stage::Settling(now)
            }
            Stage::Settling(since) if over(since, SETTLE) => self.stage = Stage::Asked(now),
            Stage::Asked(since) if over(since, GRACE) => self.stage = Stage::Killing(now),
            Stage::Killing(since) if over(since, HELD) => {
                let mut held = 0;
                let _ = children::each(|_| held += 1);
                return self.done(held);
            }
            _ => {}
        }
        // The end of each of many children wakes us: to look for all of them each time would take the square of their number.
        let (looked, took) = self.look;
        if now.saturating_sub(looked) < took.max(BETWEEN_LOOKS) {
            return;
        }
        match self.stage {
            Stage::Asked(_) => self.ask(),
            Stage::Killing(_) => self.kill_children(),
            Stage::Running | Stage::Settling(_) | Stage::Over => return,
        }
        let after = clock::monotonic();
        self.look = (after, after.saturating_sub(now));
    }

    /// Asks every child that was not asked yet to end. What it leaves in turn becomes a child, and is found the next time.
    fn ask(&mut self) {
        let _ = children::each(|pid| {
            if self.count(pid) {
                signal::send_to_child(pid, libc::SIGTERM);
                signal::send_to_child(pid, libc::SIGCONT); // a stopped process hears nothing but SIGKILL and this
            }
        });
    }

    fn kill_children(&mut self) {
        let after_asking = self.ended > 0;
        let _ = children::each(|pid| {
            if after_asking {
                self.count(pid);
            }
            signal::send_to_child(pid, libc::SIGKILL);
        });
    }

    /// Counts a process that has to be ended, and reports its name; false when it was counted before.
    fn count(&mut self, pid: Pid) -> bool {
        if self.asked.contains(&pid) {
            return false;
        }
        if let Some(free) = self.asked.iter_mut().find(|asked| asked.0 == 0) {
            *free = pid;
        }
        self.ended += 1;
        if self.ended <= NAMES {
            self.report(Report::Left { name: children::name(pid) });
        }
        true
    }

    fn done(&mut self, held: u64) {
        let ended = self.ended;
        self.report(Report::Done { ended, held });
        self.stage = Stage::Over;
        if self.is_alone || matches!(self.standing, Standing::OfJob) {
            self.go();
        }
    }

    fn go(&self) -> ! {
        if let Standing::OfForeground(after_us) = self.standing {
            // What fails here fails where nobody can be told.
            let _ = catch_unwind(AssertUnwindSafe(after_us));
        }
        leave()
    }
}

/// Forks the supervisor, in which all signals are blocked from its first instruction.
pub fn fork(charge: Charge<'_>, blocked: &AllBlocked) -> Result<Pid, Errno> {
    // SAFETY: the child makes only system calls (`live` allocates nothing and takes no lock, but for what it does after us where we had one
    // thread) and never returns.
    match unsafe { libc::fork() } {
        -1 => Err(raw::errno()),
        0 => live(charge, blocked),
        pid => Ok(Pid(pid)),
    }
}
