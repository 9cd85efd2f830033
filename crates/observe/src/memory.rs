//! The memory of a process, by one pass over its `numa_maps`: the residency sample of a trial and a snapshot of running
//! processes are both made from it. Where the kernel has no `numa_maps`, a snapshot reads `smaps`.

use std::path::{Path, PathBuf};

use numawise_linux::file::Lines;
use numawise_linux::proc::numa_maps::{MappingName, NumaMapping};
use numawise_linux::proc::smaps::{ResidentMapping, SmapsReader};
use numawise_linux::{Error, Malformed, Roots};
use numawise_units::{Bytes, NodeId};

mod shared;
mod tally;
mod together;

pub(crate) use shared::{SharedPages, counted_once, take_part};
use tally::Tally;
pub(crate) use tally::{ProcessMemory, is_shared_memory};
pub(crate) use together::together;

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
        mapped_by: 1,
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

/// Adds memory to a node's sum.
pub(crate) fn add_node(by_node: &mut Vec<(NodeId, Bytes)>, node: NodeId, bytes: Bytes) {
    match by_node.iter_mut().find(|(known, _)| *known == node) {
        Some((_, sum)) => *sum = Bytes(sum.0.saturating_add(bytes.0)),
        None => by_node.push((node, bytes)),
    }
}
