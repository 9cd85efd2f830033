use numawise_facts::Reading;
use numawise_facts::activity::{ConstructName, PhaseName};
use numawise_tables::snapshot::{
    CallAt, CallPlace, EventMessage, EventPhase, EventWorker, PlacedChange, PlacedMark, WaitKind,
};
use numawise_units::Bytes;

use super::*;

/// Rank 1 receives from 10 to 52 what rank 0 sends from 50 to 51.
fn events() -> TraceEvents {
    let call = |site, begin, end, state| EventCall {
        site,
        begin: Nanoseconds(begin),
        end: Nanoseconds(end),
        bytes: Bytes(8),
        state,
    };
    let lane = |rank, call| EventLane {
        world: None,
        rank,
        thread: None,
        begin: Nanoseconds(0),
        end: Nanoseconds(60),
        calls: vec![call],
        spans: Vec::new(),
    };
    let late = CallAt { lane: 0, call: 0 };
    let waited = EventState::Waited { until: Nanoseconds(50), kind: WaitKind::LateSender, late };
    let site =
        |call: &str| CallPlace { call: call.to_owned(), place: Reading::unavailable("it is made by hand") };
    TraceEvents {
        span: Nanoseconds(60),
        are_ranks: true,
        sites: vec![site("MPI_Send"), site("MPI_Recv")],
        lanes: vec![lane(0, call(0, 50, 51, EventState::Called)), lane(1, call(1, 10, 52, waited))],
        messages: vec![EventMessage { from: late, to: CallAt { lane: 1, call: 0 }, bytes: Bytes(8), tag: 3 }],
        collectives: Vec::new(),
        ..TraceEvents::default()
    }
}

#[derive(Clone, PartialEq, Message)]
struct File {
    #[prost(message, repeated, tag = "1")]
    packets: Vec<Packet>,
}

/// A track with its slices: from when to when, and the name of each.
type Track = (String, Vec<(u64, u64, String)>);

fn slices(of: &TraceEvents) -> Vec<Track> {
    let file = File::decode(perfetto(of).as_slice()).unwrap();
    let interned = file.packets.iter().filter_map(|packet| packet.interned_data.as_ref());
    let names: std::collections::BTreeMap<u64, String> = interned
        .flat_map(|of| &of.event_names)
        .map(|of| (of.iid.unwrap(), of.name.clone().unwrap()))
        .collect();
    let tracks = file.packets.iter().filter_map(|packet| packet.track_descriptor.as_ref());
    let of_track = |track: &TrackDescriptor| {
        let (mut open, mut all) = (Vec::new(), Vec::new());
        for packet in &file.packets {
            let Some(event) = packet.track_event.as_ref().filter(|of| of.track_uuid == track.uuid) else {
                continue;
            };
            match event.name_iid {
                Some(name) => open.push((packet.timestamp.unwrap(), names[&name].clone())),
                None => {
                    let (begin, name): (u64, String) = open.pop().unwrap();
                    all.push((begin, packet.timestamp.unwrap(), name));
                }
            }
        }
        (track.name.clone().unwrap(), all)
    };
    tracks.map(of_track).collect()
}

#[test]
fn workers_and_phases_have_tracks_of_their_own() {
    let span =
        |begin, end, state, of| EventSpan { begin: Nanoseconds(begin), end: Nanoseconds(end), state, of };
    let mut of = events();
    of.constructs = [ConstructName::Parallel, ConstructName::Barrier]
        .map(|name| (name, Reading::unavailable("x")))
        .to_vec();
    of.lanes[0].spans = vec![span(0, 40, SpanState::Serial, None), span(40, 50, SpanState::Waiting, Some(1))];
    let spans = vec![span(20, 30, SpanState::Useful, Some(0)), span(30, 60, SpanState::Idle, None)];
    of.workers = vec![EventWorker { lane: 0, number: 1, spans }];
    let phase = |name: &str, begin, end| EventPhase {
        name: PhaseName::Region(name.to_owned()),
        lane: 1,
        begin: Nanoseconds(begin),
        end: Nanoseconds(end),
    };
    of.phases = vec![phase("solve", 10, 20), phase("begin", 0, 5)];
    let slice = |begin, end, name: &str| (begin, end, name.to_owned());
    let found = slices(&of);
    let expected = [
        ("MPI", vec![]),
        ("rank 0", vec![slice(0, 40, "serial"), slice(40, 50, "waits: barrier"), slice(50, 51, "MPI_Send")]),
        ("rank 1", vec![slice(10, 50, "waits"), slice(10, 52, "MPI_Recv")]),
        ("thread 1", vec![slice(20, 30, "parallel")]),
        ("phases", vec![slice(10, 20, "solve"), slice(0, 5, "begin")]),
    ];
    assert_eq!(found, expected.map(|(track, slices)| (track.to_owned(), slices)));
}

#[test]
fn what_was_seen_from_outside_is_an_instant_on_the_track_of_its_thread() {
    let mut of = events();
    of.workers = vec![EventWorker { lane: 1, number: 2, spans: Vec::new() }];
    let mark = |thread, end| PlacedMark {
        world: None,
        rank: 1,
        thread,
        begin: Nanoseconds(10),
        end: Nanoseconds(end),
        what: PlacedChange::Faults(700),
    };
    of.marks = vec![(1, mark(0, 20)), (1, mark(2, 30))];
    let file = File::decode(perfetto(&of).as_slice()).unwrap();
    let instants = file.packets.iter().filter_map(|packet| {
        let event = packet.track_event.as_ref().filter(|of| of.r#type == Some(INSTANT))?;
        Some((packet.timestamp?, event.track_uuid?, event.name.clone()?))
    });
    let name = || "700 page faults".to_owned();
    assert_eq!(instants.collect::<Vec<_>>(), [(20, uuid(1), name()), (30, uuid(2), name())]);
}

#[test]
fn each_call_is_a_slice_with_its_waiting_inside_and_messages_are_flows() {
    let file = File::decode(perfetto(&events()).as_slice()).unwrap();
    let tracks = file.packets.iter().filter_map(|packet| packet.track_descriptor.as_ref()?.name.clone());
    assert_eq!(tracks.collect::<Vec<_>>(), ["MPI", "rank 0", "rank 1"]);
    let slices: Vec<(u64, u64, i32)> = file
        .packets
        .iter()
        .filter_map(|packet| {
            let event = packet.track_event.as_ref()?;
            Some((event.track_uuid?, packet.timestamp?, event.r#type?))
        })
        .collect();
    let of_1 = [(3, 10, SLICE_BEGIN), (3, 10, SLICE_BEGIN), (3, 50, SLICE_END), (3, 52, SLICE_END)];
    assert_eq!(slices, [&[(2, 50, SLICE_BEGIN), (2, 51, SLICE_END)][..], &of_1].concat());
    let flows = |of: fn(&TrackEvent) -> &Vec<u64>| {
        let events = file.packets.iter().filter_map(|packet| packet.track_event.as_ref());
        events.flat_map(|event| of(event).clone()).collect::<Vec<_>>()
    };
    assert_eq!(flows(|event| &event.flow_ids), flows(|event| &event.terminating_flow_ids));
    let said = file.packets.iter().filter_map(|packet| packet.track_event.as_ref());
    let said: Vec<String> =
        said.flat_map(|event| &event.debug_annotations).filter_map(|of| of.string_value.clone()).collect();
    assert_eq!(said, ["late sender", "MPI_Send"]);
}
