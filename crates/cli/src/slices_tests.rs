use std::num::NonZeroU64;
use std::sync::Arc;

use numawise_facts::activity::{MessageSide, TracedCall, TracedKind, TracedMessage, TracedSite, WorldRank};
use numawise_facts::{Reading, TracePart};
use numawise_record::{Existing, read_watched_run, save_watched_run};
use numawise_tables::snapshot::RunTrace;
use numawise_units::Nanoseconds;

use super::*;
use crate::show::{Snapshot, parts};

const RANKS: u32 = 3;
/// Of a rank: more than one part has.
const STEPS: u64 = 25_000;

/// A ring, in which each rank sends, receives from the one before it, which computes for longer now and then, and waits for what it sent.
fn ring(rank: u32) -> ThreadTrace {
    let site = |call: &str| TracedSite {
        call: call.to_owned(),
        at: Reading::unavailable("made"),
        communicator: Some(0),
    };
    let names = ["MPI_Init", "MPI_Isend", "MPI_Recv", "MPI_Wait", "MPI_Barrier", "MPI_Finalize"];
    let mut trace = ThreadTrace { sites: names.map(site).to_vec(), ..ThreadTrace::default() };
    let mut add = |site, begin: u64, end: u64, kind, messages: &[(MessageSide, u64, u32)]| {
        let (begin, end) = (Nanoseconds(begin), Nanoseconds(end));
        let messages = messages.iter().map(|(end, posted, peer)| TracedMessage {
            end: *end,
            posted: Nanoseconds(*posted),
            communicator: NonZeroU64::new(7),
            bytes: Bytes(8),
            tag: 1,
            peer: *peer,
        });
        trace.messages.extend(messages.clone());
        let messages = messages.len() as u32;
        trace.calls.push(TracedCall { site, begin, end, kind, bytes: Bytes(8), messages });
    };
    add(0, 0, 1000, TracedKind::Alone, &[]);
    let (to, from) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    for step in 0..STEPS {
        let begin = 1000 + 1000 * step;
        let computed = |rank: u32| if step / 10 % 3 == u64::from(rank) { 500 } else { 100 + step % 7 };
        let (sent, others) = (begin + computed(rank), begin + computed(from));
        add(1, sent, sent + 10, TracedKind::Alone, &[(MessageSide::Sent, sent, to)]);
        let received = (sent + 10).max(others) + 20;
        add(2, sent + 10, received, TracedKind::Alone, &[(MessageSide::Received, sent + 10, from)]);
        add(3, received + 5, received + 10, TracedKind::Alone, &[(MessageSide::SendDone, sent, to)]);
        if step % 100 == 99 {
            let key = NonZeroU64::new(1000 + step).unwrap();
            add(4, received + 20, begin + 900, TracedKind::Collective { key, root: None }, &[]);
        }
    }
    let end = 1000 + 1000 * STEPS;
    add(5, end, end, TracedKind::Alone, &[]);
    trace
}

fn made() -> WatchedRun {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records/snapshot-version-4.nw");
    let mut run = read_watched_run(&file).unwrap();
    let rank_of = |process: &Activity| Some(process.mpi.measured()?.rank.measured()?.rank);
    let process = run.processes.iter().find(|process| rank_of(process).is_some()).unwrap().clone();
    let rank = |rank: u32| {
        let mut process = process.clone();
        process.pid = Pid(1000 + rank as i32);
        let mpi = process.mpi.measured_mut().unwrap();
        mpi.rank = Reading::Measured(WorldRank { rank, size: RANKS });
        process.communicators.truncate(1);
        process.communicators[0].rank = rank;
        process.communicators[0].size = RANKS;
        process.communicators[0].is_inter = false;
        let threads = process.threads.measured_mut().unwrap();
        threads.truncate(1);
        threads[0].trace = Some(Arc::new(ring(rank)));
        process
    };
    run.processes = (0..RANKS).map(rank).collect();
    run
}

/// In slices of some calls, and at once.
fn both(path: &Path, part: &TracePart, calls: usize) -> [RunTrace; 2] {
    let run = read_watched_run(path).unwrap();
    let whole = Snapshot::trace(&run, part).unwrap();
    let (of, run) = TraceStreams::open_with_spans(path).unwrap();
    let Large { run, mut streams, calls } = Large::of(of, run, calls).unwrap();
    let machines = run.machines();
    let parts = parts(&run, part, &machines);
    let found = numawise_analyse::run_snapshot_in_slices(&parts, &mut streams, calls).unwrap();
    assert!(streams.failure().is_none());
    [found.trace.unwrap(), whole]
}

#[test]
fn a_trace_in_slices_has_the_tables_of_the_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &made(), Existing::Stays).unwrap();
    assert!(Large::open(&path, Bytes(u64::MAX)).unwrap().is_none());
    assert_eq!(Large::open(&path, Bytes(4500)).unwrap().map(|large| large.calls), Some(10));
    let ranks = TracePart { ranks: Some("0,2".parse().unwrap()), ..TracePart::default() };
    let part = TracePart {
        from: Some(Nanoseconds(3_000_000)),
        to: Some(Nanoseconds(9_000_000)),
        ..TracePart::default()
    };
    for (part, calls) in
        [(TracePart::default(), 3000), (TracePart::default(), 50_000), (ranks, 9000), (part, 7000)]
    {
        let [found, whole] = both(&path, &part, calls);
        let slices = found.slices.unwrap();
        assert!(slices.slices > 2 && slices.forgotten == 0, "{slices:?}");
        // Nearly all waits have their causes in their slice.
        let waiting = whole.times.waiting.0 as f64;
        assert!((slices.cut.0 as f64) < 0.05 * waiting && waiting > 0.0, "{slices:?}");
        let sum = |of: &RunTrace| of.causes.iter().map(|cause| cause.waiting.0 as f64).sum::<f64>();
        assert!((sum(&found) / sum(&whole) - 1.0).abs() < 1e-6);
        let (first, expected) = (&found.causes[0], &whole.causes[0]);
        assert_eq!((&first.what, first.rank), (&expected.what, expected.rank));
        assert!(first.waiting.0.abs_diff(expected.waiting.0) as f64 <= 0.05 * waiting);
        let causes = whole.causes.clone();
        let found = RunTrace { slices: None, what_if: whole.what_if.clone(), causes, ..found };
        assert!(found == whole, "{found:#?}\n{whole:#?}");
    }
}

#[test]
fn a_trace_that_is_damaged_further_in_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &made(), Existing::Stays).unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    // The edges are read first: what lies between is found on the way.
    file.execute("UPDATE traces SET part = 2 WHERE part = 1", []).unwrap();
    file.execute("INSERT INTO traces SELECT process, thread, 1, '', substr(calls, 1, length(calls) / 2) FROM traces WHERE part = 0", []).unwrap();
    drop(file);
    let (of, run) = TraceStreams::open_with_spans(&path).unwrap();
    let Large { run, mut streams, calls } = Large::of(of, run, 9000).unwrap();
    let machines = run.machines();
    let part = TracePart::default();
    let parts = parts(&run, &part, &machines);
    assert!(numawise_analyse::run_snapshot_in_slices(&parts, &mut streams, calls).is_none());
    let failure = streams.failure().unwrap().to_string();
    assert!(failure.contains("holds no packed calls"), "{failure}");
}
