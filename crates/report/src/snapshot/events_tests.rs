use std::io::Read;

use flate2::read::ZlibDecoder;
use numawise_facts::activity::PhaseName;
use numawise_tables::snapshot::{EventPhase, EventWorker};
use numawise_units::{Bytes, Nanoseconds};

use super::*;

/// Reads what was packed, as `trace/unpack.js` does.
struct Unpacking {
    bytes: std::vec::IntoIter<u8>,
}

impl Unpacking {
    fn of(text: &str) -> Unpacking {
        let six = |sign: &u8| match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("no sign of base64: {sign}"),
        };
        let signs = text.trim_end_matches('=').as_bytes();
        let bits = |four: &[u8]| four.iter().fold(0u32, |all, sign| all << 6 | u32::from(six(sign)));
        let bytes = |four: &[u8]| {
            let all = bits(four) << (6 * (4 - four.len()));
            all.to_be_bytes()[1..four.len()].to_vec()
        };
        let packed: Vec<u8> = signs.chunks(4).flat_map(bytes).collect();
        let mut bytes = Vec::new();
        ZlibDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        Unpacking { bytes: bytes.into_iter() }
    }

    fn next(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes.next().expect("no more bytes");
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn signed(&mut self) -> i64 {
        let number = self.next();
        (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
    }

    fn column(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.next()).collect()
    }

    fn differences(&mut self, from: &[u64]) -> Vec<u64> {
        from.iter().map(|from| from.wrapping_add_signed(self.signed())).collect()
    }

    fn calls(&mut self, from: &[CallAt]) -> Vec<CallAt> {
        let lanes = self.differences(&from.iter().map(|at| at.lane.into()).collect::<Vec<_>>());
        let calls = self.differences(&from.iter().map(|at| at.call.into()).collect::<Vec<_>>());
        lanes
            .into_iter()
            .zip(calls)
            .map(|(lane, call)| CallAt { lane: lane as u32, call: call as u32 })
            .collect()
    }

    /// Each as it differs from the one before.
    fn chain(&mut self, count: usize) -> Vec<CallAt> {
        let steps = |of: &mut Self, restart: u64| {
            let mut at = restart;
            (0..count)
                .map(|_| {
                    at = at.wrapping_add_signed(of.signed());
                    at
                })
                .collect::<Vec<_>>()
        };
        let (lanes, calls) = (steps(self, 0), steps(self, 0));
        lanes
            .into_iter()
            .zip(calls)
            .map(|(lane, call)| CallAt { lane: lane as u32, call: call as u32 })
            .collect()
    }

    fn events(&mut self, sites: Vec<CallPlace>) -> TraceEvents {
        let span = Nanoseconds(self.next());
        let [lanes, messages, groups, members] = [0; 4].map(|_| self.next() as usize);
        let lane = |of: &mut Self| {
            let [rank, thread, world, begin, length, calls] = [0; 6].map(|_| of.next());
            let (begin, end) = (Nanoseconds(begin), Nanoseconds(begin + length));
            let thread = thread.checked_sub(1).map(|thread| thread as i32);
            let world = Some(world as u32).filter(|world| *world > 0);
            let lane = EventLane { world, rank: rank as u32, thread, begin, end, ..EventLane::default() };
            (lane, calls as usize)
        };
        let heads: Vec<(EventLane, usize)> = (0..lanes).map(|_| lane(self)).collect();
        let mut lanes = self.lanes(heads);
        let from = self.chain(messages);
        let to = self.calls(&from);
        let sent: Vec<u64> =
            from.iter().map(|at| lanes[at.lane as usize].calls[at.call as usize].bytes.0).collect();
        let bytes = self.differences(&sent);
        let message = |((from, to), bytes): ((CallAt, CallAt), u64)| EventMessage {
            from,
            to,
            bytes: Bytes(bytes),
            tag: self.signed() as i32,
        };
        let messages = from.into_iter().zip(to).zip(bytes).map(message).collect();
        let sizes = self.column(groups);
        let lane_steps: Vec<i64> = (0..members).map(|_| self.signed()).collect();
        let mut at = 0;
        let mut group = |of: &mut Self, size: u64| {
            let (mut lane, mut call) = (0, 0);
            (0..size)
                .map(|_| {
                    lane += lane_steps[at];
                    call += of.signed();
                    at += 1;
                    CallAt { lane: lane as u32, call: call as u32 }
                })
                .collect()
        };
        let collectives = sizes.into_iter().map(|size| group(self, size)).collect();
        let workers = self.workers(&mut lanes);
        let phases = self.phases();
        assert_eq!(self.bytes.next(), None, "bytes are left");
        TraceEvents {
            span,
            are_ranks: true,
            sites,
            lanes,
            messages,
            collectives,

            workers,
            phases,
            ..TraceEvents::default()
        }
    }

    /// With the spans of all.
    fn workers(&mut self, lanes: &mut [EventLane]) -> Vec<EventWorker> {
        let count = self.next();
        let worker =
            |of: &mut Self| EventWorker { lane: of.next() as u32, number: of.next() as u32, spans: vec![] };
        let mut workers: Vec<EventWorker> = (0..count).map(|_| worker(self)).collect();
        let counts = self.column(lanes.len() + workers.len());
        let heads = self.column(counts.iter().sum::<u64>() as usize);
        let mut spans: Vec<Vec<EventSpan>> = Vec::new();
        let mut heads_left = heads.iter();
        for count in counts {
            let mut end = 0u64;
            let span = |head: &u64| {
                let begin = end.wrapping_add_signed(self.signed());
                let states = [SpanState::Useful, SpanState::Serial, SpanState::Waiting, SpanState::Idle];
                let files = FileOperation::ALL.map(SpanState::Files);
                let states = [states, files].concat();
                // Durations come later; made spans are all one long.
                end = begin + 1;
                EventSpan {
                    begin: Nanoseconds(begin),
                    end: Nanoseconds(end),
                    state: states[(head & 7) as usize],
                    of: (head >> 3).checked_sub(1).map(|of| of as u32),
                }
            };
            spans.push(heads_left.by_ref().take(count as usize).map(span).collect());
        }
        for span in spans.iter_mut().flatten() {
            span.end = span.begin + Nanoseconds(self.next());
        }
        let rows = lanes.iter_mut().map(|lane| &mut lane.spans);
        let rows = rows.chain(workers.iter_mut().map(|worker| &mut worker.spans));
        rows.zip(spans).for_each(|(row, spans)| *row = spans);
        workers
    }

    fn phases(&mut self) -> Vec<EventPhase> {
        let count = self.next();
        let mut at = 0u64;
        let phase = |_| {
            let (name, lane) = (self.next(), self.next());
            at = at.wrapping_add_signed(self.signed());
            EventPhase {
                name: PhaseName::Control(name as i32),
                lane: lane as u32,
                begin: Nanoseconds(at),
                end: Nanoseconds(at + self.next()),
            }
        };
        (0..count).map(phase).collect()
    }

    fn lanes(&mut self, heads: Vec<(EventLane, usize)>) -> Vec<EventLane> {
        let count = heads.iter().map(|(_, calls)| calls).sum();
        let (sites, states, bytes) = (self.column(count), self.column(count), self.column(count));
        let gaps: Vec<i64> = (0..count).map(|_| self.signed()).collect();
        let lengths = self.column(count);
        let polls: Vec<u64> = states.iter().map(|state| if *state == 1 { self.next() } else { 0 }).collect();
        let mut lanes = Vec::new();
        let (mut k, mut waiting) = (0, Vec::new());
        for (number, (mut lane, calls)) in (0..).zip(heads) {
            let mut end = lane.begin.0;
            for call in 0..calls as u32 {
                let begin = end.wrapping_add_signed(gaps[k]);
                end = begin + lengths[k];
                let state = match states[k] {
                    1 => EventState::Polled { calls: polls[k] },
                    _ => EventState::Called,
                };
                if states[k] >= 2 {
                    waiting.push((CallAt { lane: number, call }, KINDS[states[k] as usize - 2]));
                }
                let (begin, end) = (Nanoseconds(begin), Nanoseconds(end));
                lane.calls.push(EventCall {
                    site: sites[k] as u32,
                    begin,
                    end,
                    bytes: Bytes(bytes[k]),
                    state,
                });
                k += 1;
            }
            lanes.push(lane);
        }
        let late = self.calls(&waiting.iter().map(|(at, _)| *at).collect::<Vec<_>>());
        for ((at, kind), late) in waiting.into_iter().zip(late) {
            let begin = lanes[late.lane as usize].calls[late.call as usize].begin.0;
            let until = Nanoseconds(begin.wrapping_add_signed(self.signed()));
            lanes[at.lane as usize].calls[at.call as usize].state = EventState::Waited { until, kind, late };
        }
        lanes
    }
}

fn at(lane: u32, call: u32) -> CallAt {
    CallAt { lane, call }
}

fn made(site: u32, begin: u64, end: u64, bytes: u64, state: EventState) -> EventCall {
    EventCall { site, begin: Nanoseconds(begin), end: Nanoseconds(end), bytes: Bytes(bytes), state }
}

fn lane(rank: u32, thread: Option<i32>, calls: Vec<EventCall>) -> EventLane {
    EventLane {
        world: Some(rank % 3).filter(|world| *world > 0),
        rank,
        thread,
        begin: Nanoseconds(5),
        end: Nanoseconds(1 << 50),
        calls,
        spans: spans(u64::from(rank) % 5),
    }
}

/// So many, each one long.
fn spans(count: u64) -> Vec<EventSpan> {
    let sync = SpanState::Files(FileOperation::Sync);
    let states = [SpanState::Idle, SpanState::Waiting, SpanState::Useful, sync];
    let span = |k: u64| EventSpan {
        begin: Nanoseconds(10 * k),
        end: Nanoseconds(10 * k + 1),
        state: states[(k % 4) as usize],
        of: (k % 2 == 1).then_some(k as u32),
    };
    (0..count).map(span).collect()
}

fn sample() -> TraceEvents {
    let waited = |kind, late| EventState::Waited { until: Nanoseconds(300), kind, late };
    let calls = vec![
        made(0, 5, 5, 0, EventState::Called),
        made(300, 200, 1 << 40, u64::from(u32::MAX) * 9, waited(WaitKind::LateSender, at(2, 0))),
        made(1, 1 << 40, 1 << 41, 8, EventState::Polled { calls: 1 << 33 }),
    ];
    let others = vec![
        made(2, 300, 310, 7, waited(WaitKind::LastOfAll, at(0, 2))),
        made(2, 320, 320, 7, waited(WaitKind::EarlyRoot, at(0, 0))),
    ];
    let message = |from, to, tag| EventMessage { from, to, bytes: Bytes(7), tag };
    TraceEvents {
        span: Nanoseconds(1 << 50),
        are_ranks: true,
        sites: vec![],
        lanes: vec![lane(0, None, calls), lane(7, Some(3), vec![]), lane(u32::MAX, Some(0), others)],
        messages: vec![
            message(at(0, 1), at(2, 0), -5),
            message(at(2, 0), at(0, 0), i32::MAX),
            message(at(2, 1), at(0, 2), i32::MIN),
        ],
        collectives: vec![vec![at(0, 2), at(2, 1)], vec![], vec![at(2, 0)]],
        workers: vec![EventWorker { lane: 2, number: 1, spans: spans(6) }],
        phases: [(0, 90, 100), (1, 40, 1 << 40)]
            .map(|(level, begin, end)| EventPhase {
                name: PhaseName::Control(level),
                lane: 2,
                begin: Nanoseconds(begin),
                end: Nanoseconds(end),
            })
            .to_vec(),
        ..TraceEvents::default()
    }
}

fn unpacked(of: &TraceEvents) -> TraceEvents {
    Unpacking::of(&base64(&deflated(&packed(of)))).events(vec![])
}

#[test]
fn what_is_packed_comes_out_again() {
    assert_eq!(unpacked(&sample()), sample());
    let nothing = TraceEvents { span: Nanoseconds(3), are_ranks: true, ..TraceEvents::default() };
    assert_eq!(unpacked(&nothing), nothing);
}

#[test]
fn messages_are_in_the_order_of_their_senders() {
    let mut of = sample();
    of.messages.reverse();
    assert_eq!(unpacked(&of), sample());
}

#[test]
fn what_names_a_call_that_is_not_there_is_left_out() {
    let mut of = sample();
    let expected = sample();
    of.messages.push(EventMessage { from: at(0, 1), to: at(9, 0), bytes: Bytes(1), tag: 0 });
    of.messages.push(EventMessage { from: at(1, 0), to: at(0, 0), bytes: Bytes(1), tag: 0 });
    of.collectives.push(vec![at(0, 1), at(2, 2)]);
    assert_eq!(unpacked(&of), expected);
    let late = EventState::Waited { until: Nanoseconds(300), kind: WaitKind::LateRoot, late: at(3, 0) };
    of.lanes[0].calls[0].state = late;
    assert_eq!(unpacked(&of), expected, "nothing is known of what it waited for");
}

#[test]
fn base64_is_as_others_write_it() {
    for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(base64(bytes.as_bytes()), text);
    }
    assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
}
