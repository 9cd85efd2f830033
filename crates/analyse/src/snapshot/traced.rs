//! What of a run the analysis of its trace needs.

use std::collections::BTreeMap;

use numawise_tables::snapshot::RunTrace;
use numawise_traces::{
    CallStreams, KnownOfPlace, PlacedCall, Process, StreamAt, StreamView, TraceView, Traced, sliced,
};

use super::{Run, RunParts, counted};

#[cfg(test)]
#[path = "traced_tests.rs"]
mod tests;

/// What follows from a trace.
pub struct AnalysedTrace {
    pub tables: RunTrace,
    /// Empty where it is not whole.
    pub by_place: BTreeMap<PlacedCall, KnownOfPlace>,
    pub is_whole: bool,
}

/// Nothing where no trace was made.
pub fn analysed(run: &Run<'_>) -> Option<AnalysedTrace> {
    let traced = of(run)?;
    let is_whole = traced.is_whole();
    let by_place = if is_whole { traced.by_place() } else { BTreeMap::new() };
    Some(AnalysedTrace { tables: traced.tables(), by_place, is_whole })
}

/// Of a trace whose calls come in streams, so many in a slice; nothing where they cannot be read.
pub fn analysed_in_slices(
    run: &Run<'_>,
    streams: &mut (dyn CallStreams + Send),
    calls: usize,
) -> Option<AnalysedTrace> {
    let of = sliced(input(run), streams, calls)?;
    Some(AnalysedTrace { tables: of.tables, by_place: of.known, is_whole: of.is_whole })
}

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
