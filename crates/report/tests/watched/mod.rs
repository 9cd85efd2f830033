//! Runs that were watched, made by hand.

#![allow(dead_code)] // each test file uses a part

pub mod events;

use std::collections::BTreeMap;
use std::sync::Arc;

use numawise_analyse::{JobRanks, RunParts, objects_of_ranks, run_snapshot, trace_events};
use numawise_facts::activity::{
    CacheTraffic, ConstructName, CountedEvents, CounterAccess, CounterCount, CounterEvent, CounterObstacle,
    MessageFamily, MessageSide, MessageSizes, PeerTraffic, PhaseName, ProcessCounters, SeenChange, SeenKind,
    SeenThread, SourcePlace, SpanKind, SpanName, ThreadTrace, TracedCall, TracedKind, TracedMessage,
    TracedSite, TracedSpan,
};
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{
    Activity, Exit, Machine, Reading, ResourceUsage, SourcePlaces, WatchedRun, WatchedRunHeader,
};
use numawise_report::snapshot::Shown;
use numawise_tables::RunSnapshot;
use numawise_tables::objects::RankObjects;
use numawise_tables::snapshot::TraceEvents;
use numawise_units::{Bytes, CpuId, Nanoseconds, Pid};

use crate::activities::{at, construct, dynamic_loop, opened, seconds, simple_rank, thread, with_openmp};
use crate::sample::build;

/// A run with all that is said of it.
pub struct Watched {
    pub run: WatchedRun,
    pub tables: RunSnapshot,
    pub objects: Option<RankObjects>,
    pub events: Option<TraceEvents>,
}

impl Watched {
    pub fn of(run: WatchedRun) -> Watched {
        let machines: BTreeMap<String, &Machine> =
            run.processes.iter().map(|one| (one.host.clone(), &run.header.machine)).collect();
        let parts = RunParts {
            trace_part: None,
            activities: &run.processes,
            merged: run.merged.as_ref(),
            places: &run.places,
            asked: run.header.ranks.as_ref(),
            exit: Some(run.header.exit),
            unwatched: run.header.computed_unwatched(),
            machines: &machines,
        };
        let tables = run_snapshot(&parts);
        let objects = objects_of_ranks(&run.objects, parts.asked);
        let events = trace_events(&parts);
        Watched { run, tables, objects, events }
    }

    pub fn shown(&self) -> Shown<'_> {
        Shown {
            run: &self.run,
            tables: &self.tables,
            objects: self.objects.as_ref(),
            events: self.events.as_ref(),
            record: Some("run.nw"),
        }
    }
}

pub fn run(command: &[&str], processes: Vec<Activity>) -> WatchedRun {
    let study = build::header(command, 2, vec![]);
    let place = |function: &str, line: u32| SourcePlace {
        function: Reading::Measured(function.to_owned()),
        file: Reading::Measured("/src/app.c".to_owned()),
        line: Reading::Measured(line),
    };
    let file = || "/home/user/app".to_owned();
    let places = SourcePlaces::from([
        ((file(), 0x10), place("exchange", 120)),
        ((file(), 5), place("solve", 30)),
        ((file(), 6), place("solve", 33)),
    ]);
    WatchedRun {
        header: WatchedRunHeader {
            tool_version: study.tool_version,
            begun: study.begun,
            command: study.command,
            host: study.host,
            machine: study.machine,
            other_machines: vec![],
            placement: None,
            ranks: None,
            exit: Exit::Code(0),
            wall: seconds(2.1),
            usage: ResourceUsage {
                user: Reading::Measured(seconds(3.0)),
                system: Reading::Measured(seconds(0.1)),
                peak_memory: Reading::Measured(Bytes(1 << 20)),
                minor_faults: Reading::Measured(10),
                major_faults: Reading::Measured(0),
                voluntary_switches: Reading::unavailable("not asked for"),
                involuntary_switches: Reading::Measured(2),
            },
            counters: CounterAccess::NotOpened(CounterObstacle::NoHardware { is_guest: true }),
            traffic: Reading::unavailable("the kernel has no monitor of memory bandwidth"),
            notices: if processes.is_empty() { vec![SnapshotNotice::NothingWatched.into()] } else { vec![] },
            division: None,
        },
        processes,
        merged: None,
        places,
        objects: Vec::new(),
    }
}

/// Ranks on hosts of eight, which compute unevenly and send to their neighbours, or to all.
pub fn ranks(size: u32, all_to_all: bool) -> WatchedRun {
    let one = |rank: u32| {
        let useful = 1.0 + 0.8 * f64::from(rank * 7919 % size) / f64::from(size);
        let mut activity = simple_rank(rank, size, useful, 2.0 - useful);
        activity.host = format!("node{:04}", rank / 8);
        let to = |peer: u32, bytes: u64| PeerTraffic {
            rank: peer,
            sent_messages: bytes / 100,
            sent: Bytes(bytes),
            received_messages: 0,
            received: Bytes(0),
            fetched: Bytes(0),
        };
        if let Reading::Measured(threads) = &mut activity.threads {
            let group = size.div_ceil(128).max(1);
            let peers = if all_to_all && rank.is_multiple_of(group) {
                (0..size).step_by(group as usize).collect()
            } else {
                vec![(rank + 1) % size, (rank + size - 1) % size]
            };
            threads[0].peers = peers
                .into_iter()
                .map(|peer| {
                    to(
                        peer,
                        1000 + u64::from(rank)
                            .wrapping_mul(2_654_435_761)
                            .wrapping_add(u64::from(peer) * 40_503_001)
                            % 900_000_000,
                    )
                })
                .collect();
            threads[0].messages = vec![MessageSizes { family: MessageFamily::Send, bits: 4, messages: 20 }];
        }
        activity
    };
    run(&["mpirun", "-n", &size.to_string(), "./app"], (0..size).map(one).collect())
}

/// The same ranks as very many are: merged, with those in full that stand out.
pub fn merged(whole: WatchedRun) -> WatchedRun {
    let mut job = JobRanks::with_most(0);
    for here in whole.processes.chunk_by(|one, other| one.host == other.host) {
        job.add_placement(here.iter(), Some(&whole.header.machine));
    }
    whole.processes.into_iter().for_each(|rank| drop(job.add(rank)));
    let (processes, merged) = job.finish();
    WatchedRun { processes, merged, ..whole }
}

/// Two ranks of two threads, with a region that is uneven and a loop that has too few iterations.
pub fn hybrid() -> WatchedRun {
    let whole = ranks(2, false);
    let mut processes = whole.processes.clone();
    for (k, process) in processes.iter_mut().enumerate() {
        let Reading::Measured(threads) = &mut process.threads else { continue };
        let tid = threads[0].tid.0;
        let done = [21, 20];
        let rows = |thread: usize, states: [f64; 6]| {
            let mut region = construct(5, 1, ConstructName::Parallel, states);
            if thread == 0 {
                region = opened(region, 1.0, 2);
            }
            let row = dynamic_loop(construct(6, 5, ConstructName::Loop, [0.0; 6]), 41, done[thread], 1);
            vec![region, row]
        };
        threads[0].constructs = rows(0, [0.5 + 0.1 * k as f64, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let mut second = thread(tid + 1000, [0.4, 0.0, 0.5, 0.1, 1.0, 0.0]);
        second.constructs = rows(1, [0.4, 0.0, 0.5, 0.1, 0.0, 0.0]);
        threads.push(second);
        *process = with_openmp(process.clone());
    }
    WatchedRun { processes, ..whole }
}

/// The same on a processor whose counters could be had.
pub fn counted() -> WatchedRun {
    let mut run = hybrid();
    for (k, process) in run.processes.iter_mut().enumerate() {
        process.surroundings.counters = Reading::Measured(counters(1 + k as u64));
    }
    run.header.counters = CounterAccess::Opened { processor: Some("Intel Skylake-SP".to_owned()) };
    run.header.traffic = Reading::Measured(vec![CacheTraffic {
        cache: 0,
        total: Bytes(40_000_000_000),
        local: Bytes(30_000_000_000),
        time: seconds(2.0),
    }]);
    run
}

/// Counts made by hand, so many times: two cycles an instruction, a quarter of them stalled, half of the floating-point instructions
/// of 512 bits; the wide ones were on for half of the time.
fn counters(times: u64) -> ProcessCounters {
    let one = |event, count, on| CounterCount {
        event,
        name: format!("{event:?}"),
        cores: String::new(),
        counted: Reading::Measured(CountedEvents {
            count: count * times,
            wanted: seconds(2.0),
            on: seconds(on),
        }),
    };
    let fp = |bits, operations| CounterEvent::FpInstructions { bits, operations };
    let counts = vec![
        one(CounterEvent::Cycles, 4_000_000_000, 2.0),
        one(CounterEvent::Instructions, 2_000_000_000, 2.0),
        one(CounterEvent::MemoryStallCycles, 1_000_000_000, 2.0),
        one(fp(64, 1), 1_000_000_000, 2.0),
        one(fp(512, 8), 500_000_000, 1.0),
        one(CounterEvent::LocalMemory, 300, 2.0),
        one(CounterEvent::RemoteMemory, 100, 2.0),
    ];
    ProcessCounters { with_children: false, counts }
}

/// The hybrid run, traced: rank 1 receives from 10 ms on what rank 0 sends at 60 ms, after that rank 0 waits at a barrier from 70 to 100 ms, and
/// rank 1 polls at the end. In between both have a region and a phase, see [`spans`].
pub fn traced() -> WatchedRun {
    let ms = |time: u64| Nanoseconds(time * 1_000_000);
    let mut run = counted();
    for (rank, process) in (0u32..).zip(&mut run.processes) {
        let names = ["MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Test", "MPI_Finalize"];
        let site = |name: &str| TracedSite { call: name.to_owned(), at: at(0x10), communicator: Some(0) };
        let mut trace = ThreadTrace { sites: names.map(site).to_vec(), ..ThreadTrace::default() };
        let mut call = |site: u32, begin, end, kind, messages| {
            let (begin, end) = (ms(begin), ms(end));
            trace.calls.push(TracedCall { site, begin, end, kind, bytes: Bytes(8), messages });
        };
        call(0, 0, 0, TracedKind::Alone, 0);
        // What was sent first is received last.
        let (site, side, both) = match rank {
            0 => (1, MessageSide::Sent, [(5, 6, 4), (60, 61, 3)]),
            _ => (2, MessageSide::Received, [(10, 62, 3), (63, 64, 4)]),
        };
        both.iter().for_each(|(begin, end, _)| call(site, *begin, *end, TracedKind::Alone, 1));
        let key = 9u64.try_into().unwrap();
        call(3, if rank == 0 { 70 } else { 100 }, 101, TracedKind::Collective { key, root: None }, 0);
        let polls = TracedKind::Polls { calls: 7, within: ms(15) };
        if rank == 1 {
            call(4, 110, 130, polls, 0);
        }
        call(5, 150, 160, TracedKind::Alone, 0);
        let communicator = 7u64.try_into().ok();
        trace.messages = both
            .iter()
            .map(|(posted, _, tag)| TracedMessage {
                end: side,
                posted: ms(*posted),
                communicator,
                bytes: Bytes(8),
                tag: *tag,
                peer: 1 - rank,
            })
            .collect();
        if let Reading::Measured(threads) = &mut process.threads {
            let (own, of_worker) = spans(threads[0].tid);
            (trace.names, trace.spans) = own;
            let moved = SeenKind::Moved { from: CpuId(0), to: CpuId(1) };
            let change = |at, what| SeenChange { before: ms(at - 5), at: ms(at), what };
            let changes = vec![change(20, moved), change(90, SeenKind::Faults(4096))];
            trace.seen = Some(SeenThread { looks: 15, changes: if rank == 1 { changes } else { vec![] } });
            threads[0].trace = Some(Arc::new(trace));
            let (names, spans) = of_worker;
            threads[1].trace = Some(Arc::new(ThreadTrace { names, spans, ..ThreadTrace::default() }));
        }
    }
    run
}

type Spans = (Vec<SpanName>, Vec<TracedSpan>);

/// A region from 64 to 69 ms, at whose end the first thread waits from 66 ms on, in a phase from 60 to 101 ms.
fn spans(first: Pid) -> (Spans, Spans) {
    let ms = |time: u64| Nanoseconds(time * 1_000_000);
    let region = SpanName::Construct(ConstructName::Parallel, at(0x40));
    let span = |of, begin, end, kind| TracedSpan { of, begin: ms(begin), end: ms(end), kind };
    let own = vec![
        span(0, 64, 69, SpanKind::Region { threads: 2, waits_since: ms(66) }),
        span(1, 60, 101, SpanKind::Phase),
    ];
    let phase = SpanName::Phase(PhaseName::Region("solve".to_owned()));
    let worked = span(0, 65, 69, SpanKind::Worked { master: first, begun: ms(64) });
    ((vec![region.clone(), phase], own), (vec![region], vec![worked]))
}

/// A program of which nothing could be watched.
pub fn nothing() -> WatchedRun {
    run(&["./static"], vec![])
}
