//! Time in calls on files.

use numawise_facts::activity::{ConstructName, FileOperation, SpanKind, SpanName, TracedSpan};
use numawise_tables::snapshot::TraceTimes;

use super::super::super::sample::thread;
use super::*;

fn span(of: u32, begin: u64, end: u64, kind: SpanKind) -> TracedSpan {
    TracedSpan { of, begin: ms(begin), end: ms(end), kind }
}

fn file(of: FileOperation, begin: u64, end: u64) -> TracedSpan {
    span(of as u32, begin, end, SpanKind::File)
}

const REGION: u32 = 4;

fn names() -> Vec<SpanName> {
    let region = SpanName::Construct(ConstructName::Parallel, at(0x900));
    FileOperation::ALL.into_iter().map(SpanName::File).chain([region]).collect()
}

/// A rank in a barrier from a moment on to 100 ms.
fn rank(number: u32, barrier: u64, spans: Vec<TracedSpan>) -> Activity {
    let mut made = Made::rank(number, 2).collective("MPI_Barrier", (barrier, 100), 9, None);
    (made.trace.names, made.trace.spans) = (names(), spans);
    made.end(110)
}

fn times(of: &TraceTimes) -> [u64; 5] {
    [of.useful, of.serial, of.openmp_waiting, of.in_files, of.waiting].map(|time| time.0 / 1_000_000)
}

/// Of causes, the rank, what it was in files for, and how long others waited.
fn of_files(of: &RunTrace) -> Vec<(u32, Option<FileOperation>, u64)> {
    let operation = |what: &RankActivity| match what {
        RankActivity::InFiles { operation, to: Some(to) } if to.call == "MPI_Barrier" => Some(*operation),
        _ => None,
    };
    of.causes.iter().map(|row| (row.rank, operation(&row.what), row.waiting.0 / 1_000_000)).collect()
}

#[test]
fn a_rank_that_is_longer_in_files_is_late_because_of_them() {
    use FileOperation::{Read, Sync, Write};
    // What lies within a call is MPI's.
    let late = vec![file(Write, 10, 50), file(Sync, 50, 80), file(Read, 85, 90), file(Read, 95, 99)];
    let found = trace(&[rank(0, 10, vec![file(Write, 2, 4)]), rank(1, 95, late)]);
    assert_eq!(times(&found.ranks[0].times), [18, 0, 0, 2, 85]);
    assert_eq!(times(&found.ranks[1].times), [30, 0, 0, 75, 0]);
    assert_eq!(found.ranks[1].times.total(), ms(110));
    let drawn: TraceTimes = found.ranks[1].timeline.iter().copied().sum();
    assert_eq!(drawn, found.ranks[1].times);
    // Beyond rank 0: 38 of writing, 30 of the storage, 5 of reading, 12 of computing.
    assert_eq!(
        of_files(&found),
        [(1, Some(Write), 38), (1, Some(Sync), 30), (1, None, 12), (1, Some(Read), 5)]
    );
    let path: Vec<(u32, u64)> =
        found.critical_path.iter().map(|part| (part.rank, part.time.0 / 1_000_000)).collect();
    assert_eq!(path[..2], [(1, 40), (1, 30)]);
    assert_eq!(path.iter().map(|(_, time)| time).sum::<u64>(), 110);
    let what_if = found.what_if.measured().unwrap();
    let without = what_if.iter().find(|row| row.change == TraceChange::FilesInstant).unwrap();
    // Rank 1 computes 20 ms, both are in the barrier for 5 more, and compute for 10.
    assert_eq!(without.span, ms(35));
}

#[test]
fn of_threads_only_serial_parts_in_files_are_named_so_and_regions_stay_whole() {
    use FileOperation::{Manage, Write};
    let region = span(REGION, 30, 60, SpanKind::Region { threads: 2, waits_since: ms(55) });
    let mut late = rank(1, 90, vec![file(Write, 5, 25), file(Manage, 40, 50), region]);
    let mut worker = thread(999, [0.1, 0.0, 0.1, 0.0, 0.1, 0.0]);
    let worked = span(REGION, 31, 60, SpanKind::Worked { master: late.pid, begun: ms(30) });
    let spans = vec![file(Write, 35, 37), worked];
    worker.trace = Some(Arc::new(ThreadTrace { names: names(), spans, ..ThreadTrace::default() }));
    threads(&mut late).push(worker);
    let found = trace(&[rank(0, 10, vec![]), late]);
    let of = &found.ranks[1];
    // In the region 15 useful, 10 in files, 5 at its end.
    assert_eq!(times(&of.times), [15, 50, 5, 30, 0]);
    assert_eq!(times(&of.workers[0].times), [27, 0, 0, 2, 0]);
    let of_writing = of_files(&found).into_iter().find(|(_, operation, _)| operation.is_some()).unwrap();
    assert!(of_writing.0 == 1 && of_writing.1 == Some(Write), "{:?}", found.causes);
    assert!(
        !of_files(&found).iter().any(|(_, operation, _)| *operation == Some(Manage)),
        "{:?}",
        found.causes
    );
    let in_region = |row: &&numawise_tables::snapshot::WaitingCause| {
        matches!(row.what, RankActivity::InRegion { thread: None, .. })
    };
    assert!(found.causes.iter().any(|row| in_region(&row)), "{:?}", found.causes);
}

#[test]
fn of_a_thread_that_is_only_in_files_nothing_else_is_known() {
    let mut first = rank(0, 10, vec![]);
    let mut other = thread(999, [0.1, 0.0, 0.1, 0.0, 0.1, 0.0]);
    let spans = vec![file(FileOperation::Write, 5, 90)];
    other.trace = Some(Arc::new(ThreadTrace { names: names(), spans, ..ThreadTrace::default() }));
    threads(&mut first).push(other);
    let found = trace(&[first, rank(1, 20, vec![])]);
    assert!(found.ranks.iter().all(|rank| rank.workers.is_empty()), "{:?}", found.ranks);
    assert_eq!(found.openmp_unseen, 0);
}
