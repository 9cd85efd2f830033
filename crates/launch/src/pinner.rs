//! The agent's library, which pins the k-th thread of any runtime: where it is, and the environment that gives it the plan
//! (`numawise_wire::pin`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_facts::TaskPlacement;
use numawise_facts::notice::PreloadObstacle;
use numawise_units::CpuSet;
use numawise_wire::pin::{self, PlanEffect};

use crate::change::Change;
use crate::{address_sanitizer, preload};

#[cfg(test)]
#[path = "pinner_tests.rs"]
mod tests;

const PLAN: &str = pin::PLAN.name();
const VERBOSE: &str = pin::VERBOSE.name();
const PRELOAD: &str = "LD_PRELOAD";
pub(crate) const FILE: &str = "libnumawise_agent.so";

/// The library that pins threads, and whether it tells of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinner {
    pub library: PathBuf,
    /// One line on standard error for each thread.
    pub verbose: bool,
}

impl Pinner {
    /// Why this library would not be loaded, or not into `program` (a path, or a name to be found in PATH): the dynamic
    /// loader only says so in the middle of the program's output.
    pub fn obstacle(&self, program: &Path) -> Option<PreloadObstacle> {
        self.own_obstacle().or_else(|| preload::obstacle(program))
    }

    fn own_obstacle(&self) -> Option<PreloadObstacle> {
        let library = self.library.display().to_string();
        match self.library.to_str() {
            // The loader parts the list at spaces and colons, and replaces $ORIGIN, $LIB and $PLATFORM in it.
            Some(path) if !path.contains([' ', ':', '$', '\n', '\t']) => {}
            _ => return Some(PreloadObstacle::LibraryPath { library }),
        }
        match std::fs::File::open(&self.library).and_then(|file| preload::is_whole(&file)) {
            Ok(true) => None,
            // The loader maps what is missing, and ends the program by SIGBUS.
            Ok(false) => {
                let error = "it is damaged: no library, or only a part of one".to_owned();
                Some(PreloadObstacle::LibraryUnreadable { library, error })
            }
            Err(error) => Some(PreloadObstacle::LibraryUnreadable { library, error: error.to_string() }),
        }
    }
}

/// The library that belongs to the program `exe`: beside it, or where `make install` puts it (`../lib/numawise/`).
pub fn find_agent(exe: &Path) -> Option<PathBuf> {
    find_library(exe, FILE)
}

/// The same of any library of ours.
pub(crate) fn find_library(exe: &Path, name: &str) -> Option<PathBuf> {
    let folder = exe.parent()?;
    [folder.join(name), folder.join("../lib/numawise").join(name)].into_iter().find(|file| file.is_file())
}

/// What the library needs in the environment of a task whose threads are pinned.
pub(crate) fn pinning(
    effect: PlanEffect,
    task: &TaskPlacement,
    pinner: &Pinner,
    now: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<Change> {
    let Some(library) = pinner.library.to_str() else { return Vec::new() };
    let mut changes = vec![
        Change::set(PRELOAD, preloaded(library, now(PRELOAD).as_deref())),
        Change::set(PLAN, encoded(effect, task)),
    ];
    changes.extend(address_sanitizer::any_link_order(now));
    if pinner.verbose {
        changes.push(Change::set(VERBOSE, pin::VERBOSE_ON.to_owned()));
    } else if now(VERBOSE).is_some() {
        changes.push(Change::remove(VERBOSE));
    }
    changes
}

/// What takes the plan of an outer numawise out of the environment, where there is one.
pub(crate) fn no_pinning(now: &dyn Fn(&str) -> Option<OsString>) -> Option<Change> {
    now(PLAN).map(|_| Change::remove(PLAN))
}

/// Our library before what is preloaded already; another copy of ours goes.
fn preloaded(library: &str, now: Option<&std::ffi::OsStr>) -> String {
    let now = now.map(|list| list.to_string_lossy().into_owned()).unwrap_or_default();
    let others = now
        .split([' ', ':'])
        .filter(|other| !other.is_empty() && Path::new(other).file_name() != Some(FILE.as_ref()));
    let all: Vec<&str> = std::iter::once(library).chain(others).collect();
    all.join(":")
}

fn encoded(effect: PlanEffect, task: &TaskPlacement) -> String {
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ = pin::encode(effect, task.cpus.words(), task.threads.iter().map(CpuSet::words), &mut text);
    text
}
