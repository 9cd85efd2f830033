//! The environment that carries the plan to the OpenMP runtime.

use std::ffi::OsString;

use numawise_facts::{TaskPlacement, ThreadBinding};

#[cfg(test)]
mod tests;

/// A variable that the program gets, or (`None`) does not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: &'static str,
    pub value: Option<String>,
}

/// What a task's environment needs: the number of threads, and for pinned threads their places.
///
/// `OMP_PLACES` has one place for each thread in the order of their numbers, so that `close` puts thread k on place k.
/// `GOMP_CPU_AFFINITY` and `KMP_AFFINITY` would place the threads a second time (the Intel runtime prefers its own
/// variable), so they are taken out where threads are pinned. What is not decided by the plan is left as it is.
pub fn environment(task: &TaskPlacement, binding: ThreadBinding) -> Vec<Change> {
    let set = |name, value: String| Change { name, value: Some(value) };
    let mut changes = vec![set("OMP_NUM_THREADS", task.threads.len().to_string())];
    if binding == ThreadBinding::Pinned {
        let places: Vec<String> = task.threads.iter().map(|cpus| format!("{{{}}}", places(cpus))).collect();
        changes.push(set("OMP_PLACES", places.join(",")));
        changes.push(set("OMP_PROC_BIND", "close".to_owned()));
        changes.push(Change { name: "GOMP_CPU_AFFINITY", value: None });
        changes.push(Change { name: "KMP_AFFINITY", value: None });
    }
    changes
}

/// A set in the words of OMP_PLACES, which knows no `a-b`.
fn places(cpus: &numawise_units::CpuSet) -> String {
    let numbers: Vec<String> = cpus.iter().map(|cpu| cpu.to_string()).collect();
    numbers.join(",")
}

/// Sentences on what the changes take from the environment as the user set it; `now` looks a variable up.
pub fn overrides(changes: &[Change], now: impl Fn(&str) -> Option<OsString>) -> Vec<String> {
    let mut sentences = Vec::new();
    for change in changes {
        let Some(old) = now(change.name) else { continue };
        let (name, old) = (change.name, old.to_string_lossy());
        match &change.value {
            Some(new) if *new == *old => {}
            Some(new) => sentences
                .push(format!("{name}={old} of the environment is replaced by {new}, as the plan asks")),
            None => sentences.push(format!(
                "{name}={old} of the environment is taken out: it would pin the threads again"
            )),
        }
    }
    sentences
}
