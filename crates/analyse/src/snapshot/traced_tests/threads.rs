//! Threads of OpenMP in a trace, and phases.

use numawise_facts::activity::{ConstructName, PhaseName, SpanKind, SpanName, TracedSpan};
use numawise_tables::snapshot::{TraceTimes, TracedConstruct};

use super::super::super::sample::{process, thread};
use super::*;

const REGION: u32 = 0;
const BARRIER: u32 = 1;
const PHASE: u32 = 2;
const OF_THREAD: u32 = 3;

fn span(of: u32, begin: u64, end: u64, kind: SpanKind) -> TracedSpan {
    TracedSpan { of, begin: ms(begin), end: ms(end), kind }
}

fn region(begin: u64, end: u64, waits_since: u64) -> TracedSpan {
    span(REGION, begin, end, SpanKind::Region { threads: 2, waits_since: ms(waits_since) })
}

fn worked(begin: u64, end: u64, of: &Activity, begun: u64) -> TracedSpan {
    span(REGION, begin, end, SpanKind::Worked { master: of.pid, begun: ms(begun) })
}

fn names() -> Vec<SpanName> {
    vec![
        SpanName::Construct(ConstructName::Parallel, at(0x900)),
        SpanName::Construct(ConstructName::Barrier, at(0x910)),
        SpanName::Phase(PhaseName::Region("solve".to_owned())),
        SpanName::Phase(PhaseName::ThreadRegion("solve".to_owned())),
    ]
}

/// A rank from 0 to 400 ms with these spans, and a worker with others.
fn rank(number: u32, own: Vec<TracedSpan>, of_worker: impl FnOnce(&Activity) -> Vec<TracedSpan>) -> Activity {
    let mut made = Made::rank(number, 2).collective("MPI_Barrier", (300, 310), 9, None);
    made.trace.names = names();
    made.trace.spans = own;
    let mut activity = made.end(400);
    let mut worker = thread(999, [0.1, 0.0, 0.1, 0.0, 0.1, 0.0]);
    let spans = of_worker(&activity);
    worker.trace = Some(Arc::new(ThreadTrace { names: names(), spans, ..ThreadTrace::default() }));
    threads(&mut activity).push(worker);
    activity
}

/// In milliseconds: useful, serial, waiting in OpenMP, idle, in calls and waiting there.
fn times(of: &TraceTimes) -> [u64; 5] {
    let mpi = of.in_calls + of.waiting;
    [of.useful, of.serial, of.openmp_waiting, of.idle, mpi].map(|time| time.0 / 1_000_000)
}

fn constructs(of: &[TracedConstruct]) -> Vec<(ConstructName, u64, u64, u64, u64)> {
    let row = |row: &TracedConstruct| {
        (row.construct, row.waits, row.waiting.0 / 1_000_000, row.regions, row.time.0 / 1_000_000)
    };
    of.iter().map(row).collect()
}

/// One region from 100 to 200: the thread that opens it waits at a barrier from 120 to 130 and at the end from 150 on, the worker from 190 on. In a
/// second one from 320 to 380 the worker waits at the end from 330 on, but for a task from 340 to 350.
pub fn hybrid(number: u32) -> Activity {
    let own = vec![
        span(BARRIER, 120, 130, SpanKind::Waited),
        region(100, 200, 150),
        region(320, 380, 380),
        span(PHASE, 90, 210, SpanKind::Phase),
        span(PHASE, 370, 390, SpanKind::Phase),
    ];
    rank(number, own, |of| {
        vec![
            worked(105, 190, of, 100),
            worked(321, 330, of, 320),
            worked(340, 350, of, 320),
            span(OF_THREAD, 110, 120, SpanKind::Phase),
        ]
    })
}

#[test]
fn threads_wait_up_to_the_end_of_their_region_and_idle_outside() {
    let found = trace(&[hybrid(0), hybrid(1)]);
    let of = &found.ranks[0];
    assert_eq!(times(&of.times), [40 + 60, 100 + 100 + 10 + 20, 60, 0, 10]);
    let [worker] = of.workers.as_slice() else { panic!("{:?}", of.workers) };
    assert_eq!((worker.number, worker.thread), (1, 999));
    assert_eq!(times(&worker.times), [85 + 9 + 10, 0, 10 + 10 + 30, 400 - 85 - 19 - 50, 0]);
    assert_eq!(of.times.total(), ms(400));
    assert_eq!(worker.times.total(), ms(400));
    let drawn: TraceTimes = worker.timeline.iter().copied().sum();
    assert_eq!(drawn, worker.times);
    // At the end of a region 50 of the one thread and 50 of the other, in both ranks; the region of a task is that in which it runs.
    assert_eq!(
        constructs(&found.openmp),
        [(ConstructName::Parallel, 8, 200, 4, 320), (ConstructName::Barrier, 2, 20, 0, 0)]
    );
    let longest = found.openmp[0].longest.unwrap();
    assert_eq!((longest.time, longest.begin, longest.number), (ms(50), ms(150), 0));
    assert_eq!(found.openmp_unseen, 0);
}

#[test]
fn a_region_within_a_region_counts_once_and_one_of_one_thread_is_serial() {
    let own = vec![
        region(120, 140, 130),
        span(REGION, 20, 30, SpanKind::Region { threads: 1, waits_since: ms(30) }),
        region(100, 200, 200),
    ];
    // A worker that opens a region itself, and waits there; its own region never ended in the trace.
    let found = trace(&[
        rank(0, own, |of| vec![region(160, 180, 170), worked(150, 190, of, 777)]),
        rank(1, vec![], |_| vec![]),
    ]);
    assert_eq!(times(&found.ranks[0].times), [90, 290, 10, 0, 10]);
    assert_eq!(times(&found.ranks[0].workers[0].times), [30, 0, 10, 360, 0]);
    // Nothing is known of regions in the other one.
    assert_eq!(times(&found.ranks[1].times), [390, 0, 0, 0, 10]);
}

#[test]
fn what_is_no_hybrid_program_is_useful_outside_of_mpi() {
    let one = |begin, end| span(REGION, begin, end, SpanKind::Region { threads: 1, waits_since: ms(end) });
    let found = trace(&[rank(0, vec![one(100, 200)], |_| vec![]), rank(1, vec![], |_| vec![])]);
    assert_eq!(times(&found.ranks[0].times), [390, 0, 0, 0, 10]);
    assert_eq!(constructs(&found.openmp), [(ConstructName::Parallel, 0, 0, 1, 100)]);
}

#[test]
fn a_phase_is_shown_by_itself() {
    let activities = [hybrid(0), hybrid(1)];
    let part = |phase: &str, from: Option<u64>| {
        let part = TracePart { from: from.map(ms), phase: Some(phase.to_owned()), ..TracePart::default() };
        part_of(&activities, &part)
    };
    let found = part("solve", None);
    assert_eq!((found.begin, found.span, found.calls), (ms(90), ms(300), 0));
    assert_eq!(times(&found.ranks[0].times), [40 + 10, 20 + 10, 60, 0, 0]);
    assert_eq!(times(&found.ranks[0].workers[0].times), [85, 0, 10 + 10, 15 + 10 + 10, 0]);
    assert_eq!(constructs(&found.openmp)[0], (ConstructName::Parallel, 6, 140, 4, 220));
    let later = part("solve", Some(300));
    assert_eq!((later.begin, times(&later.ranks[0].times)), (ms(370), [10, 10, 0, 0, 0]));
    assert_eq!(part("other", None).span, ms(0));
    let all = trace(&activities);
    let [solve] = all.phases.as_slice() else { panic!("{:?}", all.phases) };
    assert_eq!((solve.times, solve.ranks, solve.begin, solve.end), (2, 2, ms(90), ms(390)));
    assert_eq!(times(&solve.spent), [100, 60, 120, 0, 0]);
}

#[test]
fn a_process_without_mpi_has_its_threads_from_the_first_region_to_the_last() {
    let mut activity = process(100, 1.0, vec![thread(100, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    let own = vec![region(100, 200, 150), region(320, 380, 380)];
    let spans = vec![worked(105, 190, &activity, 100)];
    let of = |spans| Some(Arc::new(ThreadTrace { names: names(), spans, ..ThreadTrace::default() }));
    threads(&mut activity)[0].trace = of(own);
    let mut worker = thread(999, [0.1, 0.0, 0.1, 0.0, 0.1, 0.0]);
    worker.trace = of(spans);
    threads(&mut activity).push(worker);
    let found = trace(&[activity]);
    assert_eq!((found.are_ranks, found.span, found.ranks.len()), (false, ms(280), 1));
    assert_eq!(times(&found.ranks[0].times), [50 + 60, 120, 50, 0, 0]);
    assert_eq!(times(&found.ranks[0].workers[0].times), [85, 0, 10, 280 - 95, 0]);
    assert_eq!(constructs(&found.openmp), [(ConstructName::Parallel, 2, 60, 2, 160)]);
}
