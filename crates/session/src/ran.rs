//! What is kept of a program that was run once and watched.

use std::ffi::OsString;
use std::path::PathBuf;

use numawise_facts::objects::ObjectRunHeader;
use numawise_facts::{HostFacts, Machine, Placement, Redactor, ResourceUsage, RunSpec};
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
}

/// A program whose memory objects are followed.
#[derive(Debug, Clone)]
pub struct FollowedRun {
    pub command: RunSpec,
    pub plan: RunPlan,
    pub is_placed: bool,
    /// Of the tool.
    pub version: String,
    /// In nanoseconds since 1970.
    pub begun: Nanoseconds,
}

impl FollowedRun {
    pub fn redactor(&self) -> Redactor {
        redactor(&self.command)
    }

    /// What its objects are kept with when it has ended.
    pub fn ended(&self, ended: &EndedProgram) -> ObjectRunHeader {
        ObjectRunHeader { exit: Some(ended.exit), ..self.header(ended.wall, ended.usage.clone()) }
    }

    /// The same while it runs, for so long.
    pub fn so_far(&self, wall: Nanoseconds) -> ObjectRunHeader {
        self.header(wall, ResourceUsage::unavailable("the program still runs"))
    }

    fn header(&self, wall: Nanoseconds, usage: ResourceUsage) -> ObjectRunHeader {
        let ran = RanProgram::of(self.command.clone(), &self.plan, self.is_placed, &self.redactor());
        let RanProgram { command, host, machine, placement } = ran;
        let (tool_version, begun) = (self.version.clone(), self.begun);
        let (exit, notices) = (None, Vec::new());
        ObjectRunHeader { tool_version, begun, command, host, machine, placement, exit, wall, usage, notices }
    }
}

/// What takes secrets of a command and of our environment out.
pub fn redactor(command: &RunSpec) -> Redactor {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    let environment = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    Redactor::of_run(&command.command, environment)
}
