//! The library that writes down what a program allocates: where it is, whether it fits, and the environment that has it loaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_facts::notice::PreloadObstacle;
use numawise_units::Bytes;
use numawise_wire::Variable;
use numawise_wire::heap::{ALL, DRAWN, FOLDER, LEAST, MARK, MARK_BEGIN, MOST_SAMPLES, TIMER, file_bytes};

use crate::change::Change;
use crate::guest::{self, Guest};
use crate::{LaunchError, preload};

#[cfg(test)]
#[path = "heap_tests.rs"]
mod tests;

const GUEST: Guest = Guest { file: "libnumawise_heap.so", mark: &MARK, mark_begin: MARK_BEGIN };

/// The most samples of a thread that the library takes in a second.
pub const MOST_TIMER_SAMPLES: u64 = MOST_SAMPLES;

/// What the library for memory objects is to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeapSettings {
    /// From how many bytes on an allocation is written down by itself; `None`: as the library has it, 16 KiB.
    pub least: Option<Bytes>,
    /// Of how many bytes of small allocations one is drawn, on average; 0: none is. `None`: as the library has it, 512 KiB.
    pub drawn: Option<Bytes>,
    /// How often a second each thread is sampled by its own processor time, where the kernel gives no events of performance.
    pub timer: Option<u64>,
}

/// The library for memory objects: whole, of our layout, and at a path that the loader takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapLibrary {
    library: String,
}

impl HeapLibrary {
    /// The library that belongs to the program `exe`: beside it, or where `make install` puts it (`../lib/numawise/`).
    ///
    /// # Errors
    /// [`LaunchError::CollectorMissing`], [`LaunchError::CollectorUnusable`], [`LaunchError::CollectorOfAnotherVersion`].
    pub fn of_program(exe: &Path) -> Result<HeapLibrary, LaunchError> {
        GUEST.of_program(exe).map(|library| HeapLibrary { library })
    }

    /// Why the loader does not load it into `program` (a path, or a name to be found in PATH).
    pub fn obstacle(&self, program: &Path) -> Option<PreloadObstacle> {
        preload::obstacle(program)
    }

    /// The least limit of the length of files (RLIMIT_FSIZE) with which the library makes one; most of it is never written.
    pub fn least_file(settings: &HeapSettings) -> Bytes {
        Bytes(file_bytes(settings.timer.is_some_and(|timer| timer > 0)) as u64)
    }

    /// `changes` and what has the library loaded.
    pub(crate) fn loaded(&self, changes: &[Change], now: &dyn Fn(&str) -> Option<OsString>) -> Vec<Change> {
        GUEST.changes(&self.library, changes, now)
    }

    /// `changes` and what has the library loaded, which puts its files into `folder`; `now` looks a variable of our own
    /// environment up. What is preloaded already stays: the library that pins threads before ours, all others behind. Settings of an outer
    /// numawise go.
    pub fn changes(
        &self,
        folder: &str,
        settings: &HeapSettings,
        changes: &[Change],
        now: &dyn Fn(&str) -> Option<OsString>,
    ) -> Vec<Change> {
        let mut all = self.loaded(changes, now);
        // Of rules, which have their own.
        all.retain(|change| change.name != LEAST.name());
        all.push(Change::set(FOLDER.name(), folder.to_owned()));
        let numbers = [
            (LEAST, settings.least.map(|bytes| bytes.0)),
            (DRAWN, settings.drawn.map(|bytes| bytes.0)),
            (TIMER, settings.timer),
            (ALL, None),
        ];
        all.extend(numbers.into_iter().filter_map(|(variable, number)| set(variable, number, now)));
        all
    }
}

fn set(variable: Variable, number: Option<u64>, now: &dyn Fn(&str) -> Option<OsString>) -> Option<Change> {
    match number {
        Some(number) => Some(Change::set(variable.name(), number.to_string())),
        None => now(variable.name()).map(|_| Change::remove(variable.name())),
    }
}

/// The folder of another numawise that follows the memory objects of this process.
pub fn objects_watched_by(now: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    guest::folder(FOLDER, now)
}
