//! The memory of a process, by one pass over its `numa_maps`: the residency sample of a trial and a snapshot of running
//! processes are both made from it. Where the kernel has no `numa_maps`, a snapshot reads `smaps`.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use numawise_facts::{MappingSnapshot, MemorySnapshot, PageUse, PolicyShare};
use numawise_linux::file::Lines;
use numawise_linux::proc::numa_maps::{MappingName, NumaMapping};
use numawise_linux::proc::smaps::{ResidentMapping, SmapsReader};
use numawise_linux::{Error, Malformed, Roots};
use numawise_units::{Bytes, NodeId};

mod tally;

pub(crate) use tally::ProcessMemory;
use tally::Tally;

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;

const TOO_MUCH: &str = "pages that make less than 16 EiB";

/// A walk of `numa_maps` that can be put off after each piece of the file.
#[derive(Debug)]
pub(crate) struct MemoryWalk {
    path: PathBuf,
    lines: Lines,
    tally: Tally,
    /// The pages by node of one line.
    nodes: Vec<(NodeId, u64)>,
}

impl MemoryWalk {
    /// Opens the file in the directory of a process or of one of its threads; `usual` is the size of a page, `largest` how
    /// many of the largest mappings are listed.
    pub fn open(directory: &Path, usual: Bytes, largest: usize) -> Result<Self, Error> {
        let path = directory.join("numa_maps");
        Ok(MemoryWalk {
            lines: Lines::open(&path)?,
            path,
            tally: Tally::new(usual, largest),
            nodes: Vec::new(),
        })
    }

    /// Reads on by one piece of the file; the memory once that was the last.
    pub fn piece(&mut self) -> Result<Option<ProcessMemory>, Error> {
        let (tally, nodes) = (&mut self.tally, &mut self.nodes);
        let more = piece(&mut self.lines, &self.path, |line| {
            let mapping = NumaMapping::parse(line, nodes)?;
            tally.add(&mapping, nodes).ok_or_else(|| Malformed::new(line, TOO_MUCH))
        })?;
        if more { Ok(None) } else { finish(self.tally.take(), &self.path).map(Some) }
    }
}

/// All memory of the process that has this directory, whatever reading it costs.
pub(crate) fn read(
    roots: &Roots,
    directory: &Path,
    usual: Bytes,
    largest: usize,
) -> Result<ProcessMemory, Error> {
    let mut walk = match MemoryWalk::open(directory, usual, largest) {
        Ok(walk) => walk,
        // A kernel without NUMA: all there is, is on its only node, and the policy is the default one.
        Err(error @ Error::Gone { .. }) => {
            let node = roots.only_node().ok_or(error)?;
            return read_smaps(directory, node, Tally::new(usual, largest), usual);
        }
        Err(error) => return Err(error),
    };
    loop {
        if let Some(memory) = walk.piece()? {
            return Ok(memory);
        }
    }
}

fn read_smaps(
    directory: &Path,
    node: NodeId,
    mut tally: Tally,
    usual: Bytes,
) -> Result<ProcessMemory, Error> {
    let path = directory.join("smaps");
    let mut smaps = SmapsReader::default();
    let mut lines = Lines::open(&path)?;
    while piece(&mut lines, &path, |line| match smaps.line(line)? {
        Some(resident) => {
            add_smaps(&mut tally, usual, node, &resident).ok_or_else(|| Malformed::new(line, TOO_MUCH))
        }
        None => Ok(()),
    })? {}
    if let Some(resident) = smaps.end() {
        add_smaps(&mut tally, usual, node, &resident)
            .ok_or_else(|| Malformed::new(b"", TOO_MUCH).at(&path))?;
    }
    finish(tally, &path)
}

fn add_smaps(tally: &mut Tally, usual: Bytes, node: NodeId, resident: &ResidentMapping) -> Option<()> {
    let huge = resident.huge.0 > 0;
    let page = if huge { resident.page.unwrap_or(usual).0.max(1) } else { usual.0 };
    let pages = |bytes: Bytes| bytes.0 / page;
    let (all, anonymous) =
        if huge { (pages(resident.huge), 0) } else { (pages(resident.all), pages(resident.anonymous)) };
    let line = NumaMapping {
        address: resident.addresses.start,
        policy: b"default",
        file: Some(&resident.name[..]).filter(|name| !name.is_empty()),
        name: match &resident.name[..] {
            b"[heap]" => MappingName::Heap,
            b"[stack]" => MappingName::Stack,
            _ => MappingName::Other,
        },
        huge,
        anonymous,
        pages: all,
        page: Some(Bytes(page)),
    };
    tally.add(&line, &[(node, all)])
}

/// Every process has a stack: no mapping at all means that it ended meanwhile.
fn finish(tally: Tally, path: &Path) -> Result<ProcessMemory, Error> {
    let memory = tally.finish();
    if memory.all.mappings == 0 { Err(Error::Gone { path: path.to_owned() }) } else { Ok(memory) }
}

/// Hands the lines of one piece of a file to `take`, up to the first that is malformed; true while there are more.
fn piece(
    lines: &mut Lines,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<(), Malformed>,
) -> Result<bool, Error> {
    let mut problem = None;
    let more = lines.piece(|line| {
        if problem.is_none() {
            problem = take(line).err();
        }
    });
    let more = more.map_err(|error| Error::from_io(path, error))?;
    match problem {
        Some(problem) => Err(problem.at(path)),
        None => Ok(more),
    }
}

/// The memory of several processes together, with the `largest` of all their mappings.
pub(crate) fn together<'a>(
    of: impl IntoIterator<Item = &'a MemorySnapshot>,
    largest: usize,
) -> MemorySnapshot {
    let mut all = MemorySnapshot::default();
    for one in of {
        for &(used_for, node, bytes) in &one.by_use {
            add_use(&mut all.by_use, used_for, node, bytes);
        }
        for share in &one.by_policy {
            match all.by_policy.iter_mut().find(|known| known.policy == share.policy) {
                Some(known) => {
                    known.mappings += share.mappings;
                    share.by_node.iter().for_each(|&(node, bytes)| add_node(&mut known.by_node, node, bytes));
                }
                None => all.by_policy.push(share.clone()),
            }
        }
        all.largest.extend(one.largest.iter().cloned());
        all.mappings += one.mappings;
    }
    all.by_use.sort_by_key(|&(used_for, node, _)| (used_for, node));
    all.by_policy.iter_mut().for_each(|share| share.by_node.sort_by_key(|(node, _)| *node));
    let resident =
        |share: &PolicyShare| share.by_node.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(bytes.0));
    all.by_policy.sort_by(|a, b| {
        (resident(b), b.mappings).cmp(&(resident(a), a.mappings)).then_with(|| a.policy.cmp(&b.policy))
    });
    all.largest.sort_by_key(|mapping: &MappingSnapshot| (Reverse(mapping.resident()), mapping.address));
    all.largest.truncate(largest);
    all
}

fn add_use(list: &mut Vec<(PageUse, NodeId, Bytes)>, used_for: PageUse, node: NodeId, bytes: Bytes) {
    match list.iter_mut().find(|(known, at, _)| (*known, *at) == (used_for, node)) {
        Some((.., sum)) => *sum = Bytes(sum.0.saturating_add(bytes.0)),
        None => list.push((used_for, node, bytes)),
    }
}

/// Adds memory to a node's sum.
pub(crate) fn add_node(by_node: &mut Vec<(NodeId, Bytes)>, node: NodeId, bytes: Bytes) {
    match by_node.iter_mut().find(|(known, _)| *known == node) {
        Some((_, sum)) => *sum = Bytes(sum.0.saturating_add(bytes.0)),
        None => by_node.push((node, bytes)),
    }
}
