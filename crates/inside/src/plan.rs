//! Plans: which CPUs each thread gets, by the planner that `numawise run` has.

use std::num::NonZeroU32;

use numawise_facts::{
    CpuChoice, Machine, Placement, PlacementRequest, Strategy, TaskPlacement, ThreadBinding,
};
use numawise_units::{CpuSet, NodeSet};

use crate::Error;
use crate::error::parsed;

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

/// What is asked for, in the words of the command line; 0 and nothing are as if it was not asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// `local`, `distributed`, `semi`, `none`, or `explicit`: `cpus` in ascending order.
    pub strategy: Option<&'a str>,
    pub tasks: u32,
    /// Of each task; 0 is as many as CPUs fall to it.
    pub threads: u32,
    pub cpus: Option<&'a str>,
    pub nodes: Option<&'a str>,
    /// `spread`, `compact`, `scatter`, `balanced`, or CPUs in their order.
    pub order: Option<&'a str>,
    pub step: u32,
    /// Hardware threads of each core, as `--smt` takes them.
    pub smt: Option<&'a str>,
    pub skip: Option<&'a str>,
    pub skip_os_core: bool,
    pub efficient_cores: bool,
}

impl Asked<'_> {
    fn request(&self) -> Result<PlacementRequest, Error> {
        let choice = CpuChoice {
            order: self.order.map(|text| parsed(text, "order")).transpose()?.unwrap_or_default(),
            step: NonZeroU32::new(self.step).unwrap_or(NonZeroU32::MIN),
            smt: self.smt.map(|text| parsed(text, "smt")).transpose()?.unwrap_or_default(),
            skip: self.skip.map(|text| parsed(text, "skip")).transpose()?.unwrap_or_default(),
            skip_os_core: self.skip_os_core,
            efficient_cores: self.efficient_cores,
        };
        let strategy = match self.strategy {
            None => Strategy::None,
            Some("explicit") => Strategy::Explicit,
            Some(text) => parsed(text, "strategy")?,
        };
        Ok(PlacementRequest {
            strategy,
            binding: ThreadBinding::Pinned,
            tasks: self.tasks.max(1),
            threads: (self.threads > 0).then_some(self.threads),
            cpus: self.cpus.map(|text| parsed::<CpuSet>(text, "cpus")).transpose()?,
            nodes: self.nodes.map(|text| parsed::<NodeSet>(text, "nodes")).transpose()?,
            choice,
            ..PlacementRequest::as_the_os_does()
        })
    }
}

/// Gives each thread its CPUs; nothing is bound yet.
///
/// # Errors
/// A text that does not parse, and what the planner says.
pub fn plan(machine: &Machine, asked: &Asked<'_>) -> Result<Placement, Error> {
    Ok(numawise_placement::place(machine, &asked.request()?)?)
}

fn task(placement: &Placement, task: u32) -> Result<&TaskPlacement, Error> {
    let count = placement.tasks.len();
    placement.tasks.get(task as usize).ok_or_else(|| Error::NotThere {
        what: "task",
        found: task.to_string(),
        exist: format!("{count}, from 0 on"),
    })
}

/// How many threads of a task have CPUs of their own.
///
/// # Errors
/// Where there is no such task.
pub fn threads_of(placement: &Placement, of: u32) -> Result<usize, Error> {
    Ok(task(placement, of)?.threads.len())
}

/// The CPUs of a thread, or of a whole task that leaves its threads alone. Threads beyond those of the plan begin again at its first one.
///
/// # Errors
/// Where there is no such task.
pub fn cpus_of(placement: &Placement, of: u32, thread: u32) -> Result<&CpuSet, Error> {
    let of = task(placement, of)?;
    if of.threads.is_empty() {
        return Ok(&of.cpus);
    }
    Ok(&of.threads[thread as usize % of.threads.len()])
}

/// The CPUs of one worker of several, each of which is a process with threads of its own. Where no strategy is asked for, each keeps to one
/// node if there are as many workers as nodes, and otherwise they share all CPUs. More workers than CPUs begin again at the first.
///
/// # Errors
/// Where there is no such worker, and as of [`plan`].
pub fn share_of(machine: &Machine, worker: u32, of: u32, asked: &Asked<'_>) -> Result<CpuSet, Error> {
    if worker >= of {
        let expected = "a number below that of the workers";
        return Err(Error::Invalid { argument: "worker", found: format!("{worker} of {of}"), expected });
    }
    let cpus = machine.allowed_cpus.len().clamp(1, of as usize) as u32;
    let nodes = machine.nodes_with_allowed_cpus().count();
    let strategy = asked.strategy.unwrap_or(if of as usize >= nodes { "semi" } else { "local" });
    let placement = plan(machine, &Asked { strategy: Some(strategy), tasks: cpus, ..*asked })?;
    Ok(task(&placement, worker % cpus)?.cpus.clone())
}
