//! Calls and messages as a drawing needs them: moments since the begin of the span, each with what it waited for.

use std::collections::BTreeMap;

use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::{CallPlace, EventCall, EventLane, EventMessage, EventState, TraceEvents};
use numawise_units::Nanoseconds;

use super::super::Run;
use super::lanes::{Lane, Lanes};
use super::matching::{Matched, Message};
use super::span;
use super::waits::Waits;

pub fn of<'a>(run: &Run<'a>, lanes: &Lanes<'a>, matched: &Matched, waits: &Waits) -> TraceEvents {
    let mut places = Places::default();
    let lane = |lane: &Lane<'a>| places.lane(run, lanes, lane, waits);
    let of_lanes: Vec<EventLane> = lanes.all.iter().map(lane).collect();
    let message = |of: &Message| EventMessage { from: of.send, to: of.receive, bytes: of.bytes, tag: of.tag };
    TraceEvents {
        span: span(lanes.origin, lanes.end),
        sites: places.all,
        lanes: of_lanes,
        messages: matched.messages.iter().map(message).collect(),
        collectives: waits.whole_collectives().to_vec(),
    }
}

#[derive(Default)]
struct Places {
    all: Vec<CallPlace>,
    numbers: BTreeMap<CallPlace, u32>,
}

impl Places {
    fn number(&mut self, place: CallPlace) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(place).or_insert_with_key(|place| {
            self.all.push(place.clone());
            next
        })
    }

    fn lane<'a>(&mut self, run: &Run<'a>, lanes: &Lanes<'a>, lane: &Lane<'a>, waits: &Waits) -> EventLane {
        let since = |moment: Nanoseconds| span(lanes.origin, moment);
        let mut sites: BTreeMap<u32, u32> = BTreeMap::new();
        let call = |(number, call): (u32, &TracedCall)| {
            let site = *sites.entry(call.site).or_insert_with(|| self.number(lane.place(run, call.site)));
            let state = match (call.kind, waits.of_call(lane.number, number)) {
                (TracedKind::Polls { calls, .. }, _) => EventState::Polled { calls },
                (_, Some(wait)) => {
                    EventState::Waited { until: since(wait.until), kind: wait.kind, late: wait.late }
                }
                _ => EventState::Called,
            };
            EventCall { site, begin: since(call.begin), end: since(call.end), bytes: call.bytes, state }
        };
        let calls = (0..).zip(lane.calls).map(call).collect();
        EventLane {
            rank: lane.rank,
            thread: lane.thread_number,
            begin: since(lane.begin),
            end: since(lane.end),
            calls,
        }
    }
}
