//! What stands in a command or an input file for what only the placement of a task tells.

use std::ffi::OsString;

use numawise_units::NodeSet;

use crate::{Machine, Reading, Reason, RunSpec, TaskPlacement};

#[cfg(test)]
#[path = "task_words_tests.rs"]
mod tests;

/// A placeholder that a task fills in by its placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskWord {
    /// `{cpus}`: its CPUs.
    Cpus,
    /// `{nodes}`: the nodes of these.
    Nodes,
    /// `{host}`: the name of the computer.
    Host,
}

/// A placeholder of which it is not known what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{{{name}}} is not known: {reason}")]
pub struct UnknownWord {
    pub name: &'static str,
    pub reason: Reason,
}

impl TaskWord {
    pub const ALL: [TaskWord; 3] = [TaskWord::Cpus, TaskWord::Nodes, TaskWord::Host];

    /// Without its braces.
    pub const fn name(self) -> &'static str {
        match self {
            TaskWord::Cpus => "cpus",
            TaskWord::Nodes => "nodes",
            TaskWord::Host => "host",
        }
    }

    pub fn mark(self) -> String {
        format!("{{{}}}", self.name())
    }

    /// What it stands for in a task on this machine; `host` reads the name of the computer.
    ///
    /// # Errors
    /// [`UnknownWord`].
    pub fn of(
        self,
        task: &TaskPlacement,
        machine: &Machine,
        host: impl FnOnce() -> Reading<String>,
    ) -> Result<OsString, UnknownWord> {
        let known = match self {
            TaskWord::Cpus => Reading::Measured(task.cpus.to_string()),
            TaskWord::Nodes => {
                let nodes: NodeSet = task.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
                if nodes.is_empty() {
                    Reading::unavailable(format!("of none of CPUs {} the node is known", task.cpus))
                } else {
                    Reading::Measured(nodes.to_string())
                }
            }
            TaskWord::Host => host(),
        };
        match known {
            Reading::Measured(text) => Ok(text.into()),
            Reading::Unavailable { unavailable: reason } => Err(UnknownWord { name: self.name(), reason }),
        }
    }
}

impl RunSpec {
    /// The command as a task has it by its placement, but for `{threads}` and `{task}`. What is not asked for need not be known.
    ///
    /// # Errors
    /// [`UnknownWord`].
    pub fn placed(
        &self,
        task: &TaskPlacement,
        machine: &Machine,
        host: impl Fn() -> Reading<String>,
    ) -> Result<RunSpec, UnknownWord> {
        let mut spec = self.clone();
        for word in TaskWord::ALL {
            let mark = word.mark();
            // Also where it stands in braces of its own only, which it then loses.
            let value = if self.takes(&mark) { word.of(task, machine, &host)? } else { OsString::new() };
            spec = spec.filled(&[(&mark, value)]);
        }
        Ok(spec)
    }
}
