//! What a location did outside of calls of MPI: in parallel regions and barriers of OpenMP, and in files.
//!
//! The thread that forks others opens the region; the others do their part of it. A region ends for each with the barrier in which it waits.

use numawise_facts::Reading;
use numawise_facts::activity::{CodeAddress, ConstructName, SpanKind, SpanName, ThreadTrace, TracedSpan};
use numawise_units::{Nanoseconds, Pid};

use super::definitions::{Place, SpanOf};
use super::places::Places;

/// Times are nanoseconds of the archive.
#[derive(Debug, Clone, Copy)]
struct Span {
    of: SpanOf,
    place: Place,
    begin: u64,
    end: u64,
    /// Of a region that the thread opened, its threads.
    opens: Option<u32>,
    /// Of a region, since when it waited at its end.
    waits_since: Option<u64>,
}

/// Of one location.
#[derive(Debug, Default)]
pub struct Spans {
    /// In the order in which they ended.
    all: Vec<Span>,
    /// Those in which it is, with their places among the regions that were entered.
    open: Vec<(usize, Span)>,
    /// Threads that were forked for the region that comes.
    forked: Option<u32>,
}

impl Spans {
    pub fn enter(&mut self, of: SpanOf, place: Place, at: usize, begin: u64) {
        let opens = if of == SpanOf::Parallel { self.forked.take() } else { None };
        self.open.push((at, Span { of, place, begin, end: begin, opens, waits_since: None }));
    }

    /// Some tools say it before the region, we as its first event.
    pub fn fork(&mut self, threads: u32, time: u64) {
        let is_new = |span: &Span| span.of == SpanOf::Parallel && span.opens.is_none() && span.begin == time;
        match self.open.last_mut().map(|(_, span)| span).filter(|span| is_new(span)) {
            Some(region) => region.opens = Some(threads),
            None => self.forked = Some(threads),
        }
    }

    pub fn join(&mut self) {
        self.forked = None;
    }

    /// Ends all that was entered as the region at this place, or inside of that.
    pub fn leave(&mut self, place: usize, end: u64) {
        while let Some((_, mut span)) = self.open.pop_if(|(at, _)| *at >= place) {
            span.end = end;
            // The last barrier of a region is its end.
            let is_last = |last: &&mut Span| {
                last.of == SpanOf::Wait(ConstructName::Barrier) && last.begin >= span.begin
            };
            if span.of == SpanOf::Parallel
                && let Some(last) = self.all.pop_if(|last| is_last(&last))
            {
                span.waits_since = Some(last.begin);
            }
            self.all.push(span);
        }
    }

    /// As a trace has them; who opened the regions of other threads is not known yet.
    pub fn put(&self, places: &mut Places<'_>, trace: &mut ThreadTrace) {
        for span in &self.all {
            let at = places.address(span.place).map(|address| CodeAddress { file: 0, address });
            let at =
                at.map_or_else(|| Reading::unavailable("the archive does not say it"), Reading::Measured);
            let name = match span.of {
                SpanOf::Parallel => SpanName::Construct(ConstructName::Parallel, at),
                SpanOf::Wait(name) => SpanName::Construct(name, at),
                SpanOf::File(operation) => SpanName::File(operation),
            };
            let of = trace.names.iter().position(|known| *known == name).unwrap_or_else(|| {
                trace.names.push(name);
                trace.names.len() - 1
            });
            let (begin, end) = (Nanoseconds(span.begin), Nanoseconds(span.end));
            let waits_since = Nanoseconds(span.waits_since.unwrap_or(span.end));
            let (end, kind) = match (span.of, span.opens) {
                (SpanOf::Parallel, Some(threads)) => (end, SpanKind::Region { threads, waits_since }),
                // Its end stands in for the begin of the region, until that is known.
                (SpanOf::Parallel, None) => (waits_since, SpanKind::Worked { master: Pid(0), begun: end }),
                (SpanOf::Wait(_), _) => (end, SpanKind::Waited),
                (SpanOf::File(_), _) => (end, SpanKind::File),
            };
            trace.spans.push(TracedSpan { of: of as u32, begin, end, kind });
        }
    }
}

/// Parts of regions that threads of a process did belong to a region that another one had open.
pub fn find_openers(threads: &mut [&mut ThreadTrace]) {
    let mut regions = Vec::new();
    for (number, trace) in threads.iter().enumerate() {
        let opened = trace.spans.iter().filter(|span| matches!(span.kind, SpanKind::Region { .. }));
        regions.extend(opened.map(|span| (span.begin, span.end, number)));
    }
    regions.sort_unstable();
    for (own, trace) in threads.iter_mut().enumerate() {
        for span in &mut trace.spans {
            let of = span.begin;
            if let SpanKind::Worked { master, begun } = &mut span.kind {
                let before = regions.partition_point(|(begin, ..)| *begin <= of);
                let around = regions.get(..before).unwrap_or_default().iter().rev().take(NESTED);
                let around = around.filter(|(_, end, number)| *end >= *begun && *number != own);
                // Of those around it, the one that ended with it, or else first.
                let opened = around.min_by_key(|(_, end, _)| *end);
                (*master, *begun) =
                    opened.map_or((*master, of), |(begin, _, number)| (Pid(*number as i32), *begin));
            }
        }
    }
}

/// So many regions are looked at: others that began later are in it, or beside it.
const NESTED: usize = 256;
