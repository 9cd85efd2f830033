//! The memory of a process, from `numa_maps`, or from `smaps` where the kernel has no `numa_maps`.

use std::path::Path;

use numawise_facts::{MemorySnapshot, Reading};
use numawise_units::{Bytes, NodeId};

use super::Context;
use super::tally::Tally;
use super::task::{self, Task};
use numawise_linux::file::Lines;
use numawise_linux::proc::numa_maps::{MappingName, NumaMapping};
use numawise_linux::proc::smaps::{ResidentMapping, SmapsReader};
use numawise_linux::{Error, Malformed};

pub(super) fn read(context: &Context<'_>, task: &Task) -> Reading<MemorySnapshot> {
    if let Some(reason) = task::no_memory(task.kind) {
        return Reading::unavailable(reason);
    }
    let numa_maps = task.directory.join("numa_maps");
    let found =
        if numa_maps.exists() { walk(context, &numa_maps) } else { fall_back(context, &task.directory) };
    match found {
        // Every process has a stack: nothing at all means that it ended meanwhile.
        Ok(memory) if memory.mappings == 0 => Reading::unavailable("it ended while it was sampled"),
        Ok(memory) => Reading::Measured(memory),
        Err(error) => Reading::unavailable(task::reason(&error)),
    }
}

fn walk(context: &Context<'_>, path: &Path) -> Result<MemorySnapshot, Error> {
    let mut tally = Tally::new(context.usual, context.options.largest);
    let mut nodes = Vec::new();
    each_line(path, |line| {
        let mapping = NumaMapping::parse(line, &mut nodes)?;
        tally.add(&mapping, &nodes).ok_or_else(|| Malformed::new(line, "pages that make less than 16 EiB"))
    })?;
    Ok(tally.finish())
}

/// A kernel without NUMA: all there is, is on its only node, and the policy is the default one.
fn fall_back(context: &Context<'_>, directory: &Path) -> Result<MemorySnapshot, Error> {
    let missing = || Error::Gone { path: directory.join("numa_maps") };
    let node = context.roots.only_node().ok_or_else(missing)?;
    let path = directory.join("smaps");
    let mut tally = Tally::new(context.usual, context.options.largest);
    let mut smaps = SmapsReader::default();
    let too_much = |line: &[u8]| Malformed::new(line, "pages that make less than 16 EiB");
    each_line(&path, |line| match smaps.line(line)? {
        Some(resident) => add(&mut tally, context.usual, node, &resident).ok_or_else(|| too_much(line)),
        None => Ok(()),
    })?;
    if let Some(resident) = smaps.end() {
        add(&mut tally, context.usual, node, &resident).ok_or_else(|| too_much(b"").at(&path))?;
    }
    Ok(tally.finish())
}

fn add(tally: &mut Tally, usual: Bytes, node: NodeId, resident: &ResidentMapping) -> Option<()> {
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

/// Hands every line to `take`, to the first that is malformed.
fn each_line(path: &Path, mut take: impl FnMut(&[u8]) -> Result<(), Malformed>) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    let mut problem = None;
    loop {
        let more = lines.piece(|line| {
            if problem.is_none() {
                problem = take(line).err();
            }
        });
        let more = more.map_err(|error| Error::from_io(path, error))?;
        match problem {
            Some(problem) => return Err(problem.at(path)),
            None if !more => return Ok(()),
            None => {}
        }
    }
}
