//! What was typed, checked and resolved as far as it goes without the machine.

use std::ffi::{OsStr, OsString};

use numawise_facts::{MemoryRequest, Placement, PlacementRequest, Strategy, ThreadBinding};
use numawise_launch::Change;
use numawise_units::{CpuSet, NodeSet};

use super::super::Failure;
use super::arguments::Arguments;
use super::machine::Allowed;
use super::node_string::parse;

#[cfg(test)]
mod tests;

/// A validated request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub placement: PlacementRequest,
    /// The program's threads are ours to set: their number was given, or they are placed or pinned.
    pub steers_threads: bool,
}

impl Request {
    /// # Errors
    /// When the options contradict each other or name nothing.
    pub fn new(
        arguments: &Arguments,
        allowed: &Allowed,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Request, Failure> {
        let cpus = cpus(arguments, allowed)?;
        let nodes = nodes(arguments, allowed)?;
        let memory = memory(arguments, allowed)?;
        let listed = cpus.is_some() || nodes.is_some();
        let strategy = match arguments.place {
            Some(strategy) => strategy,
            None if listed => Strategy::Explicit,
            None => Strategy::None,
        };
        let spreads = matches!(strategy, Strategy::Local | Strategy::Distributed | Strategy::Semi);
        let binding = match arguments.pin || spreads && !arguments.no_pin {
            true => ThreadBinding::Pinned,
            false => ThreadBinding::Free,
        };
        let steers_threads = arguments.threads.is_some() || spreads || binding == ThreadBinding::Pinned;
        let fills_in = arguments.command.iter().any(|word| word.to_string_lossy().contains("{threads}"));
        let threads = match arguments.threads {
            Some(threads) => Some(threads),
            None if steers_threads || fills_in => {
                environment("OMP_NUM_THREADS").as_deref().and_then(outermost)
            }
            None => None,
        };
        let placement = PlacementRequest {
            strategy,
            binding,
            threads,
            cpus,
            nodes,
            memory,
            ..PlacementRequest::as_the_os_does()
        };
        Ok(Request { placement, steers_threads })
    }

    /// What the program's environment needs.
    pub fn changes(&self, placement: &Placement) -> Vec<Change> {
        match (self.steers_threads, placement.tasks.first()) {
            (true, Some(task)) => numawise_launch::environment(task, placement.binding),
            _ => Vec::new(),
        }
    }
}

/// The first number of `OMP_NUM_THREADS`, which is a list for nested regions.
fn outermost(value: &OsStr) -> Option<u32> {
    let number = value.to_str()?.split(',').next()?.trim().parse().ok()?;
    (number > 0).then_some(number)
}

fn cpus(arguments: &Arguments, allowed: &Allowed) -> Result<Option<CpuSet>, Failure> {
    match &arguments.physcpubind {
        Some(text) => Ok(Some(parse("--physcpubind", text, &allowed.cpus)?)),
        None => Ok(arguments.cpus.clone()),
    }
}

fn nodes(arguments: &Arguments, allowed: &Allowed) -> Result<Option<NodeSet>, Failure> {
    match arguments.cpunodebind.as_deref() {
        Some("same") => match policy_text(arguments) {
            Some((option, text)) => Ok(Some(parse(option, text, &allowed.nodes)?)),
            None => Err(same("--cpunodebind", "a memory policy with nodes, such as --membind")),
        },
        Some(text) => Ok(Some(parse("--cpunodebind", text, &allowed.nodes)?)),
        None => Ok(arguments.nodes.clone()),
    }
}

/// The memory policy of numactl's that takes nodes, and what was typed for it.
fn policy_text(arguments: &Arguments) -> Option<(&'static str, &str)> {
    let options = [
        ("--membind", &arguments.membind),
        ("--interleave", &arguments.interleave),
        ("--weighted-interleave", &arguments.weighted_interleave),
        ("--preferred", &arguments.preferred),
        ("--preferred-many", &arguments.preferred_many),
    ];
    options.into_iter().find_map(|(option, text)| Some((option, text.as_deref()?)))
}

fn memory(arguments: &Arguments, allowed: &Allowed) -> Result<MemoryRequest, Failure> {
    let Some((option, text)) = policy_text(arguments) else {
        return Ok(match (&arguments.memory, arguments.localalloc) {
            (Some(memory), _) => memory.clone(),
            (None, true) => MemoryRequest::Local,
            (None, false) => MemoryRequest::Default,
        });
    };
    let text = match (text, arguments.cpunodebind.as_deref()) {
        ("same", None | Some("same")) => return Err(same(option, "--cpunodebind")),
        ("same", Some(nodes)) => nodes,
        (text, _) => text,
    };
    let nodes = parse(option, text, &allowed.nodes)?;
    Ok(match option {
        "--membind" => MemoryRequest::Bind(Some(nodes)),
        "--interleave" => MemoryRequest::Interleave(Some(nodes)),
        "--weighted-interleave" => MemoryRequest::Weighted(Some(nodes)),
        "--preferred-many" => MemoryRequest::PreferredMany(nodes),
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
        "{option} same: there is nothing that it could be the same as; expected {other} beside it"
    ))
}
