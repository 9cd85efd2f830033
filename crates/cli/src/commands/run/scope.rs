//! Who we are in the job and what we may use: one program, one of several copies, or a rank that a launcher started and
//! perhaps bound.
//!
//! All ranks of a computer see the same machine and ask for the same, so each makes the plan of all and takes its own part:
//! they agree without talking. Where the launcher has bound the ranks, each one plans inside what it was given.

use std::ffi::OsString;

use numawise_launch::{Launcher, LocalRank, RankError};
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
    /// Threads of each, where neither an option nor the environment tells and the CPUs that a task has do not either.
    pub threads: Option<u32>,
    /// Several tasks have the same CPUs and nobody told which has which: threads are better not pinned.
    pub crowded: bool,
}

impl Tasks {
    pub fn of(number: u32) -> Self {
        Tasks { number, ..Tasks::default() }
    }
}

/// What a request is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub allowed: Allowed,
    pub tasks: Tasks,
    /// What --verbose and --dry-run tell.
    pub notes: Vec<String>,
    pub warnings: Vec<String>,
    /// Of the ranks of a computer the first one tells what concerns all; what each would say is the same.
    pub speaks: bool,
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
        Scope { allowed, tasks: Tasks::of(number), notes: Vec::new(), warnings: Vec::new(), speaks: true }
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
                scope.warnings.push(untold(&error));
                None
            }
            told => told?,
        };
        match (arguments.copies, rank) {
            (Some(_), Some(rank)) => return Err(copies_in_a_rank(&rank)),
            (Some(copies), None) => scope.tasks.number = copies.get(),
            (None, Some(rank)) => scope.enter(arguments, &rank, &Outside::of(&rank, environment)),
            (None, None) if arguments.rebind => scope.warnings.push(NO_RANK.to_owned()),
            (None, None) => {}
        }
        Ok(scope)
    }

    /// Takes the part of a rank.
    fn enter(&mut self, arguments: &Arguments, rank: &LocalRank, outside: &Outside) {
        self.notes.push(who(rank));
        self.speaks = rank.local_rank == 0 || arguments.verbose;
        let own = self.allowed.cpus.clone();
        let size = rank.local_size.max(1);
        let verdict = Bound::told(&own, &outside.cpus, size);
        match verdict {
            Bound::No => {
                self.notes.push(format!("{} left its CPUs ({own}) to all ranks", outside.who));
                if shares(arguments) {
                    self.warnings.extend(outside.beyond_what_was_given(&own));
                }
                self.share_out(arguments, rank);
            }
            _ if arguments.rebind => {
                self.allowed.cpus = outside.cpus.union(&own);
                self.warnings.push(format!(
                    "--rebind: the launcher bound this rank to CPUs {own}; the plan takes the CPUs that the launcher \
                     itself may use ({}, told by {}) for all ranks",
                    self.allowed.cpus, outside.who
                ));
                self.share_out(arguments, rank);
            }
            Bound::Alone => self.notes.push(format!(
                "the launcher bound this rank to CPUs {own} (of {}, told by {}): the plan is made inside of them; \
                 --rebind would not stay there",
                outside.cpus, outside.who
            )),
            Bound::Crowded if shares(arguments) => {
                self.tasks.crowded = true;
                let share = (outside.cpus.len() as u32 / size).max(1);
                self.tasks.threads = Some(share);
                let pinned = if arguments.pin { "they are pinned as asked and may meet on the same CPUs" } else { "the strategy is passed over and threads are not pinned" };
                self.warnings.push(format!(
                    "the launcher gave CPUs {own} to this rank and to others: {size} ranks have {} CPUs, and which of \
                     these CPUs are whose is not told, so that {pinned}; bind each rank to CPUs of its own, none at all \
                     (mpirun --bind-to none), or use --rebind",
                    outside.cpus.len()
                ));
            }
            Bound::Crowded => {
                self.notes.push(format!("the launcher gave CPUs {own} to this rank and to others"));
            }
        }
    }

    fn share_out(&mut self, arguments: &Arguments, rank: &LocalRank) {
        if shares(arguments) {
            self.tasks = Tasks { number: rank.local_size, ours: rank.local_rank, ..Tasks::default() };
        }
    }
}

const NO_RANK: &str = "--rebind changes nothing: no launcher's variables are in the environment, so that this is not a \
                       rank of a job";

fn untold(error: &RankError) -> String {
    format!("{error}; the plan is made as if this were the only rank here")
}

fn who(rank: &LocalRank) -> String {
    let of_all = match (rank.rank, rank.size) {
        (Some(number), Some(size)) => format!("rank {number} of {size}, "),
        _ => String::new(),
    };
    let assumed = if rank.size_is_assumed { ", taken for an even spread" } else { "" };
    format!(
        "{} started this: {of_all}number {} of {} on this computer{assumed}",
        rank.launcher, rank.local_rank, rank.local_size
    )
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
struct Outside {
    cpus: CpuSet,
    /// Who or what told it.
    who: String,
    given: Option<Given>,
}

/// How many CPUs of this computer the batch system says it gave to the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Given {
    cpus: usize,
    /// Slurm counts CPUs or cores, as it is configured.
    threads_of_core: usize,
}

impl Given {
    /// `None` outside of Slurm, and where its variable makes no sense.
    fn of(rank: &LocalRank, environment: &dyn Fn(&str) -> Option<OsString>, own: &CpuSet) -> Option<Given> {
        if rank.launcher != Launcher::Slurm {
            return None;
        }
        let cpus = environment("SLURM_CPUS_ON_NODE")?.to_str()?.parse().ok()?;
        let threads_of_core = numawise_machine::threads_of_core(&Roots::live(), own.first()?);
        Some(Given { cpus, threads_of_core })
    }
}

impl Outside {
    fn of(rank: &LocalRank, environment: &dyn Fn(&str) -> Option<OsString>) -> Outside {
        let inside = widest();
        let given = Given::of(rank, environment, &inside);
        // A daemon that the batch system started has the variables of the batch system's ranks, not of its own.
        let is_rank = |lookup: &dyn Fn(&str) -> Option<OsString>| match numawise_launch::rank(lookup) {
            Ok(Some(above)) => above.launcher == rank.launcher,
            Ok(None) => false,
            // What looks like a rank and makes no sense is no launcher either.
            Err(_) => true,
        };
        match numawise_machine::launcher(&Roots::live(), &is_rank) {
            Ok(launcher) => Outside {
                // A launcher of the batch system may stand outside of the job's cpuset.
                cpus: launcher.cpus.intersection(&inside),
                who: format!("{} (process {})", launcher.name, launcher.pid),
                given,
            },
            Err(error) => Outside { cpus: inside, who: format!("the cgroup, since {error}"), given },
        }
    }

    /// A batch system without a plugin that binds tells how much it gave, and lets its ranks run anywhere.
    fn beyond_what_was_given(&self, own: &CpuSet) -> Option<String> {
        let Given { cpus, threads_of_core } = self.given?;
        (cpus * threads_of_core < own.len()).then(|| {
            format!(
                "Slurm gave {cpus} CPUs of this computer to the job (SLURM_CPUS_ON_NODE), and nothing keeps its ranks to \
                 them: CPUs {own} are open, and the plan takes them all, perhaps those of other jobs too; ask for whole \
                 computers (--exclusive), name CPUs with --cpus, or have Slurm bind (TaskPlugin=task/affinity)"
            )
        })
    }
}

/// What the launcher did to a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// All that it may use itself is ours too.
    No,
    /// CPUs for this rank.
    Alone,
    /// CPUs that other ranks must have too, since there are not enough for all to have as many.
    Crowded,
}

impl Bound {
    fn told(own: &CpuSet, outside: &CpuSet, local_size: u32) -> Bound {
        if outside.is_subset(own) {
            return Bound::No;
        }
        // A rank with one CPU stands there whoever else does.
        if own.len() > 1 && own.len() * local_size as usize > outside.len() {
            Bound::Crowded
        } else {
            Bound::Alone
        }
    }
}
