//! The residency sample: how much of the program's writable memory is on which node.
//!
//! The sample of one process is taken in steps that can be put off, so that a process with much memory or many mappings
//! costs no more at a time than the budget has. The sample of the trial is the sum over its processes.

use numawise_linux::calls::{clock, pages};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use numawise_facts::activity::KernelIo;
use numawise_facts::{MemorySnapshot, PageUse, Reading};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};

use crate::memory::{MemoryWalk, ProcessMemory, SharedPages, take_part};
use crate::random::Random;
use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::io::ProcessIo;
use numawise_linux::proc::smaps::own_part_of_shared;
use numawise_linux::proc::status::Status;

mod choice;
mod each;
mod kept;
mod query;

use choice::Costs;
pub use choice::Method;
pub(crate) use each::EachProcess;
pub(crate) use kept::KeptSample;
use kept::ProcessPages;
use query::{Query, Segment};

#[cfg(test)]
#[path = "residency_tests.rs"]
mod tests;

/// A later sample replaces an earlier one also when it holds a little less: pages move, and the last place counts.
const TIE: f64 = 0.98;

/// When the sample of a process's pages finds too few, a walk that costs more than this is not made instead.
const EXPENSIVE: Nanoseconds = Nanoseconds(2_000_000);

/// Why there is no memory by use and policy where the amount alone was read.
const NOT_WALKED: &str =
    "the machine has one node with memory: its numa_maps, which shows use and policy, was not read";

/// Mappings that a sample lists.
const LARGEST: usize = 8;

/// How a process's pages are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageSource {
    OneNode,
    NumaMaps,
    MovePages,
}

/// A sample of one process under way.
#[derive(Debug)]
enum Scan {
    Walk(Box<MemoryWalk>),
    Query(Box<Query>),
}

impl Scan {
    fn source(&self) -> PageSource {
        match self {
            Scan::Walk(_) => PageSource::NumaMaps,
            Scan::Query(_) => PageSource::MovePages,
        }
    }
}

/// The process being sampled.
#[derive(Debug)]
struct Running {
    pid: Pid,
    resident: Bytes,
    scan: Scan,
    /// When it was begun.
    at: Nanoseconds,
    /// What it has cost so far.
    cost: Nanoseconds,
}

/// What a piece of a scan came to.
#[derive(Debug, PartialEq)]
enum ScanProgress {
    More,
    Done(FoundPages),
    /// The sample of pages found too few that are resident.
    TooSparse,
}

/// What a scan has found.
#[derive(Debug, PartialEq)]
struct FoundPages {
    by_node: Vec<(NodeId, Bytes)>,
    pages_seen: u64,
    /// What other processes may have mapped too, files among them.
    shared: Reading<Vec<SharedPages>>,
    /// What the shared memory is of, where nothing tells in how many mappings its pages are, and how long each segment is.
    segments: Vec<(Segment, Bytes)>,
    memory: Reading<MemorySnapshot>,
}

/// How far the sample of the trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleProgress {
    /// All processes are sampled.
    Complete,
    /// There is more to do, for which so much CPU time must be there.
    Needs(Nanoseconds),
}

/// The state of the sample of a trial.
#[derive(Debug)]
pub(crate) struct ResidencySampler {
    roots: Roots,
    only_node: Option<NodeId>,
    costs: Costs,
    pages: usize,
    random: Random,
    running: Option<Running>,
    /// The process whose sample has just found too few pages.
    sparse: Option<Pid>,
    /// Ways that do not work for a process.
    failed: Vec<(Pid, PageSource)>,
    latest: Vec<Arc<ProcessPages>>,
    /// Processes still to sample in this round.
    queue: Vec<Pid>,
    /// Processes sampled before another one that shares memory was: their part of it is less by now.
    outdated: Vec<Pid>,
    best: Option<KeptSample>,
    most: Bytes,
    /// Largest `VmHWM` seen.
    pub peak: Option<Bytes>,
    /// Largest `VmSwap` seen.
    pub swapped: Option<Bytes>,
    /// The same and where the memory was, process by process, until somebody takes it.
    pub each: EachProcess,
    problem: Option<String>,
}

impl ResidencySampler {
    pub fn new(roots: Roots, method: Method, pages: usize, seed: u64) -> Self {
        let only_node = roots.only_node().filter(|_| method == Method::Auto);
        ResidencySampler {
            roots,
            only_node,
            costs: Costs::new(method),
            pages,
            random: Random::new(seed),
            running: None,
            sparse: None,
            failed: Vec::new(),
            latest: Vec::new(),
            queue: Vec::new(),
            outdated: Vec::new(),
            best: None,
            most: Bytes(0),
            peak: None,
            swapped: None,
            each: EachProcess::default(),
            problem: None,
        }
    }

    /// True when there is but one node, so that a sample is nearly free.
    pub fn one_node(&self) -> bool {
        self.only_node.is_some()
    }

    /// Goes on with the sample of the processes `alive` until a `slice` is spent; the budget has CPU time for `budget`.
    pub fn step(
        &mut self,
        alive: &[Pid],
        elapsed: Nanoseconds,
        budget: Nanoseconds,
        slice: Nanoseconds,
        stop: &AtomicBool,
    ) -> SampleProgress {
        let begun = clock::thread_cpu_time();
        let mut has_worked = false;
        self.latest.retain(|pages| alive.contains(&pages.pid));
        self.outdated.retain(|pid| alive.contains(pid));
        if self.running.is_none() && self.queue.is_empty() {
            self.queue = alive.iter().rev().copied().collect();
        }
        loop {
            if self.running.is_none() && self.queue.is_empty() {
                return SampleProgress::Complete;
            }
            let is_over = || clock::thread_cpu_time().saturating_sub(begun) >= slice.min(budget);
            if stop.load(Ordering::Relaxed) || has_worked && is_over() {
                return SampleProgress::Needs(Nanoseconds(0));
            }
            has_worked = true;
            if self.running.is_some() {
                self.advance();
                continue;
            }
            let Some(pid) = self.queue.pop() else { continue };
            match self.begin(pid, elapsed, budget) {
                Ok(None) => {}
                Ok(Some(estimate)) => {
                    self.queue.push(pid);
                    return SampleProgress::Needs(estimate);
                }
                Err(error) => self.note(error),
            }
        }
    }

    /// The kernel's account of what a process reads and writes; programs of other users do not show it.
    fn look_at_io(&mut self, pid: Pid, buffer: &mut Vec<u8>) {
        if read_path(&self.roots.process(pid).join("io"), buffer).is_ok()
            && let Ok(ProcessIo(numbers)) = ProcessIo::parse(buffer)
        {
            self.each.saw_io(pid, KernelIo::from_numbers(numbers));
        }
    }

    /// Begins with a process; with one node that is all. Gives what it needs when that is more than `budget`.
    fn begin(
        &mut self,
        pid: Pid,
        elapsed: Nanoseconds,
        budget: Nanoseconds,
    ) -> Result<Option<Nanoseconds>, Error> {
        let path = self.roots.process(pid).join("status");
        let mut buffer = Vec::with_capacity(4096);
        read_path(&path, &mut buffer)?;
        let status = Status::parse(&buffer).map_err(|problem| problem.at(&path))?;
        self.peak = self.peak.max(status.peak);
        self.swapped = self.swapped.max(status.swapped);
        self.each.saw(pid, &status);
        // A zombie has no memory lines.
        if status.resident.is_none() {
            return Err(Error::Gone { path });
        }
        self.look_at_io(pid, &mut buffer);
        let own = status.own();
        if let Some(node) = self.only_node {
            let own = own.ok_or_else(|| Error::Malformed {
                path,
                found: "no RssAnon".to_owned(),
                expected: "RssAnon, which Linux has since 4.5",
            })?;
            let found = FoundPages {
                by_node: vec![(node, own)],
                pages_seen: 0,
                shared: Reading::unavailable(NOT_WALKED),
                segments: Vec::new(),
                memory: Reading::unavailable(NOT_WALKED),
            };
            self.complete(pid, found, PageSource::OneNode, elapsed);
            return Ok(None);
        }
        let private = own.or(status.resident).unwrap_or(Bytes(0));
        // What a walk goes through, most of it twice where it is shared.
        let resident = private + status.shared.unwrap_or_default();
        let may = |source| !self.failed.contains(&(pid, source));
        let sparse = self.sparse.take() == Some(pid);
        let source = match (may(PageSource::NumaMaps), may(PageSource::MovePages)) {
            (true, _) if sparse => PageSource::NumaMaps,
            (true, true) => self.costs.choose(private, resident, self.pages),
            (true, false) => PageSource::NumaMaps,
            (false, true) => PageSource::MovePages,
            (false, false) => return Ok(None),
        };
        let cost = self.costs.walk(resident);
        let scan = match source {
            // The walk of one large mapping cannot be cut into pieces: it must be paid for before.
            PageSource::NumaMaps if cost > budget => {
                self.sparse = sparse.then_some(pid);
                // A little more, since the process may have grown until then.
                return Ok(Some(cost + Nanoseconds(cost.0 / 8)));
            }
            PageSource::NumaMaps => {
                let walk = MemoryWalk::open(&self.roots.process(pid), pages::page_size(), LARGEST);
                walk.map(|walk| Scan::Walk(Box::new(walk)))
            }
            _ => {
                let few_will_do = !may(PageSource::NumaMaps) || cost > EXPENSIVE;
                Query::open(&self.roots, pid, self.pages, (own, status.shared), few_will_do)
                    .map(|query| Scan::Query(Box::new(query)))
            }
        };
        match scan {
            Ok(scan) => {
                self.running = Some(Running { pid, resident, scan, at: elapsed, cost: Nanoseconds(0) })
            }
            Err(error) => self.fail(pid, source, error),
        }
        Ok(None)
    }

    /// One piece of the scan under way.
    fn advance(&mut self) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        let begun = clock::thread_cpu_time();
        let piece = match &mut running.scan {
            Scan::Walk(walk) => walked(walk.piece(), &self.roots, running.pid),
            Scan::Query(query) => query.piece(&mut self.random),
        };
        running.cost = running.cost + clock::thread_cpu_time().saturating_sub(begun);
        let (pid, source) = (running.pid, running.scan.source());
        match piece {
            Ok(ScanProgress::More) => self.running = Some(running),
            Ok(ScanProgress::Done(found)) => {
                if source == PageSource::NumaMaps {
                    self.costs.learn_walk(running.resident, running.cost);
                }
                self.complete(pid, found, source, running.at);
            }
            Ok(ScanProgress::TooSparse) => {
                self.sparse = Some(pid);
                self.queue.push(pid);
            }
            Err(error) => self.fail(pid, source, error),
        }
    }

    /// Notes that a way does not work for a process, and has the other one tried.
    fn fail(&mut self, pid: Pid, source: PageSource, error: Error) {
        if error.is_gone() && !self.roots.process(pid).join("maps").exists() {
            return;
        }
        self.failed.push((pid, source));
        self.queue.push(pid);
        if self.problem.is_none() {
            self.problem = Some(error.to_string());
        }
    }

    /// Books the pages of a process and keeps the sample of the trial when it is the largest so far.
    fn complete(&mut self, pid: Pid, found: FoundPages, source: PageSource, elapsed: Nanoseconds) {
        let is_new = self.latest.iter().all(|pages| pages.pid != pid);
        self.latest.retain(|pages| pages.pid != pid);
        self.outdated.retain(|outdated| *outdated != pid);
        let pages = ProcessPages::new(pid, found, source);
        if is_new && pages.shares() {
            self.outdated =
                self.latest.iter().filter(|pages| pages.shares()).map(|pages| pages.pid).collect();
        }
        let pages = Arc::new(pages);
        self.each.sampled(pid, &pages, elapsed);
        self.latest.push(pages);
        let resident: Bytes = self.latest.iter().map(|pages| pages.resident).sum();
        if self.is_better(resident) {
            let walk_failed = self.failed.iter().filter(|(_, source)| *source == PageSource::NumaMaps);
            let unreadable =
                walk_failed.filter(|(pid, _)| self.failed.contains(&(*pid, PageSource::MovePages))).count();
            self.best = Some(KeptSample {
                processes: self.latest.clone(),
                unreadable,
                asked: self.pages,
                at: elapsed,
                outdated: !self.outdated.is_empty(),
            });
        }
        self.most = self.most.max(resident);
    }

    /// Whether the latest pages, of which so much is resident, are to be kept instead of those kept so far.
    fn is_better(&self, resident: Bytes) -> bool {
        let (resident, most) = (resident.0 as f64, self.most.0 as f64);
        match &self.best {
            Some(best) if !best.outdated && !self.outdated.is_empty() => resident * TIE > most,
            Some(_) => resident >= most * TIE,
            None => true,
        }
    }

    fn note(&mut self, error: Error) {
        if !error.is_gone() && self.problem.is_none() {
            self.problem = Some(error.to_string());
        }
    }

    /// The sample kept, or why there is none.
    pub fn result(&self) -> Reading<KeptSample> {
        match (&self.best, &self.problem) {
            (Some(sample), _) => Reading::Measured(sample.clone()),
            (None, Some(problem)) => Reading::unavailable(problem.clone()),
            (None, None) if self.running.is_some() => Reading::unavailable(
                "the trial ended before its many mappings could be read within the sampling budget",
            ),
            (None, None) => Reading::unavailable("the trial ended before its pages were sampled"),
        }
    }
}

/// The result of a piece of a walk. A process has a stack: nothing private at all means that it ended meanwhile.
fn walked(
    piece: Result<Option<ProcessMemory>, Error>,
    roots: &Roots,
    pid: Pid,
) -> Result<ScanProgress, Error> {
    Ok(match piece? {
        None => ScanProgress::More,
        Some(memory) if memory.private.is_empty() => {
            return Err(Error::Gone { path: roots.process(pid).join("numa_maps") });
        }
        Some(memory) => ScanProgress::Done(FoundPages {
            by_node: memory.private,
            pages_seen: memory.private_pages,
            shared: Reading::Measured(with_part(memory.shared, roots, pid)),
            segments: Vec::new(),
            memory: Reading::Measured(memory.all),
        }),
    })
}

/// With less shared memory than this it is neither sampled by itself, nor is its exact amount worth another walk of the page tables.
const WORTH_A_LOOK: Bytes = Bytes::mib(1);

/// What is shared, with the process's part of it as the kernel states it where others have it mapped, too.
fn with_part(mut shared: Vec<SharedPages>, roots: &Roots, pid: Pid) -> Vec<SharedPages> {
    let of_shared = || shared.iter().filter(|pages| pages.used_for == PageUse::Shared);
    let all: Bytes = of_shared().map(SharedPages::total).sum();
    if all >= WORTH_A_LOOK && of_shared().any(|pages| pages.part < pages.total()) {
        let mut buffer = Vec::with_capacity(1024);
        let read = read_path(&roots.process(pid).join("smaps_rollup"), &mut buffer);
        if let Some(part) = read.ok().and_then(|()| own_part_of_shared(&buffer)) {
            take_part(&mut shared, part);
        }
    }
    shared
}
