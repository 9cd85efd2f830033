//! Points whose command starts ranks: who gives these their CPUs, and with which words before their programs.
//!
//! A launcher is one process, and its ranks are many: what is placed are the ranks, by a numawise in each of them, as with
//! `mpirun -n 4 numawise run --place semi -- ./app`. Where a number of threads is asked for and nobody says where they run, each rank has an
//! equal share of the CPUs: a launcher's own default may put all of its threads on one core. What was asked of the launcher stays.

use std::collections::HashMap;
use std::num::NonZeroU32;

use numawise_facts::{
    Argument, CpuChoice, Machine, Placement, PlacementRequest, Point, PointId, RankBinding, RanksLeft,
    RunSpec, Strategy, TaskPlacement, ThreadBinding,
};
use numawise_units::TaskId;

use crate::plan::Environment;
use crate::{Error, launcher};

#[cfg(test)]
#[path = "launched_tests.rs"]
mod tests;

/// The words that place a program as this request does, put before it by a launcher; `is_asked` where somebody asked for the placement, which
/// then goes before a binding of the launcher.
pub type RankWords = fn(&PlacementRequest, bool) -> Vec<Argument>;

/// Our command, in whose place a rank is placed by whoever wrote the line.
const OWN_COMMAND: &str = "numawise";

/// What is done about the ranks of a point, before its plan is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranks {
    /// They are placed by this request; `is_default` where nobody asked for a placement.
    Placed { request: PlacementRequest, is_default: bool },
    /// The launcher binds them.
    Bound(RankBinding),
    /// Nothing is known of them, or nothing is to be said.
    AsTheyAre,
}

impl Ranks {
    /// The request by which numawise places them.
    pub fn placed(&self) -> Option<&PlacementRequest> {
        match self {
            Ranks::Placed { request, .. } => Some(request),
            Ranks::Bound(_) | Ranks::AsTheyAre => None,
        }
    }

    /// Who gives them their CPUs on this machine.
    ///
    /// # Errors
    /// Where they cannot be placed.
    pub fn binding(self, machine: &Machine) -> Result<Option<RankBinding>, Error> {
        Ok(match self {
            Ranks::Placed { request, is_default } => {
                let placement = numawise_placement::place(machine, &request)?;
                Some(RankBinding::Planned { placement, is_default })
            }
            Ranks::Bound(binding) => Some(binding),
            Ranks::AsTheyAre => None,
        })
    }

    /// What the plan of the point is made of: that of its ranks, where numawise places these.
    pub fn planned(&self, request: PlacementRequest) -> PlacementRequest {
        match self {
            Ranks::Placed { request, .. } => request.clone(),
            // A line that places its programs itself is started as it is.
            Ranks::Bound(_) | Ranks::AsTheyAre => PlacementRequest {
                threads: request.threads,
                memory: request.memory,
                balancing: request.balancing,
                pages: request.pages,
                ..PlacementRequest::as_the_os_does()
            },
        }
    }
}

/// Who asks for what of a command that starts ranks.
#[derive(Clone, Copy)]
pub struct AskedOfRanks<'a> {
    pub command: &'a RunSpec,
    pub ranks: u32,
    /// What each rank is to have.
    pub request: &'a PlacementRequest,
    /// The line says itself where its programs are placed, since a level of the placement stands in it.
    pub is_in_line: bool,
}

/// # Errors
/// [`Error::RanksOfUnknownPrograms`] where CPUs are asked for and the programs cannot be told from the words of the command.
pub fn ranks(
    asked: &AskedOfRanks<'_>,
    machine: &Machine,
    environment: Environment<'_>,
) -> Result<Ranks, Error> {
    let AskedOfRanks { command, ranks, request, is_in_line } = *asked;
    let is_executable = launcher::executable_for(command);
    let programs = launcher::program_words(command, &is_executable);
    let free = PlacementRequest { threads: request.threads, ..PlacementRequest::as_the_os_does() };
    let is_asked = *request != PlacementRequest { tasks: request.tasks, ..free };
    let word = command.command.first().map(ToString::to_string).unwrap_or_default();
    if is_in_line || are_placed(&programs) {
        return Ok(Ranks::AsTheyAre);
    }
    let of_ranks = PlacementRequest { tasks: ranks, ..request.clone() };
    if is_asked {
        return match (programs.is_empty(), chooses_cpus(request)) {
            (false, _) => Ok(Ranks::Placed { request: of_ranks, is_default: false }),
            // A policy of memory is the launcher's, which its ranks on this computer inherit.
            (true, false) => Ok(Ranks::AsTheyAre),
            (true, true) => Err(Error::RanksOfUnknownPrograms { word }),
        };
    }
    if request.threads.is_none() {
        return Ok(Ranks::AsTheyAre);
    }
    let left = |why| Ranks::Bound(RankBinding::LeftToLauncher { launcher: word.clone(), why });
    Ok(if programs.is_empty() {
        left(RanksLeft::ProgramsUnknown)
    } else if let Some(by) = launcher::asked_binding(command, environment) {
        Ranks::Bound(RankBinding::AskedFor { launcher: word, by })
    } else if launcher::hosts::may_be_several(command, &crate::snapshot::host(), environment, &is_executable)
    {
        left(RanksLeft::OtherComputers)
    } else {
        Ranks::Placed { request: shares(machine, &of_ranks), is_default: true }
    })
}

/// How many ranks a launcher starts, where its words say so, its programs are known, and none of them is a numawise, which places them.
pub fn number_of_ranks(command: &RunSpec) -> Option<NonZeroU32> {
    let programs = launcher::program_words(command, &launcher::executable_for(command));
    if programs.is_empty() || are_placed(&programs) {
        return None;
    }
    launcher::ranks(command)
}

/// Whether one of the programs is a numawise, which places what it starts.
fn are_placed(programs: &[&Argument]) -> bool {
    programs.iter().any(|word| launcher::file_name(word).is_some_and(|name| name == OWN_COMMAND))
}

/// How the launcher of a command binds its ranks where numawise places none: as it was asked to, or by its default.
pub fn as_typed(command: &RunSpec, environment: Environment<'_>) -> Option<RankBinding> {
    let launcher = launcher::of(command)?.to_owned();
    Some(match launcher::asked_binding(command, environment) {
        Some(by) => RankBinding::AskedFor { launcher, by },
        None => RankBinding::LeftToLauncher { launcher, why: RanksLeft::AsTyped },
    })
}

/// An equal share of all CPUs for each rank, in which its threads are free.
fn shares(machine: &Machine, request: &PlacementRequest) -> PlacementRequest {
    PlacementRequest {
        strategy: Strategy::Explicit,
        binding: ThreadBinding::Free,
        cpus: Some(machine.allowed_cpus.clone()),
        ..request.clone()
    }
}

/// True where the words of a request choose CPUs, so that those that a launcher chose do not count.
pub fn chooses_cpus(request: &PlacementRequest) -> bool {
    request.strategy != Strategy::None
        || request.binding == ThreadBinding::Pinned
        || request.cpus.is_some()
        || request.nodes.is_some()
        || request.choice != CpuChoice::default()
}

/// The command with the words before each program that the launcher starts.
pub fn with_words(command: &RunSpec, words: &[Argument]) -> RunSpec {
    launcher::with_words(command, words).unwrap_or_else(|| command.clone())
}

/// All points as they are started.
pub fn all(points: Vec<Point>, machine: &Machine, mut ranks: HashMap<PointId, Ranks>) -> Vec<Point> {
    let points = points.into_iter().map(|point| match ranks.remove(&point.id) {
        Some(of_point) => launched(point, machine, of_point),
        None => point,
    });
    points.collect()
}

/// The point as it is started: the launcher has no CPUs of its own, and hands its ranks their number of threads on, where somebody gave one.
fn launched(point: Point, machine: &Machine, ranks: Ranks) -> Point {
    let cpus = &machine.allowed_cpus;
    let threads = vec![cpus.clone(); point.request.threads.unwrap_or(0) as usize];
    let mut plan = point.placement;
    let mut task = TaskPlacement { cpus: cpus.clone(), threads, ..TaskPlacement::of_nothing(TaskId(0)) };
    if let (Ranks::AsTheyAre, Some(planned)) = (&ranks, plan.tasks.first()) {
        task.memory = planned.memory.clone();
    }
    let warnings = std::mem::take(&mut plan.warnings);
    let placement = Placement { tasks: vec![task], warnings, ..Placement::of_nothing() };
    let ranks = match ranks {
        Ranks::Placed { is_default, .. } => Some(RankBinding::Planned { placement: plan, is_default }),
        Ranks::Bound(binding) => Some(binding),
        Ranks::AsTheyAre => None,
    };
    Point { placement, ranks, ..point }
}
