//! The library that notes what a program's threads do: where it is, whether it fits, and the environment that has it loaded.

use std::ffi::OsString;
use std::fmt;
use std::num::ParseIntError;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use numawise_facts::RankSet;
use numawise_facts::notice::PreloadObstacle;
use numawise_units::{Bytes, Nanoseconds};
use numawise_wire::snapshot::counters::COUNTERS;
use numawise_wire::snapshot::{FOLDER, LEAST_THREADS, MARK, MARK_BEGIN, RANKS, file_bytes};
use numawise_wire::trace::{BYTES, CALLS};

use crate::change::Change;
use crate::guest::{self, Guest};
use crate::{LaunchError, preload};

#[cfg(test)]
#[path = "collector_tests.rs"]
mod tests;

pub(crate) const GUEST: Guest =
    Guest { file: "libnumawise_collector.so", mark: &MARK, mark_begin: MARK_BEGIN };

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
        GUEST.of_program(exe).map(|library| Collector { library })
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
        let mut all = GUEST.changes(&self.library, changes, now);
        all.push(Change::set(FOLDER.name(), folder.to_owned()));
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

/// What has the collector write calls of MPI down one by one, into a file of so many bytes for each process, and which; takes the request of an outer
/// numawise out where that is not wanted.
pub fn traced(
    asked: Option<(Bytes, WrittenCalls)>,
    now: &dyn Fn(&str) -> Option<OsString>,
) -> impl Iterator<Item = Change> {
    let bytes = asked.map(|(bytes, _)| bytes.0.to_string());
    let calls = asked.map(|(_, calls)| calls).filter(|calls| *calls != WrittenCalls::default());
    [(BYTES, bytes), (CALLS, calls.map(|calls| calls.to_string()))].into_iter().filter_map(|(of, value)| {
        match value {
            Some(value) => Some(Change::set(of.name(), value)),
            None => now(of.name()).map(|_| Change::remove(of.name())),
        }
    })
}

/// Which calls are written down one by one; of the others the time is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenCalls {
    /// A bit for each [`CallKind`].
    pub kinds: u32,
    /// Of calls that nobody else has to know of, those that took as long.
    pub least: Nanoseconds,
    /// Ends of messages are numbered: they match where the begin of the trace is missing.
    pub are_numbered: bool,
    /// From when and until when, since 1970; `None`: from the begin, to the end.
    pub from: Option<Nanoseconds>,
    pub to: Option<Nanoseconds>,
}

impl Default for WrittenCalls {
    fn default() -> WrittenCalls {
        WrittenCalls { kinds: u32::MAX, least: Nanoseconds(0), are_numbered: false, from: None, to: None }
    }
}

/// As the collector reads it.
impl fmt::Display for WrittenCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.unwrap_or(Nanoseconds(0)), self.to.unwrap_or(Nanoseconds(u64::MAX)));
        write!(f, "{},{},{},{},{}", self.kinds, self.least.0, u8::from(self.are_numbered), from.0, to.0)
    }
}

impl FromStr for WrittenCalls {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<WrittenCalls, ParseIntError> {
        let mut words = text.split(',');
        let mut next = || words.next().unwrap_or_default();
        let (kinds, least, are_numbered) = (next().parse()?, next().parse()?, next().parse::<u8>()? != 0);
        let (from, to) = (next().parse()?, next().parse()?);
        Ok(WrittenCalls {
            kinds,
            least: Nanoseconds(least),
            are_numbered,
            from: (from > 0).then_some(Nanoseconds(from)),
            to: (to < u64::MAX).then_some(Nanoseconds(to)),
        })
    }
}

/// The folder of another numawise that watches this process.
pub fn watched_by(now: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    guest::folder(FOLDER, now)
}
