//! Threads that are late inside of a rank, and what ranks do outside of regions.

use numawise_facts::activity::{ConstructName, SpanKind, SpanName, TracedSpan};
use numawise_tables::snapshot::{LateThread, TracedSerial};

use super::super::super::sample::thread;
use super::*;

/// Spans by their names: a region, a barrier, another region.
const REGION: u32 = 0;
const BARRIER: u32 = 1;
const OTHER: u32 = 2;

fn names() -> Vec<SpanName> {
    let region = |address| SpanName::Construct(ConstructName::Parallel, at(address));
    vec![region(0x900), SpanName::Construct(ConstructName::Barrier, at(0x910)), region(0x920)]
}

fn span_of(of: u32, begin: u64, end: u64, kind: SpanKind) -> TracedSpan {
    TracedSpan { of, begin: ms(begin), end: ms(end), kind }
}

/// A region of a number of threads: when it began and ended, and when each thread came to its end; the first is the one that calls MPI.
struct Open<'t> {
    of: u32,
    begin: u64,
    came: &'t [u64],
}

/// A rank that waits in a barrier, with regions before and waits at barriers in them (thread, begin, end).
fn rank(number: u32, barrier: u64, regions: &[Open<'_>], waits: &[(usize, u64, u64)]) -> Activity {
    let mut made = Made::rank(number, 2).collective("MPI_Barrier", (barrier, 101), 9, None);
    made.trace.names = names();
    let workers = regions.iter().map(|region| region.came.len()).max().unwrap_or(1);
    let own = |thread: usize| {
        let waits = waits.iter().filter(move |(of, ..)| *of == thread);
        waits.map(|(_, begin, end)| span_of(BARRIER, *begin, *end, SpanKind::Waited))
    };
    made.trace.spans = own(0).collect();
    for Open { of, begin, came } in regions {
        let (threads, end) = (came.len() as u32, *came.iter().max().unwrap());
        let kind = SpanKind::Region { threads, waits_since: ms(came[0]) };
        made.trace.spans.push(span_of(*of, *begin, end, kind));
    }
    let mut activity = made.end(110);
    for number in 1..workers {
        let mut worker = thread(200 + number as i32, [0.1, 0.0, 0.1, 0.0, 0.1, 0.0]);
        let worked = regions.iter().filter_map(|Open { of, begin, came }| {
            let kind = SpanKind::Worked { master: activity.pid, begun: ms(*begin) };
            Some(span_of(*of, *begin, *came.get(number)?, kind))
        });
        let spans = own(number).chain(worked).collect();
        worker.trace = Some(Arc::new(ThreadTrace { names: names(), spans, ..ThreadTrace::default() }));
        threads(&mut activity).push(worker);
    }
    activity
}

/// Of causes, who did what, and how long others waited.
fn said(of: &RunTrace) -> Vec<(u32, &'static str, Option<u32>, u64)> {
    let row = |row: &numawise_tables::snapshot::WaitingCause| {
        let (what, thread) = did(&row.what);
        (row.rank, what, thread, row.waiting.0 / 1_000_000)
    };
    of.causes.iter().map(row).collect()
}

fn did(what: &RankActivity) -> (&'static str, Option<u32>) {
    match what {
        RankActivity::InRegion { thread, .. } => ("in a region", *thread),
        RankActivity::Serial { .. } => ("serial", None),
        RankActivity::Computed { .. } => ("computed", None),
        _ => ("other", None),
    }
}

#[test]
fn a_rank_is_late_for_the_thread_that_was_last_in_its_region() {
    let found = trace(&[
        rank(0, 40, &[Open { of: REGION, begin: 10, came: &[38, 38, 30] }], &[]),
        rank(1, 100, &[Open { of: REGION, begin: 10, came: &[38, 98, 28] }], &[]),
    ]);
    // Rank 0 waits for 60 ms; in rank 1 the region took 60 ms longer, and all of it for thread 1.
    assert_eq!(said(&found), [(1, "in a region", Some(1), 60)]);
    let path: Vec<_> = found
        .critical_path
        .iter()
        .map(|part| (part.rank, did(&part.what), part.time.0 / 1_000_000))
        .collect();
    assert_eq!(path[0], (1, ("in a region", Some(1)), 88), "{path:?}");
    let [region] = found.regions.as_slice() else { panic!("{:?}", found.regions) };
    assert_eq!((region.times, region.uneven, region.waiting), (2, 2, ms(8 + 60 + 70)));
    // Two thirds of a millisecond are not counted.
    assert_eq!(region.gain.0 / 1_000_000, 8 / 3 + 130 / 3);
    let late = LateThread { world: None, rank: 1, thread: 1, times: 1, time: ms(60) };
    assert_eq!(region.late[0], late);
    let longest = region.longest.unwrap();
    assert_eq!((longest.begin, longest.time, longest.rank, longest.number), (ms(38), ms(60), 1, 1));
}

#[test]
fn a_rank_is_late_for_what_it_does_serially() {
    let region = |of, begin, end| Open { of, begin, came: if end == 30 { &[30, 30] } else { &[70, 70] } };
    let found = trace(&[
        rank(0, 40, &[region(REGION, 10, 30)], &[]),
        rank(1, 100, &[region(REGION, 10, 30), region(OTHER, 65, 70)], &[]),
    ]);
    // Between the regions 35 ms, behind the second one 30, and 5 in it; rank 0 has 10 behind its region.
    assert_eq!(said(&found), [(1, "serial", None, 30), (1, "serial", None, 25), (1, "in a region", None, 4)]);
    let RankActivity::Serial { after: Some(after), before: Some(before), to: Some(to) } =
        &found.causes[0].what
    else {
        panic!("{:?}", found.causes)
    };
    assert_eq!((&after.call, &before.call, to.call.as_str()), (&None, &None, "MPI_Barrier"));
    let row = |row: &TracedSerial| {
        let call =
            |of: &Option<numawise_facts::finding::RegionOrCall>| of.as_ref().map(|of| of.call.is_some());
        (call(&row.after), call(&row.before), row.times, row.time.0 / 1_000_000, row.idle.0 / 1_000_000)
    };
    let rows: Vec<_> = found.serial.iter().map(row).collect();
    assert_eq!(rows[0], (Some(false), Some(false), 1, 35, 35), "{rows:?}");
    assert_eq!(rows[1], (Some(false), Some(true), 1, 30, 30), "{rows:?}");
    assert_eq!(rows.iter().map(|row| row.3).sum::<u64>(), 10 + 10 + 9 + 10 + 35 + 30 + 9);
}

#[test]
fn a_barrier_in_a_region_has_a_last_thread_of_its_own() {
    // Thread 0 comes to the barrier 30 ms before thread 1; then thread 1 to the end 20 ms before thread 0.
    let found = trace(&[
        rank(0, 30, &[], &[]),
        rank(1, 100, &[Open { of: REGION, begin: 10, came: &[90, 70] }], &[(0, 20, 50)]),
    ]);
    let [region] = found.regions.as_slice() else { panic!("{:?}", found.regions) };
    let late: Vec<_> = region.late.iter().map(|late| (late.thread, late.time)).collect();
    assert_eq!((late, region.waiting), (vec![(1, ms(30)), (0, ms(20))], ms(50)));
    // It is late by 70 ms, of which the region, in which the other rank is not at all, has 80 of 90.
    let all = said(&found);
    let of = |thread| all.iter().find(|(.., of, _)| *of == thread).map(|(.., waiting)| *waiting);
    assert!(of(Some(1)) > of(Some(0)) && of(Some(0)) > Some(10), "{all:?}");
    assert_eq!(found.causes.iter().fold(Nanoseconds(0), |sum, row| sum + row.waiting).0 / 1_000, 70_000);
}

#[test]
fn threads_that_come_late_together_are_no_single_thread() {
    let found = trace(&[
        rank(0, 40, &[Open { of: REGION, begin: 10, came: &[38, 38, 38, 38] }], &[]),
        rank(1, 100, &[Open { of: REGION, begin: 10, came: &[38, 98, 98, 38] }], &[]),
    ]);
    assert_eq!(said(&found), [(1, "in a region", None, 60)]);
    assert_eq!(found.regions[0].late, []);
}

/// What is changed, and the time in milliseconds.
fn replayed(of: &RunTrace, change: impl Fn(&TraceChange) -> bool) -> u64 {
    let all = of.what_if.measured().expect("a whole trace is replayed");
    all.iter().find(|one| change(&one.change)).expect("it is replayed").span.0 / 1_000_000
}

#[test]
fn a_replay_says_what_the_run_would_be_if_threads_had_equal_work() {
    let found = trace(&[
        rank(0, 40, &[Open { of: REGION, begin: 10, came: &[38, 38] }], &[]),
        rank(1, 100, &[Open { of: REGION, begin: 10, came: &[30, 90] }], &[]),
    ]);
    // 30 ms less in the region of rank 1.
    assert_eq!(replayed(&found, |of| matches!(of, TraceChange::ThreadsEqual { .. })), 80);
    // Before and behind the region 20 ms become 10, and those behind the barrier, 9, 4.5.
    assert_eq!(replayed(&found, |of| *of == TraceChange::SerialDivided), 95);
}

#[test]
fn findings_say_which_thread_is_late_and_what_is_serial() {
    let regions = [Open { of: REGION, begin: 10, came: &[30, 90] }];
    let mut ranks = [rank(0, 40, &regions[..0], &[]), rank(1, 100, &regions, &[])];
    // A twentieth of the two seconds of these ranks is worth saying.
    for thread in ranks.iter_mut().flat_map(threads) {
        let trace = thread.trace.as_mut().map(Arc::make_mut);
        trace.into_iter().for_each(|trace| trace.each_moment(|moment| moment.0 *= 20));
    }
    let found = snapshot(&ranks).findings;
    let of = |code: &str| found.iter().find(|of| of.finding.id.code() == code);
    let gain = |of: Option<&SnapshotFinding>| {
        of.and_then(|of| of.potential.measured()).map(|gain| gain.time.0 / 1_000_000)
    };
    assert_eq!((gain(of("NW085")), gain(of("NW086"))), (Some(30 * 20), Some(10 * 20)), "{found:?}");
}

#[test]
fn of_a_process_in_which_two_threads_call_mpi_regions_are_nobodys() {
    let mut one = rank(0, 40, &[Open { of: REGION, begin: 10, came: &[38, 30] }], &[]);
    let second = threads(&mut one)[0].clone();
    threads(&mut one).push(second);
    threads(&mut one).last_mut().unwrap().tid = numawise_units::Pid(777);
    assert_eq!(trace(&[one]).regions, []);
}
