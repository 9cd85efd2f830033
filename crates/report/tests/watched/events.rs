//! Calls and messages of runs that nobody ran, as many as are asked for.

use numawise_facts::Reading;
use numawise_tables::snapshot::{
    CallAt, CallPlace, EventCall, EventLane, EventMessage, EventState, TraceEvents, WaitKind,
};
use numawise_units::{Bytes, Nanoseconds};

/// Numbers that look as if they came by chance, the same each time (Marsaglia's xorshift).
struct Chance(u64);

impl Chance {
    /// Below a limit.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn sites(names: &[&str]) -> Vec<CallPlace> {
    let place =
        |name: &&str| CallPlace { call: (*name).to_owned(), place: Reading::unavailable("made by hand") };
    names.iter().map(place).collect()
}

/// Ranks that send to their neighbour and receive from the other one, in each of so many steps; at every tenth all wait for the last. A step of a
/// rank makes three calls and a message, two ends of it.
pub fn exchanges(ranks: u32, steps: u32) -> TraceEvents {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut now = vec![0u64; ranks as usize];
    let mut calls: Vec<Vec<EventCall>> = vec![Vec::new(); ranks as usize];
    let (mut messages, mut collectives) = (Vec::new(), Vec::new());
    let add = |lane: &mut Vec<EventCall>, site, begin, end, bytes, state| {
        lane.push(EventCall {
            site,
            begin: Nanoseconds(begin),
            end: Nanoseconds(end),
            bytes: Bytes(bytes),
            state,
        });
    };
    for step in 0..steps {
        let mut sent = Vec::new();
        for (rank, lane) in calls.iter_mut().enumerate() {
            let begin = now[rank] + 20_000 + chance.below(60_000);
            let posted = begin + 300 + chance.below(900);
            add(lane, 0, begin, posted, 8192, EventState::Called);
            now[rank] = posted + 100 + chance.below(500);
            sent.push((CallAt { lane: rank as u32, call: lane.len() as u32 - 1 }, begin));
        }
        for rank in 0..ranks as usize {
            let (late, begun) = sent[(rank + 1) % ranks as usize];
            let (begin, lane) = (now[rank], &mut calls[rank]);
            let end = begin.max(begun) + 400 + chance.below(2_000);
            let until = Nanoseconds(begun);
            let waited = EventState::Waited { until, kind: WaitKind::LateSender, late };
            add(lane, 1, begin, end, 8192, if begun > begin { waited } else { EventState::Called });
            let to = CallAt { lane: rank as u32, call: lane.len() as u32 - 1 };
            messages.push(EventMessage { from: late, to, bytes: Bytes(8192), tag: (step % 3) as i32 });
            now[rank] = end + 200 + chance.below(3_000);
        }
        let last = now.iter().enumerate().max_by_key(|(_, begin)| **begin).map_or(0, |(rank, _)| rank);
        let (all, until) = (step % 10 == 0, now[last]);
        let late = CallAt { lane: last as u32, call: calls[last].len() as u32 };
        let mut together = Vec::new();
        for (rank, lane) in calls.iter_mut().enumerate() {
            let begin = now[rank];
            let waits = all && rank != last;
            let end = if all { until } else { begin } + 500 + chance.below(1_500);
            let waited = EventState::Waited { until: Nanoseconds(until), kind: WaitKind::LastOfAll, late };
            add(
                lane,
                if all { 3 } else { 2 },
                begin,
                end,
                64,
                if waits { waited } else { EventState::Called },
            );
            together.push(CallAt { lane: rank as u32, call: lane.len() as u32 - 1 });
            now[rank] = end;
        }
        collectives.extend(all.then_some(together));
    }
    let span = Nanoseconds(now.iter().copied().max().unwrap_or(0));
    let sites = sites(&["MPI_Isend", "MPI_Recv", "MPI_Wait", "MPI_Allreduce"]);
    TraceEvents {
        span,
        sites,
        lanes: lanes(span, calls),
        messages,
        collectives,
        are_ranks: true,
        ..TraceEvents::default()
    }
}

/// Ranks that wait for nobody: so many calls each, with nothing that is known of them but their times.
pub fn alone(ranks: u32, calls: u32) -> TraceEvents {
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    let lane = |_| {
        let mut end = 0;
        let call = |_| {
            let begin = end + chance.below(50_000);
            end = begin + 200 + chance.below(10_000);
            let bytes = Bytes(8 << chance.below(12));
            let site = chance.below(6) as u32;
            EventCall {
                site,
                begin: Nanoseconds(begin),
                end: Nanoseconds(end),
                bytes,
                state: EventState::Called,
            }
        };
        (0..calls).map(call).collect::<Vec<_>>()
    };
    let all: Vec<Vec<EventCall>> = (0..ranks).map(lane).collect();
    let span = all.iter().filter_map(|calls| calls.last()).map(|call| call.end).max().unwrap_or_default();
    let names = ["MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Reduce", "MPI_Iprobe", "MPI_Get"];
    TraceEvents {
        span,
        sites: sites(&names),
        lanes: lanes(span, all),
        are_ranks: true,
        ..TraceEvents::default()
    }
}

fn lanes(span: Nanoseconds, calls: Vec<Vec<EventCall>>) -> Vec<EventLane> {
    let lane = |(rank, calls)| EventLane {
        world: None,
        rank,
        thread: None,
        begin: Nanoseconds(0),
        end: span,
        calls,
        spans: vec![],
    };
    (0..).zip(calls).map(lane).collect()
}
