//! What was typed, checked and resolved as far as it goes without the machine.

use std::ffi::OsString;

use numawise_facts::{
    Balancing, CpuChoice, Machine, MemoryMode, MemoryRequest, Notice, Placement, PlacementRequest,
    PlanNotice, Strategy, TaskPlacement, ThreadBinding, takes_threads,
};
use numawise_launch::{Change, Pinner};
use numawise_placement::PlacementError;
use numawise_report::notice::numactl_option;
use numawise_units::{CpuSet, NodeSet, TaskId};

use super::super::Failure;
use super::arguments::Arguments;
use super::machine::Allowed;
use super::node_string::{parse_cpus, parse_nodes};
use super::scope::Tasks;
use crate::openmp::outermost;

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

/// A validated request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub placement: PlacementRequest,
    /// The program's threads are ours to set: their number was given, or they are placed or pinned.
    pub steers_threads: bool,
    /// The command asks for the number of threads.
    pub fills_in_threads: bool,
    /// CPUs in hwloc's words, which only the machine can tell.
    pub location: Option<String>,
    /// How many tasks get the same plan, each what one alone would get, instead of its share.
    pub repeat: u32,
    /// What was typed and has no effect.
    pub ignored: Option<Notice>,
}

/// True when the tasks of a job share out what the options name; false when every task gets all of it, as with numactl's
/// own lists, and where no CPUs are chosen.
pub fn shares(arguments: &Arguments) -> bool {
    spreads(arguments.place) || arguments.pin || arguments.cpus.is_some() || arguments.nodes.is_some()
}

fn spreads(strategy: Option<Strategy>) -> bool {
    matches!(strategy, Some(Strategy::Local | Strategy::Distributed | Strategy::Semi))
}

impl Request {
    /// # Errors
    /// When the options contradict each other or name nothing.
    pub fn new(
        arguments: &Arguments,
        allowed: &Allowed,
        tasks: &Tasks,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Request, Failure> {
        let (cpus, location) = cpus(arguments, allowed)?;
        let nodes = nodes(arguments, allowed)?;
        let memory = memory(arguments, allowed)?;
        let listed = cpus.is_some() || nodes.is_some() || location.is_some();
        // Every rank that has these CPUs would choose the same ones of them.
        let may_choose = !tasks.overlapping || arguments.pin;
        let strategy = match arguments.place {
            Some(strategy) if may_choose => strategy,
            _ if listed => Strategy::Explicit,
            _ => Strategy::None,
        };
        let pins = arguments.pin || spreads(arguments.place) && !arguments.no_pin && may_choose;
        let binding = if pins { ThreadBinding::Pinned } else { ThreadBinding::Free };
        // Copies that nobody told how many threads to have would each take the whole machine.
        let steers_threads =
            arguments.threads.is_some() || spreads(arguments.place) || pins || arguments.copies.is_some();
        let fills_in_threads = arguments.command.iter().any(|word| takes_threads(word));
        let threads = match arguments.threads {
            Some(threads) => Some(threads),
            None if steers_threads || fills_in_threads => {
                environment("OMP_NUM_THREADS").and_then(|value| outermost(value.to_str()?)).or(tasks.threads)
            }
            None => None,
        };
        let (balancing, ignored) = balancing(arguments);
        let (number, repeat) = if shares(arguments) { (tasks.number, 1) } else { (1, tasks.number) };
        let placement = PlacementRequest {
            strategy,
            binding,
            tasks: number,
            threads,
            cpus,
            nodes,
            memory,
            balancing,
            pages: arguments.page_size.unwrap_or_default(),
            choice: choice(arguments),
        };
        Ok(Request { placement, steers_threads, fills_in_threads, location, repeat, ignored })
    }

    /// The plan for all tasks of the job on this computer.
    ///
    /// # Errors
    /// When the machine does not have, or does not allow, what was asked for.
    pub fn place(&self, machine: &Machine) -> Result<Placement, Failure> {
        let mut asked = self.placement.clone();
        if let Some(location) = &self.location {
            asked.cpus = Some(numawise_placement::locate(machine, location)?);
        }
        let mut placement = numawise_placement::place(machine, &asked).map_err(with_advice)?;
        placement.warnings.extend(self.ignored.clone());
        if let ([only], 2..) = (placement.tasks.as_slice(), self.repeat) {
            let only = only.clone();
            let copy = |number: u32| TaskPlacement { task: TaskId(number), ..only.clone() };
            placement.tasks = (0..self.repeat).map(copy).collect();
        }
        Ok(placement)
    }

    /// What the environment of a task needs.
    pub fn changes(&self, task: &TaskPlacement, pinner: Option<&Pinner>) -> Vec<Change> {
        if self.steers_threads {
            numawise_launch::environment(task, self.placement.binding, pinner)
        } else {
            numawise_launch::page_changes(&task.memory)
        }
    }
}

/// What to type instead stands here, where the options are known.
fn with_advice(error: PlacementError) -> Failure {
    let advice = match &error {
        PlacementError::NoHbm { .. } => "; try --memory local",
        PlacementError::NothingRemoteFromAll { .. } => " (--nodes or --cpus)",
        PlacementError::BalancingPolicy { .. } => "; try --memory bind, or leave it to the system",
        _ => return error.into(),
    };
    Failure::new(format!("{error}{advice}"))
}

/// numactl passes --balancing over beside all of its policies but --membind.
fn balancing(arguments: &Arguments) -> (Balancing, Option<Notice>) {
    let typed = arguments.balancing.unwrap_or_default();
    let policy = match (policy_text(arguments), arguments.localalloc) {
        (Some((policy, _)), _) => policy,
        (None, true) => MemoryMode::Local,
        (None, false) => MemoryMode::Bind,
    };
    if typed != Balancing::On || policy == MemoryMode::Bind {
        return (typed, None);
    }
    (Balancing::Default, Some(PlanNotice::BalancingIgnored { policy }.into()))
}

/// True when the options ask for something else than all CPUs that we were given.
pub fn chooses_cpus(arguments: &Arguments) -> bool {
    let lists = [&arguments.physcpubind, &arguments.cpunodebind, &arguments.cpus];
    shares(arguments) || lists.iter().any(|list| list.is_some()) || choice(arguments) != CpuChoice::default()
}

fn choice(arguments: &Arguments) -> CpuChoice {
    let default = CpuChoice::default();
    CpuChoice {
        order: arguments.order.unwrap_or(default.order),
        step: arguments.step.unwrap_or(default.step),
        smt: arguments.smt.unwrap_or(default.smt),
        skip: arguments.skip_cpus.clone().unwrap_or(default.skip),
        skip_os_core: arguments.skip_os_core,
        efficient_cores: arguments.efficient_cores,
    }
}

/// A list of numbers, or words for the machine to tell.
fn cpus(arguments: &Arguments, allowed: &Allowed) -> Result<(Option<CpuSet>, Option<String>), Failure> {
    if let Some(text) = &arguments.physcpubind {
        return Ok((Some(parse_cpus("--physcpubind", text, &allowed.cpus)?), None));
    }
    match arguments.cpus.as_deref() {
        None => Ok((None, None)),
        Some(text) if text.contains(|c: char| c.is_ascii_alphabetic()) => Ok((None, Some(text.to_owned()))),
        Some(text) => {
            let list = text.parse().map_err(|error| Failure::new(format!("--cpus {error}")))?;
            Ok((Some(list), None))
        }
    }
}

fn nodes(arguments: &Arguments, allowed: &Allowed) -> Result<Option<NodeSet>, Failure> {
    match arguments.cpunodebind.as_deref() {
        Some("same") => match policy_text(arguments) {
            Some((policy, text)) => Ok(Some(parse_nodes(numactl_option(policy), text, &allowed.nodes)?)),
            None => Err(same("--cpunodebind", "a memory policy with nodes, such as --membind")),
        },
        Some(text) => Ok(Some(parse_nodes("--cpunodebind", text, &allowed.nodes)?)),
        None => Ok(arguments.nodes.clone()),
    }
}

/// The memory policy of numactl's that takes nodes, and what was typed for it.
fn policy_text(arguments: &Arguments) -> Option<(MemoryMode, &str)> {
    let options = [
        (MemoryMode::Bind, &arguments.membind),
        (MemoryMode::Interleave, &arguments.interleave),
        (MemoryMode::WeightedInterleave, &arguments.weighted_interleave),
        (MemoryMode::Preferred, &arguments.preferred),
        (MemoryMode::PreferredMany, &arguments.preferred_many),
    ];
    options.into_iter().find_map(|(policy, text)| Some((policy, text.as_deref()?)))
}

fn memory(arguments: &Arguments, allowed: &Allowed) -> Result<MemoryRequest, Failure> {
    let Some((policy, text)) = policy_text(arguments) else {
        return Ok(match (&arguments.memory, arguments.localalloc) {
            (Some(memory), _) => memory.clone(),
            (None, true) => MemoryRequest::Local,
            (None, false) => MemoryRequest::Default,
        });
    };
    let option = numactl_option(policy);
    let text = match (text, arguments.cpunodebind.as_deref()) {
        ("same", None | Some("same")) => return Err(same(option, "--cpunodebind")),
        ("same", Some(nodes)) => nodes,
        (text, _) => text,
    };
    let nodes = parse_nodes(option, text, &allowed.nodes)?;
    Ok(match policy {
        MemoryMode::Bind => MemoryRequest::Bind(Some(nodes)),
        MemoryMode::Interleave => MemoryRequest::Interleave(Some(nodes)),
        MemoryMode::WeightedInterleave => MemoryRequest::KernelWeighted(nodes),
        MemoryMode::PreferredMany => MemoryRequest::PreferredMany(nodes),
        _ => match (nodes.len(), nodes.first()) {
            (1, node) => MemoryRequest::Preferred(node),
            _ => {
                let message =
                    format!("--preferred takes one node, found {nodes}; for several use --preferred-many");
                return Err(Failure::new(message));
            }
        },
    })
}

fn same(option: &str, other: &str) -> Failure {
    Failure::new(format!(
        "{option} same: there is nothing that it could be the same as; expected {other} together with it"
    ))
}
