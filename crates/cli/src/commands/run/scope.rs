//! Who we are in the job and what we may use: one program, one of several copies, or a rank that a launcher started and
//! perhaps bound.
//!
//! All ranks of a computer see the same machine and ask for the same, so each makes the plan of all and takes its own part:
//! they agree without talking. Where the launcher has bound the ranks, each one plans inside what it was given.

use std::ffi::OsString;

use numawise_facts::{LaunchNotice, LauncherMask, Notice};
use numawise_launch::{Launcher, LocalRank};
use numawise_machine::Roots;
use numawise_units::CpuSet;

use super::super::Failure;
use super::arguments::Arguments;
use super::machine::{Allowed, widest};
use super::request::{chooses_cpus, shares};

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;

/// The tasks of the job on this computer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tasks {
    pub number: u32,
    /// Which of them this process becomes.
    pub ours: u32,
    /// Threads of each task, where neither an option nor the environment gives their number and its CPUs do not either.
    pub threads: Option<u32>,
    /// The masks of several tasks overlap, and it is not known which CPU is whose: threads are better not pinned.
    pub overlapping: bool,
}

impl Tasks {
    pub fn of(number: u32) -> Self {
        Tasks { number, ..Tasks::default() }
    }
}

/// What a request is made for.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    pub allowed: Allowed,
    pub tasks: Tasks,
    /// What --verbose and --dry-run tell.
    pub notes: Vec<Notice>,
    pub warnings: Vec<Notice>,
    /// This is the reporting rank: of the ranks of a computer the first one gives the notices that concern all.
    pub reports: bool,
}

/// What this process may use; with `--all` what it could, where CPUs are chosen.
///
/// # Errors
/// When the kernel does not tell.
pub fn allowed(arguments: &Arguments) -> Result<Allowed, Failure> {
    let mut allowed = Allowed::read()?;
    if arguments.all && chooses_cpus(arguments) {
        allowed.cpus = widest();
    }
    Ok(allowed)
}

impl Scope {
    /// On another machine: no rank of a job here has to do with it.
    pub fn recorded(allowed: Allowed, arguments: &Arguments) -> Scope {
        let number = arguments.ranks.or(arguments.copies).map_or(1, |number| number.get());
        Scope { allowed, tasks: Tasks::of(number), notes: Vec::new(), warnings: Vec::new(), reports: true }
    }

    /// # Errors
    /// When the environment of the rank contradicts itself, or an option makes no sense in a rank.
    pub fn of_this_process(
        arguments: &Arguments,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Scope, Failure> {
        let mut scope = Scope::recorded(allowed(arguments)?, arguments);
        scope.tasks = Tasks::of(1);
        if let Some(number) = arguments.ranks {
            scope.tasks.number = number.get();
            return Ok(scope);
        }
        // Where every task gets the same there is nothing to ask, unless somebody wants to know.
        let shown = arguments.verbose || arguments.dry_run;
        if !shares(arguments) && !arguments.rebind && !shown && arguments.copies.is_none() {
            return Ok(scope);
        }
        let rank = match numawise_launch::rank(environment) {
            Err(error) if error.is_only_untold() || !shares(arguments) => {
                scope.warnings.push(LaunchNotice::RankUnknown { problem: error.to_string() }.into());
                None
            }
            rank => rank?,
        };
        match (arguments.copies, rank) {
            (Some(_), Some(rank)) => return Err(copies_in_a_rank(&rank)),
            (Some(copies), None) => scope.tasks.number = copies.get(),
            (None, Some(rank)) => scope.enter(arguments, &rank, &LauncherCpus::of(&rank, environment)),
            (None, None) if arguments.rebind => scope.warnings.push(LaunchNotice::NothingToRebind.into()),
            (None, None) => {}
        }
        Ok(scope)
    }

    /// Takes the part of a rank.
    fn enter(&mut self, arguments: &Arguments, rank: &LocalRank, outside: &LauncherCpus) {
        self.notes.push(rank_of_job(rank));
        self.reports = rank.local_rank == 0 || arguments.verbose;
        let own = self.allowed.cpus.clone();
        let size = rank.local_size.max(1);
        let mask = outside.mask.clone();
        match LauncherBinding::from_masks(&own, &outside.cpus, size) {
            LauncherBinding::None => {
                self.note(LaunchNotice::CpusLeftToAllRanks { cpus: own.clone(), mask });
                if shares(arguments) {
                    self.warnings.extend(outside.beyond_allocation(&own).map(Notice::from));
                }
                self.share_out(arguments, rank);
            }
            _ if arguments.rebind => {
                self.allowed.cpus = outside.cpus.union(&own);
                let launcher_cpus = self.allowed.cpus.clone();
                self.warn(LaunchNotice::RankIsRebound { cpus: own, launcher_cpus, mask });
                self.share_out(arguments, rank);
            }
            LauncherBinding::Exclusive => {
                self.note(LaunchNotice::RankIsBound { cpus: own, of: outside.cpus.clone(), mask });
            }
            LauncherBinding::Overlapping if shares(arguments) => {
                self.tasks.overlapping = true;
                let launcher_cpus = outside.cpus.len();
                self.tasks.threads = Some((launcher_cpus as u32 / size).max(1));
                self.warn(LaunchNotice::OverlappingMasks {
                    cpus: own,
                    local_ranks: size,
                    launcher_cpus,
                    pinned: arguments.pin,
                });
            }
            LauncherBinding::Overlapping => self.note(LaunchNotice::OverlappingMask { cpus: own }),
        }
    }

    fn note(&mut self, notice: LaunchNotice) {
        self.notes.push(notice.into());
    }

    fn warn(&mut self, notice: LaunchNotice) {
        self.warnings.push(notice.into());
    }

    fn share_out(&mut self, arguments: &Arguments, rank: &LocalRank) {
        if shares(arguments) {
            self.tasks = Tasks { number: rank.local_size, ours: rank.local_rank, ..Tasks::default() };
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

fn copies_in_a_rank(rank: &LocalRank) -> Failure {
    Failure::new(format!(
        "--copies starts copies by itself, and this is a rank of a job already (of {}): every rank would start as \
         many; ask the launcher for more ranks, or start one rank on each computer and take the launcher's variables out \
         of its environment",
        rank.launcher
    ))
}

/// What the launcher itself may use.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LauncherCpus {
    cpus: CpuSet,
    mask: LauncherMask,
    allocation: Option<SlurmAllocation>,
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
    fn of(
        rank: &LocalRank,
        environment: &dyn Fn(&str) -> Option<OsString>,
        own: &CpuSet,
    ) -> Option<SlurmAllocation> {
        if rank.launcher != Launcher::Slurm {
            return None;
        }
        let cpus = environment("SLURM_CPUS_ON_NODE")?.to_str()?.parse().ok()?;
        let threads_of_core = numawise_machine::threads_of_core(&Roots::live(), own.first()?);
        Some(SlurmAllocation { cpus, threads_of_core })
    }
}

impl LauncherCpus {
    fn of(rank: &LocalRank, environment: &dyn Fn(&str) -> Option<OsString>) -> LauncherCpus {
        let inside = widest();
        let allocation = SlurmAllocation::of(rank, environment, &inside);
        // A daemon that the batch system started has the variables of the batch system's ranks, not of its own.
        let is_rank = |lookup: &dyn Fn(&str) -> Option<OsString>| match numawise_launch::rank(lookup) {
            Ok(Some(above)) => above.launcher == rank.launcher,
            Ok(None) => false,
            // What looks like a rank and makes no sense is no launcher either.
            Err(_) => true,
        };
        match numawise_machine::launcher(&Roots::live(), &is_rank) {
            Ok(launcher) => LauncherCpus {
                // A launcher of the batch system may stand outside of the job's cpuset.
                cpus: launcher.cpus.intersection(&inside),
                mask: LauncherMask::Process { name: launcher.name, pid: launcher.pid },
                allocation,
            },
            Err(error) => {
                let mask = LauncherMask::Cgroup { reason: error.to_string() };
                LauncherCpus { cpus: inside, mask, allocation }
            }
        }
    }

    /// A batch system without a plugin that binds says how much it gave, and lets its ranks run anywhere.
    fn beyond_allocation(&self, own: &CpuSet) -> Option<LaunchNotice> {
        let SlurmAllocation { cpus: given, threads_of_core } = self.allocation?;
        let open = || own.clone();
        (given * threads_of_core < own.len()).then(|| LaunchNotice::MoreThanSlurmGave { given, open: open() })
    }
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
