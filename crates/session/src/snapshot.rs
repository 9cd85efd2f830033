//! `snapshot`: a program run once, unchanged, and watched from inside.
//!
//! The way of a request: the collector is found before anything is done; the plan of the placement is that of [`crate::plan`]; the
//! program runs in the foreground ([`Foreground`]) with the collector in all of its processes, which leave their files in a
//! [folder](folder) of ours; these are read when it has ended, however it did, and the addresses in them are given their
//! [names](places). [Inside](inside) a launcher each rank has a numawise, and [one of them](job) reports for all; where the launcher
//! [kills](killed) them, a process that stood by does. [Around](around) a launcher that starts ranks on [several computers](crate::launcher::hosts),
//! these have one too, and hand over to us.

mod around;
mod collected;
mod counters;
mod exchange;
pub(crate) mod folder;
mod handed_traces;
mod inside;
mod job;
mod killed;
mod objects;
mod places;
mod ranks;
mod surroundings;
mod traced;
mod unwatched;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_analyse::{align_clocks, mpi_jobs};
use numawise_facts::activity::{CacheTraffic, CounterAccess, CounterObstacle};
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{
    Activity, Argument, Exit, Notice, ObjectRun, RankEnd, RankSet, Reading, RunSpec, WatchedRun,
    WatchedRunHeader,
};
pub use numawise_launch::{CallKind, WrittenCalls};
use numawise_launch::{Collector, EndedProgram, Foreground, Keeping, LaunchError, LocalRank};
pub use numawise_observe::activity::KeptCalls;
use numawise_observe::activity::{self, TraceDrain, TracePages};
use numawise_observe::{Options, Watch};
use numawise_units::{Bytes, Id, Nanoseconds};

use crate::follow::{Followed, Following};
use crate::plan::{self, RunPlan, RunRequest};
use crate::ran::{FollowedRun, RanProgram, redactor};
use crate::{Error, here, launcher};
pub use around::HandingOverWords;
pub(crate) use around::host;
pub use traced::TraceRequest;

use around::{AroundLauncher, Delivery};
use collected::{Collected, KeptProcesses};
use counters::RunCounters;
use exchange::Computer;
use folder::CollectorFolder;
use job::{Job, JobKey, ReportTurn};
use ranks::{JobProcess, StartedRanks};

#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;

/// What the processes of a computer left.
type ReadFolder = Result<Vec<Result<Activity, activity::ActivityError>>, activity::ActivityError>;

/// What is done with a result.
pub type WriteReport<'a> = &'a dyn Fn(&SnapshotReport);

/// What looks a variable of the environment up.
type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What is to be watched.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotRequest {
    pub run: RunRequest,
    /// Only these ranks.
    pub ranks: Option<RankSet>,
    /// What places a program in the same way as `run` asks for, put before its words: for ranks that a launcher starts.
    pub placing: Vec<Argument>,
    /// What has a rank of a launcher watched and hands over what is measured, put before its words in the same way.
    pub handing_over: HandingOverWords,
    /// The folder of a numawise around our launcher, which reports.
    pub hand_over_to: Option<PathBuf>,
    /// Where the result is kept, which tells the runs of a job apart; ranks that each have a numawise have the same.
    pub record: Option<PathBuf>,
    /// Memory objects are followed too; allocations of so much and more are objects one by one.
    pub objects: Option<Bytes>,
    /// Calls of MPI are written down one by one too.
    pub trace: Option<TraceRequest>,
    /// Of the tool, for the record.
    pub version: String,
}

/// A snapshot that can begin: the collector is there, and the plan is made.
#[derive(Debug, Clone)]
pub struct SnapshotPlan {
    request: SnapshotRequest,
    plan: RunPlan,
    collector: Collector,
    /// Our own place where a launcher started us as one of its ranks.
    rank: Option<LocalRank>,
    /// The same also of a rank alone, which is a whole job.
    is_in_launcher: bool,
    /// A launcher that starts ranks on other computers too.
    around: Option<AroundLauncher>,
    notices: Vec<Notice>,
    counters: CounterAccess,
    traffic: Reading<Vec<CacheTraffic>>,
    following: Option<Following>,
    /// Those of all numawise of the job, once they are read.
    objects: Vec<ObjectRun>,
}

/// Prepares a snapshot.
///
/// # Errors
/// Where the collector is missing or another's, we are watched ourselves already, the placement cannot be met, or a rank is asked
/// for that the job does not have.
pub fn prepare(request: SnapshotRequest, environment: Environment<'_>) -> Result<SnapshotPlan, Error> {
    if let Some(folder) = numawise_launch::watched_by(environment) {
        return Err(Error::WatchedAlready { folder });
    }
    let own = std::env::current_exe();
    let own = own.map_err(|source| LaunchError::System { call: "reading the path of numawise", source })?;
    let collector = Collector::of_program(&own)?;
    let mut notices = not_watched(&collector, &request.run.command);
    let is_inside = request.hand_over_to.is_some();
    // A rank alone is a whole job.
    let rank = numawise_launch::rank(environment).ok().flatten();
    let is_in_launcher = rank.is_some();
    let rank = rank.filter(|rank| is_inside || rank.size != Some(1));
    let around = match rank {
        None if !is_inside => around(&request, environment, &mut notices),
        _ => None,
    };
    let request = with_ranks_placed(request)?;
    if let (Some(ranks), Some(LocalRank { size: Some(size), .. })) = (&request.ranks, rank) {
        ranks::exist(ranks, size)?;
    }
    let follow = |least| Following::prepare(Followed::Objects { least }, None, environment);
    let following = request.objects.map(follow).transpose()?;
    let plan = plan::for_start(&request.run, environment)?;
    let counters = CounterAccess::NotOpened(CounterObstacle::NotInKernel);
    let traffic = Reading::unavailable("it was not looked at");
    Ok(SnapshotPlan {
        request,
        plan,
        collector,
        rank,
        is_in_launcher,
        around,
        notices,
        counters,
        traffic,
        following,
        objects: Vec::new(),
    })
}

/// A launcher of which ranks may run on other computers.
fn around(
    request: &SnapshotRequest,
    environment: Environment<'_>,
    notices: &mut Vec<Notice>,
) -> Option<AroundLauncher> {
    let command = &request.run.command;
    let launcher = launcher::of(command)?;
    let is_executable = launcher::executable_for(command);
    if !launcher::hosts::may_be_several(command, &around::host(), environment, &is_executable) {
        return None;
    }
    let around = AroundLauncher::of(command, &request.handing_over);
    if around.is_none() {
        notices.push(SnapshotNotice::RanksElsewhere { launcher: launcher.to_owned() }.into());
    }
    around
}

/// A rank that cannot be watched becomes its program all the same, placed where that was asked for. Comes back only with an error.
///
/// # Errors
/// Where the placement cannot be met, or the program not be started.
pub fn run_unwatched(
    request: &SnapshotRequest,
    environment: Environment<'_>,
) -> Result<std::convert::Infallible, Error> {
    plan::for_start(&request.run, environment)?.become_program(&request.run.command)
}

/// The program of a command: the first one that its launcher starts, where it has one.
pub fn program_of(command: &RunSpec) -> OsString {
    let is_executable = launcher::executable_for(command);
    let first = launcher::program_words(command, &is_executable).into_iter().next();
    first.or(command.command.first()).map_or_else(OsString::new, |word| word.as_os_str().to_owned())
}

/// Programs of a command that cannot have the collector loaded: what it begins with, and what a launcher starts.
fn not_watched(collector: &Collector, command: &RunSpec) -> Vec<Notice> {
    let is_executable = launcher::executable_for(command);
    let first = command.command.first();
    let programs = first.into_iter().chain(launcher::program_words(command, &is_executable));
    let obstacles = programs.filter_map(|program| collector.obstacle(Path::new(program.as_os_str())));
    let obstacles = obstacles.map(|obstacle| SnapshotNotice::NotWatched { obstacle }.into());
    obstacles.chain(files_too_small()).collect()
}

/// A limit that we hand on to the program, whose processes then make no file.
fn files_too_small() -> Option<Notice> {
    let needed = numawise_launch::LEAST_FILE;
    let limit = numawise_linux::space::file_size_limit().filter(|limit| *limit < needed)?;
    Some(SnapshotNotice::FilesTooSmall { limit, needed }.into())
}

/// A launcher stays where it is: what places its ranks stands before their programs.
fn with_ranks_placed(request: SnapshotRequest) -> Result<SnapshotRequest, Error> {
    let run = &request.run;
    let Some(launcher) = launcher::of(&run.command).filter(|_| run.is_placed()).map(str::to_owned) else {
        return Ok(request);
    };
    if run.threads.is_none() && run.command.takes_threads() {
        return Err(Error::ThreadsOfRanksUnknown { launcher });
    }
    match launcher::with_words(&run.command, &request.placing) {
        // The launcher's own words may hold the number of threads too.
        Some(command) => {
            let run = RunRequest { threads: run.threads, ..RunRequest::new(command) };
            Ok(SnapshotRequest { run, ..request })
        }
        None => Err(Error::LauncherPlaced { launcher }),
    }
}

impl SnapshotPlan {
    /// What is to be said before the program starts.
    pub fn warnings(&self) -> impl Iterator<Item = &Notice> {
        self.plan.warnings.iter().chain(&self.notices)
    }

    /// The rank of a job that this process is, where a launcher started it.
    pub fn rank(&self) -> Option<u32> {
        self.rank.and_then(|rank| rank.rank)
    }

    /// True where this process is a rank that is not to be watched: [`SnapshotPlan::become_program`] is for it.
    pub fn is_left_out(&self) -> bool {
        match (&self.request.ranks, self.rank()) {
            (Some(ranks), Some(rank)) => !ranks.iter().any(|wanted| wanted.index() == rank),
            _ => false,
        }
    }

    /// This process becomes the program, which is not watched. Comes back only with an error.
    ///
    /// # Errors
    /// What failed.
    pub fn become_program(&self, environment: Environment<'_>) -> Result<std::convert::Infallible, Error> {
        if let Some(rank) = self.rank {
            // Without a folder nobody waits for it either.
            let joined = Job::join(rank, self.key(rank, environment), environment);
            let _ = joined.map(|(job, _)| job.leave());
        }
        self.plan.become_program(&self.request.run.command)
    }

    fn key(&self, rank: LocalRank, environment: Environment<'_>) -> JobKey {
        match &self.request.hand_over_to {
            Some(folder) => JobKey::of_folder(folder),
            None => JobKey::of(&rank, self.request.record.as_deref(), environment),
        }
    }

    /// Runs the program to its end and reads what was noted of it, of all ranks of this computer where it is one. Nothing of ours is
    /// left but the result, when that is dropped. `write` takes a result in a process that stood by, where a launcher killed this one.
    ///
    /// # Errors
    /// Where the program cannot be started, or there is no folder for what is measured. Whatever goes wrong later is a notice of the
    /// result.
    pub fn run(
        mut self,
        environment: Environment<'_>,
        write: WriteReport<'_>,
    ) -> Result<EndedSnapshot, Error> {
        let begun: Nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
        if let Some(around) = self.around.take() {
            return around.run(self, begun);
        }
        match self.rank {
            Some(rank) => inside::run(self, rank, begun, environment, write),
            None => self.run_alone(begun, environment, write),
        }
    }

    /// What is no rank of a job, or is not known to be one.
    fn run_alone(
        mut self,
        begun: Nanoseconds,
        environment: Environment<'_>,
        write: WriteReport<'_>,
    ) -> Result<EndedSnapshot, Error> {
        let (folder, on_disk) = CollectorFolder::make(environment)?;
        self.notices.extend(on_disk);
        let delivery =
            self.request.hand_over_to.as_deref().map(|folder| Delivery::begin_alone(folder, self.nothing()));
        let stands_by = self.is_in_launcher && delivery.is_none() && folder.is_locked();
        if stands_by {
            killed::stand_by_alone(&self, &folder, begun, write);
        }
        let remove = || folder::remove(folder.path());
        // A launcher asks all of its ranks to end where one has died, and then waits for none of them; who stands by reads the folder first.
        let keeping = Keeping {
            ends_leftovers: !self.is_in_launcher,
            after_us: if stands_by { &|| () } else { &remove },
        };
        let (ended, program) = self.run_program(&folder, begun, keeping, environment)?;
        self.notices.extend(folder.is_full());
        let read = surroundings::read(folder.path());
        self.read_objects(folder.path());
        self.notices.extend(self.unwatched(folder.path(), &read));
        // Processes that still run go on writing where nobody sees it.
        drop(folder);
        drop(program);
        let exit = ended.exit;
        let mut first_rank = None;
        if let Some(delivery) = &delivery {
            let end = RankEnd { rank: None, exit, wall: ended.wall, usage: ended.usage.clone() };
            let note = around::of_ends(1, vec![end], &self.notices, self.objects.clone());
            match delivery.deliver(&read, &note) {
                Ok(()) => return Ok(EndedSnapshot { exit, report: None }),
                Err(problem) => self.notices.push(delivery.is_apart(&problem)),
            }
            first_rank = Some(std::process::id());
        }
        let read = self.collected(read, self.nothing());
        let run = self.finished(begun, ended, read, Vec::new(), None);
        Ok(EndedSnapshot {
            exit,
            report: Some(SnapshotReport { run, is_again: false, first_rank, _turn: None }),
        })
    }

    fn run_program(
        &mut self,
        folder: &CollectorFolder,
        begun: Nanoseconds,
        keeping: Keeping<'_>,
        environment: Environment<'_>,
    ) -> Result<(EndedProgram, Foreground), Error> {
        let mut changes = self.collector.changes(folder.name(), &self.plan.changes, environment);
        changes.extend(numawise_launch::watched_ranks(self.request.ranks.as_ref(), environment));
        let traced = self.request.trace.map(|trace| (trace.buffer, trace.calls));
        changes.extend(numawise_launch::traced(traced, environment));
        let counters = RunCounters::prepare(folder.path());
        changes.extend(counters.change(environment));
        let task = self.plan.own_task()?;
        let begin = |following| objects::begin(following, folder, &mut changes, environment);
        let follows = self.following.as_ref().map(begin).transpose();
        let mut program = Foreground::spawn(&self.request.run.command, task, &changes, keeping)?;
        let pid = program.pid();
        let run = self.followed_run(begun);
        let follows = follows.map(|follows| follows.map(|begins| begins.started(&run)));
        surroundings::begin(folder.path(), pid);
        // The threads that sample and that take counters are made now, while signals are held back: they are for the one that waits.
        let counters = counters.start();
        // Without them the program takes more time for its calls.
        let pages = self.request.trace.map(|_| TracePages::start(folder.path()));
        let is_frozen = Arc::default();
        if self.request.trace.is_some_and(|trace| trace.keep == KeptCalls::Around) {
            program.keep_user_signal(Arc::clone(&is_frozen));
        }
        let drain = self.drain(folder.path(), is_frozen);
        let watch = Watch::start(&[pid], &Options::default());
        let ended = if self.is_in_launcher { program.wait_as_rank() } else { program.wait() };
        drop(pages);
        self.notices.extend(drain.and_then(|(drain, to)| traced::finished(drain, &to)));
        (self.counters, self.traffic) = counters.finish(folder.path());
        surroundings::keep(folder.path(), pid, watch.finish_by_process());
        let kept = follows.and_then(|follows| match follows {
            Some(followed) => {
                let objects = followed.ended().object_run(run.ended(&ended), &run.redactor());
                objects::keep(folder.path(), &objects)
            }
            None => Ok(()),
        });
        self.notices.extend(kept.err().map(|problem| objects::is_missing(&problem)));
        Ok((ended, program))
    }

    /// Takes calls away from memory while the program runs.
    fn drain(&self, folder: &Path, is_frozen: Arc<AtomicBool>) -> Option<(TraceDrain, PathBuf)> {
        let numawise = self.rank.map_or(1, |rank| rank.local_size);
        let to = traced::to(&self.request.trace?, folder, self.request.record.as_deref(), numawise)?;
        let path = to.folder.clone();
        // Without a thread for it, what is in memory bounds the trace.
        TraceDrain::start(folder, to, is_frozen).ok().map(|drain| (drain, path))
    }

    /// What we start ourselves.
    fn followed_run(&self, begun: Nanoseconds) -> FollowedRun {
        FollowedRun {
            command: self.request.run.command.clone(),
            plan: self.plan.clone(),
            is_placed: self.is_placed(),
            version: self.request.version.clone(),
            begun,
        }
    }

    /// Reads the memory objects that all numawise of a folder have left there by now.
    fn read_objects(&mut self, folder: &Path) {
        let (runs, problems) = objects::read(folder);
        self.objects.extend(runs);
        self.notices.extend(problems);
    }

    /// A launcher is placed nowhere, and its ranks each by a plan of their own.
    fn is_placed(&self) -> bool {
        let run = &self.request.run;
        run.is_placed() && launcher::of(&run.command).is_none()
    }

    /// What is to be said of processes of this computer that were not watched. Ranks that nobody asked for are none of these.
    fn unwatched(&self, folder: &Path, read: &ReadFolder) -> Option<Notice> {
        let activities = read.as_ref().ok().filter(|_| self.request.ranks.is_none())?;
        unwatched::notice(&activities.iter().flatten().collect::<Vec<_>>(), &surroundings::kept(folder))
    }

    /// No process yet.
    fn nothing(&self) -> Collected {
        let own_program = std::env::current_exe().unwrap_or_default();
        Collected::new(self.request.ranks.clone(), own_program, around::host())
    }

    /// What the processes of this computer left, with those of others.
    fn collected(&self, read: ReadFolder, mut all: Collected) -> Collected {
        match read {
            Ok(read) => all.add_all(read, || here::full().ok().map(|here| here.machine)),
            Err(error) => all.add_problem(error.to_string()),
        }
        all
    }

    /// `computers`: those that handed over; `through`: the folder in which whoever is around the launcher waited for them.
    fn finished(
        self,
        begun: Nanoseconds,
        ended: EndedProgram,
        read: Collected,
        computers: Vec<Computer>,
        through: Option<String>,
    ) -> WatchedRun {
        let is_placed = self.is_placed();
        let SnapshotPlan { request, plan, is_in_launcher, mut notices, counters, traffic, objects, .. } =
            self;
        let KeptProcesses { mut processes, mut merged, seen: numbers, notices: of_processes } = read.finish();
        notices.extend(of_processes);
        if request.trace.is_some() {
            align_clocks(&mut processes);
        }
        let asked = request.ranks.as_ref();
        if processes.is_empty() {
            notices.push(SnapshotNotice::NothingWatched.into());
        } else {
            // Ranks of one job: those of another are missing in that one.
            let others = ranks::of_other_jobs(mpi_jobs(&processes));
            let seen = processes.iter().enumerate().filter(|(index, _)| !others.contains(index));
            let seen: Vec<JobProcess<'_>> = seen.map(|(_, process)| JobProcess::from(process)).collect();
            notices.extend(ranks::libraries(&processes, merged.as_ref()));
            notices.extend(ranks::sandboxed(&processes));
            if request.trace.is_some() {
                let merged = merged.as_ref().map_or(0, |ranks| ranks.ranks);
                notices.extend(ranks::not_traced(&processes, merged));
            }
            notices.extend(ranks::linked_statically(&seen));
            let typed = launcher::without_words(&request.run.command, &request.placing);
            let is_inside = is_in_launcher && through.is_none();
            let started = StartedRanks { command: &typed, is_inside, through };
            notices.extend(match &merged {
                Some(ranks) => ranks::of_ranks(&numbers, ranks.world, asked, started),
                None => ranks::missing(&seen, asked, started),
            });
        }
        processes.retain(|activity| ranks::is_shown(activity.into(), asked));
        if merged.is_none() {
            notices.extend(ranks::not_called(&processes));
            let is_said = notices.iter().any(killed::is_said_by);
            notices.extend(ranks::not_finalised(&processes).filter(|_| !is_said));
        }
        notices.extend(ranks::several_jobs(&processes, &mpi_jobs(&processes)).filter(|_| merged.is_none()));
        let places = places::of(&processes, merged.as_ref(), &mut notices);
        let redactor = redactor(&request.run.command);
        // Paths may hold what nobody is to see; places are found by paths.
        let places =
            places.into_iter().map(|((file, at), place)| ((redactor.text(&file), at), place)).collect();
        for activity in &mut processes {
            activity.program = redactor.text(&activity.program);
            activity.files.iter_mut().for_each(|file| file.path = redactor.text(&file.path));
        }
        if let Some(ranks) = &mut merged {
            ranks.loaded_files().for_each(|file| *file = redactor.text(file));
        }
        let ran = RanProgram::of(request.run.command, &plan, is_placed, &redactor);
        let mut header = header((request.version, request.ranks), ran, begun, ended);
        notices.iter_mut().for_each(|notice| ranks::redact_programs(notice, &redactor));
        let (machines, too_many) = around::machines(computers, &around::host());
        notices.extend(too_many);
        header.other_machines = machines;
        let (objects, left_out) = objects::kept(objects);
        notices.extend(left_out);
        (header.counters, header.traffic) = (counters, traffic);
        header.notices = header.machine.rehearsal().into_iter().chain(notices).collect();
        WatchedRun { header, processes, merged, places, objects }
    }
}

/// How the program ended, and what is to be reported of it.
#[derive(Debug)]
pub struct EndedSnapshot {
    pub exit: Exit,
    /// Missing where another rank of this computer reports.
    pub report: Option<SnapshotReport>,
}

/// A result that is to be written now: until it is dropped, no other rank reports.
#[derive(Debug)]
pub struct SnapshotReport {
    pub run: WatchedRun,
    /// The same run was reported before all of its ranks had ended: this takes the place of it.
    pub is_again: bool,
    /// It is of the computer whose first rank this is alone: the one of rank 0 did not take it.
    pub first_rank: Option<u32>,
    _turn: Option<ReportTurn>,
}

fn header(
    (tool_version, ranks): (String, Option<RankSet>),
    ran: RanProgram,
    begun: Nanoseconds,
    ended: EndedProgram,
) -> WatchedRunHeader {
    let RanProgram { command, host, machine, placement } = ran;
    WatchedRunHeader {
        tool_version,
        begun,
        command,
        host,
        machine,
        other_machines: Vec::new(),
        placement,
        ranks,
        exit: ended.exit,
        wall: ended.wall,
        usage: ended.usage,
        counters: CounterAccess::NotOpened(CounterObstacle::NotInKernel),
        traffic: Reading::unavailable("it was not looked at"),
        notices: Vec::new(),
        division: None,
    }
}
