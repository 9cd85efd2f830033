//! The library that notes what a program's threads do: where it is, whether it fits, and the environment that has it loaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_facts::RankSet;
use numawise_facts::notice::PreloadObstacle;
use numawise_units::Bytes;
use numawise_wire::snapshot::counters::COUNTERS;
use numawise_wire::snapshot::{FOLDER, LEAST_THREADS, MARK, MARK_BEGIN, RANKS, file_bytes};

use crate::change::Change;
use crate::{LaunchError, address_sanitizer, pinner, preload};

#[cfg(test)]
#[path = "collector_tests.rs"]
mod tests;

const FILE: &str = "libnumawise_collector.so";
const PRELOAD: &str = "LD_PRELOAD";

/// The collector makes no file where files must be smaller; most of one is never written.
pub const LEAST_FILE: Bytes = Bytes(file_bytes(LEAST_THREADS) as u64);

/// The collector's library: whole, of our layout, and at a path that the loader takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    library: String,
}

impl Collector {
    /// The library that belongs to the program `exe`: beside it, or where `make install` puts it (`../lib/numawise/`).
    ///
    /// # Errors
    /// [`LaunchError::CollectorMissing`], [`LaunchError::CollectorUnusable`], [`LaunchError::CollectorOfAnotherVersion`].
    pub fn of_program(exe: &Path) -> Result<Collector, LaunchError> {
        match pinner::find_library(exe, FILE) {
            Some(library) => Collector::at(&library),
            None => Err(LaunchError::CollectorMissing {
                file: FILE,
                folder: exe.parent().unwrap_or(Path::new(".")).to_owned(),
            }),
        }
    }

    fn at(library: &Path) -> Result<Collector, LaunchError> {
        let unusable =
            |problem: String| LaunchError::CollectorUnusable { library: library.to_owned(), problem };
        let path = match library.to_str() {
            // The loader parts the list at spaces and colons, and replaces $ORIGIN, $LIB and $PLATFORM in it.
            Some(path) if !path.contains([' ', ':', '$', '\n', '\t']) => path.to_owned(),
            _ => {
                return Err(unusable(
                    "LD_PRELOAD cannot hold this path (a space, ':', '$' or bytes that are not text); move numawise to \
                     another folder"
                        .to_owned(),
                ));
            }
        };
        let read = |error: std::io::Error| unusable(error.to_string());
        if !preload::is_whole(&std::fs::File::open(library).map_err(read)?).map_err(read)? {
            return Err(unusable("it is damaged: no library, or only a part of one".to_owned()));
        }
        let bytes = std::fs::read(library).map_err(read)?;
        match mark(&bytes) {
            Some(found) if found == MARK => Ok(Collector { library: path }),
            found => Err(LaunchError::CollectorOfAnotherVersion {
                library: library.to_owned(),
                found: found.map(layout),
                expected: layout(&MARK),
            }),
        }
    }

    /// Why the loader does not load it into `program` (a path, or a name to be found in PATH).
    pub fn obstacle(&self, program: &Path) -> Option<PreloadObstacle> {
        preload::obstacle(program)
    }

    /// `changes` and what has the library loaded, which puts its files into `folder`; `now` looks a variable of our own
    /// environment up. What is preloaded already stays: the library that pins threads before ours, all others behind.
    pub fn changes(
        &self,
        folder: &str,
        changes: &[Change],
        now: &dyn Fn(&str) -> Option<OsString>,
    ) -> Vec<Change> {
        let of_plan = changes.iter().find(|change| change.name == PRELOAD);
        let preloaded = match of_plan {
            Some(change) => change.value.clone(),
            None => now(PRELOAD).map(|list| list.to_string_lossy().into_owned()),
        };
        let replaced = [PRELOAD, address_sanitizer::OPTIONS];
        let mut all: Vec<Change> =
            changes.iter().filter(|change| !replaced.contains(&change.name)).cloned().collect();
        all.push(Change::set(PRELOAD, with(&self.library, preloaded.as_deref().unwrap_or_default())));
        all.push(Change::set(FOLDER.name(), folder.to_owned()));
        all.extend(address_sanitizer::any_link_order(now));
        all
    }
}

/// What has the collector leave all ranks alone but these; takes the ranks of an outer numawise out where all are watched.
pub fn watched_ranks(ranks: Option<&RankSet>, now: &dyn Fn(&str) -> Option<OsString>) -> Option<Change> {
    match ranks {
        Some(ranks) => Some(Change::set(RANKS.name(), ranks.to_string())),
        None => now(RANKS.name()).map(|_| Change::remove(RANKS.name())),
    }
}

/// What has the collector open counters of the processor and hand them over; takes the request of an outer numawise out where there are
/// none.
pub fn counted(request: Option<String>, now: &dyn Fn(&str) -> Option<OsString>) -> Option<Change> {
    match request {
        Some(request) => Some(Change::set(COUNTERS.name(), request)),
        None => now(COUNTERS.name()).map(|_| Change::remove(COUNTERS.name())),
    }
}

/// The folder of another numawise that watches this process.
pub fn watched_by(now: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    now(FOLDER.name()).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// A list of libraries with ours in its place; another copy of ours goes.
fn with(library: &str, list: &str) -> String {
    let is = |entry: &str, file: &str| Path::new(entry).file_name() == Some(file.as_ref());
    let others = list.split([' ', ':']).filter(|entry| !entry.is_empty() && !is(entry, FILE));
    let (pinning, others): (Vec<&str>, Vec<&str>) = others.partition(|entry| is(entry, pinner::FILE));
    let all: Vec<&str> = pinning.into_iter().chain([library]).chain(others).collect();
    all.join(":")
}

/// Where a library says which layout it writes.
fn mark(bytes: &[u8]) -> Option<&[u8]> {
    let begin = bytes.windows(MARK_BEGIN.len()).position(|bytes| bytes == MARK_BEGIN)?;
    bytes.get(begin..begin + MARK.len())
}

fn layout(mark: &[u8]) -> String {
    let digits = mark.get(MARK_BEGIN.len()..).unwrap_or_default();
    let digits = String::from_utf8_lossy(digits);
    let digits = digits.trim().trim_start_matches('0');
    numawise_units::harmless::quoted(digits)
}
