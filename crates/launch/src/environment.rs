//! The environment that carries the plan to the program's runtimes.

use std::ffi::OsString;

use numawise_facts::{LaunchNotice, TaskPlacement, ThreadBinding};
use numawise_units::TaskId;

use crate::Pinner;
use crate::{pages, pinner};

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

/// A variable that the program gets, or (`None`) does not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: &'static str,
    pub value: Option<String>,
}

/// What a task's environment needs: the number of threads, for pinned threads their places (OpenMP's, and those of the
/// library that pins all others), and the size of pages.
///
/// `OMP_PLACES` has one place for each thread in the order of their numbers, so that `close` puts thread k on place k.
/// `GOMP_CPU_AFFINITY` and `KMP_AFFINITY` would place the threads a second time (the Intel runtime prefers its own
/// variable), so they are taken out where threads are pinned. What is not decided by the plan is left as it is; what
/// is already preloaded, and the C library's other tunables, stay.
pub fn environment(task: &TaskPlacement, binding: ThreadBinding, pinner: Option<&Pinner>) -> Vec<Change> {
    environment_from(task, binding, pinner, &|name| std::env::var_os(name))
}

fn environment_from(
    task: &TaskPlacement,
    binding: ThreadBinding,
    pinner: Option<&Pinner>,
    now: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<Change> {
    let set = |name, value: String| Change { name, value: Some(value) };
    let mut changes = vec![set("OMP_NUM_THREADS", task.threads.len().to_string())];
    if binding == ThreadBinding::Pinned {
        let places: Vec<String> = task.threads.iter().map(|cpus| format!("{{{}}}", places(cpus))).collect();
        changes.push(set("OMP_PLACES", places.join(",")));
        changes.push(set("OMP_PROC_BIND", "close".to_owned()));
        changes.push(Change { name: "GOMP_CPU_AFFINITY", value: None });
        changes.push(Change { name: "KMP_AFFINITY", value: None });
    }
    match pinner.filter(|_| binding == ThreadBinding::Pinned) {
        Some(pinner) => changes.extend(pinner::pinning(task, pinner, now)),
        None => changes.extend(pinner::no_pinning(now)),
    }
    changes.extend(pages::page_changes_from(&task.memory, now));
    changes
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
    let set = |name, value: String| Change { name, value: Some(value) };
    vec![set("NUMAWISE_TASK", task.to_string()), set("NUMAWISE_TASKS", tasks.to_string())]
}

/// What the changes take from the environment as the user set it; `now` looks a variable up. What is only added to needs no
/// word.
pub fn overrides(changes: &[Change], now: impl Fn(&str) -> Option<OsString>) -> Vec<LaunchNotice> {
    let mut notices = Vec::new();
    for change in changes {
        let Some(old) = now(change.name) else { continue };
        let (name, was) = (change.name, old.to_string_lossy().into_owned());
        let added_to = matches!(name, "LD_PRELOAD" | "GLIBC_TUNABLES") && change.value.is_some();
        if added_to || name.starts_with("NUMAWISE_") || change.value.as_ref() == Some(&was) {
            continue;
        }
        notices.push(LaunchNotice::EnvironmentChanged {
            name: name.to_owned(),
            was,
            becomes: change.value.clone(),
        });
    }
    notices
}
