//! What of a run the analysis of its trace needs.

use numawise_traces::{Process, Traced};

use super::Run;

#[cfg(test)]
#[path = "traced_tests.rs"]
mod tests;

/// Nothing where no trace was made.
pub fn of<'a>(run: &Run<'a>) -> Option<Traced<'a>> {
    let process = |(process, world): (&super::Process<'a>, &usize)| Process {
        activity: process.activity,
        world: *world,
        numbered_world: process.numbered_world,
        has_team: process.has_team(),
    };
    let processes = run.processes.iter().zip(&run.worlds).map(process).collect();
    Traced::of(numawise_traces::Run { processes, places: run.parts.places, part: run.parts.trace_part })
}
