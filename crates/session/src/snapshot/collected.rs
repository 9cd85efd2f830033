//! What was measured of a job, as it comes in: one process after the other, here or from other computers. Ranks that are too many to be
//! kept are merged at once, so that what is held does not grow with their number.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use numawise_analyse::merged::outliers;
use numawise_analyse::{JobRanks, MOST_IN_FULL, mpi_jobs};
use numawise_facts::activity::ProcessEnd;
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{Activity, Machine, MergedRanks, Notice, RankSet};
use numawise_linux::Roots;
use numawise_units::{Arrange, Nanoseconds, Pid, Rank};

use super::ranks::{self, JobProcess};
use super::unwatched;

#[cfg(test)]
#[path = "collected_tests.rs"]
pub mod tests;

/// Processes without MPI and OpenMP of which what they did is kept; of a job that is merged, all that are no ranks.
const OTHERS: usize = 256;

/// The processes of a job.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    asked: Option<RankSet>,
    own_program: PathBuf,
    own_host: String,
    ranks: JobRanks,
    /// Those that are no ranks, or were not asked for.
    others: Vec<Activity>,
    /// Of them, how many were too many while they came, and how long they computed.
    left_out: (u64, Nanoseconds),
    /// Numbers of all ranks that were added.
    seen: RankSet,
    /// Processes of this computer that could not tell of their end and are still there.
    running: BTreeSet<Pid>,
    /// What is wrong with what is not among them.
    unreadable: Vec<String>,
    /// Jobs of MPI of this computer, where there are several.
    jobs: Option<Notice>,
}

/// What a computer of a job that is merged hands over: its size does not grow with the ranks.
#[derive(Debug)]
pub struct MergedPart {
    pub ranks: MergedRanks,
    /// Those that stand out there.
    pub standing_out: Vec<Activity>,
    /// What is no rank of the job.
    pub others: Vec<Activity>,
    pub rest: RestOfPart,
}

/// What goes with merged ranks: the numbers of all, of processes that are no ranks how many were left out and how long they computed, and jobs
/// of MPI where there are several.
pub type RestOfPart = (RankSet, (u64, Nanoseconds), Option<Notice>);

/// What is kept of a job.
#[derive(Debug)]
pub struct KeptProcesses {
    /// Ranks by their numbers, then others by when they began.
    pub processes: Vec<Activity>,
    /// All ranks together, where not all are among them.
    pub merged: Option<MergedRanks>,
    pub seen: RankSet,
    pub notices: Vec<Notice>,
}

impl Collected {
    /// Of a job of which these ranks were asked for, watched by this program, which is no part of it, on this computer.
    pub fn new(asked: Option<RankSet>, own_program: PathBuf, own_host: String) -> Self {
        Collected { asked, own_program, own_host, ..Collected::default() }
    }

    /// Takes what was read of all processes of this computer. Ranks of other jobs of MPI than the one that is shown are never merged with
    /// those of that one. `machine` is that of this computer, which is asked for where ranks are merged.
    pub fn add_all<E: ToString>(
        &mut self,
        read: Vec<Result<Activity, E>>,
        machine: impl FnOnce() -> Option<Machine>,
    ) {
        let mut processes = Vec::new();
        for one in read {
            match one {
                Ok(activity) if self.is_own(&activity) => {}
                Ok(activity) => processes.push(activity),
                Err(error) => self.add_problem(error.to_string()),
            }
        }
        let machine = self.will_be_merged(&processes).then(machine).flatten();
        self.add_processes(processes, machine.as_ref());
    }

    /// True where all ranks of the job will be merged, here and elsewhere.
    fn will_be_merged<'a>(&self, processes: impl IntoIterator<Item = &'a Activity>) -> bool {
        self.ranks.is_merged() || self.ranks_of_job(processes.into_iter()) > MOST_IN_FULL
    }

    fn add_processes(&mut self, processes: Vec<Activity>, machine: Option<&Machine>) {
        let jobs = mpi_jobs(&processes);
        self.jobs = ranks::several_jobs(&processes, &jobs);
        let others = ranks::of_other_jobs(jobs);
        if self.will_be_merged(&processes) {
            let of_job = processes.iter().enumerate().filter(|(index, _)| !others.contains(index));
            let asked = self.asked.as_ref();
            let shown = of_job.map(|(_, one)| one).filter(|one| ranks::is_shown((*one).into(), asked));
            self.ranks.add_placement(shown, machine);
        }
        for (index, activity) in processes.into_iter().enumerate() {
            if others.contains(&index) { self.others.push(activity) } else { self.add_process(activity) }
        }
    }

    /// Takes what was read of a process.
    pub fn add<E: ToString>(&mut self, read: Result<Activity, E>) {
        match read {
            Ok(activity) if self.is_own(&activity) => {}
            Ok(activity) => self.add_process(activity),
            Err(error) => self.add_problem(error.to_string()),
        }
    }

    fn add_process(&mut self, activity: Activity) {
        let is_here = activity.end == ProcessEnd::NotTold && activity.host == self.own_host;
        if is_here && numawise_observe::is_running(&Roots::live(), activity.pid) {
            self.running.insert(activity.pid);
        }
        self.seen.extend(ranks::of(&activity).map(Rank));
        let other = if ranks::is_shown(JobProcess::from(&activity), self.asked.as_ref()) {
            self.ranks.add(activity)
        } else {
            Some(activity)
        };
        self.others.extend(other);
        if self.ranks.is_merged() && self.others.len() > 2 * OTHERS {
            self.left_out = plus(self.left_out, leave_out(&mut self.others, |_| false));
        }
    }

    /// What is to be handed over of this computer, where all ranks of the job will be merged, there and elsewhere: else they go in full.
    pub fn merged_part<E>(
        self,
        read: &[Result<Activity, E>],
        machine: Option<&Machine>,
    ) -> Option<MergedPart> {
        let processes = || read.iter().flatten();
        if !self.will_be_merged(processes()) {
            return None;
        }
        let processes = processes().filter(|activity| !self.is_own(activity)).cloned().collect();
        let mut here = Collected { ranks: JobRanks::with_most(0), ..self };
        here.add_processes(processes, machine);
        // Ranks of other jobs would be taken for some of this one.
        here.others.retain(|activity| ranks::of(activity).is_none());
        here.left_out = plus(here.left_out, leave_out(&mut here.others, |_| false));
        let (standing_out, ranks) = here.ranks.finish();
        let rest = (here.seen, here.left_out, here.jobs);
        Some(MergedPart { ranks: ranks?, standing_out, others: here.others, rest })
    }

    /// How many are shown of the job whose ranks these are, on all of its computers.
    fn ranks_of_job<'a>(&self, processes: impl Iterator<Item = &'a Activity>) -> u64 {
        let worlds = processes.filter_map(|activity| activity.mpi.measured()?.rank.measured());
        let size = worlds.map(|world| world.size).max().unwrap_or(0);
        let asked = |ranks: &RankSet| ranks.iter().filter(|rank| rank.0 < size).count() as u64;
        self.asked.as_ref().map_or(size.into(), asked)
    }

    /// Takes the ranks of a computer that were merged there.
    pub fn add_merged(&mut self, ranks: &MergedRanks, (seen, left_out, jobs): RestOfPart) {
        self.ranks.add_merged(ranks);
        self.seen.extend(seen.iter());
        self.left_out = plus(self.left_out, left_out);
        self.jobs = self.jobs.take().or(jobs);
    }

    /// Of the ranks that were added, those that stand out so far: no others have to be read in full.
    pub fn standing_out(&self) -> BTreeSet<u32> {
        outliers(self.ranks.ranks())
    }

    /// Keeps a rank in full that was added merged.
    pub fn keep(&mut self, activity: Activity) {
        self.ranks.keep(activity);
    }

    pub fn add_problem(&mut self, problem: String) {
        self.unreadable.push(problem);
    }

    /// Ourselves, before a rank became the program, are no part of what is watched.
    fn is_own(&self, activity: &Activity) -> bool {
        let (path, own) = (Path::new(&activity.program), self.own_program.as_path());
        path == own || path.file_name().is_some() && path.file_name() == own.file_name()
    }

    /// Puts the processes in their order and leaves those out that are too many: a build has thousands that say nothing.
    pub fn finish(mut self) -> KeptProcesses {
        let (mut processes, merged) = self.ranks.finish();
        let is_merged = merged.is_some();
        if is_merged {
            // Beside those that stand out of all they would look like some of these.
            self.others.retain(|activity| ranks::of(activity).is_none());
        }
        let left_out = leave_out(&mut self.others, |activity| {
            !is_merged && (activity.mpi.measured().is_some() || activity.openmp.measured().is_some())
        });
        let (count, computed) = plus(self.left_out, left_out);
        processes.extend(self.others);
        processes.arrange_by_key(|activity| {
            (ranks::of(activity).is_none(), ranks::of(activity), activity.began, activity.pid)
        });
        let unreadable = self.unreadable.into_iter();
        let mut notices: Vec<Notice> =
            unreadable.map(|problem| SnapshotNotice::UnreadablePart { problem }.into()).collect();
        let running = self.running.len() as u64;
        notices.extend((running > 0).then(|| SnapshotNotice::ProcessesStillRun { count: running }.into()));
        let too_many = SnapshotNotice::ProcessesLeftOut { count, kept: OTHERS as u64, computed };
        notices.extend((count > 0).then(|| too_many.into()));
        notices.extend(self.jobs.filter(|_| is_merged));
        KeptProcesses { processes, merged, seen: self.seen, notices }
    }
}

/// Leaves those out that ran for the shortest time, beyond so many; not those that `stays` holds for. Gives the number of them, and how long
/// they computed.
fn leave_out(all: &mut Vec<Activity>, stays: impl Fn(&Activity) -> bool) -> (u64, Nanoseconds) {
    let elapsed = |activity: &Activity| activity.elapsed.measured().copied().unwrap_or_default();
    all.arrange_by_key(|activity| (!stays(activity), std::cmp::Reverse(elapsed(activity))));
    let kept = all.iter().filter(|activity| stays(activity)).count() + OTHERS;
    let left_out = all.split_off(all.len().min(kept));
    (left_out.len() as u64, unwatched::computed(&left_out.iter().collect::<Vec<_>>()))
}

fn plus(one: (u64, Nanoseconds), other: (u64, Nanoseconds)) -> (u64, Nanoseconds) {
    (one.0 + other.0, one.1 + other.1)
}
