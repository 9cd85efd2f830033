//! The calls and messages of a trace, one by one, for the drawing of a page into which a person can go: packed in few bytes, which
//! `trace/unpack.js` unpacks and `trace/draw.js` draws.
//!
//! What is packed are whole numbers of 7 bits a byte, the lowest first, those with a sign zigzag; all of them deflated (zlib), and spelled in
//! base64. Numbers of one kind stand one after the other, which deflates best, and each says how it differs from what is known before it:
//! 1. span; how many lanes, messages, collective calls and ranks in all of these;
//! 2. of each lane: rank, thread and 1 (0 for none), world (0 for the only one), begin, end after that, how many calls;
//! 3. of all calls, lane after lane: all sites, all [states](state), all bytes, all begins after the end of the call before, all durations;
//! 4. of those that polled: how often; of those that waited: all lanes of the late call less that of their own, all its numbers less their own,
//!    all ends of waiting less its begin;
//! 5. of all messages, in the order of their senders: all lanes less that of the message before, all calls less that of the message before, and
//!    of those that received, both less those of the sender; all bytes less those of the sending call; all tags;
//! 6. of all collective calls: how many ranks; all lanes less the one before in it; all calls less the one before in it;
//! 7. how many workers; of each: the lane of its rank, its number; of each lane, then of each worker, how many spans; of all these: all states
//!    (useful, serial, waiting, idle, then in files by what for) and 8 times 1 and the number of the construct (0 for none), all begins after the
//!    end of the span before in the row, all durations;
//! 8. how many phases; of each: the number of its name, its lane, its begin less that of the phase before, its duration.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, ConstructName, FileOperation};
use numawise_tables::snapshot::{
    CallAt, CallPlace, EventCall, EventCommunicator, EventLane, EventMessage, EventPair, EventSpan,
    EventState, PlacedChange, SpanState, TraceEvents, WaitKind,
};
use numawise_units::packed::Packed;
use numawise_units::{Arrange, harmless};
use serde_json::{Value, json};

use super::{phases, words};
use crate::amount::many;
use crate::document::{BarPart, Block, Charts, Events, NO_CHARTS};
use crate::object::each;
use crate::page_text::{PageText, page_text};

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;

/// Calls and ends of messages that a page holds.
const MOST_EVENTS: usize = 1_500_000;
/// Marks of a page.
const MOST_MARKS: usize = 4096;
/// Characters of base64, whatever they hold: with the rest of a page less than 12 MB.
const LONGEST: usize = 11_000_000;

/// In the order of the numbers of [`state`].
const KINDS: [WaitKind; 10] = [
    WaitKind::LateSender,
    WaitKind::LateReceiver,
    WaitKind::LateRoot,
    WaitKind::EarlyRoot,
    WaitKind::LastOfAll,
    WaitKind::LatePost,
    WaitKind::LateComplete,
    WaitKind::LockContention,
    WaitKind::LateLowerRank,
    WaitKind::LateNeighbour,
];

/// Draw them.
pub const SCRIPTS: [PageText; 5] = [
    page_text!("src/snapshot/trace/unpack.js"),
    page_text!("src/snapshot/trace/view.js"),
    page_text!("src/snapshot/trace/draw.js"),
    page_text!("src/snapshot/trace/fetched.js"),
    page_text!("src/snapshot/trace/hands.js"),
];

/// The scripts of a page that has no other charts.
pub fn scripts_alone() -> Vec<PageText> {
    SCRIPTS.into_iter().chain([NO_CHARTS]).collect()
}

/// For a page that has nothing but a trace.
pub fn charts(events: &TraceEvents, words: &EventWords) -> Charts {
    Charts { data: json!({ "events": data(Some(events), words) }), scripts: scripts_alone() }
}

/// The drawing, or why there is none; nothing where nobody gave events. `parts`: what a rank does, as of [`data`]; `file`: of the trace.
pub fn block(events: Option<&TraceEvents>, file: Option<&str>, parts: &[BarPart]) -> Option<Block> {
    let events = events?;
    let count = count(events);
    let packed = (count <= MOST_EVENTS).then(|| base64(&deflated(&packed(events))));
    Some(match packed.filter(|packed| packed.len() <= LONGEST) {
        Some(packed) => Block::Events(Events {
            label: "Ranks from top to bottom, time from left to right, each call of MPI by what it did; the tables below hold the sums"
                .to_owned(),
            parts: parts_of(events, parts),
            packed,
        }),
        None => Block::Legend(
            format!(
                "{count} calls, spans and ends of messages are too many for a page, which draws spans of time; numawise report {} --json has their \
                 figures",
                file.unwrap_or("FILE")
            )
            .into(),
        ),
    })
}

/// Of a program without regions, or files, those that it can be in.
fn parts_of(events: &TraceEvents, parts: &[BarPart]) -> Vec<BarPart> {
    const OF_OPENMP: [&str; 3] = ["serial", "waits in OpenMP", "idle"];
    let is_file = |span: &EventSpan| matches!(span.state, SpanState::Files(_));
    let has_files = spans(events).flatten().any(is_file);
    let has_regions = spans(events).flatten().any(|span| !is_file(span));
    let is_there = |part: &&BarPart| match part.name {
        "in files" => has_files,
        name => has_regions || !OF_OPENMP.contains(&name),
    };
    parts.iter().filter(is_there).copied().collect()
}

/// Of each lane, then of each worker.
fn spans(of: &TraceEvents) -> impl Iterator<Item = &[EventSpan]> {
    let lanes = of.lanes.iter().map(|lane| lane.spans.as_slice());
    lanes.chain(of.workers.iter().map(|worker| worker.spans.as_slice()))
}

/// Calls, both ends of each message, spans, and phases.
fn count(of: &TraceEvents) -> usize {
    let calls: usize = of.lanes.iter().map(|lane| lane.calls.len()).sum();
    calls + 2 * of.messages.len() + spans(of).map(<[_]>::len).sum::<usize>() + of.phases.len()
}

/// Words and colours that stand elsewhere.
pub struct EventWords {
    /// What a rank does.
    pub parts: &'static [BarPart],
    /// Of each kind of waiting.
    pub meaning: fn(WaitKind) -> &'static str,
    /// Kinds of marks, and the kind of one with its text.
    pub marked: &'static [BarPart],
    pub mark: fn(&PlacedChange) -> (usize, String),
}

/// What the numbers stand for, for the page's script; null without events.
pub fn data(events: Option<&TraceEvents>, words: &EventWords) -> Value {
    let Some(events) = events else { return Value::Null };
    json!({
        "sites": Value::Array(sites(events)),
        "lane": if events.are_ranks { "rank " } else { "process " },
        "parts": each(words.parts, |part| json!([part.name, part.colour])),
        "kinds": each(&KINDS, |kind| json!((words.meaning)(*kind))),
        "marked": each(words.marked, |part| json!([part.name, part.colour])),
        "marks": each(events.marks.get(..MOST_MARKS).unwrap_or(&events.marks), |(lane, mark)| {
            let (kind, text) = (words.mark)(&mark.what);
            json!([lane, mark.thread, kind, mark.begin.0, mark.end.0, text])
        }),
        "pairs": each(&events.pairs, pair),
        "constructs": each(&events.constructs, |(name, at)| {
            json!(harmless::line(&construct_in(*name, at)))
        }),
        "files": FileOperation::ALL.map(words::operation),
        "phases": each(&phase_names(events), |name| json!(harmless::line(name))),
    })
}

fn pair(of: &EventPair) -> Value {
    let slowest = each(&of.slowest, |of| {
        json!([of.time.0, of.bytes.0, of.from.0, of.from.1.0, of.to.0, of.to.1.0, of.end.0])
    });
    json!([of.world.unwrap_or(0), of.from, of.to, of.messages, of.bytes.0, slowest])
}

/// The call, its place, its communicator.
fn sites(of: &TraceEvents) -> Vec<Value> {
    let known = of.communicators.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let site = |(site, on): (&CallPlace, Option<_>)| {
        json!([harmless::line(&site.call), place(site), on.map(communicator)])
    };
    of.sites.iter().zip(known).map(site).collect()
}

fn communicator(of: &EventCommunicator) -> String {
    let name =
        if of.name.is_empty() { "a communicator without a name".into() } else { harmless::line(&of.name) };
    let ranks = of.ranks.map_or_else(String::new, |ranks| format!(" ({})", many(ranks.into(), "rank")));
    format!("on {name}{ranks}")
}

/// "barrier in f (a.c:3)".
pub fn construct_in(name: ConstructName, at: &Reading<CodePlace>) -> String {
    let at = at.measured().map_or_else(String::new, |at| format!(" in {}", words::place_in_short(at)));
    format!("{}{at}", words::construct(name))
}

/// Each once.
pub fn phase_names(of: &TraceEvents) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = of.phases.iter().map(|phase| &phase.name).collect();
    names.into_iter().map(phases::name).collect()
}

fn place(of: &CallPlace) -> String {
    match &of.place {
        Reading::Measured(place) => format!("in {}", harmless::line(&words::place_in_short(place))),
        Reading::Unavailable { unavailable } => {
            format!("(where is not known: {})", harmless::line(&unavailable.to_string()))
        }
    }
}

/// How calls differ from others: the lanes of all, then their numbers.
fn differences(out: &mut Packed, pairs: &[(CallAt, CallAt)]) {
    pairs.iter().for_each(|(from, to)| out.difference(from.lane.into(), to.lane.into()));
    pairs.iter().for_each(|(from, to)| out.difference(from.call.into(), to.call.into()));
}

/// A number for what a call was: it waited from 2 on.
fn state(of: EventState) -> u64 {
    match of {
        EventState::Called => 0,
        EventState::Polled { .. } => 1,
        EventState::Waited { kind, .. } => {
            2 + KINDS.iter().position(|one| *one == kind).unwrap_or_default() as u64
        }
    }
}

fn call(of: &TraceEvents, at: CallAt) -> Option<&EventCall> {
    of.lanes.get(at.lane as usize)?.calls.get(at.call as usize)
}

/// What the head of this file describes. What names a call that is not there is left out.
pub fn packed(of: &TraceEvents) -> Vec<u8> {
    let mut messages: Vec<(&EventMessage, u64)> = (of.messages.iter())
        .filter_map(|message| call(of, message.to).and(Some((message, call(of, message.from)?.bytes.0))))
        .collect();
    messages.arrange_by_key(|(message, _)| (message.from, message.to));
    let collectives: Vec<&[CallAt]> = (of.collectives.iter().map(Vec::as_slice))
        .filter(|ranks| ranks.iter().all(|at| call(of, *at).is_some()))
        .collect();
    let mut out = Packed::default();
    out.number(of.span.0);
    let ranks = collectives.iter().map(|ranks| ranks.len()).sum();
    for size in [of.lanes.len(), messages.len(), collectives.len(), ranks] {
        out.number(size as u64);
    }
    for lane in &of.lanes {
        out.number(lane.rank.into());
        out.number(lane.thread.map_or(0, |thread| u64::from(thread.cast_unsigned()) + 1));
        out.number(lane.world.unwrap_or(0).into());
        out.number(lane.begin.0);
        out.number(lane.end.0.saturating_sub(lane.begin.0));
        out.number(lane.calls.len() as u64);
    }
    calls(of, &mut out);
    states(of, &mut out);
    let nothing = CallAt { lane: 0, call: 0 };
    let before = std::iter::once(nothing).chain(messages.iter().map(|(message, _)| message.from));
    let senders: Vec<_> = before.zip(messages.iter().map(|(message, _)| message.from)).collect();
    differences(&mut out, &senders);
    differences(
        &mut out,
        &messages.iter().map(|(message, _)| (message.from, message.to)).collect::<Vec<_>>(),
    );
    messages.iter().for_each(|(message, bytes)| out.difference(*bytes, message.bytes.0));
    messages.iter().for_each(|(message, _)| out.signed(message.tag.into()));
    collectives.iter().for_each(|ranks| out.number(ranks.len() as u64));
    let in_order = |ranks: &&[CallAt]| {
        let mut ranks = ranks.to_vec();
        ranks.arrange();
        let before: Vec<CallAt> = std::iter::once(nothing).chain(ranks.iter().copied()).collect();
        before.into_iter().zip(ranks).collect::<Vec<_>>()
    };
    differences(&mut out, &collectives.iter().flat_map(in_order).collect::<Vec<_>>());
    outside_calls(of, &mut out);
    out.into_bytes()
}

/// Workers, what threads are in outside of calls, and phases.
fn outside_calls(of: &TraceEvents, out: &mut Packed) {
    out.number(of.workers.len() as u64);
    for worker in &of.workers {
        out.number(worker.lane.into());
        out.number(worker.number.into());
    }
    spans(of).for_each(|spans| out.number(spans.len() as u64));
    let state = |span: &EventSpan| match span.state {
        SpanState::Useful => 0,
        SpanState::Serial => 1,
        SpanState::Waiting => 2,
        SpanState::Idle => 3,
        SpanState::Files(operation) => 4 + operation as u64,
    };
    let construct = |span: &EventSpan| span.of.map_or(0, |of| u64::from(of) + 1);
    spans(of).flatten().for_each(|span| out.number(construct(span) << 3 | state(span)));
    for spans in spans(of) {
        let mut at = 0;
        for span in spans {
            out.difference(at, span.begin.0);
            at = span.end.0;
        }
    }
    spans(of).flatten().for_each(|span| out.number(span.end.0.saturating_sub(span.begin.0)));
    out.number(of.phases.len() as u64);
    let names = phase_names(of);
    let mut at = 0;
    for phase in &of.phases {
        let name = phases::name(&phase.name);
        out.number(names.iter().position(|known| *known == name).unwrap_or_default() as u64);
        out.number(phase.lane.into());
        out.difference(at, phase.begin.0);
        out.number(phase.end.0.saturating_sub(phase.begin.0));
        at = phase.begin.0;
    }
}

/// What all calls have.
fn calls(of: &TraceEvents, out: &mut Packed) {
    let all = || of.lanes.iter().flat_map(|lane| &lane.calls);
    all().for_each(|call| out.number(call.site.into()));
    all().for_each(|call| out.number(known_state(of, call)));
    all().for_each(|call| out.number(call.bytes.0));
    for lane in &of.lanes {
        let mut end = lane.begin.0;
        for call in &lane.calls {
            out.difference(end, call.begin.0);
            end = call.end.0;
        }
    }
    all().for_each(|call| out.number(call.end.0.saturating_sub(call.begin.0)));
}

/// A call that waited for one that is not there is shown as one of which nothing is known.
fn known_state(of: &TraceEvents, one: &EventCall) -> u64 {
    match one.state {
        EventState::Waited { late, .. } if call(of, late).is_none() => state(EventState::Called),
        other => state(other),
    }
}

/// What some calls have.
fn states(of: &TraceEvents, out: &mut Packed) {
    let (mut late_calls, mut ends) = (Vec::new(), Vec::new());
    let own = |(lane, one): (u32, &EventLane)| {
        (0..one.calls.len() as u32).map(move |call| CallAt { lane, call }).collect::<Vec<_>>()
    };
    for (at, one) in (0..).zip(&of.lanes).flat_map(own).filter_map(|at| Some((at, call(of, at)?))) {
        match one.state {
            EventState::Called => {}
            EventState::Polled { calls } => out.number(calls),
            EventState::Waited { until, late, .. } => {
                let Some(begin) = call(of, late).map(|late| late.begin.0) else { continue };
                late_calls.push((at, late));
                ends.push((begin, until.0));
            }
        }
    }
    differences(out, &late_calls);
    ends.into_iter().for_each(|(begin, until)| out.difference(begin, until));
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Memory takes all that is written.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
