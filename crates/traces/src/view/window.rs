//! Calls and messages of a window, with those outside of it that belong to them, so that a drawing of all of them needs nothing else.

use std::ops::Range;

use numawise_tables::snapshot::{AskedWindow, CallAt, EventState, EventWorker, TraceEvents};

use super::super::lanes::{Lane, Lanes};
use super::super::phases::Window;
use super::super::{events, timeline};
use super::{MOST_EVENTS, RowOf, TraceView, nobody};

/// Calls of other rows and times that are sent too: those of collective calls of very many ranks are not.
const MOST_OTHERS: usize = MOST_EVENTS;

/// Adds the threads that call no MPI.
pub fn with_workers(lanes: &Lanes<'_>, mut events: TraceEvents) -> TraceEvents {
    for lane in &lanes.all {
        let of = lanes.workers_of(lane.number);
        events.workers.extend(of.map(|of| EventWorker {
            lane: lane.number,
            number: of.number,
            spans: Vec::new(),
        }));
    }
    events
}

/// The calls of a lane that lie in a window, in part at least.
pub fn calls_in(lane: &Lane<'_>, (from, to): Window) -> Range<u32> {
    let first = lane.calls.partition_point(|call| call.end <= from);
    let end = lane.calls.partition_point(|call| call.begin < to);
    first as u32..end.max(first) as u32
}

/// Calls by their lanes and numbers; each has its place among those of its lane as a new number.
#[derive(Default)]
struct Chosen(Vec<(u32, u32)>);

impl Chosen {
    fn add(&mut self, of: CallAt) {
        self.0.push((of.lane, of.call));
    }

    fn settle(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    fn renumbered(&self, of: CallAt) -> Option<CallAt> {
        let place = self.0.binary_search(&(of.lane, of.call)).ok()?;
        let first = self.0.partition_point(|(lane, _)| *lane < of.lane);
        Some(CallAt { call: (place - first) as u32, ..of })
    }
}

impl TraceView<'_> {
    /// All that there is in a window; nothing where that is more than a screen shows.
    pub(super) fn events_in(
        &self,
        of: &AskedWindow<'_>,
        window: Window,
        asked: &[usize],
    ) -> Option<TraceEvents> {
        let lanes = &self.traced.lanes;
        let asked = asked.get(of.top as usize..of.bottom as usize).unwrap_or_default();
        let rows = || asked.iter().filter_map(|number| self.rows.get(*number));
        let (mut count, mut shown) = (0, Vec::new());
        for row in rows() {
            match row.of {
                RowOf::Lane(lane) => {
                    let lane = lanes.all.get(lane as usize)?;
                    let calls = calls_in(lane, window);
                    count += calls.len() + lane.states.parts_within(window.0, window.1);
                    shown.push((lane, calls));
                }
                RowOf::Worker { lane, nth, .. } => {
                    count += self.worker(lane, nth)?.states.parts_within(window.0, window.1);
                }
            }
            if count > MOST_EVENTS {
                return None;
            }
        }
        let mut events = with_workers(lanes, nobody(lanes));
        self.add_calls(&shown, &mut events);
        for (lane, _) in &shown {
            let spans = timeline::outside_within(
                lane,
                &self.traced.waits,
                (window.0.max(lane.begin), window.1.min(lane.end)),
            );
            if let Some(of) = events.lanes.get_mut(lane.number as usize) {
                of.spans = events::spans(lanes, spans);
            }
        }
        for row in rows() {
            let RowOf::Worker { lane, nth, place } = row.of else { continue };
            let (worker, lane) = (self.worker(lane, nth)?, lanes.all.get(lane as usize)?);
            let spans = worker.states.within(window.0.max(lane.begin), window.1.min(lane.end));
            events.workers.get_mut(place)?.spans = events::spans(lanes, spans);
        }
        Some(events)
    }

    fn add_calls(&self, shown: &[(&Lane<'_>, Range<u32>)], events: &mut TraceEvents) {
        let traced = &self.traced;
        let (mut chosen, mut messages, mut groups) = (Chosen::default(), Vec::new(), Vec::new());
        for (lane, calls) in shown {
            for call in calls.clone() {
                chosen.add(CallAt { lane: lane.number, call });
                let wait = traced.waits.of_call(lane.number, call);
                wait.into_iter().for_each(|wait| chosen.add(wait.late));
            }
            // What is received in a row that is shown is met there.
            let is_met = |at: CallAt| {
                let row = shown.binary_search_by_key(&at.lane, |(lane, _)| lane.number);
                row.ok().and_then(|row| shown.get(row)).is_some_and(|(_, calls)| calls.contains(&at.call))
            };
            let sent = traced.matched.sent_by(lane.number, calls).filter(|of| !is_met(of.receive));
            for message in sent.chain(traced.matched.received_by(lane.number, calls)) {
                chosen.add(message.send);
                chosen.add(message.receive);
                messages.push(message);
            }
            let members = self.members.get(lane.number as usize).map_or(&[][..], Vec::as_slice);
            let from = members.partition_point(|(call, _)| *call < calls.start);
            let own = members.iter().skip(from).take_while(|(call, _)| *call < calls.end);
            groups.extend(own.map(|(_, group)| (*group, 0)));
        }
        groups.sort_unstable();
        groups.dedup();
        let mut room = MOST_OTHERS;
        groups.retain(|(group, _): &(u32, u32)| {
            let members = traced.collectives.members(*group as usize);
            room = room.saturating_sub(members.len());
            members.iter().filter(|_| room > 0).for_each(|at| chosen.add(*at));
            room > 0
        });
        chosen.settle();
        for (number, call) in &chosen.0 {
            let Some((lane, of)) = lane_of(&traced.lanes, events, *number) else { continue };
            let of_lane = lane.calls.get(*call as usize);
            of.calls.extend(of_lane.map(|of| events::call(&traced.lanes, lane, &traced.waits, (*call, of))));
        }
        // What the late calls of calls outside of the window wait for is not here.
        for call in events.lanes.iter_mut().flat_map(|lane| &mut lane.calls) {
            let EventState::Waited { late, .. } = &mut call.state else { continue };
            match chosen.renumbered(*late) {
                Some(known) => *late = known,
                None => call.state = EventState::Called,
            }
        }
        let renumbered = |of: &CallAt| chosen.renumbered(*of);
        events.messages = messages
            .into_iter()
            .filter_map(|of| Some(events::message(of, renumbered(&of.send)?, renumbered(&of.receive)?)))
            .collect();
        let members = groups.iter().map(|(group, _)| traced.collectives.members(*group as usize));
        events.collectives = members.filter_map(|all| all.iter().map(renumbered).collect()).collect();
    }
}

fn lane_of<'l, 'a, 'e>(
    lanes: &'l Lanes<'a>,
    events: &'e mut TraceEvents,
    number: u32,
) -> Option<(&'l Lane<'a>, &'e mut numawise_tables::snapshot::EventLane)> {
    Some((lanes.all.get(number as usize)?, events.lanes.get_mut(number as usize)?))
}
