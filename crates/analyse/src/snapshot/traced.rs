//! What of a run the analysis of its trace needs.

use numawise_traces::{Process, StreamAt, StreamView, TraceView, Traced};

use super::{Run, RunParts, counted};

#[cfg(test)]
#[path = "traced_tests.rs"]
mod tests;

/// Nothing where no trace was made.
pub fn of<'a>(run: &Run<'a>) -> Option<Traced<'a>> {
    Traced::of(input(run))
}

/// A trace for a viewer, of which everything is known; nothing where none was made.
pub fn view<'a>(parts: &'a RunParts<'a>) -> Option<TraceView<'a>> {
    TraceView::of(input(&counted(parts).0))
}

/// A trace for a viewer whose parts come one after the other: see [`StreamView::of`].
pub fn view_of_streams<'a>(run: &'a RunParts<'a>, parts: &[StreamAt]) -> Option<StreamView<'a>> {
    StreamView::of(&input(&counted(run).0), run.activities, parts)
}

fn input<'a>(run: &Run<'a>) -> numawise_traces::Run<'a> {
    let process = |(process, world): (&super::Process<'a>, &usize)| Process {
        activity: process.activity,
        world: *world,
        numbered_world: process.numbered_world,
        has_team: process.has_team(),
    };
    let processes = run.processes.iter().zip(&run.worlds).map(process).collect();
    let parts = run.parts;
    numawise_traces::Run { processes, places: parts.places, part: parts.trace_part, machines: parts.machines }
}
