//! What a process is: its name, command, user, rank.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use numawise_facts::{MemorySnapshot, Reading, TaskSnapshot};
use numawise_units::{Nanoseconds, Pid};

use super::{Context, TaskParts};
use crate::command::shell_line;
use crate::memory;
use numawise_linux::Error;
use numawise_linux::file::read_path;
use numawise_linux::proc::environ::Environment;
use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::status::Status;
use numawise_linux::proc::tasks;

/// A process that is being sampled.
pub(super) struct Task {
    snapshot: TaskSnapshot,
    kind: TaskKind,
    /// Where its memory is told: its own directory, or a thread's when the main thread has ended.
    directory: PathBuf,
    pages: u64,
    threads: u64,
}

/// What can be asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskKind {
    Program,
    Kernel,
    Zombie,
}

const ZOMBIE: &str = "it has ended and waits for its parent to take notice (zombie)";

impl Task {
    /// None when there is no such process (any more).
    pub fn begin(context: &Context<'_>, pid: Pid, buffer: &mut Vec<u8>) -> Option<Self> {
        let mut directory = context.roots.process(pid);
        read_path(&directory.join("stat"), buffer).ok()?;
        let stat = TaskStat::parse(buffer).ok()?;
        let (parent, started, threads) = (Pid(stat.parent), stat.start, u64::from(stat.threads));
        let name = String::from_utf8_lossy(stat.name).into_owned();
        let mut kind = match (stat.kernel, stat.state) {
            (true, _) => TaskKind::Kernel,
            (_, 'Z' | 'X') => TaskKind::Zombie,
            _ => TaskKind::Program,
        };
        if kind == TaskKind::Zombie
            && threads > 1
            && let Some(living) = living(&directory, pid, buffer)
        {
            // The main thread has ended before the others: they still have the memory.
            directory = living;
            kind = TaskKind::Program;
        }
        let status =
            read_path(&directory.join("status"), buffer).ok().and_then(|()| Status::parse(buffer).ok());
        let status = status.unwrap_or_default();
        let user = match status.user {
            Some(user) => user,
            None => std::fs::metadata(&directory).ok()?.uid(),
        };
        let snapshot = TaskSnapshot {
            pid,
            parent,
            name,
            command: command(&directory, kind, buffer),
            user,
            rank: rank(&directory, kind, buffer),
            started: started_after(context, started),
            threads: Reading::unavailable(""),
            memory: Reading::unavailable(""),
        };
        let pages = status.resident.map_or(0, |bytes| bytes.0 / context.usual.0);
        Some(Task { snapshot, kind, directory, pages, threads })
    }

    pub fn pid(&self) -> Pid {
        self.snapshot.pid
    }

    /// What reading will cost, roughly: 30 ns for each small page.
    pub fn cost_of_memory(&self) -> Nanoseconds {
        Nanoseconds(100_000 + self.pages * 30)
    }

    /// 10 us for each thread.
    pub fn cost_of_threads(&self) -> Nanoseconds {
        Nanoseconds(self.threads * 10_000)
    }

    /// Its memory, whatever it costs.
    pub fn memory(&self, context: &Context<'_>) -> Reading<MemorySnapshot> {
        if let Some(reason) = no_memory(self.kind) {
            return Reading::unavailable(reason);
        }
        match memory::read(context.roots, &self.directory, context.usual, context.options.largest) {
            Ok(memory) => Reading::Measured(memory.all),
            Err(error) => Reading::unavailable(reason(&error)),
        }
    }

    /// The whole; none when the process has ended by now, or its number is another's.
    pub fn end(self, context: &Context<'_>, found: TaskParts, buffer: &mut Vec<u8>) -> Option<TaskSnapshot> {
        read_path(&context.roots.process(self.pid()).join("stat"), buffer).ok()?;
        let stat = TaskStat::parse(buffer).ok()?;
        (started_after(context, stat.start) == self.snapshot.started).then(|| found.into(self.snapshot))
    }
}

pub(super) fn started_after(context: &Context<'_>, ticks: u64) -> Nanoseconds {
    Nanoseconds(ticks.saturating_mul(context.tick.0))
}

/// The directory of a thread that has not ended.
fn living(process: &Path, leader: Pid, buffer: &mut Vec<u8>) -> Option<PathBuf> {
    let threads = process.join("task");
    tasks::numbered(&threads).ok()?.into_iter().filter(|tid| *tid != leader).find_map(|tid| {
        let thread = threads.join(tid.0.to_string());
        read_path(&thread.join("stat"), buffer).ok()?;
        let stat = TaskStat::parse(buffer).ok()?;
        (!matches!(stat.state, 'Z' | 'X')).then_some(thread)
    })
}

fn command(directory: &Path, kind: TaskKind, buffer: &mut Vec<u8>) -> Reading<String> {
    match kind {
        TaskKind::Kernel => return Reading::unavailable("a thread of the kernel has no command line"),
        TaskKind::Zombie => return Reading::unavailable(ZOMBIE),
        TaskKind::Program => {}
    }
    match read_path(&directory.join("cmdline"), buffer) {
        Ok(()) => match shell_line(buffer) {
            Some(line) => Reading::Measured(line),
            None => Reading::unavailable("its command line is empty"),
        },
        Err(error) => Reading::unavailable(error.to_string()),
    }
}

fn rank(directory: &Path, kind: TaskKind, buffer: &mut Vec<u8>) -> Reading<u32> {
    match kind {
        TaskKind::Kernel => return Reading::unavailable("a thread of the kernel has no environment"),
        TaskKind::Zombie => return Reading::unavailable(ZOMBIE),
        TaskKind::Program => {}
    }
    match read_path(&directory.join("environ"), buffer) {
        Ok(()) => match crate::rank::rank(Environment(buffer)) {
            Some(rank) => Reading::Measured(rank.0),
            None => Reading::unavailable(crate::rank::NO_RANK),
        },
        Err(error) => Reading::unavailable(error.to_string()),
    }
}

/// Why there is no memory to tell of.
fn no_memory(kind: TaskKind) -> Option<&'static str> {
    match kind {
        TaskKind::Kernel => Some("a thread of the kernel has no memory of its own"),
        TaskKind::Zombie => Some(ZOMBIE),
        TaskKind::Program => None,
    }
}

/// Why the reading of a part failed: an ended process is told as such.
pub(super) fn reason(error: &Error) -> String {
    if error.is_gone() { "it ended while it was sampled".to_owned() } else { error.to_string() }
}
