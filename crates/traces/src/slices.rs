//! A trace that is larger than memory: analysed slice by slice of its time, each with the calls of others that it needs, and summed up.
//!
//! A slice has calls before it, of which the first ones are only those that something may still belong to, and calls behind it, by which it is known
//! for whom those in it wait. Each call is counted in one slice; what turns out of it later is counted then.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use numawise_facts::activity::{ThreadTrace, TracedCall, TracedKind};
use numawise_facts::{Activity, Reading, TracePart};
use numawise_tables::snapshot::{RunTrace, TraceSlices};
use numawise_units::Nanoseconds;

use super::both::both;
use super::causes::CauseSums;
use super::keep::{self, Kept};
use super::kinds::Edges;
use super::lanes::{At, Counted, Known, Lane, Lanes, Slice, ToldSources};
use super::tables::{Sums, add_known};
use super::{KnownOfPlace, PlacedCall, Run, Traced};

/// The calls of threads, in their order.
pub trait CallStreams {
    /// The next calls of a thread, so many at most, behind those that it has read; whether there are more. Nothing where they cannot be read.
    fn read(&mut self, of: &Activity, tid: i32, most: usize, into: &mut ThreadTrace) -> Option<bool>;
}

/// What follows from a trace that was read in slices.
pub struct Sliced {
    pub tables: RunTrace,
    pub known: BTreeMap<PlacedCall, KnownOfPlace>,
    pub is_whole: bool,
}

/// A part of a slice that lies in its neighbours, too.
const SHARED: u64 = 16;
/// What belongs to a call comes in so many slices, or is not waited for any more.
const AWAITED: u64 = 8;
/// Calls of which something is awaited are this part of a slice at most.
const MOST_AWAITED: usize = 4;
/// They may be so many in any case.
const LEAST_AWAITED: usize = 1000;
/// Calls that are read at once.
const AT_ONCE: usize = 4096;

/// A thread, as far as it is read and not in a slice yet.
struct Stream<'a> {
    activity: &'a Activity,
    tid: i32,
    begin: Nanoseconds,
    end: Nanoseconds,
    /// From here on its calls may have gaps.
    until: Nanoseconds,
    edges: Edges,
    ahead: ThreadTrace,
    has_begun: bool,
    is_over: bool,
    /// When the last call began that is read.
    read: Nanoseconds,
}

/// The calls of a lane that are in a slice.
#[derive(Default)]
struct Held {
    trace: ThreadTrace,
    known: Vec<Known>,
    counted: Vec<bool>,
    solid: usize,
}

impl<'a> Stream<'a> {
    fn of(run: &Run<'a>, lane: &Lane<'a>, until: Nanoseconds) -> Option<Stream<'a>> {
        Some(Stream {
            activity: run.processes.get(lane.process)?.activity,
            tid: lane.tid,
            begin: lane.begin,
            end: lane.end,
            until,
            edges: Edges::of(lane.all_sites()),
            ahead: ThreadTrace::default(),
            has_begun: false,
            is_over: false,
            read: Nanoseconds(0),
        })
    }

    /// How many calls came; nothing where they cannot be read.
    fn read(&mut self, streams: &mut dyn CallStreams, most: usize) -> Option<usize> {
        let all = &mut self.ahead;
        let (calls, messages) = (all.calls.len(), all.messages.len());
        self.is_over = !streams.read(self.activity, self.tid, most, all)?;
        let new = all.calls.get(calls..).unwrap_or_default();
        if !self.has_begun {
            let is_before = |call: &&TracedCall| {
                call.begin < self.begin || self.edges.begins(call) && call.end <= self.begin
            };
            let before = new.iter().take_while(is_before).count();
            let of_them: usize = new.iter().take(before).map(|call| call.messages as usize).sum();
            self.has_begun = before < new.len();
            all.calls.drain(calls..calls + before);
            all.messages.drain(messages..(messages + of_them).min(all.messages.len()));
        }
        let new = all.calls.get(calls..).unwrap_or_default();
        let is_behind =
            |call: &TracedCall| call.end > self.until || call.begin >= self.end && self.edges.ends(call);
        if let Some(last) = new.iter().position(is_behind) {
            let of_them: usize = new.iter().take(last).map(|call| call.messages as usize).sum();
            all.calls.truncate(calls + last);
            all.messages.truncate(messages + of_them);
            self.is_over = true;
        }
        self.read = all.calls.last().map_or(self.read, |call| call.begin);
        Some(all.calls.len().saturating_sub(calls))
    }
}

/// Reads about so many calls, first of the threads of which is read least far.
fn read_ahead(all: &mut [Stream<'_>], streams: &mut dyn CallStreams, most: usize) -> Option<()> {
    let at_once = (most / all.len().max(1) / 8).clamp(1, AT_ONCE);
    let left = all.iter().enumerate().filter(|(_, stream)| !stream.is_over);
    let mut left: BinaryHeap<_> = left.map(|(number, stream)| Reverse((stream.read, number))).collect();
    let mut read = 0;
    while read < most {
        let Some(Reverse((_, number))) = left.pop() else { break };
        let stream = all.get_mut(number)?;
        read += stream.read(streams, at_once)?;
        if !stream.is_over {
            left.push(Reverse((stream.read, number)));
        }
    }
    Some(())
}

impl Held {
    fn add(&mut self, ahead: &mut ThreadTrace) {
        self.trace.calls.append(&mut ahead.calls);
        self.trace.messages.append(&mut ahead.messages);
    }

    /// Where calls are counted later that begin from a moment on.
    fn end(&self, to: Nanoseconds) -> usize {
        self.trace.calls.partition_point(|call| call.begin < to).max(self.known.len())
    }
}

/// What was found, up to a slice.
#[derive(Default)]
struct Findings {
    sums: Sums,
    causes: CauseSums,
    known: BTreeMap<PlacedCall, KnownOfPlace>,
    slices: u64,
    forgotten: u64,
    told: Arc<ToldSources>,
    made_windows: Arc<BTreeSet<(usize, NonZeroU64)>>,
    has_left_out: bool,
}

/// Of a run whose traces have [`ThreadTrace::calls_at_edges`]; `calls` in a slice, or somewhat more. Nothing where no trace was made, where its begin is
/// missing (how many messages that had is not known in slices), or where it cannot be read.
pub fn sliced<'a>(run: Run<'a>, streams: &mut (dyn CallStreams + Send), calls: usize) -> Option<Sliced> {
    let base = Lanes::of(&run).filter(|base| !base.is_end)?;
    let stream = |lane| Stream::of(&run, lane, base.until);
    let mut all: Vec<Stream<'a>> = base.all.iter().map(stream).collect::<Option<_>>()?;
    let mut held: Vec<Held> = Vec::new();
    held.resize_with(all.len(), Held::default);
    let (mut from, mut found) = (base.origin, Findings::default());
    read_ahead(&mut all, streams, calls)?;
    loop {
        held.iter_mut().zip(&mut all).for_each(|(held, stream)| held.add(&mut stream.ahead));
        let is_last = all.iter().all(|stream| stream.is_over);
        // Up to here all calls are there.
        let read = all.iter().filter(|stream| !stream.is_over).map(|stream| stream.read).min();
        let read = read.unwrap_or(Nanoseconds(u64::MAX));
        let length = read.saturating_sub(from).0;
        let to = if is_last { read } else { from + Nanoseconds(length - length / SHARED) };
        if to <= from {
            read_ahead(&mut all, streams, calls / SHARED as usize + 1)?;
            continue;
        }
        let low = Nanoseconds(from.0.saturating_sub(to.saturating_sub(from).0.saturating_mul(AWAITED - 1)));
        let slice = Slice { from, to, low };
        let own = |held: &Held| if is_last { None } else { Some(held.end(to)) };
        let own: Vec<Option<usize>> = held.iter().map(own).collect();
        let ahead = Mutex::new((&mut all, &mut *streams));
        let more = calls.saturating_sub(2 * calls / SHARED as usize).max(1);
        let read_more = || {
            let mut ahead = ahead.lock().unwrap_or_else(PoisonError::into_inner);
            let (all, streams) = &mut *ahead;
            read_ahead(all, *streams, more)
        };
        let mut next = Vec::new();
        let (is_read, ()) = both(read_more, || next = found.add(&run, &base, &held, (slice, &own), calls));
        is_read?;
        if is_last {
            break;
        }
        (held, from) = (next, to);
    }
    Some(found.finished(&run, &base, calls as u64))
}

impl Findings {
    /// Adds a slice; what the next one needs of it.
    fn add<'a>(
        &mut self,
        run: &Run<'a>,
        base: &Lanes<'a>,
        held: &[Held],
        (slice, own): (Slice, &[Option<usize>]),
        calls: usize,
    ) -> Vec<Held> {
        let mut lanes: Lanes<'_> = base.clone();
        lanes.slice = Some(slice);
        lanes.told = Arc::clone(&self.told);
        lanes.made_windows = Arc::clone(&self.made_windows);
        for ((lane, held), end) in lanes.all.iter_mut().zip(held).zip(own) {
            let counted =
                Counted { known: &held.known, messages: &held.counted, end: *end, solid: held.solid };
            lane.with_calls(&held.trace, counted);
        }
        let traced = Traced::of_lanes(run.clone(), lanes);
        let Traced { lanes, matched, collectives, waits, .. } = &traced;
        self.told = Arc::clone(&collectives.sources.told);
        self.made_windows = Arc::clone(&collectives.made_windows);
        self.has_left_out |= waits.has_left_out();
        let causes = Mutex::new(&mut self.causes);
        let add_causes = || {
            let mut causes = causes.lock().unwrap_or_else(PoisonError::into_inner);
            causes.add(lanes, matched, waits, collectives);
        };
        let (sums, known) = (&mut self.sums, &mut self.known);
        both(add_causes, || {
            sums.add(&traced);
            add_known(&traced, known);
        });
        self.slices += 1;
        if own.iter().all(Option::is_none) {
            return Vec::new();
        }
        let shared = Nanoseconds(slice.to.saturating_sub(slice.from).0 / SHARED);
        let begin = slice.to.saturating_sub(shared);
        let solid = |(lane, end): (&Lane<'_>, &Option<usize>)| {
            // Of what was left alone, nothing comes back; a probe belongs to what comes next.
            let most = end.unwrap_or(0).saturating_sub(2);
            let from = lane.calls.partition_point(|call| call.end < begin);
            from.min(most).max(lane.counted.solid)
        };
        let solid: Vec<usize> = lanes.all.iter().zip(own).map(solid).collect();
        let mut kept = keep::of(&traced, &solid);
        self.forgotten += forget(lanes, &mut kept, calls / MOST_AWAITED);
        let next = |((lane, kept), solid): ((&Lane<'_>, &Kept), usize)| rest(&traced, lane, kept, solid);
        lanes.all.iter().zip(&kept).zip(solid).map(next).collect()
    }

    fn finished(self, run: &Run<'_>, base: &Lanes<'_>, calls: u64) -> Sliced {
        let Findings { sums, causes, known, slices, forgotten, has_left_out, .. } = self;
        let cut = causes.cut();
        let is_part = run.part.is_some_and(|part| !part.is_whole());
        let has_period = sums.visits.dropped.is_empty();
        let rows = causes.rows(base).into_iter().map(|cause| cause.row);
        let tables = RunTrace {
            is_part,
            causes: rows.collect(),
            what_if: Reading::unavailable("a replay needs all of the trace in memory"),
            slices: Some(TraceSlices { slices, calls, cut, forgotten, has_period }),
            ..sums.table(run, base)
        };
        let is_whole = base.lost == 0 && !has_left_out && run.part.is_none_or(TracePart::is_whole);
        Sliced { tables, known, is_whole }
    }
}

/// Lets the oldest calls go of which something is awaited, where these are too many; how many.
fn forget(lanes: &Lanes<'_>, kept: &mut [Kept], most: usize) -> u64 {
    let all = |kept: &[Kept]| kept.iter().flat_map(|of| &of.calls).filter(|kept| **kept).count();
    let most = most.max(LEAST_AWAITED + 2 * kept.len());
    if all(kept) <= most {
        return 0;
    }
    let begins = lanes.all.iter().zip(kept.iter()).flat_map(|(lane, kept)| {
        lane.calls.iter().zip(&kept.calls).filter(|(_, kept)| **kept).map(|(call, _)| call.begin)
    });
    let mut begins: Vec<Nanoseconds> = begins.collect();
    let place = begins.len().saturating_sub(most);
    let (_, least, _) = begins.select_nth_unstable(place);
    let (least, mut forgotten) = (*least, 0);
    for (lane, kept) in lanes.all.iter().zip(kept) {
        let calls = kept.calls.len();
        for (call, kept) in lane.calls.iter().zip(&mut kept.calls).take(calls.saturating_sub(1)) {
            if *kept && call.begin < least {
                (*kept, forgotten) = (false, forgotten + 1);
            }
        }
    }
    forgotten
}

/// What is left of a lane for the next slice.
fn rest(traced: &Traced<'_>, lane: &Lane<'_>, kept: &Kept, solid: usize) -> Held {
    let mut next = Held::default();
    let end = lane.own().end;
    let is_matched = |received: &mut Vec<bool>| {
        // Those that were counted here, or before.
        let calls = 0..end as u32;
        let first = traced.matched.first_received(lane.number);
        let of_lane = traced.matched.received_by(lane.number, &calls).len();
        for [_, place] in traced.matched.sliced.of.iter().skip(first).take(of_lane) {
            received.get_mut(*place as usize).into_iter().for_each(|received| *received = true);
        }
    };
    let mut received = lane.counted.messages.to_vec();
    received.resize(lane.messages_of(end).start, false);
    is_matched(&mut received);
    for (number, call) in lane.calls.iter().enumerate() {
        let is_solid = number >= solid;
        if !is_solid && !kept.calls.get(number).is_some_and(|kept| *kept) {
            continue;
        }
        let mut call = *call;
        let is_member = is_solid || kept.members.get(number).is_some_and(|member| *member);
        if !is_member && matches!(call.kind, TracedKind::Collective { .. }) {
            call.kind = TracedKind::Alone;
        }
        let places = lane.messages_of(number);
        let own = places.zip(lane.messages(number));
        let own = own.filter(|(place, _)| is_solid || kept.ends.get(*place).is_some_and(|kept| *kept));
        call.messages = 0;
        for (place, message) in own {
            call.messages += 1;
            next.trace.messages.push(*message);
            next.counted.extend((number < end).then(|| received.get(place).is_some_and(|of| *of)));
        }
        if number < end {
            let at = At { lane: lane.number, call: number as u32 };
            let before = lane.counted.known.get(number).map_or(Nanoseconds(0), |known| known.until);
            let wait = traced.waits.of_call(lane.number, at.call).map_or(Nanoseconds(0), |wait| wait.until);
            next.known.push(Known { until: before.max(wait), is_open: traced.waits.open.contains(&at) });
        }
        next.solid += usize::from(!is_solid);
        next.trace.calls.push(call);
    }
    next
}
