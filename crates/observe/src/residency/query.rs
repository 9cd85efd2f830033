//! Estimating where the pages of a process are by asking `move_pages` for a random sample of them.

use numawise_linux::calls::pages;
use std::ops::Range;
use std::path::PathBuf;

use numawise_facts::Reading;
use numawise_units::{Bytes, NodeId, Pid};

use super::{FoundPages, ScanProgress};
use crate::memory::add_node;
use crate::random::Random;
use numawise_linux::Roots;
use numawise_linux::file::Lines;
use numawise_linux::proc::maps::Mapping;
use numawise_linux::{Error, Malformed};

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;

/// Pages asked for in one system call.
const CHUNK: usize = 256;

/// With fewer resident pages in the sample than this the shares are too coarse (10 % and worse).
const ENOUGH: u64 = 100;

/// Why there is no memory by use and policy.
const NO_USE: &str = "the pages were sampled with move_pages, which shows neither their use nor their policy";

#[derive(Debug)]
pub(super) struct Query {
    pid: Pid,
    path: PathBuf,
    /// None once all mappings are known.
    lines: Option<Lines>,
    mappings: Vec<Range<u64>>,
    sample: usize,
    /// What the process has resident by its own count.
    own: Option<Bytes>,
    /// There is no other way: coarse shares are better than none.
    few_will_do: bool,
    addresses: Vec<usize>,
    asked: usize,
    hits: Vec<(NodeId, u64)>,
    page: u64,
}

impl Query {
    pub fn open(
        roots: &Roots,
        pid: Pid,
        sample: usize,
        own: Option<Bytes>,
        few_will_do: bool,
    ) -> Result<Self, Error> {
        if !roots.is_live() {
            // Identifiers below another root are not those that the system call would take.
            let source = std::io::Error::from_raw_os_error(libc::ENOSYS);
            return Err(Error::MovePages { pid: pid.0, source });
        }
        let path = roots.process(pid).join("maps");
        Ok(Query {
            pid,
            lines: Some(Lines::open(&path)?),
            path,
            mappings: Vec::new(),
            sample,
            own,
            few_will_do,
            addresses: Vec::new(),
            asked: 0,
            hits: Vec::new(),
            page: pages::page_size().0,
        })
    }

    /// Reads on in `maps`, or asks for the next pages.
    pub fn piece(&mut self, random: &mut Random) -> Result<ScanProgress, Error> {
        if self.lines.is_some() { self.read_maps(random) } else { self.ask() }
    }

    fn read_maps(&mut self, random: &mut Random) -> Result<ScanProgress, Error> {
        let Some(lines) = &mut self.lines else {
            return Ok(ScanProgress::More);
        };
        let mut problem: Option<Malformed> = None;
        let mappings = &mut self.mappings;
        let more = lines
            .piece(|line| match Mapping::parse(line) {
                Ok(mapping) if mapping.own() => match mappings.last_mut() {
                    Some(last) if last.end == mapping.addresses.start => last.end = mapping.addresses.end,
                    _ => mappings.push(mapping.addresses),
                },
                Ok(_) => {}
                Err(malformed) => problem = Some(malformed),
            })
            .map_err(|error| Error::from_io(&self.path, error))?;
        if let Some(problem) = problem {
            return Err(problem.at(&self.path));
        }
        if !more {
            self.lines = None;
            if self.mappings.is_empty() {
                return Err(Error::Gone { path: self.path.clone() });
            }
            self.addresses = choose(&self.mappings, self.page, self.sample, random);
        }
        Ok(ScanProgress::More)
    }

    fn ask(&mut self) -> Result<ScanProgress, Error> {
        let chunk = &self.addresses[self.asked..self.addresses.len().min(self.asked + CHUNK)];
        let mut nodes = [0i32; CHUNK];
        let nodes = &mut nodes[..chunk.len()];
        pages::page_nodes(self.pid, chunk, nodes).map_err(|source| match source.raw_os_error() {
            Some(libc::ESRCH) => Error::Gone { path: self.path.clone() },
            _ => Error::MovePages { pid: self.pid.0, source },
        })?;
        for &node in nodes.iter() {
            // Negative: not resident, the zero page, or unmapped meanwhile.
            let Ok(node) = u32::try_from(node) else { continue };
            match self.hits.iter_mut().find(|(known, _)| known.0 == node) {
                Some((_, count)) => *count += 1,
                None => self.hits.push((NodeId(node), 1)),
            }
        }
        self.asked += chunk.len();
        if self.asked < self.addresses.len() {
            return Ok(ScanProgress::More);
        }
        Ok(self.estimate())
    }

    /// The shares of the sample, times what the process says it has resident.
    fn estimate(&self) -> ScanProgress {
        let hits: u64 = self.hits.iter().map(|(_, count)| count).sum();
        let pages: u64 = self.mappings.iter().map(|m| (m.end - m.start) / self.page).sum();
        let all_asked = pages == self.addresses.len() as u64;
        if hits == 0 && !self.few_will_do || (hits < ENOUGH && !all_asked && !self.few_will_do) {
            return ScanProgress::TooSparse;
        }
        let sampled = pages as f64 * self.page as f64 * hits as f64 / self.addresses.len() as f64;
        let resident = self.own.map_or(sampled, |own| own.0 as f64);
        let mut by_node = Vec::new();
        for &(node, count) in &self.hits {
            add_node(&mut by_node, node, Bytes((resident * count as f64 / hits as f64) as u64));
        }
        let shared = Reading::unavailable(NO_USE);
        ScanProgress::Done(FoundPages {
            by_node,
            pages_seen: hits,
            shared,
            memory: Reading::unavailable(NO_USE),
        })
    }
}

/// Chooses `count` pages of the mappings: one at random in each of as many equal spans, so that no regular pattern of
/// placement can fall in with the choice. All pages, when there are no more than that.
fn choose(mappings: &[Range<u64>], page: u64, count: usize, random: &mut Random) -> Vec<usize> {
    let total: u64 = mappings.iter().map(|m| (m.end - m.start) / page).sum();
    let count = (count as u64).min(total);
    let mut chosen = Vec::with_capacity(count as usize);
    let mut mappings = mappings.iter();
    let mut current = mappings.next();
    let mut before = 0; // pages in the mappings passed
    for k in 0..count {
        let span = |k: u64| (u128::from(k) * u128::from(total) / u128::from(count)) as u64;
        let at = span(k) + random.below(span(k + 1) - span(k));
        while let Some(mapping) = current {
            let pages = (mapping.end - mapping.start) / page;
            if at < before + pages {
                chosen.push((mapping.start + (at - before) * page) as usize);
                break;
            }
            before += pages;
            current = mappings.next();
        }
    }
    chosen
}
