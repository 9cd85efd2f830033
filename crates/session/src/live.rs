//! The memory objects of programs that still run, as far as a numawise follows them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use numawise_facts::{ObjectRun, Reading};
use numawise_observe::{FindError, StartedWith};
use numawise_units::Pid;

use crate::Error;
use crate::ask_error::AskError;
use crate::follow::live::ask;
use crate::watch::{TargetRequest, Targets};

/// What was asked for.
#[derive(Debug)]
pub struct LiveObjects {
    /// What each numawise says that follows some of the processes, of these alone.
    pub runs: Vec<ObjectRun>,
    /// Processes that were asked for and are not there.
    pub missing: Vec<FindError>,
    /// Those of which nothing is known, with the reason.
    pub unknown: Vec<Error>,
}

/// Asks whoever follows these processes. Nothing is asked of the processes themselves.
///
/// # Errors
/// Where there are no such processes, or of none of them anything is known: then the reason of the first.
pub fn objects_so_far(request: &TargetRequest, version: &str) -> Result<LiveObjects, Error> {
    let mut targets = Targets::new(request)?;
    let missing = targets.search()?;
    let mut unknown = Vec::new();
    let mut by_folder: BTreeMap<PathBuf, BTreeSet<Pid>> = BTreeMap::new();
    for process in targets.now()? {
        match folder_of(*process) {
            Ok(folder) => _ = by_folder.entry(folder).or_default().insert(*process),
            Err(error) => unknown.push(error),
        }
    }
    let mut runs = Vec::new();
    for (folder, processes) in by_folder {
        let first = processes.first().copied().unwrap_or(Pid(0));
        match ask(&folder, version).map_err(|source| unanswered(first, source)).and_then(sound) {
            Ok(run) => runs.push(numawise_analyse::objects_of_processes(&run, &processes)),
            Err(error) => unknown.push(error),
        }
    }
    if runs.is_empty() && !unknown.is_empty() {
        return Err(unknown.swap_remove(0));
    }
    Ok(LiveObjects { runs, missing, unknown })
}

/// Where a process logs what it allocates.
fn folder_of(process: Pid) -> Result<PathBuf, Error> {
    let started = StartedWith::of(&numawise_observe::Roots::live(), process);
    let started =
        started.map_err(|source| Error::EnvironmentUnknown { process, source: Box::new(source) })?;
    let folder = numawise_launch::objects_watched_by(&|name| started.variable(name));
    folder.ok_or(Error::NotFollowed { process, command: started.command })
}

fn unanswered(process: Pid, source: AskError) -> Error {
    match source {
        AskError::Nobody { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            Error::FollowedByAnother { process }
        }
        source => Error::FollowerSilent { process, source: Box::new(source) },
    }
}

/// What came from elsewhere is looked at as a record is. Where pages lie is what they do now.
fn sound(mut run: ObjectRun) -> Result<ObjectRun, Error> {
    numawise_record::object_run_is_sound(&run)?;
    for object in &mut run.objects {
        if object.ended.measured().is_some() {
            object.pages = Reading::unavailable("it has been freed");
        } else {
            object.ended = Reading::unavailable("it is there");
            object.pages = object.pages.clone().map(|mut all| all.pop().into_iter().collect());
        }
    }
    Ok(run)
}
