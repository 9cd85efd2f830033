//! Calls and messages as a drawing needs them: moments since the begin of the span, each with what it waited for.

use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::{
    CallAt, EventCall, EventLane, EventMessage, EventSpan, EventState, EventWorker, PlacedMark, SpanState,
    TraceEvents,
};
use numawise_units::Nanoseconds;

use super::collectives::Collectives;
use super::lanes::{Lane, Lanes, PlacedSite};
use super::matching::{Matched, Message};
use super::waits::Waits;
use super::{phase_tables, profiles, span, timeline};

pub fn of(
    lanes: &Lanes<'_>,
    matched: &Matched,
    waits: &Waits,
    collectives: &Collectives,
    marks: Vec<(u32, PlacedMark)>,
) -> TraceEvents {
    TraceEvents {
        lanes: lanes.all.iter().map(|lane| events_of(lanes, lane, waits)).collect(),
        messages: matched.messages.iter().map(|of| message(of, of.send, of.receive)).collect(),
        collectives: collectives.each().map(|(_, members)| members.to_vec()).collect(),
        workers: lanes.all.iter().flat_map(|lane| workers(lanes, lane)).collect(),
        phases: phase_tables::events(lanes),
        marks,
        pairs: profiles::pairs(lanes, matched),
        ..named(lanes)
    }
}

/// What calls are, and where, without any.
pub fn named(lanes: &Lanes<'_>) -> TraceEvents {
    let place = |(place, _): &PlacedSite| lanes.places.get(*place as usize).cloned();
    TraceEvents {
        span: span(lanes.origin, lanes.end),
        are_ranks: lanes.are_ranks,
        sites: lanes.placed.iter().filter_map(place).collect(),
        communicators: lanes.placed.iter().map(|(_, on)| on.clone()).collect(),
        constructs: lanes.constructs.to_vec(),
        ..TraceEvents::default()
    }
}

/// A message between two calls.
pub fn message(of: &Message, from: CallAt, to: CallAt) -> EventMessage {
    EventMessage { from, to, bytes: of.bytes, tag: of.tag }
}

fn workers(lanes: &Lanes<'_>, lane: &Lane<'_>) -> Vec<EventWorker> {
    let of = lanes.workers_of(lane.number);
    let worker = of.map(|worker| EventWorker {
        lane: lane.number,
        number: worker.number,
        spans: spans(lanes, worker.states.within(lane.begin, lane.end)),
    });
    worker.collect()
}

/// Those of which there is nothing to be said are left out.
pub fn spans(lanes: &Lanes<'_>, all: impl IntoIterator<Item = EventSpan>) -> Vec<EventSpan> {
    let since = |moment: Nanoseconds| span(lanes.origin, moment);
    let said = all.into_iter().filter(|part| part.state != SpanState::Useful || part.of.is_some());
    said.map(|part| EventSpan { begin: since(part.begin), end: since(part.end), ..part }).collect()
}

/// A call as it is drawn.
pub fn call(
    lanes: &Lanes<'_>,
    lane: &Lane<'_>,
    waits: &Waits,
    (number, call): (u32, &TracedCall),
) -> EventCall {
    let since = |moment: Nanoseconds| span(lanes.origin, moment);
    let state = match (call.kind, waits.of_call(lane.number, number)) {
        (TracedKind::Polls { calls, .. }, _) => EventState::Polled { calls },
        (_, Some(wait)) => EventState::Waited { until: since(wait.until), kind: wait.kind, late: wait.late },
        _ => EventState::Called,
    };
    let site = lane.placed(call.site);
    EventCall { site, begin: since(call.entered()), end: since(call.end), bytes: call.bytes, state }
}

/// A lane of which nothing is drawn yet.
pub fn empty(lanes: &Lanes<'_>, lane: &Lane<'_>) -> EventLane {
    EventLane {
        world: lane.numbered_world,
        rank: lane.rank,
        thread: lane.thread_number,
        begin: span(lanes.origin, lane.begin),
        end: span(lanes.origin, lane.end),
        calls: Vec::new(),
        spans: Vec::new(),
    }
}

fn events_of(lanes: &Lanes<'_>, lane: &Lane<'_>, waits: &Waits) -> EventLane {
    EventLane {
        calls: (0..).zip(lane.calls).map(|numbered| call(lanes, lane, waits, numbered)).collect(),
        spans: spans(lanes, timeline::outside(lane, waits)),
        ..empty(lanes, lane)
    }
}
