//! The processes and threads of a trial, with what was last seen of each.

use numawise_linux::calls::{clock, process};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use numawise_units::{CpuId, Nanoseconds, Pid};

use crate::random::Random;
use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::tasks;

mod libraries;
mod thread;

use libraries::MpiLibraries;
pub(crate) use thread::Thread;

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;

/// Ended threads kept by themselves; of more, those with the least CPU time are dropped.
const ENDED_KEPT: usize = 4096;

/// Files kept open at most, two for each thread: reading an open file is cheaper than opening it anew.
const FILES_KEPT: u64 = 512;

/// Threads whose `children` file is read in one round of discovery, for each process.
const CHILDREN_READ: usize = 16;

/// Listing costs about this for each thread (measured: `examples/cost.rs`).
const LISTING: Nanoseconds = Nanoseconds(2_500);

/// One listing may cost this whatever the budget says: else nothing would be known at all.
const LIST_ANYWAY: Nanoseconds = Nanoseconds(500_000);

/// With more threads found but not yet read than this, no more are searched for.
const FRESH: usize = 64;

#[derive(Debug)]
pub(crate) struct Process {
    pub pid: Pid,
    /// Threads that it has by its own count when last read.
    threads: u32,
    /// Threads known to be alive; none until they are listed for the first time.
    listed: Option<u32>,
    /// Where the next round of reading `children` goes on.
    cursor: usize,
}

/// All that is watched.
#[derive(Debug)]
pub(crate) struct Table {
    roots: Roots,
    pub processes: Vec<Process>,
    live: Vec<Thread>,
    /// Threads not yet read are the last of `live`: how many.
    fresh: usize,
    cursor: usize,
    ended: Vec<Thread>,
    /// Files that may still be opened to be kept.
    spare_files: u64,
    /// The last identifier given to any task, from `loadavg`: unchanged means that nothing was forked since.
    last_task: Option<u64>,
    /// The process whose threads are listed next.
    next_listed: usize,
    /// Rounds since the last discovery.
    rounds: u32,
    /// Whether `children` files are there.
    has_children: bool,
    /// Migrations, run delay and the like of threads that were dropped.
    dropped: Dropped,
    /// Samples that found several threads ready to run.
    pub several_ready: u64,
    pub libraries: MpiLibraries,
    /// When each process was last seen alive, by the monotonic clock.
    pub alive: BTreeMap<Pid, Nanoseconds>,
    /// The first thing that went wrong beside processes ending.
    pub problem: Option<String>,
    random: Random,
    buffer: Vec<u8>,
}

/// Sums over threads that are no longer kept by themselves.
#[derive(Debug, Default)]
struct Dropped {
    threads: u64,
    seen_twice: bool,
    migrations: u64,
    run_delay: Option<Nanoseconds>,
}

impl Table {
    pub fn new(roots: Roots, pids: &[Pid], seed: u64) -> Self {
        let mut table = Table {
            has_children: true,
            roots,
            processes: Vec::new(),
            live: Vec::new(),
            fresh: 0,
            cursor: 0,
            ended: Vec::new(),
            spare_files: process::open_files_limit().map_or(FILES_KEPT, |most| FILES_KEPT.min(most / 4)),
            last_task: None,
            rounds: 0,
            next_listed: 0,
            dropped: Dropped::default(),
            several_ready: 0,
            libraries: MpiLibraries::default(),
            alive: BTreeMap::new(),
            problem: None,
            random: Random::new(seed),
            buffer: Vec::with_capacity(4096),
        };
        for &pid in pids {
            table.admit(pid);
        }
        table
    }

    /// Finds new threads and children when there may be some and `room` pays for it.
    pub fn discover(&mut self, room: Nanoseconds, stop: &AtomicBool) {
        self.rounds += 1;
        // Enough to do with those found last time.
        if self.fresh > FRESH && self.rounds % 8 != 1 {
            return;
        }
        let counts_agree = self.processes.iter().all(|process| Some(process.threads) == process.listed);
        let forked = self.forked();
        if counts_agree && !forked && self.rounds % 8 != 1 {
            return;
        }
        if self.list_in_turn(room, stop) && !self.has_children {
            self.find_children_by_parent();
        }
        self.processes.retain(|process| process.listed != Some(0));
    }

    /// Lists the threads and children of all processes, or of as many as `room` pays for: the next round goes on where this one
    /// ends, so that none waits for ever behind one that takes all there is. True when all had their turn.
    fn list_in_turn(&mut self, room: Nanoseconds, stop: &AtomicBool) -> bool {
        let begun = clock::thread_cpu_time();
        let mut done = 0;
        // The list grows while it is walked: children of children are found in the same round.
        while done < self.processes.len() {
            let at = self.next_listed % self.processes.len();
            let spent = clock::thread_cpu_time().saturating_sub(begun);
            let cost = Nanoseconds(LISTING.0 * u64::from(self.processes[at].threads));
            let dear = (done > 0 || cost > LIST_ANYWAY) && spent + cost > room;
            if dear || stop.load(Ordering::Relaxed) {
                return false;
            }
            self.list(at);
            self.find_children(at);
            self.next_listed = at + 1;
            done += 1;
        }
        true
    }

    /// True when some task was made anywhere since the last call, or when that cannot be told.
    fn forked(&mut self) -> bool {
        let last = read_path(&self.roots.proc().join("loadavg"), &mut self.buffer)
            .ok()
            .and_then(|()| {
                let word = self.buffer.split(u8::is_ascii_whitespace).nth(4)?;
                numawise_linux::file::number::<u64>(word)
            })
            .filter(|&last| last > 0); // some containers show a made-up 0
        let forked = last.is_none() || last != self.last_task;
        self.last_task = last;
        forked
    }

    /// Takes a process in, when it is there and new.
    fn admit(&mut self, pid: Pid) {
        if self.processes.iter().any(|process| process.pid == pid) {
            return;
        }
        let path = self.roots.process(pid).join("stat");
        let stat = read_path(&path, &mut self.buffer)
            .and_then(|()| TaskStat::parse(&self.buffer).map_err(|problem| problem.at(&path)));
        match stat {
            Ok(stat) => self.processes.push(Process { pid, threads: stat.threads, listed: None, cursor: 0 }),
            Err(error) => self.note(&error),
        }
    }

    /// Lists the threads of process `at` and takes in those that are new.
    fn list(&mut self, at: usize) {
        let pid = self.processes[at].pid;
        let directory = self.roots.process(pid).join("task");
        let listed = match tasks::numbered(&directory) {
            Ok(listed) => listed,
            Err(error) => {
                self.note(&error);
                Vec::new()
            }
        };
        let there: HashSet<Pid> = listed.iter().copied().collect();
        let mut k = 0;
        while k < self.live.len() {
            if self.live[k].pid == pid && !there.contains(&self.live[k].tid) { self.end(k) } else { k += 1 }
        }
        let known: HashSet<Pid> = self.live.iter().filter(|t| t.pid == pid).map(|t| t.tid).collect();
        for tid in listed.into_iter().filter(|tid| !known.contains(tid)) {
            self.live.push(Thread::new(pid, tid));
            self.fresh += 1;
        }
        self.processes[at].listed = Some(there.len() as u32);
    }

    /// Takes in the children of some threads of process `at`.
    fn find_children(&mut self, at: usize) {
        if !self.has_children {
            return;
        }
        let (pid, cursor) = (self.processes[at].pid, self.processes[at].cursor);
        let threads: Vec<Pid> = self.live.iter().filter(|t| t.pid == pid).map(|t| t.tid).collect();
        let count = threads.len().min(CHILDREN_READ);
        for k in 0..count {
            let tid = threads[(cursor + k) % threads.len()];
            let path = self.roots.process(pid).join("task").join(tid.0.to_string()).join("children");
            match tasks::children(&path, &mut self.buffer) {
                Ok(children) => children.into_iter().for_each(|child| self.admit(child)),
                Err(Error::Gone { .. }) if path.parent().is_some_and(|thread| thread.exists()) => {
                    self.has_children = false; // a kernel without CONFIG_PROC_CHILDREN
                    return;
                }
                Err(error) => self.note(&error),
            }
        }
        self.processes[at].cursor = cursor + count;
    }

    /// Takes in all descendants by asking every process for its parent.
    fn find_children_by_parent(&mut self) {
        let pairs = match tasks::parents(self.roots.proc(), &mut self.buffer) {
            Ok(pairs) => pairs,
            Err(error) => return self.note(&error),
        };
        let mut next = 0;
        while next < self.processes.len() {
            let parent = self.processes[next].pid;
            for &(_, child) in pairs.iter().filter(|(of, _)| *of == parent) {
                let before = self.processes.len();
                self.admit(child);
                if self.processes.len() > before {
                    self.list(before);
                }
            }
            next += 1;
        }
    }

    /// Reads as many threads as `room` pays for: those never read first, then on from where the last call stopped.
    pub fn read(&mut self, room: Nanoseconds, stop: &AtomicBool) {
        let begun = clock::thread_cpu_time();
        let mut left = self.live.len();
        let mut done = 0;
        while left > 0 && !self.live.is_empty() && !stop.load(Ordering::Relaxed) {
            if done % 4 == 3 && clock::thread_cpu_time().saturating_sub(begun) >= room {
                break;
            }
            let at = match self.fresh {
                0 => self.cursor % self.live.len(),
                fresh => {
                    // Any of them, so that those read, when not all can be, speak for all.
                    let first = self.live.len() - fresh;
                    let any = first + self.random.below(fresh as u64) as usize;
                    self.live.swap(first, any);
                    first
                }
            };
            left -= 1;
            done += 1;
            self.read_one(at);
        }
        self.count_ready();
    }

    /// Counts the threads that are ready at once, each as it was when last read: one that has not run since is as it was.
    fn count_ready(&mut self) {
        if self.live.iter().filter(|thread| thread.ready).count() > 1 {
            self.several_ready += 1;
            self.live
                .iter_mut()
                .filter(|thread| thread.ready)
                .for_each(|thread| thread.ready_with_others += 1);
        }
    }

    fn read_one(&mut self, at: usize) {
        let first = at + self.fresh >= self.live.len();
        if first {
            self.fresh -= 1;
        } else {
            self.cursor = at + 1;
        }
        let keep = self.spare_files >= 2;
        let thread = &mut self.live[at];
        let had_files = thread.keeps_files();
        let outcome = thread.read(&self.roots, &mut self.buffer, keep);
        if thread.keeps_files() && !had_files {
            self.spare_files -= 2;
        }
        if outcome.is_ok() && !thread.is_dead {
            self.alive.insert(thread.pid, clock::monotonic());
        }
        if thread.tid == thread.pid {
            self.libraries.look(&self.roots, thread.pid, thread.samples);
        }
        match outcome {
            Ok(None) => {}
            Ok(Some(threads)) => {
                let pid = thread.pid;
                if let Some(process) = self.processes.iter_mut().find(|process| process.pid == pid) {
                    process.threads = threads;
                }
            }
            Err(error) => {
                self.note(&error);
                self.end_counted(at);
            }
        }
    }

    fn end_counted(&mut self, at: usize) {
        let pid = self.live[at].pid;
        if let Some(process) = self.processes.iter_mut().find(|process| process.pid == pid) {
            process.listed = process.listed.map(|listed| listed.saturating_sub(1));
        }
        self.end(at);
    }

    /// Moves a thread to those that ended.
    fn end(&mut self, at: usize) {
        let fresh_from = self.live.len() - self.fresh;
        if at >= fresh_from {
            self.fresh -= 1;
        }
        // Keeps the order, so that the fresh ones stay last.
        let mut thread = self.live.remove(at);
        if self.cursor > at {
            self.cursor -= 1;
        }
        if thread.close_files() {
            self.spare_files += 2;
        }
        if thread.samples == 0 {
            return;
        }
        self.ended.push(thread);
        if self.ended.len() >= 2 * ENDED_KEPT {
            self.drop_least();
        }
    }

    fn drop_least(&mut self) {
        self.ended.sort_by_key(|thread| std::cmp::Reverse(thread.cpu_time));
        for thread in self.ended.drain(ENDED_KEPT..) {
            self.dropped.threads += 1;
            self.dropped.seen_twice |= thread.samples > 1;
            self.dropped.migrations += thread.migrations;
            if let Some(delay) = thread.run_delay() {
                self.dropped.run_delay = Some(self.dropped.run_delay.unwrap_or_default() + delay);
            }
        }
    }

    /// Keeps the first problem that is not just something having ended.
    fn note(&mut self, error: &Error) {
        if !error.is_gone() && self.problem.is_none() {
            self.problem = Some(error.to_string());
        }
    }

    /// Threads that were read at least once.
    pub fn seen(&self) -> impl Iterator<Item = &Thread> {
        self.live.iter().chain(&self.ended).filter(|thread| thread.samples > 0)
    }

    /// The CPUs on which threads were at work when they were last read.
    pub fn working_on(&self) -> BTreeSet<CpuId> {
        self.live.iter().filter(|thread| thread.ready).map(|thread| thread.cpu).collect()
    }

    /// True when a thread was stopped when it was last read.
    pub fn is_stopped(&self) -> bool {
        self.live.iter().any(|thread| thread.stopped)
    }

    /// Migrations seen; none when no thread was read twice.
    pub fn migrations(&self) -> Option<u64> {
        let twice = self.dropped.seen_twice || self.seen().any(|thread| thread.samples > 1);
        twice.then(|| self.dropped.migrations + self.seen().map(|thread| thread.migrations).sum::<u64>())
    }

    /// Run delay of all threads that have one.
    pub fn run_delay(&self) -> Option<Nanoseconds> {
        let all = self.seen().filter_map(Thread::run_delay).chain(self.dropped.run_delay);
        all.reduce(|sum, delay| sum + delay)
    }
}
