//! Estimating where the pages of a process are by asking `move_pages` for a random sample of them.

use numawise_linux::calls::pages;
use std::ops::Range;
use std::path::{Path, PathBuf};

use numawise_facts::{PageUse, Reading};
use numawise_units::{Bytes, NodeId, Pid};

use super::{FoundPages, ScanProgress, WORTH_A_LOOK};
use crate::memory::{SharedPages, add_node, is_shared_memory};
use crate::random::Random;
use numawise_linux::Roots;
use numawise_linux::file::Lines;
use numawise_linux::proc::maps::{MappedFile, Mapping};
use numawise_linux::{Error, Malformed};

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;

/// Pages asked for in one system call.
const CHUNK: usize = 256;

/// With fewer resident pages in the sample than this the shares are too coarse (10 % and worse).
const ENOUGH: u64 = 100;

/// Why there is no shared memory by node.
const NO_SHARED: &str = "the kernel does not say how much shared memory is resident (RssShmem, Linux 4.5)";
const FEW_SHARED: &str = "no page of the sample of shared memory was resident";
/// Why there is no memory by use and policy.
const NO_USE: &str = "the pages were sampled with move_pages, which shows neither their use nor their policy";

#[derive(Debug)]
pub(super) struct Query {
    pid: Pid,
    path: PathBuf,
    /// None once all mappings are known.
    lines: Option<Lines>,
    sample: usize,
    /// There is no other way: coarse shares are better than none.
    few_will_do: bool,
    private: PageSample,
    /// Memory that processes share.
    shared: PageSample,
    /// What it is of, and how long each is.
    segments: Vec<(Segment, Bytes)>,
    page: u64,
}

/// Pages of some mappings, chosen to speak for all of them.
#[derive(Debug, Default)]
struct PageSample {
    mappings: Vec<Range<u64>>,
    /// What the process has resident there by its own count.
    resident: Option<Bytes>,
    addresses: Vec<usize>,
    asked: usize,
    hits: Vec<(NodeId, u64)>,
}

/// A file or a segment of shared memory: its device and its number there.
pub(super) type Segment = (Vec<u8>, u64);

impl Query {
    /// `own` and `shared` are what the process has resident of private and of shared memory by its own count.
    pub fn open(
        roots: &Roots,
        pid: Pid,
        sample: usize,
        (own, shared): (Option<Bytes>, Option<Bytes>),
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
            sample,
            few_will_do,
            private: PageSample { resident: own, ..PageSample::default() },
            shared: PageSample { resident: shared, ..PageSample::default() },
            segments: Vec::new(),
            page: pages::page_size().0,
        })
    }

    /// Reads on in `maps`, or asks for the next pages.
    pub fn piece(&mut self, random: &mut Random) -> Result<ScanProgress, Error> {
        if self.lines.is_some() {
            return self.read_maps(random);
        }
        for sample in [&mut self.private, &mut self.shared] {
            if !sample.is_asked() {
                sample.ask(self.pid, &self.path)?;
                return Ok(ScanProgress::More);
            }
        }
        Ok(self.estimate())
    }

    fn read_maps(&mut self, random: &mut Random) -> Result<ScanProgress, Error> {
        let Some(lines) = &mut self.lines else {
            return Ok(ScanProgress::More);
        };
        let mut problem: Option<Malformed> = None;
        let (private, shared, segments) = (&mut self.private, &mut self.shared, &mut self.segments);
        let with_shared = shared.resident.is_some_and(|resident| resident >= WORTH_A_LOOK);
        let more = lines
            .piece(|line| match Mapping::parse(line) {
                Ok(mapping) if mapping.own() => private.add(mapping.addresses),
                Ok(mapping) if with_shared && !mapping.private => {
                    if let Some(file) = MappedFile::of(line).filter(|file| is_shared_memory(file.path)) {
                        add_segment(segments, &file);
                        shared.add(mapping.addresses);
                    }
                }
                Ok(_) => {}
                Err(malformed) => problem = Some(malformed),
            })
            .map_err(|error| Error::from_io(&self.path, error))?;
        if let Some(problem) = problem {
            return Err(problem.at(&self.path));
        }
        if !more {
            self.lines = None;
            if self.private.mappings.is_empty() {
                return Err(Error::Gone { path: self.path.clone() });
            }
            for sample in [&mut self.private, &mut self.shared] {
                sample.addresses = choose(&sample.mappings, self.page, self.sample, random);
            }
        }
        Ok(ScanProgress::More)
    }

    /// The shares of the samples, times what the process says it has resident.
    fn estimate(&self) -> ScanProgress {
        let hits = self.private.hits();
        let all_asked = self.private.pages(self.page) == self.private.addresses.len() as u64;
        if hits == 0 && !self.few_will_do || (hits < ENOUGH && !all_asked && !self.few_will_do) {
            return ScanProgress::TooSparse;
        }
        ScanProgress::Done(FoundPages {
            by_node: self.private.by_node(self.page),
            pages_seen: hits + self.shared.hits(),
            shared: self.shared_pages(),
            segments: self.segments.clone(),
            memory: Reading::unavailable(NO_USE),
        })
    }

    fn shared_pages(&self) -> Reading<Vec<SharedPages>> {
        let Some(resident) = self.shared.resident else { return Reading::unavailable(NO_SHARED) };
        let by_node = self.shared.by_node(self.page);
        if resident < WORTH_A_LOOK {
            return Reading::Measured(Vec::new());
        }
        if by_node.is_empty() {
            return Reading::unavailable(FEW_SHARED);
        }
        let part = by_node.iter().map(|(_, bytes)| *bytes).sum();
        let (used_for, policy) = (PageUse::Shared, String::new());
        Reading::Measured(vec![SharedPages { used_for, policy, by_node, part }])
    }
}

impl PageSample {
    fn add(&mut self, addresses: Range<u64>) {
        match self.mappings.last_mut() {
            Some(last) if last.end == addresses.start => last.end = addresses.end,
            _ => self.mappings.push(addresses),
        }
    }

    fn is_asked(&self) -> bool {
        self.asked >= self.addresses.len()
    }

    fn ask(&mut self, pid: Pid, path: &Path) -> Result<(), Error> {
        let chunk = &self.addresses[self.asked..self.addresses.len().min(self.asked + CHUNK)];
        let mut nodes = [0i32; CHUNK];
        let nodes = &mut nodes[..chunk.len()];
        pages::page_nodes(pid, chunk, nodes).map_err(|source| match source.raw_os_error() {
            Some(libc::ESRCH) => Error::Gone { path: path.to_owned() },
            _ => Error::MovePages { pid: pid.0, source },
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
        Ok(())
    }

    fn hits(&self) -> u64 {
        self.hits.iter().map(|(_, count)| count).sum()
    }

    fn pages(&self, page: u64) -> u64 {
        self.mappings.iter().map(|mapping| (mapping.end - mapping.start) / page).sum()
    }

    fn by_node(&self, page: u64) -> Vec<(NodeId, Bytes)> {
        let hits = self.hits();
        let sampled = || self.pages(page) as f64 * page as f64 * hits as f64 / self.addresses.len() as f64;
        let resident = self.resident.map_or_else(sampled, |resident| resident.0 as f64);
        let mut by_node = Vec::new();
        for &(node, count) in &self.hits {
            add_node(&mut by_node, node, Bytes((resident * count as f64 / hits as f64) as u64));
        }
        by_node
    }
}

fn add_segment(segments: &mut Vec<(Segment, Bytes)>, file: &MappedFile<'_>) {
    let known =
        segments.iter_mut().find(|((device, inode), _)| device == file.device && *inode == file.inode);
    match known {
        Some((_, long)) => *long = Bytes(long.0.max(file.end)),
        None => segments.push(((file.device.to_vec(), file.inode), Bytes(file.end))),
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
