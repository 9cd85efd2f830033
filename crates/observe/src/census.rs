//! The page census: how much of the program's own memory is on which node.
//!
//! A census of one process is taken in steps that can be put off, so that a process with much memory or many mappings
//! costs no more at a time than the budget has. The census of the trial is the sum over its processes.

use numawise_linux::calls::clock;
use std::sync::atomic::{AtomicBool, Ordering};

use numawise_facts::{Reading, ResidencySample};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};

use crate::random::Random;
use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::status::Status;

mod choice;
mod query;
mod walk;

use choice::Costs;
pub use choice::Method;
use query::Query;
use walk::Walk;

#[cfg(test)]
#[path = "census_tests.rs"]
mod tests;

/// A later census replaces an earlier one also when it holds a little less: pages move, and the last place counts.
const TIE: f64 = 0.98;

/// When the sample of a process's pages finds too few, a walk that costs more than this is not made instead.
const DEAR: Nanoseconds = Nanoseconds(2_000_000);

/// The own pages of one process.
#[derive(Debug, Clone, PartialEq)]
struct ProcessPages {
    pid: Pid,
    by_node: Vec<(NodeId, Bytes)>,
    pages_seen: u64,
    how: How,
}

/// How a process's pages were told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    OneNode,
    NumaMaps,
    MovePages,
}

/// A census of one process under way.
#[derive(Debug)]
enum Scan {
    Walk(Walk),
    Query(Query),
}

impl Scan {
    fn how(&self) -> How {
        match self {
            Scan::Walk(_) => How::NumaMaps,
            Scan::Query(_) => How::MovePages,
        }
    }
}

/// The process being looked at.
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
enum Piece {
    More,
    Done {
        by_node: Vec<(NodeId, Bytes)>,
        pages_seen: u64,
    },
    /// The sample of pages found too few that are resident.
    TooSparse,
}

/// How far the census of the trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// All processes were looked at.
    Complete,
    /// There is more to do, for which so much CPU time must be there.
    Needs(Nanoseconds),
}

/// The state of the census of a trial.
#[derive(Debug)]
pub(crate) struct Census {
    roots: Roots,
    only_node: Option<NodeId>,
    costs: Costs,
    pages: usize,
    random: Random,
    running: Option<Running>,
    /// The process whose sample has just found too few pages.
    sparse: Option<Pid>,
    /// Ways that do not work for a process.
    failed: Vec<(Pid, How)>,
    latest: Vec<ProcessPages>,
    /// Processes still to look at in this round.
    queue: Vec<Pid>,
    best: Option<ResidencySample>,
    most: Bytes,
    /// Largest `VmHWM` seen.
    pub peak: Option<Bytes>,
    problem: Option<String>,
}

impl Census {
    pub fn new(roots: Roots, method: Method, pages: usize, seed: u64) -> Self {
        let only_node = roots.only_node().filter(|_| method == Method::Auto);
        Census {
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
            best: None,
            most: Bytes(0),
            peak: None,
            problem: None,
        }
    }

    /// True when there is but one node, so that a census is nearly free.
    pub fn one_node(&self) -> bool {
        self.only_node.is_some()
    }

    /// Goes on with the census of the processes `alive` until a `slice` is spent, of the `room` that there is.
    pub fn step(
        &mut self,
        alive: &[Pid],
        elapsed: Nanoseconds,
        room: Nanoseconds,
        slice: Nanoseconds,
        stop: &AtomicBool,
    ) -> Step {
        let begun = clock::thread_cpu_time();
        self.latest.retain(|pages| alive.contains(&pages.pid));
        if self.running.is_none() && self.queue.is_empty() {
            self.queue = alive.iter().rev().copied().collect();
        }
        loop {
            let spent = clock::thread_cpu_time().saturating_sub(begun);
            if self.running.is_none() && self.queue.is_empty() {
                return Step::Complete;
            }
            if stop.load(Ordering::Relaxed) || spent >= slice.min(room) && spent.0 > 0 {
                return Step::Needs(Nanoseconds(0));
            }
            if self.running.is_some() {
                self.advance();
                continue;
            }
            let Some(pid) = self.queue.pop() else { continue };
            match self.begin(pid, elapsed, room) {
                Ok(None) => {}
                Ok(Some(estimate)) => {
                    self.queue.push(pid);
                    return Step::Needs(estimate);
                }
                Err(error) => self.note(error),
            }
        }
    }

    /// Begins with a process; with one node that is all. Gives what it needs when that is more than `room`.
    fn begin(
        &mut self,
        pid: Pid,
        elapsed: Nanoseconds,
        room: Nanoseconds,
    ) -> Result<Option<Nanoseconds>, Error> {
        let path = self.roots.process(pid).join("status");
        let mut buffer = Vec::with_capacity(4096);
        read_path(&path, &mut buffer)?;
        let status = Status::parse(&buffer).map_err(|problem| problem.at(&path))?;
        self.peak = self.peak.max(status.peak);
        // A zombie has no memory lines.
        if status.resident.is_none() {
            return Err(Error::Gone { path });
        }
        let own = status.own();
        if let Some(node) = self.only_node {
            let own = own.ok_or_else(|| Error::Malformed {
                path,
                found: "no RssAnon".to_owned(),
                expected: "RssAnon, which Linux has since 4.5",
            })?;
            let by_node = vec![(node, own)];
            self.complete(pid, by_node, 0, How::OneNode, elapsed);
            return Ok(None);
        }
        let resident = own.or(status.resident).unwrap_or(Bytes(0));
        let may = |how| !self.failed.contains(&(pid, how));
        let sparse = self.sparse.take() == Some(pid);
        let how = match (may(How::NumaMaps), may(How::MovePages)) {
            (true, _) if sparse => How::NumaMaps,
            (true, true) => self.costs.choose(resident, self.pages),
            (true, false) => How::NumaMaps,
            (false, true) => How::MovePages,
            (false, false) => return Ok(None),
        };
        let cost = self.costs.walk(resident);
        let scan = match how {
            // The walk of one large mapping cannot be cut into pieces: it must be paid for before.
            How::NumaMaps if cost > room => {
                self.sparse = sparse.then_some(pid);
                // A little more, since the process may have grown until then.
                return Ok(Some(cost + Nanoseconds(cost.0 / 8)));
            }
            How::NumaMaps => Walk::open(&self.roots, pid).map(Scan::Walk),
            _ => {
                let few_will_do = !may(How::NumaMaps) || cost > DEAR;
                Query::open(&self.roots, pid, self.pages, own, few_will_do).map(Scan::Query)
            }
        };
        match scan {
            Ok(scan) => {
                self.running = Some(Running { pid, resident, scan, at: elapsed, cost: Nanoseconds(0) })
            }
            Err(error) => self.fail(pid, how, error),
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
            Scan::Walk(walk) => walk.piece(),
            Scan::Query(query) => query.piece(&mut self.random),
        };
        running.cost = running.cost + clock::thread_cpu_time().saturating_sub(begun);
        let (pid, how) = (running.pid, running.scan.how());
        match piece {
            Ok(Piece::More) => self.running = Some(running),
            Ok(Piece::Done { by_node, pages_seen }) => {
                if how == How::NumaMaps {
                    self.costs.learn_walk(running.resident, running.cost);
                }
                self.complete(pid, by_node, pages_seen, how, running.at);
            }
            Ok(Piece::TooSparse) => {
                self.sparse = Some(pid);
                self.queue.push(pid);
            }
            Err(error) => self.fail(pid, how, error),
        }
    }

    /// Notes that a way does not work for a process, and has the other one tried.
    fn fail(&mut self, pid: Pid, how: How, error: Error) {
        if error.is_gone() && !self.roots.process(pid).join("maps").exists() {
            return;
        }
        self.failed.push((pid, how));
        self.queue.push(pid);
        if self.problem.is_none() {
            self.problem = Some(error.to_string());
        }
    }

    /// Books the pages of a process and keeps the census of the trial when it is the largest so far.
    fn complete(
        &mut self,
        pid: Pid,
        by_node: Vec<(NodeId, Bytes)>,
        pages_seen: u64,
        how: How,
        elapsed: Nanoseconds,
    ) {
        self.latest.retain(|pages| pages.pid != pid);
        self.latest.push(ProcessPages { pid, by_node, pages_seen, how });
        let sum = self.sum(elapsed);
        let resident: Bytes = sum.by_node.iter().map(|(_, bytes)| *bytes).sum();
        if self.best.is_none() || resident.0 as f64 >= self.most.0 as f64 * TIE {
            self.best = Some(sum);
        }
        self.most = self.most.max(resident);
    }

    /// The census over the latest pages of all processes.
    fn sum(&self, at: Nanoseconds) -> ResidencySample {
        let mut by_node: Vec<(NodeId, Bytes)> = Vec::new();
        for &(node, bytes) in self.latest.iter().flat_map(|pages| &pages.by_node) {
            add(&mut by_node, node, bytes);
        }
        by_node.sort_by_key(|(node, _)| *node);
        let used = |how| self.latest.iter().any(|pages| pages.how == how);
        let method = match (used(How::OneNode), used(How::NumaMaps), used(How::MovePages)) {
            (true, _, _) => "one node".to_owned(),
            (_, true, false) => "numa_maps".to_owned(),
            (_, false, _) => format!("move_pages on a sample of {} pages", self.pages),
            (_, true, true) => format!("numa_maps, and move_pages on a sample of {} pages", self.pages),
        };
        let blind = self.failed.iter().filter(|(_, how)| *how == How::NumaMaps);
        let blind = blind.filter(|(pid, _)| self.failed.contains(&(*pid, How::MovePages))).count();
        let method = match blind {
            0 => method,
            1 => format!("{method}; without 1 process that may not be looked at"),
            _ => format!("{method}; without {blind} processes that may not be looked at"),
        };
        ResidencySample {
            by_node,
            method,
            pages_seen: self.latest.iter().map(|pages| pages.pages_seen).sum(),
            at,
        }
    }

    fn note(&mut self, error: Error) {
        if !error.is_gone() && self.problem.is_none() {
            self.problem = Some(error.to_string());
        }
    }

    /// The census kept, or why there is none.
    pub fn result(&self) -> Reading<ResidencySample> {
        match (&self.best, &self.problem) {
            (Some(census), _) => Reading::Measured(census.clone()),
            (None, Some(problem)) => Reading::unavailable(problem.clone()),
            (None, None) if self.running.is_some() => Reading::unavailable(
                "the trial ended before its many mappings could be looked through within the sampling budget",
            ),
            (None, None) => Reading::unavailable("the trial ended before its pages were looked at"),
        }
    }
}

/// Adds memory to a node's sum.
fn add(by_node: &mut Vec<(NodeId, Bytes)>, node: NodeId, bytes: Bytes) {
    match by_node.iter_mut().find(|(known, _)| *known == node) {
        Some((_, sum)) => *sum = *sum + bytes,
        None => by_node.push((node, bytes)),
    }
}
