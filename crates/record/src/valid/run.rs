//! What all runs have, however they were watched: when, what, where, and what the kernel accounted.

use numawise_facts::{Machine, Notice, Placement, ResourceUsage, RunSpec};
use numawise_units::Nanoseconds;

use super::{Sound, ensure, figure, machine, moment, name, notices, span};

/// The parts of a header that are of any run.
pub struct OfRun<'a> {
    /// Where it stands, for the place of a flaw.
    pub table: &'static str,
    pub tool_version: &'a str,
    pub begun: Nanoseconds,
    pub wall: Nanoseconds,
    pub command: &'a RunSpec,
    pub machine: &'a Machine,
    pub placement: Option<&'a Placement>,
    pub usage: &'a ResourceUsage,
    pub notices: &'a [Notice],
}

pub fn run(of: &OfRun<'_>) -> Sound {
    let place = |part: &'static str| move || format!("{}.header: {part}", of.table);
    name(of.tool_version, place("tool_version"))?;
    moment(of.begun, place("begun"))?;
    span(of.wall, place("wall"))?;
    ensure(!of.command.command.is_empty(), place("command.command"), "nothing", "a program")?;
    machine(of.machine, &format!("{}.header: machine", of.table))?;
    if let Some(placement) = of.placement {
        let tasks = placement.tasks.len();
        ensure((1..=65_535).contains(&tasks), place("placement.tasks"), tasks, "1 to 65535")?;
        notices(&placement.warnings, place("placement.warnings"))?;
    }
    of.usage
        .numbers()
        .iter()
        .try_for_each(|one| figure(one, || format!("{}.header: usage.{}", of.table, one.name)))?;
    notices(of.notices, place("notices"))
}
