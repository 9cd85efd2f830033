//! What is kept of a program that was run once and watched.

use std::ffi::OsString;
use std::path::PathBuf;

use numawise_facts::objects::ObjectRunHeader;
use numawise_facts::{HostFacts, Machine, Placement, Redactor, RunSpec};
use numawise_launch::EndedProgram;
use numawise_units::Nanoseconds;

use crate::here;
use crate::plan::RunPlan;

/// What was run, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct RanProgram {
    /// Without what nobody is to see.
    pub command: RunSpec,
    pub host: HostFacts,
    pub machine: Machine,
    /// Missing where that was left to the system.
    pub placement: Option<Placement>,
}

impl RanProgram {
    pub fn of(mut command: RunSpec, plan: &RunPlan, is_placed: bool, redactor: &Redactor) -> RanProgram {
        if command.directory.as_os_str().is_empty() {
            command.directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        }
        RanProgram {
            command: redactor.command(&command),
            host: numawise_observe::host::facts(&numawise_observe::Roots::live()),
            // A plan that took little of the machine knows little of it.
            machine: here::full().map_or_else(|_| plan.machine.clone(), |here| here.machine),
            placement: is_placed.then(|| plan.placement.clone()),
        }
    }

    /// With how it ended, what its memory objects are kept with.
    pub fn objects_header(
        self,
        tool_version: String,
        begun: Nanoseconds,
        ended: &EndedProgram,
    ) -> ObjectRunHeader {
        let RanProgram { command, host, machine, placement } = self;
        let (exit, wall, usage) = (ended.exit, ended.wall, ended.usage.clone());
        let notices = Vec::new();
        ObjectRunHeader { tool_version, begun, command, host, machine, placement, exit, wall, usage, notices }
    }
}

/// What takes secrets of a command and of our environment out.
pub fn redactor(command: &RunSpec) -> Redactor {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    let environment = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    Redactor::of_run(&command.command, environment)
}
