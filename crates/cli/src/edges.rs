//! Of a trace whose calls are read in parts, what must be known before the first of them.

use std::sync::Arc;

use numawise_facts::WatchedRun;
use numawise_facts::activity::ThreadTrace;
use numawise_record::{PartOverview, RecordError, StreamPart, TraceStreams};
use numawise_units::Arrange;

/// The run with the calls that tell from when to when each thread was in MPI; those that an overview has are not read.
pub fn with_edges(
    mut run: WatchedRun,
    streams: &TraceStreams,
    parts: &[StreamPart],
    overview: Option<&[PartOverview]>,
) -> Result<WatchedRun, RecordError> {
    let losses = run.processes.iter().filter_map(|process| process.lost.trace);
    let until = losses.filter_map(|loss| loss.again.or(loss.until.is_none().then_some(loss.since))).min();
    let mut first = 0;
    for of_thread in parts.chunk_by(|one, other| (one.process, one.thread) == (other.process, other.thread)) {
        let known = overview.and_then(|all| all.get(first..first + of_thread.len()));
        first += of_thread.len();
        let last_known =
            until.map_or(of_thread.len(), |until| of_thread.partition_point(|part| part.begin <= until));
        let last_known = last_known.saturating_sub(1);
        let mut edges = vec![0, last_known, of_thread.len() - 1];
        edges.arrange();
        edges.dedup();
        let Some(thread) = of_thread.first().and_then(|of| {
            run.processes.get_mut(of.process as usize)?.threads.measured_mut()?.get_mut(of.thread as usize)
        }) else {
            continue;
        };
        let Some(trace) = thread.trace.as_mut().map(Arc::make_mut) else { continue };
        for (edge, part) in edges.into_iter().filter_map(|edge| Some((edge, of_thread.get(edge)?))) {
            // Of a part in which calls were lost, it is not the last one that counts.
            let in_short = known.filter(|_| until.is_none() || edge != last_known);
            if let Some(of) = in_short.and_then(|of| of.get(edge)) {
                trace.calls.extend(&of.edges);
                continue;
            }
            let mut read = ThreadTrace { sites: std::mem::take(&mut trace.sites), ..ThreadTrace::default() };
            streams.read(*part, &mut read)?;
            trace.calls.extend(ThreadTrace::calls_at_edges(&read.sites, &read.calls, until));
            trace.sites = read.sites;
        }
    }
    Ok(run)
}
