//! Calls and messages as a drawing needs them: moments since the begin of the span, each with what it waited for.

use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::{
    EventCall, EventLane, EventMessage, EventSpan, EventState, EventWorker, PlacedMark, SpanState,
    TraceEvents,
};
use numawise_units::Nanoseconds;

use super::collectives::Collectives;
use super::lanes::{Lane, Lanes};
use super::matching::{Matched, Message};
use super::waits::Waits;
use super::{phase_tables, span, timeline};

pub fn of(
    lanes: &Lanes<'_>,
    matched: &Matched,
    waits: &Waits,
    collectives: &Collectives,
    marks: Vec<(u32, PlacedMark)>,
) -> TraceEvents {
    let message = |of: &Message| EventMessage { from: of.send, to: of.receive, bytes: of.bytes, tag: of.tag };
    TraceEvents {
        span: span(lanes.origin, lanes.end),
        are_ranks: lanes.are_ranks,
        sites: lanes.places.clone(),
        lanes: lanes.all.iter().map(|lane| events_of(lanes, lane, waits)).collect(),
        messages: matched.messages.iter().map(message).collect(),
        collectives: collectives.each().map(|(_, members)| members.to_vec()).collect(),
        constructs: lanes.constructs.clone(),
        workers: lanes.all.iter().flat_map(|lane| workers(lanes, lane)).collect(),
        phases: phase_tables::events(lanes),
        marks,
    }
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
fn spans(lanes: &Lanes<'_>, all: impl IntoIterator<Item = EventSpan>) -> Vec<EventSpan> {
    let since = |moment: Nanoseconds| span(lanes.origin, moment);
    let said = all.into_iter().filter(|part| part.state != SpanState::Useful || part.of.is_some());
    said.map(|part| EventSpan { begin: since(part.begin), end: since(part.end), ..part }).collect()
}

fn events_of(lanes: &Lanes<'_>, lane: &Lane<'_>, waits: &Waits) -> EventLane {
    let since = |moment: Nanoseconds| span(lanes.origin, moment);
    let call = |(number, call): (u32, &TracedCall)| {
        let state = match (call.kind, waits.of_call(lane.number, number)) {
            (TracedKind::Polls { calls, .. }, _) => EventState::Polled { calls },
            (_, Some(wait)) => {
                EventState::Waited { until: since(wait.until), kind: wait.kind, late: wait.late }
            }
            _ => EventState::Called,
        };
        let site = lane.place_of(call.site);
        EventCall { site, begin: since(call.entered()), end: since(call.end), bytes: call.bytes, state }
    };
    EventLane {
        world: lane.numbered_world,
        rank: lane.rank,
        thread: lane.thread_number,
        begin: since(lane.begin),
        end: since(lane.end),
        calls: (0..).zip(lane.calls).map(call).collect(),
        spans: spans(lanes, timeline::outside(lane, waits)),
    }
}
