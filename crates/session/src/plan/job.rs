//! Who we are in the job and what we may use: one program, one of several copies, or a rank that a launcher started and
//! perhaps bound.
//!
//! All ranks of a computer see the same machine and ask for the same, so each makes the plan of all and takes its own part:
//! they agree without talking. Where the launcher has bound the ranks, each one plans inside what it was given.

use std::ffi::OsString;
use std::path::PathBuf;

use numawise_facts::notice::{LaunchNotice, LauncherMask};
use numawise_facts::{Argument, Notice, RunSpec, TaskPlacement};
use numawise_launch::{Launcher, LocalRank};
use numawise_linux::calls::{affinity, mempolicy};
use numawise_machine::{AllowedSets, Roots};
use numawise_units::CpuSet;

use super::placeholders::{RankOfJob, TASK, takes_rank};
use super::request::{Environment, Explanation, JobTasks, RunRequest, TaskCount};
use crate::{Error, launcher};

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;

/// The job that this process is in, as far as a request has to do with it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobContext {
    pub allowed: AllowedSets,
    pub tasks: JobTasks,
    pub notes: Vec<Notice>,
    pub warnings: Vec<Notice>,
    /// This is the reporting rank: of the ranks of a computer the first one gives the notices that concern all.
    pub reports: bool,
    /// Who bound this rank, where the plan stays inside of that.
    pub bound_by: Option<Launcher>,
    pub rank_of_job: RankOfJob,
    /// Among the ranks of this computer, where this is one.
    pub local_rank: Option<u32>,
}

/// What this process may use: two calls, or, where one is forbidden, what the kernel writes into a file.
///
/// # Errors
/// When neither is to be had.
pub fn allowed() -> Result<AllowedSets, Error> {
    match (affinity::own(), mempolicy::allowed_nodes()) {
        (Ok(cpus), Ok(nodes)) => Ok(AllowedSets { cpus, nodes }),
        _ => Ok(AllowedSets::read(&Roots::live())?),
    }
}

/// The CPUs that the kernel would let us have, whatever our mask is: those online in the cpuset of our cgroup. Where a call is
/// forbidden the files of the cgroup are asked.
pub fn widest() -> CpuSet {
    affinity::widest().unwrap_or_else(|_| numawise_machine::online_in_cgroup(&Roots::live()))
}

impl JobContext {
    /// On another machine: no rank of a job here has to do with it.
    pub fn recorded(allowed: AllowedSets, tasks: TaskCount) -> JobContext {
        let number = match tasks {
            TaskCount::OfTheJob => 1,
            TaskCount::Ranks(number) | TaskCount::Copies(number) => number.get(),
        };
        let tasks = JobTasks::of(number);
        JobContext {
            allowed,
            tasks,
            notes: Vec::new(),
            warnings: Vec::new(),
            reports: true,
            bound_by: None,
            rank_of_job: RankOfJob::None,
            local_rank: None,
        }
    }

    /// # Errors
    /// When the environment of the rank contradicts itself, or the request makes no sense in a rank.
    pub fn of_this_process(request: &RunRequest, environment: Environment<'_>) -> Result<JobContext, Error> {
        let mut allowed = allowed()?;
        if request.beyond_mask && request.chooses_cpus() {
            allowed.cpus = widest();
        }
        let online = || numawise_machine::online_nodes(&Roots::live());
        let all_nodes = (request.beyond_mask && request.lists_nodes()).then(online).flatten();
        let mut context = JobContext::recorded(allowed, request.tasks);
        context.tasks.all_nodes = all_nodes;
        if needs_no_rank(request) {
            return Ok(context);
        }
        let rank = match numawise_launch::rank(environment) {
            Err(error) if error.is_only_untold() || !request.shares() => {
                context.warn(LaunchNotice::RankUnknown { problem: error.to_string() });
                context.rank_of_job = RankOfJob::Untold;
                None
            }
            rank => rank?,
        };
        match (request.tasks, rank) {
            (TaskCount::Copies(_), Some(rank)) => {
                return Err(Error::CopiesInARank { launcher: rank.launcher });
            }
            (TaskCount::Copies(_), None) => {}
            (_, Some(rank)) => context.enter(request, &rank, &LauncherCpus::of(&rank, environment)),
            (_, None) if request.rebind => context.warn(LaunchNotice::NothingToRebind),
            (_, None) => {}
        }
        Ok(context)
    }

    /// Takes the part of a rank.
    fn enter(&mut self, request: &RunRequest, rank: &LocalRank, outside: &LauncherCpus) {
        self.notes.push(rank_of_job(rank));
        self.rank_of_job = rank.rank.map_or(RankOfJob::Untold, RankOfJob::Told);
        self.local_rank = Some(rank.local_rank);
        self.reports = rank.local_rank == 0 || request.explain == Explanation::EachRank;
        let own = self.allowed.cpus.clone();
        let size = rank.local_size.max(1);
        let mask = outside.mask.clone();
        match LauncherBinding::from_masks(&own, &outside.cpus, size) {
            LauncherBinding::None => {
                self.note(LaunchNotice::CpusLeftToAllRanks { cpus: own.clone(), mask });
                if request.shares() {
                    self.warnings.extend(outside.beyond_allocation(&own).map(Notice::from));
                }
                self.share_out(request, rank);
            }
            _ if request.rebind => {
                self.allowed.cpus = outside.for_all_ranks(&own);
                let launcher_cpus = self.allowed.cpus.clone();
                self.warn(LaunchNotice::RankIsRebound { cpus: own, launcher_cpus, mask });
                self.share_out(request, rank);
            }
            _ if outside.bound_by_default && request.shares() => {
                self.allowed.cpus = outside.for_all_ranks(&own);
                let (launcher, launcher_cpus) = (rank.launcher, self.allowed.cpus.clone());
                self.note(LaunchNotice::DefaultBindingPassedOver {
                    launcher,
                    cpus: own,
                    launcher_cpus,
                    mask,
                });
                self.share_out(request, rank);
            }
            LauncherBinding::Exclusive => {
                self.bound_by = Some(rank.launcher);
                self.note(LaunchNotice::RankIsBound { cpus: own, of: outside.cpus.clone(), mask });
            }
            LauncherBinding::Overlapping if request.shares() => {
                self.bound_by = Some(rank.launcher);
                self.tasks.overlapping = true;
                let launcher_cpus = outside.cpus.len();
                self.tasks.threads = Some((launcher_cpus as u32 / size).max(1));
                self.warn(LaunchNotice::OverlappingMasks {
                    cpus: own,
                    local_ranks: size,
                    launcher_cpus,
                    pinned: request.is_pinned_by_request(),
                });
            }
            LauncherBinding::Overlapping => self.note(LaunchNotice::OverlappingMask { cpus: own }),
        }
    }

    /// What there is to say where the launcher left our task fewer CPUs than it has threads.
    pub fn shortage(&self, task: &TaskPlacement) -> Option<LaunchNotice> {
        let launcher = self.bound_by?;
        let (cpus, threads) = (self.allowed.cpus.clone(), task.threads.len());
        (threads > cpus.len()).then_some(LaunchNotice::BoundToFewerCpus { launcher, cpus, threads })
    }

    fn note(&mut self, notice: LaunchNotice) {
        self.notes.push(notice.into());
    }

    fn warn(&mut self, notice: LaunchNotice) {
        self.warnings.push(notice.into());
    }

    fn share_out(&mut self, request: &RunRequest, rank: &LocalRank) {
        if request.shares() {
            (self.tasks.number, self.tasks.ours) = (rank.local_size, rank.local_rank);
        }
    }
}

fn rank_of_job(rank: &LocalRank) -> Notice {
    let &LocalRank { launcher, local_rank, local_size, rank, size, size_is_assumed } = rank;
    let notice = LaunchNotice::RankOfJob {
        launcher: launcher.to_string(),
        rank,
        ranks: size,
        local_rank,
        local_ranks: local_size,
        even_spread_assumed: size_is_assumed,
    };
    notice.into()
}

/// Where every task gets the same there is nothing to ask, unless it is to be explained.
fn needs_no_rank(request: &RunRequest) -> bool {
    let copies = matches!(request.tasks, TaskCount::Copies(_));
    matches!(request.tasks, TaskCount::Ranks(_))
        || !(request.shares()
            || request.rebind
            || copies
            || request.explain > Explanation::Warnings
            || takes_rank(&request.command, &request.inputs.templates)
            || request.command.takes(TASK))
}

/// What the launcher itself may use.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LauncherCpus {
    cpus: CpuSet,
    mask: LauncherMask,
    allocation: Option<SlurmAllocation>,
    /// Nobody asked it to bind its ranks, and it is known what it may use itself.
    bound_by_default: bool,
}

/// How many CPUs of this computer Slurm says it gave to the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SlurmAllocation {
    cpus: usize,
    /// Slurm counts CPUs or cores, as it is configured.
    threads_of_core: usize,
}

impl SlurmAllocation {
    /// `None` outside of Slurm, and where its variable makes no sense.
    fn of(rank: &LocalRank, environment: Environment<'_>, own: &CpuSet) -> Option<SlurmAllocation> {
        if rank.launcher != Launcher::Slurm {
            return None;
        }
        let cpus = environment("SLURM_CPUS_ON_NODE")?.to_str()?.parse().ok()?;
        let threads_of_core = numawise_machine::threads_of_core(&Roots::live(), own.first()?);
        Some(SlurmAllocation { cpus, threads_of_core })
    }
}

impl LauncherCpus {
    fn of(rank: &LocalRank, environment: Environment<'_>) -> LauncherCpus {
        let inside = widest();
        let allocation = SlurmAllocation::of(rank, environment, &inside);
        // A daemon that the batch system started has the variables of the batch system's ranks, not of its own.
        let is_rank = |lookup: Environment<'_>| match numawise_launch::rank(lookup) {
            Ok(Some(above)) => above.launcher == rank.launcher,
            Ok(None) => false,
            // What looks like a rank and makes no sense is no launcher either.
            Err(_) => true,
        };
        match numawise_machine::launcher(&Roots::live(), &is_rank) {
            Ok(launcher) => LauncherCpus {
                // A launcher of the batch system may stand outside of the job's cpuset.
                cpus: launcher.cpus.intersection(&inside),
                allocation,
                bound_by_default: is_bound_by_default(rank.launcher, environment, launcher.words),
                mask: LauncherMask::Process { name: launcher.name, pid: launcher.pid },
            },
            Err(error) => {
                let mask = LauncherMask::Cgroup { reason: error.to_string() };
                LauncherCpus { cpus: inside, mask, allocation, bound_by_default: false }
            }
        }
    }

    /// The CPUs that all ranks of the computer share out: those of the launcher, also where it bound a rank outside of its own mask, as Open MPI 4
    /// does by default. A rank that added its own CPUs would plan over others than its neighbours do.
    fn for_all_ranks(&self, own: &CpuSet) -> CpuSet {
        if self.cpus.is_empty() { own.clone() } else { self.cpus.clone() }
    }

    /// A batch system without a plugin that binds says how much it gave, and lets its ranks run anywhere.
    fn beyond_allocation(&self, own: &CpuSet) -> Option<LaunchNotice> {
        let SlurmAllocation { cpus: given, threads_of_core } = self.allocation?;
        let open = || own.clone();
        (given * threads_of_core < own.len()).then(|| LaunchNotice::MoreThanSlurmGave { given, open: open() })
    }
}

/// What started the ranks of this computer may be a daemon, whose words are not those that somebody typed.
fn is_bound_by_default(launcher: Launcher, environment: Environment<'_>, words: Vec<OsString>) -> bool {
    let command = RunSpec { command: words.into_iter().map(Argument).collect(), directory: PathBuf::new() };
    let options =
        launcher::of(&command).map(|_| launcher::options(&command, &launcher::executable_for(&command)));
    numawise_launch::is_bound_by_default(launcher, environment, options.as_deref())
}

/// What the launcher did to the CPUs of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LauncherBinding {
    /// All that it may use itself is ours too.
    None,
    /// CPUs for this rank alone.
    Exclusive,
    /// CPUs that other ranks must have too, since there are not enough for all to have as many.
    Overlapping,
}

impl LauncherBinding {
    fn from_masks(own: &CpuSet, launcher: &CpuSet, local_size: u32) -> LauncherBinding {
        if launcher.is_subset(own) {
            return LauncherBinding::None;
        }
        // A rank with one CPU stands there whoever else does.
        if own.len() > 1 && own.len() * local_size as usize > launcher.len() {
            LauncherBinding::Overlapping
        } else {
            LauncherBinding::Exclusive
        }
    }
}
