//! Which ranks were asked for, which there are, and which were seen.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use numawise_facts::activity::{MpiActivity, MpiLibrary, ProcessEnd, WorldRank};
use numawise_facts::notice::{RankThatTold, SnapshotNotice, WatchedJob};
use numawise_facts::{Activity, Argument, MergedRanks, Notice, RankSet, Reading, Redactor, RunSpec};
use numawise_units::{Arrange, Id, Pid, Rank};

use crate::Error;
use crate::launcher;

#[cfg(test)]
#[path = "ranks_tests.rs"]
mod tests;

/// Most jobs, and programs of one, that are named.
const MOST_NAMED: usize = 8;
/// Most processes whose programs are looked at.
const MOST_PROGRAMS: usize = 64;
/// They start programs, which may have an environment without us.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish"];

/// # Errors
/// [`Error::NoSuchRanks`] where a job of `size` has not all that were asked for.
pub fn exist(ranks: &RankSet, size: u32) -> Result<(), Error> {
    match ranks.last() {
        Some(last) if last.index() >= size => Err(Error::NoSuchRanks { asked: ranks.clone(), size }),
        _ => Ok(()),
    }
}

/// A process that was watched, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub struct JobProcess<'a> {
    pid: Pid,
    program: &'a str,
    /// By exit: it did not become another program.
    has_ended: bool,
    calls_mpi: bool,
    world: Option<WorldRank>,
}

impl<'a> From<&'a Activity> for JobProcess<'a> {
    fn from(activity: &'a Activity) -> JobProcess<'a> {
        let mpi = activity.mpi.measured();
        let world = mpi.and_then(|mpi| mpi.rank.measured().copied());
        JobProcess {
            pid: activity.pid,
            program: &activity.program,
            has_ended: activity.end == ProcessEnd::Exit,
            calls_mpi: mpi.is_some(),
            world,
        }
    }
}

impl JobProcess<'_> {
    fn name(&self) -> Option<&OsStr> {
        Path::new(self.program).file_name()
    }

    /// It was watched to its end, and does not start others that may have lost us.
    fn is_whole(&self, folder: &Path) -> bool {
        let is_shell = || self.name().is_none_or(|name| SHELLS.iter().any(|shell| name == *shell));
        // A script is run by a shell too.
        let is_binary = || {
            let mut begin = [0; 4];
            let read = File::open(folder.join(self.program)).and_then(|mut file| file.read_exact(&mut begin));
            read.is_ok() && begin == *b"\x7fELF"
        };
        self.has_ended && !is_shell() && is_binary()
    }
}

pub fn of(activity: &Activity) -> Option<u32> {
    JobProcess::from(activity).world.map(|world| world.rank)
}

/// True for what is shown: the ranks that were asked for, and what is no rank.
pub fn is_shown(process: JobProcess<'_>, asked: Option<&RankSet>) -> bool {
    match (asked, process.world) {
        (Some(asked), Some(world)) => asked.contains(Rank::from_index(world.rank)),
        _ => true,
    }
}

/// What is to be known of the MPIs that the processes use.
pub fn libraries(processes: &[Activity], merged: Option<&MergedRanks>) -> Vec<Notice> {
    let any = |is: fn(&MpiActivity) -> bool| {
        processes.iter().filter_map(|activity| activity.mpi.measured()).any(is)
    };
    let of_merged = merged.is_some_and(|ranks| ranks.has_several_mpis);
    let several = (of_merged || any(|mpi| mpi.has_several)).then(|| SnapshotNotice::SeveralMpis.into());
    let unknown = any(|mpi| mpi.library == MpiLibrary::Other).then(|| SnapshotNotice::UnknownMpi.into());
    several.into_iter().chain(unknown).collect()
}

/// What is to be said where jobs of MPI ran one after the other: `jobs` are the ranks of each among the processes, that which is shown first.
pub fn several_jobs(processes: &[Activity], jobs: &[Vec<usize>]) -> Option<Notice> {
    let mut each = jobs.iter().map(|ranks| {
        let ranks: Vec<&Activity> = ranks.iter().filter_map(|index| processes.get(*index)).collect();
        let program = |activity: &&Activity| {
            Some(Path::new(&activity.program).file_name()?.to_string_lossy().into_owned())
        };
        let programs: BTreeSet<String> = ranks.iter().filter_map(program).collect();
        let elapsed = ranks.iter().filter_map(|activity| activity.elapsed.measured()).max().copied();
        WatchedJob {
            programs: programs.into_iter().take(MOST_NAMED).collect(),
            ranks: ranks.len() as u64,
            elapsed: elapsed.map_or_else(
                || Reading::unavailable("the clocks of its ranks are not known"),
                Reading::Measured,
            ),
        }
    });
    let shown = each.next()?;
    let mut others: Vec<WatchedJob> = each.collect();
    others.arrange_by_key(|job| std::cmp::Reverse(job.elapsed.measured().copied()));
    others.truncate(MOST_NAMED);
    let count = jobs.len() as u64;
    (count > 1).then(|| SnapshotNotice::OtherJobs { count, shown, others }.into())
}

/// The ranks of other jobs than the one that is shown.
pub fn of_other_jobs(jobs: Vec<Vec<usize>>) -> BTreeSet<usize> {
    jobs.into_iter().skip(1).flatten().collect()
}

/// Names of programs may hold what nobody is to see.
pub fn redact_programs(notice: &mut Notice, redactor: &Redactor) {
    match notice {
        Notice::Snapshot(SnapshotNotice::OtherJobs { shown, others, .. }) => {
            let programs = std::iter::once(shown).chain(others).flat_map(|job| &mut job.programs);
            programs.for_each(|program| *program = redactor.text(program));
        }
        Notice::Snapshot(
            SnapshotNotice::MpiNotCalled { program, .. } | SnapshotNotice::Sandboxed { program, .. },
        ) => *program = redactor.text(program),
        _ => {}
    }
}

/// How ranks were started.
#[derive(Debug)]
pub struct StartedRanks<'a> {
    /// What was asked to be run.
    pub command: &'a RunSpec,
    /// Each has a numawise, of which this is one.
    pub is_inside: bool,
    /// The folder in which what they measured was waited for.
    pub through: Option<String>,
}

/// What is missing of the ranks of a job: of those that were asked for, where some were.
pub fn missing(
    processes: &[JobProcess<'_>],
    asked: Option<&RankSet>,
    started: StartedRanks<'_>,
) -> Vec<Notice> {
    let Some(size) = processes.iter().filter_map(|process| process.world).map(|world| world.size).max()
    else {
        return of_no_rank(processes, asked, started.command).into_iter().collect();
    };
    let seen = processes.iter().filter_map(|process| process.world).map(|world| Rank(world.rank)).collect();
    of_ranks(&seen, size, asked, started)
}

/// What is missing of the ranks of a job of `size`.
pub fn of_ranks(
    seen: &RankSet,
    size: u32,
    asked: Option<&RankSet>,
    started: StartedRanks<'_>,
) -> Vec<Notice> {
    let is_asked = |rank: &u32| asked.is_none_or(|asked| asked.contains(Rank::from_index(*rank)));
    let missing: RankSet = (0..size.min(Rank::LIMIT))
        .filter(is_asked)
        .map(Rank::from_index)
        .filter(|rank| !seen.contains(*rank))
        .collect();
    let beyond: RankSet =
        asked.into_iter().flat_map(RankSet::iter).filter(|rank| rank.index() >= size).collect();
    let mut notices = Vec::new();
    if !beyond.is_empty() {
        notices.push(SnapshotNotice::RanksBeyondJob { asked: beyond.to_string(), ranks: size }.into());
    }
    if !missing.is_empty() {
        let (missing, launcher) = (missing.to_string(), launcher::of(started.command).map(str::to_owned));
        notices.push(match started {
            StartedRanks { is_inside: true, .. } => {
                SnapshotNotice::RanksNotMet { missing, ranks: size }.into()
            }
            StartedRanks { through, .. } => {
                SnapshotNotice::RanksNotSeen { missing, ranks: size, launcher, through }.into()
            }
        });
    }
    notices
}

/// A program without MPI misses no rank, unless some were asked for, or a launcher started it, which may have taken us away.
fn of_no_rank(processes: &[JobProcess<'_>], asked: Option<&RankSet>, command: &RunSpec) -> Option<Notice> {
    let launcher = launcher::of(command);
    let calls_mpi = processes.iter().any(|process| process.calls_mpi);
    let is_complete = || launcher.is_none() || calls_mpi || were_all_watched(processes, command);
    if asked.is_none() && is_complete() {
        return None;
    }
    let (launcher, asked) = (launcher.map(str::to_owned), asked.map(ToString::to_string));
    Some(SnapshotNotice::NoRankSeen { launcher, asked }.into())
}

/// All programs that a launcher starts were watched to their end: they call no MPI. What began as one may have become another.
fn were_all_watched(processes: &[JobProcess<'_>], command: &RunSpec) -> bool {
    let folder = &command.directory;
    let is_executable = |word: &Argument| numawise_launch::is_executable(word.as_os_str(), folder);
    let programs = launcher::program_words(command, &is_executable);
    let was_watched = |word: &&Argument| {
        let began =
            processes.iter().filter(|process| process.name() == Path::new(word.as_os_str()).file_name());
        let mut began = began.peekable();
        let is_whole = |process: &JobProcess<'_>| {
            processes.iter().any(|last| last.pid == process.pid && last.is_whole(folder))
        };
        began.peek().is_some() && began.all(is_whole)
    };
    !programs.is_empty() && programs.iter().all(was_watched)
}

/// What is to be said of ranks that did not come to the end of MPI.
pub fn not_finalised(processes: &[Activity]) -> Option<Notice> {
    let died = processes.iter().filter_map(|activity| {
        let mpi = activity.mpi.measured().filter(|mpi| mpi.finalised.measured().is_none())?;
        mpi.initialised.measured()?;
        Some((activity, mpi.rank.measured()?.rank))
    });
    let died: Vec<(&Activity, u32)> = died.collect();
    if died.is_empty() {
        return None;
    }
    // Of the others, only when they were last seen is known.
    let told = died.iter().filter(|(activity, _)| activity.end != ProcessEnd::NotTold);
    let told = told.filter_map(|(activity, rank)| Some((*activity, *rank, *activity.elapsed.measured()?)));
    let first = told.min_by_key(|(activity, rank, after)| (activity.began + *after, *rank));
    let first = first.map(|(activity, rank, after)| RankThatTold { rank, end: activity.end, after });
    let ranks: RankSet = died.iter().map(|(_, rank)| Rank(*rank)).collect();
    Some(SnapshotNotice::NotFinalised { ranks: ranks.to_string(), first }.into())
}

/// What is to be said of processes that forbade system calls to themselves.
pub fn sandboxed(processes: &[Activity]) -> Option<Notice> {
    let mut all = processes.iter().filter(|activity| activity.is_sandboxed);
    let program = all.next()?.program.clone();
    Some(SnapshotNotice::Sandboxed { count: 1 + all.count() as u64, program }.into())
}

/// A program that has an MPI loaded, where no process was seen to call one.
pub fn not_called(processes: &[Activity]) -> Option<Notice> {
    if processes.iter().any(|activity| activity.mpi.measured().is_some()) {
        return None;
    }
    let name = |path: &str| Some(Path::new(path).file_name()?.to_string_lossy().into_owned());
    let is_mpi = |name: &String| ["libmpi.so", "libmpich.so"].iter().any(|begin| name.starts_with(begin));
    processes.iter().find_map(|activity| {
        let library = activity.files.iter().filter_map(|file| name(&file.path)).find(is_mpi)?;
        let program = activity.program.clone();
        Some(SnapshotNotice::MpiNotCalled { program, library }.into())
    })
}

/// Programs that have MPI in themselves, where no process was seen to call it.
pub fn linked_statically(processes: &[JobProcess<'_>]) -> Vec<Notice> {
    if processes.iter().any(|process| process.calls_mpi) {
        return Vec::new();
    }
    let programs: BTreeSet<&str> =
        processes.iter().map(|process| process.program).take(MOST_PROGRAMS).collect();
    let has_mpi = |program: &&str| numawise_launch::defines(Path::new(program), "MPI_Init").unwrap_or(false);
    let notice = |program: &str| SnapshotNotice::MpiInsideProgram { program: program.to_owned() }.into();
    programs.into_iter().filter(has_mpi).map(notice).collect()
}

/// Ranks of which there is no trace, where one was asked for; `merged`: those of which nothing is kept in full.
pub fn not_traced(processes: &[Activity], merged: u64) -> impl Iterator<Item = Notice> {
    let traced = |activity: &Activity| {
        activity.threads.measured().into_iter().flatten().any(|thread| thread.trace.is_some())
    };
    let without = processes.iter().filter(|activity| of(activity).is_some() && !traced(activity));
    let (outside, lost): (Vec<_>, Vec<_>) =
        without.partition(|activity| activity.lost.trace.is_some_and(|loss| loss.is_outside));
    let (outside, count) = (outside.len() as u64, lost.len() as u64 + merged);
    let lost = (count > 0).then(|| SnapshotNotice::RanksNotTraced { count }.into());
    lost.into_iter().chain((outside > 0).then(|| SnapshotNotice::NothingInTime { count: outside }.into()))
}
