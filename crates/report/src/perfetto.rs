//! A trace for Perfetto's page (ui.perfetto.dev) and its trace processor: TrackEvents as protobufs, by the published schema
//! (`protos/perfetto/trace/trace_packet.proto`). Only the fields that we write stand here, with the numbers of the schema.

use numawise_facts::activity::FileOperation;
use numawise_tables::snapshot::{
    EventCall, EventLane, EventSpan, EventState, EventWorker, SpanState, TraceEvents,
};
use numawise_units::{Arrange, Nanoseconds};
use prost::Message;

use crate::snapshot::{construct_in, phase_name, phase_names, trace as trace_words};

#[cfg(test)]
#[path = "perfetto_tests.rs"]
mod tests;

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    interned_data: Option<InternedData>,
    #[prost(uint32, optional, tag = "13")]
    sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(int32, optional, tag = "11")]
    child_ordering: Option<i32>,
    #[prost(int32, optional, tag = "12")]
    sibling_order_rank: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(int32, optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "10")]
    name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(fixed64, repeated, tag = "47")]
    flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, tag = "48")]
    terminating_flow_ids: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct DebugAnnotation {
    #[prost(uint64, optional, tag = "3")]
    uint_value: Option<u64>,
    #[prost(string, optional, tag = "6")]
    string_value: Option<String>,
    #[prost(string, optional, tag = "10")]
    name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct InternedData {
    #[prost(message, repeated, tag = "2")]
    event_names: Vec<EventName>,
}

#[derive(Clone, PartialEq, Message)]
struct EventName {
    #[prost(uint64, optional, tag = "1")]
    iid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
}

const SLICE_BEGIN: i32 = 1;
const SLICE_END: i32 = 2;
const INSTANT: i32 = 3;
const STATE_CLEARED: u32 = 1;
const NEEDS_STATE: u32 = 2;
const EXPLICIT_ORDER: i32 = 3;
/// All packets are of one writer.
const SEQUENCE: u32 = 1;
/// The track above those of all ranks.
const ROOT: u64 = 1;
/// Names that are of no call.
const WAITS: u64 = 1;
const FIRST_SITE: u64 = 2;

/// The bytes of a file: a track for each rank, its workers and its phases; a slice for each call and for what of it was waiting, an instant for each change that was seen from outside, for what threads are in
/// outside of calls, and for each phase; a flow for each message.
pub fn perfetto(events: &TraceEvents) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, names(events));
    put(&mut out, track(ROOT, if events.are_ranks { "MPI" } else { "OpenMP" }, None, Some(EXPLICIT_ORDER)));
    for (number, lane) in (0..).zip(&events.lanes) {
        let name = if events.are_ranks {
            trace_words::lane_name(lane.world, lane.rank, lane.thread)
        } else {
            format!("process {}", lane.rank)
        };
        put(&mut out, track(uuid(number), &name, Some((ROOT, number as i32)), None));
    }
    let names = Names::of(events);
    outside_calls(&mut out, events, &names);
    let flows = Flows::of(events);
    for (number, lane) in (0..).zip(&events.lanes) {
        for (call, of) in (0..).zip(&lane.calls) {
            let (sent, received) = flows.of_call(number, call);
            calls(&mut out, events, number, of, (sent, received));
        }
    }
    out
}

fn uuid(lane: u32) -> u64 {
    ROOT + 1 + u64::from(lane)
}

/// A file is one message, of which each packet is a field with the number 1.
fn put(out: &mut Vec<u8>, packet: Packet) {
    const PACKET: u8 = 1 << 3 | 2;
    out.push(PACKET);
    let packet = Packet { trusted_packet_sequence_id: Some(SEQUENCE), ..packet };
    out.extend(packet.encode_length_delimited_to_vec());
}

/// Names once, by their numbers.
fn names(events: &TraceEvents) -> Packet {
    let name = |iid, name: String| EventName { iid: Some(iid), name: Some(name) };
    let sites = events.sites.iter().zip(FIRST_SITE..);
    let event_names = std::iter::once(name(WAITS, "waits".to_owned()))
        .chain(sites.map(|(site, iid)| name(iid, trace_words::call(site))))
        .chain(Names::of(events).all.into_iter().map(|(iid, text)| name(iid, text)))
        .collect();
    Packet {
        interned_data: Some(InternedData { event_names }),
        sequence_flags: Some(STATE_CLEARED | NEEDS_STATE),
        ..Packet::default()
    }
}

/// `below`: its parent, and its place there.
fn track(uuid: u64, name: &str, below: Option<(u64, i32)>, child_ordering: Option<i32>) -> Packet {
    let descriptor = TrackDescriptor {
        uuid: Some(uuid),
        name: Some(name.to_owned()),
        parent_uuid: below.map(|(parent, _)| parent),
        child_ordering,
        sibling_order_rank: below.map(|(_, place)| place),
    };
    Packet { track_descriptor: Some(descriptor), ..Packet::default() }
}

/// Names of what is no call, behind those of the sites.
struct Names {
    first: u64,
    all: Vec<(u64, String)>,
    phases: Vec<String>,
}

impl Names {
    fn of(events: &TraceEvents) -> Names {
        let first = FIRST_SITE + events.sites.len() as u64;
        let constructs = events.constructs.iter().flat_map(|(name, place)| {
            let construct = construct_in(*name, place);
            [construct.clone(), format!("waits: {construct}")]
        });
        let phases = phase_names(events);
        let files = FileOperation::ALL.map(|of| format!("in files: {}", trace_words::operation(of)));
        let all =
            std::iter::once("serial".to_owned()).chain(files).chain(constructs).chain(phases.iter().cloned());
        Names { first, all: (first..).zip(all).collect(), phases }
    }

    /// None of what is not drawn.
    fn of_span(&self, span: &EventSpan) -> Option<u64> {
        let constructs = self.first + 1 + FileOperation::ALL.len() as u64;
        match (span.state, span.of) {
            (SpanState::Serial, _) => Some(self.first),
            (SpanState::Files(of), _) => Some(self.first + 1 + of as u64),
            (SpanState::Useful, Some(of)) => Some(constructs + 2 * u64::from(of)),
            (SpanState::Waiting, Some(of)) => Some(constructs + 1 + 2 * u64::from(of)),
            _ => None,
        }
    }

    fn of_phase(&self, name: &str) -> u64 {
        let place = self.phases.iter().position(|known| known == name).unwrap_or_default();
        self.first + (self.all.len() - self.phases.len() + place) as u64
    }
}

/// What threads are in outside of calls; workers and phases have tracks of their own below that of their rank.
fn outside_calls(out: &mut Vec<u8>, events: &TraceEvents, names: &Names) {
    let slice = |out: &mut Vec<u8>, track: u64, name: u64, (begin, end): (Nanoseconds, Nanoseconds)| {
        let begins = TrackEvent { r#type: Some(SLICE_BEGIN), name_iid: Some(name), ..TrackEvent::default() };
        put(out, event(track, begin, begins));
        put(out, event(track, end, TrackEvent { r#type: Some(SLICE_END), ..TrackEvent::default() }));
    };
    let spans = |out: &mut Vec<u8>, track: u64, spans: &[EventSpan]| {
        for span in spans {
            names.of_span(span).into_iter().for_each(|name| slice(out, track, name, (span.begin, span.end)));
        }
    };
    for (number, lane) in (0..).zip(&events.lanes) {
        spans(out, uuid(number), &lane.spans);
    }
    let first = uuid(events.lanes.len() as u32);
    for (worker, own) in events.workers.iter().zip(first..) {
        let below = Some((uuid(worker.lane), worker.number as i32));
        put(out, track(own, &format!("thread {}", worker.number), below, None));
        spans(out, own, &worker.spans);
    }
    // What was seen of threads from outside, on their tracks.
    for (lane, mark) in &events.marks {
        let is_it = |worker: &EventWorker| (worker.lane, worker.number) == (*lane, mark.thread);
        let worker = events.workers.iter().position(is_it).map(|place| first + place as u64);
        let name = Some(trace_words::placed_change(&mark.what));
        let said = vec![number("nanoseconds at most before", mark.end.saturating_sub(mark.begin).0)];
        let of = TrackEvent { r#type: Some(INSTANT), name, debug_annotations: said, ..TrackEvent::default() };
        put(out, event(worker.unwrap_or(uuid(*lane)), mark.end, of));
    }
    let first = first + events.workers.len() as u64;
    let mut has_track = std::collections::BTreeSet::new();
    for phase in &events.phases {
        let own = first + u64::from(phase.lane);
        if has_track.insert(own) {
            put(out, track(own, "phases", Some((uuid(phase.lane), 0)), None));
        }
        slice(out, own, names.of_phase(&phase_name(&phase.name)), (phase.begin, phase.end));
    }
}

fn event(track: u64, time: Nanoseconds, event: TrackEvent) -> Packet {
    Packet {
        timestamp: Some(time.0),
        sequence_flags: Some(NEEDS_STATE),
        track_event: Some(TrackEvent { track_uuid: Some(track), ..event }),
        ..Packet::default()
    }
}

/// Messages by the calls of their ends, in the order of these.
struct Flows {
    sent: Vec<(u32, u32, u64)>,
    received: Vec<(u32, u32, u64)>,
}

impl Flows {
    fn of(events: &TraceEvents) -> Flows {
        let numbered = || (1u64..).zip(&events.messages);
        let mut sent: Vec<_> = numbered().map(|(id, of)| (of.from.lane, of.from.call, id)).collect();
        let mut received: Vec<_> = numbered().map(|(id, of)| (of.to.lane, of.to.call, id)).collect();
        sent.arrange();
        received.arrange();
        Flows { sent, received }
    }

    fn of_call(&self, lane: u32, call: u32) -> (Vec<u64>, Vec<u64>) {
        let found = |all: &[(u32, u32, u64)]| {
            let begin = all.partition_point(|(of_lane, of_call, _)| (*of_lane, *of_call) < (lane, call));
            let rest = all.get(begin..).unwrap_or_default();
            rest.iter().take_while(|one| (one.0, one.1) == (lane, call)).map(|one| one.2).collect()
        };
        (found(&self.sent), found(&self.received))
    }
}

/// The slice of a call, and inside of it that of its waiting.
fn calls(
    out: &mut Vec<u8>,
    events: &TraceEvents,
    lane: u32,
    call: &EventCall,
    (flow_ids, terminating_flow_ids): (Vec<u64>, Vec<u64>),
) {
    let event = |time: Nanoseconds, of: TrackEvent| event(uuid(lane), time, of);
    let ends = || TrackEvent { r#type: Some(SLICE_END), ..TrackEvent::default() };
    let begins = |name: u64, debug_annotations| TrackEvent {
        r#type: Some(SLICE_BEGIN),
        name_iid: Some(name),
        debug_annotations,
        ..TrackEvent::default()
    };
    let mut said = vec![number("bytes", call.bytes.0)];
    if let EventState::Polled { calls } = call.state {
        said.push(number("calls", calls));
    }
    let begin =
        TrackEvent { flow_ids, terminating_flow_ids, ..begins(FIRST_SITE + u64::from(call.site), said) };
    put(out, event(call.begin, begin));
    if let EventState::Waited { until, kind, late } = call.state {
        let of_late = events.lanes.get(late.lane as usize);
        let mut said = vec![text("reason", trace_words::kind(kind).to_owned())];
        said.extend(of_late.map(|lane| number("for rank", lane.rank.into())));
        said.extend(
            of_late.and_then(|lane| call_of(events, lane, late.call)).map(|name| text("that comes to", name)),
        );
        put(out, event(call.begin, begins(WAITS, said)));
        put(out, event(until, ends()));
    }
    put(out, event(call.end, ends()));
}

fn call_of(events: &TraceEvents, lane: &EventLane, call: u32) -> Option<String> {
    let site = lane.calls.get(call as usize)?.site;
    events.sites.get(site as usize).map(trace_words::call)
}

fn number(name: &str, value: u64) -> DebugAnnotation {
    DebugAnnotation { name: Some(name.to_owned()), uint_value: Some(value), string_value: None }
}

fn text(name: &str, value: String) -> DebugAnnotation {
    DebugAnnotation { name: Some(name.to_owned()), uint_value: None, string_value: Some(value) }
}
