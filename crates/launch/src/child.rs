//! Between fork and exec.
//!
//! The child may only make system calls there (another thread of ours may have held a lock), so everything is prepared before.
//! It tells us through a pipe, past its parent the supervisor: that it is ready, when it goes, and what failed.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use numawise_facts::{PageSize, RunSpec, TaskPlacement};
use numawise_linux::calls::mempolicy::ThreadPolicy;
use numawise_linux::calls::signal::AllBlocked;
use numawise_linux::calls::{clock, inherited};
use numawise_linux::raw::{self, Errno};
use numawise_units::Pid;

use crate::exec::Words;
use crate::{LaunchError, pages};

/// What the child does before it becomes the program; the number goes through the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Step {
    Ready = 0,
    Setup = 1,
    Directory = 2,
    Policy = 3,
    Affinity = 4,
    Exec = 5,
    Pages = 6,
}

impl Step {
    const ALL: [Step; 7] =
        [Step::Ready, Step::Setup, Step::Directory, Step::Policy, Step::Affinity, Step::Exec, Step::Pages];
}

/// All that a child needs, made before the fork.
pub struct Plan<'a> {
    pub words: &'a Words,
    pub directory: &'a CString,
    pub policy: Option<ThreadPolicy>,
    pub pages: PageSize,
    /// Empty: leave the mask alone.
    pub cpus: &'a [u64],
    /// Where the child is up to exec, before it gets `cpus`; empty: anywhere in them.
    pub first_cpus: &'a [u64],
    /// `None`: as it is here, and closed where it was when we were started.
    pub stdin: Option<&'a File>,
    /// `None`: the child writes where we write.
    pub output: Option<OwnedFd>,
    pub group: ProcessGroup,
}

/// The process group of a child: what is typed on the terminal reaches one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessGroup {
    /// One that it leads.
    Own,
    Ours,
}

/// Our ends of the pipes of a child that has not been told to go.
#[derive(Debug)]
pub struct Forked {
    status: File,
    gate: File,
}

/// The ends of the child.
#[derive(Debug)]
pub struct Ends {
    status: OwnedFd,
    gate: OwnedFd,
}

/// A pipe whose ends are closed by exec: the reading end, the writing end.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two descriptors into the array.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both descriptors are new and belong to nobody else.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// The pipes between us and a child that is not forked yet.
pub fn pipes() -> io::Result<(Forked, Ends)> {
    let (status, told) = pipe()?;
    let (gate, opens) = pipe()?;
    let ours = Forked { status: File::from(status), gate: File::from(opens) };
    Ok((ours, Ends { status: told, gate }))
}

/// Forks a child of `parent`, the calling process, that places itself and then waits to be told to go. Makes only system calls.
/// The child has the mask that was before `blocked`.
pub fn fork(plan: &Plan<'_>, ends: &Ends, parent: Pid, blocked: &AllBlocked) -> Result<Pid, Errno> {
    // SAFETY: the child makes only system calls (`live` allocates nothing and takes no lock) and never returns.
    match unsafe { libc::fork() } {
        -1 => Err(raw::errno()),
        0 => live(plan, ends, parent.0, blocked),
        pid => Ok(Pid(pid)),
    }
}

impl Forked {
    /// Waits until the child is placed; what failed otherwise.
    pub fn placed(&mut self) -> io::Result<Result<(), (Step, Errno)>> {
        let mut message = [0; 8];
        match read_up_to(&mut self.status, &mut message)? {
            8 => Ok(match decode(message) {
                (Step::Ready, _) => Ok(()),
                failed => Err(failed),
            }),
            // It was killed from outside; whoever waits for it will learn how.
            _ => Ok(Ok(())),
        }
    }

    /// Lets the child become the program.
    pub fn go(&mut self) {
        // A child that was killed meanwhile does not read it; the one who waits for it learns that.
        let _ = self.gate.write_all(&[1]);
    }

    /// Waits until the child is the program. Gives the time just before (CLOCK_MONOTONIC, in nanoseconds), `None` when
    /// it was killed first.
    pub fn started(&mut self) -> io::Result<Result<Option<u64>, (Step, Errno)>> {
        sleep_until_closed(&self.status)?;
        let mut message = [0; 8];
        if read_up_to(&mut self.status, &mut message)? < 8 {
            return Ok(Ok(None));
        }
        let start = u64::from_ne_bytes(message);
        Ok(match read_up_to(&mut self.status, &mut message)? {
            8 => Err(decode(message)),
            _ => Ok(Some(start)),
        })
    }
}

/// Sleeps until nobody has the writing end any more. What is written meanwhile wakes nobody: the child tells the time just before exec, where
/// a thread of ours that works on its node would make the kernel take it to another one.
fn sleep_until_closed(reads: &File) -> io::Result<()> {
    let mut entry = libc::pollfd { fd: reads.as_raw_fd(), events: 0, revents: 0 };
    loop {
        // SAFETY: the entry lives through the call, and it is one.
        match unsafe { libc::poll(&raw mut entry, 1, -1) } {
            -1 if raw::errno() == libc::EINTR => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(()),
        }
    }
}

fn read_up_to(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

fn encode(step: Step, errno: Errno) -> [u8; 8] {
    let (step, errno) = ((step as i32).to_ne_bytes(), errno.to_ne_bytes());
    [step[0], step[1], step[2], step[3], errno[0], errno[1], errno[2], errno[3]]
}

fn decode(message: [u8; 8]) -> (Step, Errno) {
    let [a, b, c, d, e, f, g, h] = message;
    let number = i32::from_ne_bytes([a, b, c, d]);
    let step = Step::ALL.into_iter().find(|step| *step as i32 == number).unwrap_or(Step::Setup);
    (step, i32::from_ne_bytes([e, f, g, h]))
}

/// The life of the child up to exec.
fn live(plan: &Plan<'_>, ends: &Ends, parent: i32, blocked: &AllBlocked) -> ! {
    let (status, gate) = (ends.status.as_raw_fd(), ends.gate.as_raw_fd());
    let tell = |message: [u8; 8]| {
        // SAFETY: the buffer is live; eight bytes go into a pipe at once.
        unsafe { libc::write(status, message.as_ptr().cast(), message.len()) };
    };
    if let Err((step, errno)) = place(plan, parent, blocked) {
        tell(encode(step, errno));
        leave();
    }
    tell(encode(Step::Ready, 0));
    let mut byte = 0u8;
    loop {
        // SAFETY: the kernel writes at most one byte into `byte`.
        match unsafe { libc::read(gate, (&raw mut byte).cast(), 1) } {
            1 => break,
            -1 if raw::errno() == libc::EINTR => {}
            _ => leave(),
        }
    }
    let widened = widen(plan);
    tell(clock::monotonic().0.to_ne_bytes());
    let (step, errno) = match widened {
        Ok(()) => (Step::Exec, plan.words.exec()),
        Err(failed) => failed,
    };
    tell(encode(step, errno));
    leave()
}

fn leave() -> ! {
    // SAFETY: ends the child without running anything of the parent's.
    unsafe { libc::_exit(127) }
}

fn place(plan: &Plan<'_>, parent: i32, blocked: &AllBlocked) -> Result<(), (Step, Errno)> {
    let check = |step, result: libc::c_int| {
        if result < 0 { Err((step, raw::errno())) } else { Ok(()) }
    };
    // SAFETY: plain system calls on descriptors and strings that live through them.
    unsafe {
        check(Step::Setup, libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        if libc::getppid() != parent {
            leave(); // the parent died before the line above took effect
        }
        if plan.group == ProcessGroup::Own {
            check(Step::Setup, libc::setpgid(0, 0))?;
        }
        if let Some(stdin) = plan.stdin {
            check(Step::Setup, libc::dup2(stdin.as_raw_fd(), 0))?;
        }
        if let Some(output) = &plan.output {
            check(Step::Setup, libc::dup2(output.as_raw_fd(), 1))?;
            check(Step::Setup, libc::dup2(output.as_raw_fd(), 2))?;
        }
        blocked.give_back();
        inherited::give_back_signals();
        if !plan.directory.is_empty() {
            check(Step::Directory, libc::chdir(plan.directory.as_ptr()))?;
        }
    }
    if let Some(policy) = &plan.policy {
        policy.set_own().map_err(|errno| (Step::Policy, errno))?;
    }
    pages::apply(plan.pages).map_err(|errno| (Step::Pages, errno))?;
    let cpus = if plan.first_cpus.is_empty() { plan.cpus } else { plan.first_cpus };
    if cpus.is_empty() { Ok(()) } else { set_affinity(cpus) }
}

/// Until then who has told the child to go sleeps again.
const CALM: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 150_000 };

/// Gives the child all of its CPUs when it has waited on the first ones. At exec the kernel looks for the node with the most idle CPUs
/// and leaves the child where it is when none has more: the process that told it to go must not count.
fn widen(plan: &Plan<'_>) -> Result<(), (Step, Errno)> {
    if plan.first_cpus.is_empty() {
        return Ok(());
    }
    set_affinity(plan.cpus)?;
    // SAFETY: a plain system call; the remaining time of a sleep that a signal ends is of no interest.
    unsafe { libc::nanosleep(&CALM, std::ptr::null_mut()) };
    Ok(())
}

fn set_affinity(cpus: &[u64]) -> Result<(), (Step, Errno)> {
    raw::set_affinity(0, cpus).map_err(|errno| (Step::Affinity, errno))
}

/// What a child's report means.
pub fn describe(
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
