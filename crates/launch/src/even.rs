//! The same start for all placements that are compared: where they differ in more than the placement, a run of some milliseconds
//! shows that and not the placement.
//!
//! Threads that are free get a plan that places nothing, so that the library is loaded everywhere. The environment has the same
//! number of variables and bytes everywhere: where the stack of a program begins depends on it, and with that how its data share
//! caches. Variables that a program acts on (`OMP_*`) are never made up for that, for they change what it does: others, which nobody
//! reads, fill up.

use std::ffi::OsString;

use numawise_facts::{Placement, TaskPlacement, ThreadBinding};

use crate::change::Change;
use crate::environment::{FreeThreads, environment_from, task_changes};
use crate::pinner::Pinner;

#[cfg(test)]
#[path = "even_tests.rs"]
mod tests;

/// The variables that fill up, all of one length.
const FILLERS: [&str; 12] = [
    "NUMAWISE_EVEN_00",
    "NUMAWISE_EVEN_01",
    "NUMAWISE_EVEN_02",
    "NUMAWISE_EVEN_03",
    "NUMAWISE_EVEN_04",
    "NUMAWISE_EVEN_05",
    "NUMAWISE_EVEN_06",
    "NUMAWISE_EVEN_07",
    "NUMAWISE_EVEN_08",
    "NUMAWISE_EVEN_09",
    "NUMAWISE_EVEN_10",
    "NUMAWISE_EVEN_11",
];

/// What an environment has more than ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Growth {
    variables: i64,
    bytes: i64,
}

/// How much the environment of every task grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvenStart(Growth);

impl EvenStart {
    /// The least that all tasks of these placements can grow to.
    pub fn of<'a>(placements: impl IntoIterator<Item = &'a Placement>, pinner: Option<&Pinner>) -> EvenStart {
        EvenStart::from(placements, pinner, &|name| std::env::var_os(name))
    }

    fn from<'a>(
        placements: impl IntoIterator<Item = &'a Placement>,
        pinner: Option<&Pinner>,
        now: &dyn Fn(&str) -> Option<OsString>,
    ) -> EvenStart {
        let growths = placements.into_iter().flat_map(|placement| {
            placement.tasks.iter().map(|task| {
                growth(&placing(task, placement.binding, placement.tasks.len(), pinner, now), now)
            })
        });
        let growths: Vec<Growth> = growths.collect();
        // One filler everywhere, so that bytes can be added where no variable is missing.
        let variables = 1 + growths.iter().map(|growth| growth.variables).max().unwrap_or(0);
        let bytes = |growth: &Growth| growth.bytes + (variables - growth.variables) * length(FILLERS[0], 0);
        EvenStart(Growth { variables, bytes: growths.iter().map(bytes).max().unwrap_or(0) })
    }

    /// The changes for a task of a placement, one of those that the size was made for; `tasks` is the number of its tasks.
    pub(crate) fn changes(
        self,
        task: &TaskPlacement,
        binding: ThreadBinding,
        tasks: usize,
        pinner: Option<&Pinner>,
    ) -> Vec<Change> {
        self.changes_from(task, binding, tasks, pinner, &|name| std::env::var_os(name))
    }

    fn changes_from(
        self,
        task: &TaskPlacement,
        binding: ThreadBinding,
        tasks: usize,
        pinner: Option<&Pinner>,
        now: &dyn Fn(&str) -> Option<OsString>,
    ) -> Vec<Change> {
        let mut changes = placing(task, binding, tasks, pinner, now);
        let Growth { variables, bytes } = growth(&changes, now);
        let missing = usize::try_from(self.0.variables - variables).unwrap_or(0).min(FILLERS.len());
        let names = &FILLERS[..missing];
        let mut left = self.0.bytes - bytes - names.iter().map(|name| length(name, 0)).sum::<i64>();
        for name in names {
            changes.push(Change::set(name, "x".repeat(usize::try_from(left).unwrap_or(0))));
            left = 0;
        }
        changes
    }
}

fn placing(
    task: &TaskPlacement,
    binding: ThreadBinding,
    tasks: usize,
    pinner: Option<&Pinner>,
    now: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<Change> {
    let mut changes = environment_from(task, binding, pinner, FreeThreads::InertPlan, now);
    changes.extend(task_changes(task.task, tasks));
    changes
}

/// `NAME=VALUE` and the zero behind it.
fn length(name: &str, value: usize) -> i64 {
    (name.len() + value + 2) as i64
}

fn growth(changes: &[Change], now: &dyn Fn(&str) -> Option<OsString>) -> Growth {
    changes.iter().fold(Growth::default(), |Growth { variables, bytes }, change| {
        let old = now(change.name).map(|value| length(change.name, value.len()));
        let new = change.value.as_ref().map(|value| length(change.name, value.len()));
        Growth {
            variables: variables + i64::from(new.is_some()) - i64::from(old.is_some()),
            bytes: bytes + new.unwrap_or(0) - old.unwrap_or(0),
        }
    })
}
