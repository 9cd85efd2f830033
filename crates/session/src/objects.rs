//! `objects`: a program run once, and its memory objects followed: allocated where, touched first by whom, used by whom, lying where.
//!
//! The way of a request: what a sample costs here, and whether it tells the memory that a thread waits for, is
//! [measured](numawise_observe::objects::calibration) first. Then the program runs in the foreground with the library that logs
//! allocations in all of its processes, and is sampled from outside by the kernel; where the kernel refuses, by timers of its own
//! threads. A thread of ours joins both while the program runs, with what symbols say of the code.

pub mod tried;

use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::notice::ObjectsNotice;
use numawise_facts::objects::ObjectRunHeader;
use numawise_facts::{Exit, Notice, ObjectRun, RankSet, RunSpec};
use numawise_launch::{Foreground, HeapLibrary, Keeping};
use numawise_units::{Bytes, Nanoseconds};

use crate::Error;
pub use crate::follow::Followed;
use crate::follow::Following;
use crate::launcher;
use crate::plan::{self, RunPlan, RunRequest};
use crate::ran::FollowedRun;
use crate::snapshot::folder::{self, CollectorFolder};

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// Allocations of so much and more are objects one by one, where nothing else is asked for.
pub const LEAST_OBJECT: Bytes = Bytes::kib(16);

type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What is to be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectsRequest {
    pub run: RunRequest,
    pub followed: Followed,
    /// CPU time of a thread from one sample to the next; without it as much as costs about 1 % here.
    pub period: Option<Nanoseconds>,
    /// The ranks whose loops are surveyed; without it all processes.
    pub ranks: Option<RankSet>,
    /// Of the tool, for the record.
    pub version: String,
}

/// A run that can begin.
#[derive(Debug, Clone)]
pub struct ObjectsPlan {
    request: ObjectsRequest,
    plan: RunPlan,
    following: Following,
    notices: Vec<Notice>,
}

/// How the program ended, and what was seen of its memory.
#[derive(Debug)]
pub struct EndedObjects {
    pub exit: Exit,
    pub run: ObjectRun,
}

/// Prepares a run.
///
/// # Errors
/// Where the library is missing or another's, this is watched already, or the placement cannot be met.
pub fn prepare(request: ObjectsRequest, environment: Environment<'_>) -> Result<ObjectsPlan, Error> {
    let following = Following::prepare(request.followed, request.period, environment)?;
    let following = Following { ranks: request.ranks.clone(), ..following };
    if let Some(launcher) = launcher::of(&request.run.command).filter(|_| request.run.is_placed()) {
        return Err(Error::LauncherPlaced { launcher: launcher.to_owned() });
    }
    let notices = not_logged(&following.library, &request.run.command);
    let plan = plan::for_start(&request.run, environment)?;
    Ok(ObjectsPlan { request, plan, following, notices })
}

/// Programs of a command that cannot have the library loaded: what it begins with, and what a launcher starts.
fn not_logged(library: &HeapLibrary, command: &RunSpec) -> Vec<Notice> {
    let is_executable = launcher::executable_for(command);
    let first = command.command.first();
    let programs = first.into_iter().chain(launcher::program_words(command, &is_executable));
    let obstacles = programs.filter_map(|program| library.obstacle(Path::new(program.as_os_str())));
    obstacles.map(|obstacle| ObjectsNotice::NotLogged { obstacle }.into()).collect()
}

impl ObjectsPlan {
    /// What is to be said before the program starts.
    pub fn warnings(&self) -> impl Iterator<Item = &Notice> {
        self.plan.warnings.iter().chain(&self.notices)
    }

    /// Runs the program to its end. Nothing of ours is left but the result.
    ///
    /// # Errors
    /// Where the program cannot be started, or there is no folder for what is logged. Whatever goes wrong later is a notice of the
    /// result.
    pub fn run(mut self, environment: Environment<'_>) -> Result<EndedObjects, Error> {
        let begun: Nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
        let (folder, on_disk) = CollectorFolder::make(environment)?;
        self.notices.extend(on_disk);
        let logs = (folder.path(), folder.name());
        let (begins, changes) = self.following.begin(logs, &self.plan.changes, environment);
        let after_us = || folder::remove(folder.path());
        let keeping = Keeping { ends_leftovers: true, after_us: &after_us };
        let mut program =
            Foreground::spawn(&self.request.run.command, self.plan.own_task()?, &changes, keeping)?;
        let run = FollowedRun {
            command: self.request.run.command.clone(),
            plan: self.plan,
            is_placed: self.request.run.is_placed(),
            version: self.request.version,
            begun,
        };
        let followed = begins.started(&run);
        let ended = program.wait();
        let following = followed.ended();
        drop(folder);
        drop(program);
        let header = ObjectRunHeader { notices: self.notices, ..run.ended(&ended) };
        Ok(EndedObjects { exit: ended.exit, run: following.object_run(header, &run.redactor()) })
    }
}
