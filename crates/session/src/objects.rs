//! `objects`: a program run once, and its memory objects followed: allocated where, touched first by whom, used by whom, lying where.
//!
//! The way of a request: what a sample costs here, and whether it tells the memory that a thread waits for, is
//! [measured](numawise_observe::objects::calibration) first. Then the program runs in the foreground with the library that logs
//! allocations in all of its processes, and is sampled from outside by the kernel; where the kernel refuses, by timers of its own
//! threads. A thread of ours joins both while the program runs, with what [symbols](code) say of the code.

mod code;
mod sampling;
pub mod tried;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_analyse::object_source_lines;
use numawise_facts::notice::ObjectsNotice;
use numawise_facts::objects::{ObjectRunHeader, SourceExcerpt};
use numawise_facts::{Exit, Notice, ObjectRun, Reading, RunSpec};
use numawise_launch::{EndedProgram, Foreground, HeapLibrary, LaunchError};
use numawise_observe::objects::ObjectTracker;
use numawise_observe::objects::feed::ObjectFeed;
use numawise_observe::objects::log::HeapLogs;
use numawise_observe::objects::watch::{ObjectWatch, ObjectWatchError, WatchedObjects};
use numawise_symbols::LoadedFiles;
use numawise_units::{Bytes, Nanoseconds};

use crate::Error;
use crate::plan::{self, RunPlan, RunRequest};
use crate::ran::{RanProgram, redactor};
use crate::snapshot::folder::CollectorFolder;
use crate::snapshot::launcher;
use code::ProgramCode;
use sampling::Sampling;

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// Files without lines that are named.
const MOST_FILES: usize = 3;
/// Of less of all memory it is not said that it has no lines.
const WITHOUT_LINES: f64 = 0.1;

type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What is to be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectsRequest {
    pub run: RunRequest,
    /// Allocations of so much and more are objects one by one.
    pub least: Bytes,
    /// CPU time of a thread from one sample to the next; without it as much as costs about 1 % here.
    pub period: Option<Nanoseconds>,
    /// Of the tool, for the record.
    pub version: String,
}

/// A run that can begin.
#[derive(Debug, Clone)]
pub struct ObjectsPlan {
    request: ObjectsRequest,
    plan: RunPlan,
    library: HeapLibrary,
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
    if let Some(folder) = numawise_launch::objects_watched_by(environment) {
        return Err(Error::WatchedAlready { folder });
    }
    let own = std::env::current_exe();
    let own = own.map_err(|source| LaunchError::System { call: "reading the path of numawise", source })?;
    let library = HeapLibrary::of_program(&own)?;
    if let Some(launcher) = launcher::of(&request.run.command).filter(|_| request.run.is_placed()) {
        return Err(Error::LauncherPlaced { launcher: launcher.to_owned() });
    }
    let notices = not_logged(&library, &request.run.command);
    let plan = plan::for_start(&request.run, environment)?;
    Ok(ObjectsPlan { request, plan, library, notices })
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
        let sampling = Sampling::begin(self.request.period);
        self.notices.extend(sampling.notice());
        let settings = sampling.heap_settings(self.request.least);
        let changes = self.library.changes(folder.name(), &settings, &self.plan.changes, environment);
        let (calibrated, sampler) = sampling.into_parts();
        let program = Foreground::spawn(&self.request.run.command, self.plan.own_task()?, &changes)?;
        let at = numawise_linux::calls::clock::monotonic();
        let (logged_in, least) = (folder.path().to_owned(), self.request.least);
        let method = calibrated.method();
        let faults = sampler.is_some().then_some(sampling::FAULTS);
        let watch = ObjectWatch::start(sampler, move || {
            let tracker = ObjectTracker::new(at, method, Box::new(ProgramCode::new(least)));
            ObjectFeed::new(tracker, HeapLogs::new(&logged_in), faults)
        });
        let ended = program.wait();
        let watched = watch.and_then(ObjectWatch::finish);
        drop(folder);
        let exit = ended.exit;
        let run = self.finished(begun, ended, &calibrated, watched);
        Ok(EndedObjects { exit, run })
    }

    fn finished(
        self,
        begun: Nanoseconds,
        ended: EndedProgram,
        calibrated: &sampling::Calibrated,
        watched: Result<WatchedObjects, ObjectWatchError>,
    ) -> ObjectRun {
        let ObjectsPlan { request, plan, mut notices, .. } = self;
        let redactor = redactor(&request.run.command);
        let is_placed = request.run.is_placed();
        let RanProgram { command, host, machine, placement } =
            RanProgram::of(request.run.command, &plan, is_placed, &redactor);
        let (watching, tracked) = match watched {
            Ok(watched) => {
                let watching = sampling::watching(request.least, calibrated, &watched, &mut notices);
                (watching, watched.fed.tracked)
            }
            Err(error) => {
                let problem = error.to_string();
                notices.push(ObjectsNotice::WatchFailed { problem: problem.clone() }.into());
                (sampling::not_watched(request.least, &problem), Default::default())
            }
        };
        let mut places = tracked.places;
        for place in &mut places {
            place.file = redactor.text(&place.file);
            place.source.file = place.source.file.as_ref().map(|file| redactor.text(file));
        }
        let header = ObjectRunHeader {
            tool_version: request.version,
            begun,
            command,
            host,
            machine,
            placement,
            exit: ended.exit,
            wall: ended.wall,
            usage: ended.usage,
            notices,
        };
        let mut run = ObjectRun {
            header,
            watching,
            threads: tracked.threads,
            places,
            objects: tracked.objects,
            sources: Vec::new(),
            bandwidth: Reading::unavailable("bandwidth was not watched in this run"),
            ranks: tracked.ranks,
            memory_bound: Reading::unavailable("it takes counters of the processor"),
            trials: Vec::new(),
        };
        run.sources = sources(&run);
        run.header.notices.extend(without_lines(&run));
        run
    }
}

/// The files in which objects are allocated of which no line is known, those with most memory first; nothing where these are but a small part.
fn without_lines(run: &ObjectRun) -> Option<Notice> {
    let mut of_file: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = 0;
    for object in &run.objects {
        let Reading::Measured(stack) = &object.allocated else { continue };
        let places = || stack.iter().filter_map(|place| run.places.get(*place as usize));
        all += object.bytes.0;
        let has_line = places().any(|place| place.source.line.measured().is_some());
        let own = places().find(|place| !numawise_symbols::is_systems_library(&place.file));
        if let Some(place) = own.filter(|_| !has_line) {
            *of_file.entry(place.file.as_str()).or_default() += object.bytes.0;
        }
    }
    let bytes: u64 = of_file.values().sum();
    let mut files: Vec<(&str, u64)> = of_file.into_iter().collect();
    files.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let files = files.into_iter().take(MOST_FILES).map(|(file, _)| file.to_owned()).collect();
    (bytes as f64 > WITHOUT_LINES * all as f64)
        .then(|| ObjectsNotice::NoLinesOfObjects { files, bytes: Bytes(bytes) }.into())
}

/// The lines that a report of the run shows, as far as the source can be read here.
fn sources(run: &ObjectRun) -> Vec<SourceExcerpt> {
    let mut files = LoadedFiles::default();
    let lines = object_source_lines(&numawise_analyse::objects(run));
    let read = lines.into_iter().flat_map(|(file, line)| {
        let read = files.source_lines(&file, line, 0).measured().cloned().unwrap_or_default();
        read.into_iter().map(move |(line, text)| SourceExcerpt { file: file.clone(), line, text })
    });
    read.collect()
}
