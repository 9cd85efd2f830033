//! Following the memory objects of a program that is started: what is opened before it, what follows it, and what is kept of it.

mod ceilings;
mod code;
pub mod live;
mod sampling;
mod source;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use numawise_analyse::{is_for_memory_bound, object_source_lines};
use numawise_facts::activity::{CounterObstacle, ProcessCounters};
use numawise_facts::notice::ObjectsNotice;
use numawise_facts::objects::{ObjectRunHeader, SourceExcerpt};
use numawise_facts::{Notice, ObjectRun, RankSet, Reading, Redactor};
use numawise_launch::{Change, HeapLibrary, LaunchError};
use numawise_linux::calls::clock;
use numawise_linux::calls::sampler::Sampler;
use numawise_observe::Roots;
use numawise_observe::counters::{HereKernel, ProgramCounters, choose};
use numawise_observe::objects::ObjectTracker;
use numawise_observe::objects::bandwidth::BandwidthWatch;
use numawise_observe::objects::feed::ObjectFeed;
use numawise_observe::objects::log::HeapLogs;
use numawise_observe::objects::watch::{ObjectWatch, ObjectWatchError, WatchedObjects};
use numawise_symbols::LoadedFiles;
use numawise_units::{Arrange, Bytes, CpuSet, Nanoseconds, NodeId, Rank};

use crate::{Error, here};

use crate::ran::FollowedRun;
use code::ProgramCode;
use live::LiveAnswers;
use sampling::{Calibrated, Sampling};

/// Files without lines that are named.
const MOST_FILES: usize = 3;
/// Of less of all memory it is not said that it has no lines.
const WITHOUT_LINES: f64 = 0.1;

/// What is to be found out of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Its memory objects; allocations of so much and more are objects one by one.
    Objects { least: Bytes },
    /// The loops in which its threads are.
    Loops,
}

/// How a program is to be followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Following {
    pub library: HeapLibrary,
    pub followed: Followed,
    /// CPU time of a thread from one sample to the next; without it as much as costs about 1 % here.
    pub period: Option<Nanoseconds>,
    /// The ranks whose loops are surveyed; without it all processes.
    pub ranks: Option<RankSet>,
}

/// A program that is about to be started by this thread.
#[derive(Debug)]
pub struct BeginsToFollow {
    followed: Followed,
    ranks: Option<RankSet>,
    calibrated: Calibrated,
    sampler: Option<Sampler>,
    counters: Arc<OpenCounters>,
    logged_in: PathBuf,
    notices: Vec<Notice>,
}

/// Counters of the processor for the program, or why there are none.
type OpenCounters = Result<ProgramCounters, CounterObstacle>;

/// A program that runs.
#[derive(Debug)]
pub struct FollowedProgram {
    followed: Followed,
    ranks: Option<RankSet>,
    calibrated: Calibrated,
    watch: Result<ObjectWatch, ObjectWatchError>,
    counters: Arc<OpenCounters>,
    notices: Vec<Notice>,
    /// Missing where there could be none: nobody learns anything before the end then.
    _answers: Option<LiveAnswers>,
}

/// What is left of one that has ended.
#[derive(Debug)]
pub struct EndedFollowing {
    followed: Followed,
    ranks: Option<RankSet>,
    calibrated: Calibrated,
    watched: Result<WatchedObjects, ObjectWatchError>,
    counted: Reading<ProcessCounters>,
    notices: Vec<Notice>,
}

impl Followed {
    /// From how many bytes on something is an object.
    fn least(self) -> Bytes {
        match self {
            Followed::Objects { least } => least,
            Followed::Loops => Bytes(1 << 50),
        }
    }

    /// From how many bytes on a variable has its name.
    fn least_variable(self) -> Bytes {
        match self {
            Followed::Objects { least } => least,
            // Smaller than a page none bounds a loop.
            Followed::Loops => Bytes::kib(4),
        }
    }
}

impl Following {
    /// With the library that belongs to this program.
    ///
    /// # Errors
    /// Where it is missing or another's, or our own objects are followed already.
    pub fn prepare(
        followed: Followed,
        period: Option<Nanoseconds>,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Following, Error> {
        if let Some(folder) = numawise_launch::objects_watched_by(environment) {
            return Err(Error::WatchedAlready { folder });
        }
        let own = std::env::current_exe();
        let own =
            own.map_err(|source| LaunchError::System { call: "reading the path of numawise", source })?;
        let library = HeapLibrary::of_program(&own)?;
        Ok(Following { library, followed, period, ranks: None })
    }

    /// What a sample costs is measured, and samples of what this thread starts next are opened. Processes of the program log into `folder`,
    /// which nobody else uses; `changes` are those of its environment that were to be made anyway, and come back with ours.
    pub fn begin(
        &self,
        folder: (&Path, &str),
        changes: &[Change],
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> (BeginsToFollow, Vec<Change>) {
        let sampling = Sampling::begin(self.followed, self.period);
        let notices = sampling.notice().into_iter().collect();
        let (path, name) = folder;
        let changes = match sampling.heap_settings(self.followed) {
            Some(settings) => self.library.changes(name, &settings, changes, environment),
            None => changes.to_vec(),
        };
        let (calibrated, sampler) = sampling.into_parts();
        let logged_in = path.to_owned();
        let choice = choose(&HereKernel(Roots::live()));
        let counters = choice.map(|choice| ProgramCounters::open(&choice, is_for_memory_bound));
        let counters = Arc::new(counters);
        (
            BeginsToFollow {
                followed: self.followed,
                ranks: self.ranks.clone(),
                calibrated,
                sampler,
                counters,
                logged_in,
                notices,
            },
            changes,
        )
    }
}

impl BeginsToFollow {
    /// The program was started just now, as `run`.
    pub fn started(self, run: &FollowedRun) -> FollowedProgram {
        let BeginsToFollow { followed, ranks, calibrated, sampler, counters, logged_in, notices } = self;
        let at = clock::monotonic();
        let method = calibrated.method();
        let (run_version, period) = (run.version.clone(), calibrated.period);
        let is_sampled = sampler.is_some();
        let sampler = sampler.map(|sampler| (sampler, calibrated.fault_period()));
        let folder = logged_in.clone();
        let only = ranks.clone();
        let watch = ObjectWatch::start(sampler, move || {
            let tracker =
                ObjectTracker::new(at, method, Box::new(ProgramCode::new(followed.least_variable())));
            let tracker = match followed {
                Followed::Objects { .. } => tracker,
                Followed::Loops => tracker.surveying(sampling::widest_vectors(), period, only),
            };
            let bandwidth = BandwidthWatch::begin(Roots::live(), nodes_with_cpus, at);
            ObjectFeed::new(tracker, HeapLogs::new(&logged_in), is_sampled, bandwidth)
        });
        let answers = watch.as_ref().ok().and_then(|watch| {
            let (asker, run) = (watch.asker(), run.clone());
            let (calibrated, notices, ranks) = (calibrated.clone(), notices.clone(), ranks.clone());
            let counters = Arc::clone(&counters);
            let answer = move || {
                let watched = Ok(asker.so_far()?);
                let header = run.so_far(clock::monotonic().saturating_sub(at));
                let (calibrated, notices) = (calibrated.clone(), notices.clone());
                let counted = read(&counters);
                let ranks = ranks.clone();
                let so_far = EndedFollowing { followed, ranks, calibrated, watched, counted, notices };
                Some(so_far.object_run(header, &run.redactor()))
            };
            LiveAnswers::begin(&folder, run_version, answer).ok()
        });
        FollowedProgram { followed, ranks, calibrated, watch, counters, notices, _answers: answers }
    }
}

impl FollowedProgram {
    /// To be called when the program has ended, and before its folder goes.
    pub fn ended(self) -> EndedFollowing {
        let FollowedProgram { followed, ranks, calibrated, watch, counters, notices, _answers } = self;
        let counted = read(&counters);
        EndedFollowing {
            followed,
            ranks,
            calibrated,
            watched: watch.and_then(ObjectWatch::finish),
            counted,
            notices,
        }
    }
}

impl EndedFollowing {
    /// What is kept of the run. The notices of `header` are those that stand before ours.
    pub fn object_run(self, header: ObjectRunHeader, redactor: &Redactor) -> ObjectRun {
        let EndedFollowing { followed, ranks, calibrated, watched, counted, notices } = self;
        let mut header = header;
        header.notices.splice(0..0, header.machine.rehearsal());
        header.notices.extend(notices);
        let (watching, mut tracked, bandwidth) = match watched {
            Ok(watched) => {
                let watching = sampling::watching(followed, &calibrated, &watched, &mut header.notices);
                (watching, watched.fed.tracked, watched.fed.bandwidth)
            }
            Err(error) => {
                let problem = error.to_string();
                header.notices.push(ObjectsNotice::WatchFailed { problem: problem.clone() }.into());
                (
                    sampling::not_watched(followed.least(), &problem),
                    Default::default(),
                    Reading::unavailable(problem),
                )
            }
        };
        header.notices.extend(ranks.map(|asked| {
            let is_missing = |rank: &Rank| tracked.ranks.iter().all(|of| of.rank != *rank);
            let missing = asked.iter().filter(is_missing).collect();
            ObjectsNotice::SurveyOfRanks { asked, missing }.into()
        }));
        let code = match tracked.code.take() {
            Some(mut code) => {
                code.loops.iter_mut().for_each(|of| of.head.file = redactor.text(&of.head.file));
                code.ceilings = ceilings::of(&header.machine);
                for name in code.unknown.iter_mut().flat_map(|of| of.file.iter_mut().chain(&mut of.function))
                {
                    *name = redactor.text(name);
                }
                Reading::Measured(code)
            }
            None => Reading::unavailable("its loops were not surveyed"),
        };
        let mut places = tracked.places;
        for place in &mut places {
            place.file = redactor.text(&place.file);
            place.source.file = place.source.file.as_ref().map(|file| redactor.text(file));
        }
        let mut run = ObjectRun {
            header,
            watching,
            threads: tracked.threads,
            places,
            objects: tracked.objects,
            sources: Vec::new(),
            bandwidth,
            ranks: tracked.ranks,
            memory_bound: Reading::unavailable("it is computed from the others"),
            trials: Vec::new(),
            code,
        };
        run.memory_bound = numawise_analyse::memory_bound(&run, counted.as_ref());
        run.sources = sources(&run);
        run.header.notices.extend(without_lines(&run));
        let code = run.code.measured();
        let changed = code.and_then(|code| source::changed(&run.places, code, &source::written));
        run.header.notices.extend(changed);
        run
    }
}

fn read(counters: &OpenCounters) -> Reading<ProcessCounters> {
    match counters {
        Ok(counters) => Reading::Measured(counters.read()),
        Err(obstacle) => Reading::unavailable(obstacle.to_string()),
    }
}

/// Of the whole machine: the monitor counts for all programs.
fn nodes_with_cpus() -> Vec<(NodeId, CpuSet)> {
    let nodes = here::full().map(|here| here.machine.nodes).unwrap_or_default();
    nodes.into_iter().map(|node| (node.id, node.cpus)).filter(|(_, cpus)| !cpus.is_empty()).collect()
}

/// A run of which nothing was seen, for this reason.
#[cfg(test)]
pub fn nothing_of(header: ObjectRunHeader, least: Bytes, reason: &str) -> ObjectRun {
    ObjectRun {
        header,
        watching: sampling::not_watched(least, reason),
        threads: Vec::new(),
        places: Vec::new(),
        objects: Vec::new(),
        sources: Vec::new(),
        bandwidth: Reading::unavailable(reason.to_owned()),
        ranks: Vec::new(),
        memory_bound: Reading::unavailable(reason.to_owned()),
        trials: Vec::new(),
        code: Reading::unavailable("its loops were not surveyed"),
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
    files.arrange_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
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
