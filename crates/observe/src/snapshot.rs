//! Where the threads and pages of some processes are, at one moment.

use numawise_linux::calls::{clock, pages};
use std::sync::atomic::{AtomicUsize, Ordering};

use numawise_facts::{MemorySnapshot, Reading, Snapshot, TaskSnapshot, ThreadSnapshot};
use numawise_units::{Bytes, Nanoseconds, Pid};

use numawise_linux::Roots;

mod task;
#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;
mod threads;

use task::Task;

/// What to read.
#[derive(Debug, Clone)]
pub struct SnapshotOptions {
    pub roots: Roots,
    /// How many of the largest mappings to list, of every process.
    pub largest: usize,
    /// Without it memory is not read, which costs most: 30 ns for each small page that is resident.
    pub memory: bool,
    pub threads: bool,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        SnapshotOptions { roots: Roots::default(), largest: 10, memory: true, threads: true }
    }
}

/// Reads some processes. Those that are not there, or end meanwhile, are not in the snapshot.
pub fn snapshot(pids: &[Pid], options: &SnapshotOptions) -> Snapshot {
    let (at, unix_time) = (clock::since_boot(), clock::unix_time());
    let context = Context::new(options);
    let mut pids = pids.to_vec();
    pids.sort_unstable();
    pids.dedup();
    let mut buffer = Vec::with_capacity(4096);
    let tasks: Vec<Task> =
        pids.into_iter().filter_map(|pid| Task::begin(&context, pid, &mut buffer)).collect();
    let mut found: Vec<TaskParts> = tasks.iter().map(|_| TaskParts::default()).collect();
    for (at, part) in parts(&context, &tasks) {
        match part {
            Part::Memory(memory) => found[at].memory = Some(memory),
            Part::Threads(threads) => found[at].threads = Some(threads),
        }
    }
    let whole = tasks.into_iter().zip(found);
    let tasks = whole.filter_map(|(task, found)| task.end(&context, found, &mut buffer)).collect();
    Snapshot { at, unix_time, tasks }
}

/// What all readers of one snapshot share.
struct Context<'a> {
    options: &'a SnapshotOptions,
    roots: &'a Roots,
    /// The size of a page and the length of a tick.
    usual: Bytes,
    tick: Nanoseconds,
    /// Whether system calls reach these processes.
    calls: bool,
}

impl<'a> Context<'a> {
    fn new(options: &'a SnapshotOptions) -> Self {
        let roots = &options.roots;
        Context {
            options,
            roots,
            usual: pages::page_size(),
            tick: clock::tick(),
            calls: roots.has_own_numbers(),
        }
    }
}

/// What takes time to read of a process.
enum Part {
    Memory(Reading<MemorySnapshot>),
    Threads(Reading<Vec<ThreadSnapshot>>),
}

#[derive(Default)]
struct TaskParts {
    memory: Option<Reading<MemorySnapshot>>,
    threads: Option<Reading<Vec<ThreadSnapshot>>>,
}

impl TaskParts {
    fn into(self, task: TaskSnapshot) -> TaskSnapshot {
        let not_asked = "it was not asked for";
        TaskSnapshot {
            threads: self.threads.unwrap_or_else(|| Reading::unavailable(not_asked)),
            memory: self.memory.unwrap_or_else(|| Reading::unavailable(not_asked)),
            ..task
        }
    }
}

#[derive(Clone, Copy)]
enum PartKind {
    Memory,
    Threads,
}

/// Starting a thread and waiting for its end takes 0.05 to 0.1 ms; below some times that it does not pay.
const WORTH_A_THREAD: Nanoseconds = Nanoseconds(500_000);
/// So that a snapshot of a job that fills the machine does not disturb it on all of its CPUs.
const MOST_WORKERS: usize = 8;

/// Reads memory and threads of all, in several threads of ours where it is much.
fn parts(context: &Context<'_>, tasks: &[Task]) -> Vec<(usize, Part)> {
    let mut work: Vec<(Nanoseconds, usize, PartKind)> = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        if context.options.memory {
            work.push((task.cost_of_memory(), at, PartKind::Memory));
        }
        if context.options.threads {
            work.push((task.cost_of_threads(), at, PartKind::Threads));
        }
    }
    // The longest first, so that no worker is left with one at the end.
    work.sort_by_key(|(cost, at, _)| (std::cmp::Reverse(*cost), *at));
    let total = work.iter().fold(Nanoseconds(0), |sum, (cost, ..)| sum + *cost);
    let alone = total < WORTH_A_THREAD + WORTH_A_THREAD;
    let workers = if alone {
        1
    } else {
        std::thread::available_parallelism().map_or(1, usize::from).min(work.len()).min(MOST_WORKERS)
    };
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        let mut buffer = Vec::with_capacity(4096);
        while let Some(&(_, at, kind)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let part = match kind {
                PartKind::Memory => Part::Memory(tasks[at].memory(context)),
                PartKind::Threads => Part::Threads(threads::read(context, &tasks[at], &mut buffer)),
            };
            done.push((at, part));
        }
        done
    };
    std::thread::scope(|scope| {
        // Where no further thread may be started, those that are there do the work.
        let others: Vec<_> =
            (1..workers).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, run).ok()).collect();
        let mut done = run();
        for other in others {
            match other.join() {
                Ok(part) => done.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}
