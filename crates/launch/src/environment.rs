//! The environment that carries the plan to the program's runtimes.

use std::ffi::OsString;

use numawise_facts::{TaskPlacement, ThreadBinding};
use numawise_units::TaskId;
use numawise_wire::pin::PlanEffect;

use crate::change::Change;
use crate::gpus::gpu_changes;
use crate::pinner::Pinner;
use crate::{pages, pinner};

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

/// What a task's environment needs: the number of threads, for pinned threads their places (OpenMP's, and those of the
/// library that pins all others), and the size of pages.
///
/// `OMP_PLACES` has one place for each thread in the order of their numbers, so that `close` puts thread k on place k.
/// `GOMP_CPU_AFFINITY` and `KMP_AFFINITY` would place the threads a second time (the Intel runtime prefers its own
/// variable), and `KMP_HW_SUBSET` would take CPUs out of the plan, so they are taken out where threads are pinned. What is not decided by the
/// plan is left as it is; what is already preloaded, and the C library's other tunables, stay.
pub fn environment(task: &TaskPlacement, binding: ThreadBinding, pinner: Option<&Pinner>) -> Vec<Change> {
    environment_from(task, binding, pinner, FreeThreads::Untouched, &|name| std::env::var_os(name))
}

/// What threads that are placed nowhere get of the library that pins the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FreeThreads {
    /// Nothing: it is not loaded.
    Untouched,
    /// A plan that places nothing: it is loaded and does all of its work but for the placing.
    InertPlan,
}

pub(crate) fn environment_from(
    task: &TaskPlacement,
    binding: ThreadBinding,
    pinner: Option<&Pinner>,
    free: FreeThreads,
    now: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    // Where nobody gave a number, the program has its own.
    if !task.threads.is_empty() {
        let threads = number_of_threads(task.threads.len(), now("OMP_NUM_THREADS"));
        changes.push(Change::set("OMP_NUM_THREADS", threads));
    }
    if binding == ThreadBinding::Pinned {
        let places: Vec<String> = task.threads.iter().map(|cpus| format!("{{{}}}", places(cpus))).collect();
        changes.push(Change::set("OMP_PLACES", places.join(",")));
        changes.push(Change::set("OMP_PROC_BIND", "close".to_owned()));
        changes.push(Change::remove("GOMP_CPU_AFFINITY"));
        changes.push(Change::remove("KMP_AFFINITY"));
        changes.push(Change::remove("KMP_HW_SUBSET"));
    }
    let effect = match (binding, free) {
        (ThreadBinding::Pinned, _) => Some(PlanEffect::Places),
        (ThreadBinding::Free, FreeThreads::InertPlan) => Some(PlanEffect::Inert),
        (ThreadBinding::Free, FreeThreads::Untouched) => None,
    };
    match effect.zip(pinner) {
        Some((effect, pinner)) => changes.extend(pinner::pinning(effect, task, pinner, now)),
        None => changes.extend(pinner::no_pinning(now)),
    }
    changes.extend(pages::page_changes_from(&task.memory, now));
    changes.extend(gpu_changes(&task.gpus));
    changes
}

/// The number of the outermost teams, with the numbers that the user gave the inner ones.
fn number_of_threads(outermost: usize, now: Option<OsString>) -> String {
    let is_number = |word: &str| word.trim().parse::<u32>().is_ok_and(|number| number > 0);
    let inner = now.as_ref().and_then(|value| value.to_str()?.split_once(','));
    match inner.filter(|(_, inner)| inner.split(',').all(is_number)) {
        Some((_, inner)) => format!("{outermost},{inner}"),
        None => outermost.to_string(),
    }
}

/// A set in the words of OMP_PLACES, which knows no `a-b`.
fn places(cpus: &numawise_units::CpuSet) -> String {
    let numbers: Vec<String> = cpus.iter().map(|cpu| cpu.to_string()).collect();
    numbers.join(",")
}

/// Tells a task which of several it is: `NUMAWISE_TASK` counts from 0, `NUMAWISE_TASKS` is their number. Nothing for one.
pub fn task_changes(task: TaskId, tasks: usize) -> Vec<Change> {
    if tasks < 2 {
        return Vec::new();
    }
    vec![Change::set("NUMAWISE_TASK", task.to_string()), Change::set("NUMAWISE_TASKS", tasks.to_string())]
}
