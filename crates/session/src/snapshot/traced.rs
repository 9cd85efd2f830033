//! Where calls go that are written down one by one: in memory, and from there to the disk beside the record while the program runs.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use numawise_analyse::MEMORY_OF_AN_EVENT;
use numawise_facts::Notice;
use numawise_facts::notice::SnapshotNotice;
use numawise_launch::WrittenCalls;
use numawise_linux::memory::MemoryInfo;
use numawise_linux::{Roots, space};
use numawise_observe::activity::{DrainTo, KeptCalls, TraceDrain};
use numawise_units::Bytes;

use super::exchange::in_name;
use super::folder;

#[cfg(test)]
#[path = "traced_tests.rs"]
mod tests;

/// Memory that the analysis takes for a byte that was taken away: there an event has 7.
const ANALYSED: u64 = MEMORY_OF_AN_EVENT.div_ceil(7);

/// What is written down of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRequest {
    /// In the memory of each process.
    pub buffer: Bytes,
    /// On the disk, of all processes of a computer; none: what disk and memory for the analysis have room for.
    pub disk: Option<Bytes>,
    pub keep: KeptCalls,
    pub calls: WrittenCalls,
}

const KEPT: [(KeptCalls, &str); 3] =
    [(KeptCalls::First, "first"), (KeptCalls::Last, "last"), (KeptCalls::Around, "around")];

/// As `BUFFER,DISK,first,CALLS`, or without a disk `BUFFER,,last,CALLS`: for the numawise of a rank.
impl fmt::Display for TraceRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let disk = self.disk.map_or_else(String::new, |disk| disk.0.to_string());
        let keep = KEPT.iter().find(|(of, _)| *of == self.keep).map_or("", |(_, word)| word);
        write!(f, "{},{disk},{keep},{}", self.buffer.0, self.calls)
    }
}

impl FromStr for TraceRequest {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<TraceRequest, Self::Err> {
        let (buffer, rest) = text.split_once(',').unwrap_or((text, ""));
        let (disk, rest) = rest.split_once(',').unwrap_or((rest, ""));
        let (keep, calls) = rest.split_once(',').unwrap_or((rest, ""));
        let disk = if disk.is_empty() { None } else { Some(Bytes(disk.parse()?)) };
        let keep = KEPT.iter().find(|(_, word)| *word == keep).map_or(KeptCalls::First, |(of, _)| *of);
        Ok(TraceRequest { buffer: Bytes(buffer.parse()?), disk, keep, calls: calls.parse()? })
    }
}

/// Where the chunks go of the processes of this folder, of which `numawise` numawise take some each.
pub fn to(request: &TraceRequest, folder: &Path, record: Option<&Path>, numawise: u32) -> Option<DrainTo> {
    let beside = record.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    let beside = std::path::absolute(beside.unwrap_or(Path::new("."))).ok()?;
    remove_left(&beside);
    let most = request.disk.unwrap_or_else(|| bearable(&beside));
    let most = Bytes(most.0 / u64::from(numawise.max(1)));
    let name = folder.file_name()?.to_str()?;
    let folder = beside.join(format!("{}{name}", begin()));
    (most.0 > 0).then_some(DrainTo { folder, most, keep: request.keep })
}

/// Half of what is free on the disk, and what can be analysed in half of the memory.
fn bearable(folder: &Path) -> Bytes {
    let free = space::free(folder).unwrap_or_default();
    let memory = MemoryInfo::available(&Roots::live());
    Bytes((free.0 / 2).min(memory.map_or(u64::MAX, |memory| memory.0 / 2 / ANALYSED)))
}

/// Of folders of this computer.
fn begin() -> String {
    let host = numawise_linux::host::hostname(&Roots::live()).unwrap_or_default();
    format!("{}{}-", folder::BEGIN_TAKEN, in_name(&host))
}

/// What is to be said where the disk was full before the trace was whole.
pub fn finished(drain: TraceDrain, to: &Path) -> Option<Notice> {
    let drained = drain.finish();
    let problem = space::problem(&drained.problem?);
    let folder = space::folder(to).display().to_string();
    Some(SnapshotNotice::TraceDiskFull { folder, taken: drained.taken, problem }.into())
}

/// Removes what is left of those whose folder in memory is gone, as after a crash of the computer.
fn remove_left(beside: &Path) {
    let begin = begin();
    for entry in std::fs::read_dir(beside).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(of) = name.to_str().and_then(|name| name.strip_prefix(&begin)) else { continue };
        let is_in_memory = Path::new(folder::IN_MEMORY).join(of).exists();
        if !is_in_memory && folder::is_left(&entry.path()).unwrap_or(false) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
