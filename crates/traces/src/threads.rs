//! What threads are in where they are in no call of MPI: in a parallel region, waiting in OpenMP, outside of regions, in a call on a file.
//!
//! A worker tells what it did in a region; it waits from there to the region's end, which the thread tells that opened it, or until it is called
//! again. Outside of regions of several threads a worker idles, and the thread that opens them works alone.

use std::collections::HashMap;

use numawise_facts::activity::{
    CodePlace, ConstructName, FileOperation, SpanKind, SpanName, ThreadTrace, TracedSpan,
};
use numawise_facts::{Activity, Reading};
use numawise_tables::snapshot::{EventSpan, SpanState};
use numawise_units::{Arrange, Nanoseconds, Pid};

use super::phases::Window;
use super::{Run, span};

/// A construct at a place of the program.
pub type PlacedConstruct = (ConstructName, Reading<CodePlace>);

/// One thread.
#[derive(Debug, Clone)]
pub struct ThreadStates {
    /// One after the other; between them the thread is outside of regions.
    parts: Vec<EventSpan>,
    outside: SpanState,
    /// Regions that it opened, in the order in which they ended.
    pub regions: Vec<Region>,
}

/// A region.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// The number of the construct.
    pub of: u32,
    /// It has several threads, as far as is known.
    pub is_team: bool,
}

impl Default for ThreadStates {
    /// Of a thread of which nothing is known.
    fn default() -> ThreadStates {
        ThreadStates { parts: Vec::new(), outside: SpanState::Useful, regions: Vec::new() }
    }
}

impl ThreadStates {
    /// Whether nothing is known of it.
    pub fn is_always_same(&self) -> bool {
        self.parts.is_empty()
    }

    /// From one moment to another, one after the other: what it was in files for, or that it was in none.
    pub fn by_file(
        &self,
        (begin, end): Window,
        take: &mut (impl FnMut(Option<FileOperation>, Window) + ?Sized),
    ) {
        let (mut since, mut outside) = (begin, None);
        for part in self.within(begin, end).filter(|_| !self.is_always_same()) {
            let is = match part.state {
                SpanState::Files(operation) => Some(operation),
                _ => None,
            };
            if is != outside && since < part.begin {
                take(outside, (since, part.begin));
                since = part.begin;
            }
            outside = is;
        }
        if since < end {
            take(outside, (since, end));
        }
    }

    /// How many parts it has in a window.
    pub fn parts_within(&self, begin: Nanoseconds, end: Nanoseconds) -> usize {
        let before = |moment: Nanoseconds| self.parts.partition_point(|part| part.end <= moment);
        before(end).saturating_sub(before(begin))
    }

    /// Whether a part lies in a region that it opened within another one.
    pub fn is_in_inner(&self, outer: &Region, part: &EventSpan) -> bool {
        let first = self.regions.partition_point(|region| region.end < part.end);
        let inner = self.regions.get(first).filter(|region| region.is_team);
        inner.is_some_and(|inner| {
            inner.begin <= part.begin && span(inner.begin, inner.end) < span(outer.begin, outer.end)
        })
    }

    /// What it is in outside of regions.
    pub fn outside(&self) -> SpanState {
        self.outside
    }

    /// What it was in from one moment to another, one after the other.
    pub fn within(&self, begin: Nanoseconds, end: Nanoseconds) -> impl Iterator<Item = EventSpan> {
        let from = self.parts.partition_point(|part| part.end <= begin);
        let parts =
            self.parts.get(from..).unwrap_or_default().iter().take_while(move |part| part.begin < end);
        let behind = EventSpan { begin: end, end, state: self.outside, of: None };
        let mut at = begin;
        parts.copied().chain(std::iter::once(behind)).flat_map(move |part| {
            let outside = EventSpan { begin: at, end: part.begin, ..behind };
            let inside = EventSpan { begin: part.begin.max(at), end: part.end.min(end), ..part };
            at = inside.end.max(at);
            [outside, inside].into_iter().filter(|part| part.begin < part.end)
        })
    }
}

/// A thread that calls no MPI.
pub struct Worker {
    pub process: usize,
    /// Among those of its process, from 1 on.
    pub number: u32,
    pub tid: i32,
    pub states: ThreadStates,
}

/// Constructs, each once.
#[derive(Default)]
pub struct Constructs {
    pub all: Vec<PlacedConstruct>,
}

impl Constructs {
    fn number(&mut self, of: PlacedConstruct) -> u32 {
        let known = self.all.iter().position(|known| is_same(known, &of));
        known.unwrap_or_else(|| {
            self.all.push(of);
            self.all.len() - 1
        }) as u32
    }
}

/// Whether nothing is known of a thread but calls on files: what else it does is not.
pub fn is_in_files_only(trace: &ThreadTrace) -> bool {
    !trace.spans.is_empty() && trace.spans.iter().all(|span| span.kind == SpanKind::File)
}

/// From the begin of the first span of a process to the end of the last, calls on files apart.
pub fn spans(traced: &[(i32, &ThreadTrace)]) -> Option<(Nanoseconds, Nanoseconds)> {
    let all = || traced.iter().flat_map(|(_, trace)| &trace.spans).filter(|span| span.kind != SpanKind::File);
    Some((all().map(|span| span.begin).min()?, all().map(|span| span.end).max()?))
}

/// Compilers make several calls of one line.
fn is_same((name, place): &PlacedConstruct, (other_name, other): &PlacedConstruct) -> bool {
    name == other_name && is_same_place(place, other)
}

/// Whether both are one place of the program.
pub fn is_same_place(place: &Reading<CodePlace>, other: &Reading<CodePlace>) -> bool {
    let places = place.measured().zip(other.measured());
    place == other || places.is_some_and(|(place, other)| place.is_of_line_of(other))
}

/// The threads of a process, by their numbers.
pub fn of_process(
    run: &Run<'_>,
    activity: &Activity,
    traced: &[(i32, &ThreadTrace)],
    constructs: &mut Constructs,
) -> Vec<ThreadStates> {
    let mut ends = HashMap::new();
    let mut is_hybrid = false;
    for (tid, trace) in traced {
        for span in &trace.spans {
            match span.kind {
                SpanKind::Region { threads, .. } => {
                    is_hybrid |= threads > 1;
                    ends.insert((Pid(*tid), span.begin), span.end);
                }
                SpanKind::Worked { .. } => is_hybrid = true,
                SpanKind::Waited | SpanKind::Phase | SpanKind::File => {}
            }
        }
    }
    let mut number = |name: &SpanName| match name {
        SpanName::Construct(name, at) => constructs.number((*name, activity.place(run.places, at))),
        SpanName::Phase(_) | SpanName::File(_) => 0,
    };
    let mut one = |(_, trace): &(i32, &ThreadTrace)| {
        let numbers: Vec<u32> = trace.names.iter().map(&mut number).collect();
        of_thread(trace, &numbers, &ends, is_hybrid)
    };
    traced.iter().map(&mut one).collect()
}

fn of_thread(
    trace: &ThreadTrace,
    numbers: &[u32],
    ends: &HashMap<(Pid, Nanoseconds), Nanoseconds>,
    is_hybrid: bool,
) -> ThreadStates {
    let (mut all, mut regions, mut is_worker) = (Vec::new(), Vec::new(), false);
    let is_work = |span: &&TracedSpan| matches!(span.kind, SpanKind::Worked { .. });
    let mut called = trace.spans.iter().filter(is_work).skip(1);
    for span in &trace.spans {
        let of = numbers.get(span.of as usize).copied();
        let mut add = |state, begin, end| all.push(EventSpan { begin, end, state, of });
        match span.kind {
            SpanKind::Region { threads, waits_since } => {
                let region = |of| Region { begin: span.begin, end: span.end, of, is_team: threads != 1 };
                regions.extend(of.map(region));
                if threads != 1 {
                    add(SpanState::Useful, span.begin, span.end);
                    add(SpanState::Waiting, waits_since, span.end);
                }
            }
            SpanKind::Phase => {}
            SpanKind::File => {
                let Some(SpanName::File(operation)) = trace.names.get(span.of as usize) else { continue };
                let state = SpanState::Files(*operation);
                all.push(EventSpan { begin: span.begin, end: span.end, state, of: None });
            }
            SpanKind::Waited => add(SpanState::Waiting, span.begin, span.end),
            SpanKind::Worked { master, begun } => {
                is_worker = true;
                add(SpanState::Useful, span.begin, span.end);
                // Of a region that did not end in the trace it is not known how long it waited.
                let end = ends.get(&(master, begun)).copied().unwrap_or(span.end);
                let again = called.next().map_or(end, |next| next.begin);
                add(SpanState::Waiting, span.end, end.min(again));
            }
        }
    }
    // Nobody idles where there is one thread.
    if !is_hybrid {
        all.retain(|part| matches!(part.state, SpanState::Files(_)));
    }
    let outside = match (is_hybrid, is_worker) {
        (false, _) => SpanState::Useful,
        (true, true) => SpanState::Idle,
        (true, false) => SpanState::Serial,
    };
    ThreadStates { parts: innermost(all), outside, regions }
}

/// Of spans that lie within one another the innermost, each moment once.
fn innermost(mut all: Vec<EventSpan>) -> Vec<EventSpan> {
    all.retain(|part| part.begin < part.end);
    all.arrange_by_key(|part| (part.begin, std::cmp::Reverse(part.end)));
    let mut parts: Vec<EventSpan> = Vec::with_capacity(all.len());
    let mut open: Vec<EventSpan> = Vec::new();
    let mut at = Nanoseconds(0);
    let mut until = |open: &mut Vec<EventSpan>, moment: Nanoseconds| {
        while let Some(last) = open.last().copied() {
            let end = last.end.min(moment);
            if at < end {
                parts.push(EventSpan { begin: at, end, ..last });
                at = end;
            }
            if last.end > moment {
                break;
            }
            open.pop();
        }
        at = at.max(moment);
    };
    for part in all {
        until(&mut open, part.begin);
        open.push(part);
    }
    until(&mut open, Nanoseconds(u64::MAX));
    parts
}
