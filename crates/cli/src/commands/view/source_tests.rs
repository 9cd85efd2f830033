use std::time::{Duration, Instant};

use numawise_facts::Reading;
use numawise_facts::activity::{TracedKind, TracedSite};
use numawise_record::{Existing, read_watched_run, save_watched_run};

use super::*;

const CALLS: u64 = 200_000;

/// A rank that is 600 of 1000 ns in MPI_Send.
fn traced() -> WatchedRun {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records/snapshot-version-4.nw");
    let mut run = read_watched_run(&file).unwrap();
    let ranks = |run: &WatchedRun, of: usize| {
        run.processes[of].mpi.measured().is_some_and(|mpi| mpi.rank.measured().is_some())
    };
    let rank = (0..run.processes.len()).find(|of| ranks(&run, *of)).unwrap();
    for process in &mut run.processes {
        process.threads.measured_mut().into_iter().flatten().for_each(|thread| thread.trace = None);
    }
    let site = |call: &str| TracedSite {
        call: call.to_owned(),
        at: Reading::unavailable("made"),
        communicator: None,
    };
    let call = |k: u64| TracedCall {
        site: (k > 0).into(),
        begin: Nanoseconds(1_000_000 + 1000 * k),
        end: Nanoseconds(1_000_600 + 1000 * k),
        kind: TracedKind::Alone,
        bytes: Bytes(8),
        messages: 0,
    };
    let calls = (0..CALLS).map(call).collect();
    let sites = ["MPI_Init", "MPI_Send"].map(site).to_vec();
    let trace = ThreadTrace { sites, calls, ..ThreadTrace::default() };
    run.processes[rank].threads.measured_mut().unwrap()[0].trace = Some(Arc::new(trace));
    run
}

fn window(bottom: u32) -> AskedWindow {
    let (from, to) = (Nanoseconds(0), Nanoseconds(u64::MAX));
    AskedWindow { from, to, top: 0, bottom, columns: 50, lines: 10, with_phases: false }
}

fn until(source: &Source, is_it: impl Fn(&Shown) -> bool) {
    let begun = Instant::now();
    while !is_it(&source.0.shown()) {
        assert!(begun.elapsed() < Duration::from_secs(300) && source.failure().is_none());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_large_trace_is_shown_part_by_part_and_then_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &traced(), Existing::Stays).unwrap();
    let source = Source::of(&path, TraceStreams::open(&path).unwrap(), Bytes(0)).unwrap();
    assert_eq!(source.0.parts.len(), 4);
    until(&source, |shown| shown.known == Known::Whole);
    let whole = source.window(window(1));
    assert!(source.names().contains("\"goes_on\":false") && source.names().contains("MPI_Send"));
    // The same as of a small one, but for the version.
    let small = Source::of(&path, TraceStreams::open(&path).unwrap(), Bytes(u64::MAX)).unwrap();
    let at_once = small.window(window(1));
    assert_eq!((whole[1..] == at_once[1..], whole.len() > 50 * 7), (true, true));
}

#[test]
fn a_trace_that_is_damaged_further_in_ends_the_viewer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &traced(), Existing::Stays).unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute("UPDATE traces SET calls = substr(calls, 1, length(calls) / 2) WHERE part = 1", []).unwrap();
    drop(file);
    let source = Source::of(&path, TraceStreams::open(&path).unwrap(), Bytes(0)).unwrap();
    let begun = Instant::now();
    let failure = loop {
        if let Some(failure) = source.failure() {
            break failure;
        }
        assert!(begun.elapsed() < Duration::from_secs(300));
        thread::sleep(Duration::from_millis(5));
    };
    assert!(failure.message().contains("holds no packed calls"), "{}", failure.message());
}

#[test]
fn parts_are_read_from_far_to_near() {
    let part = |thread, part| StreamPart { process: 0, thread, part, begin: Nanoseconds(0) };
    let parts: Vec<StreamPart> = (0..2).flat_map(|thread| (0..4).map(move |of| part(thread, of))).collect();
    let mut order = in_turn(&parts);
    order.reverse();
    let parts: Vec<u32> = order.iter().map(|of| parts[*of].part).collect();
    assert_eq!(parts, [0, 0, 2, 2, 1, 1, 3, 3]);
}

#[test]
fn calls_that_were_looked_at_longest_ago_go_first() {
    let mut kept = Kept::default();
    (0..KEPT).for_each(|part| kept.put(part, Vec::new()));
    assert!(kept.get(0).is_some());
    kept.put(KEPT, Vec::new());
    assert!(kept.get(0).is_some() && kept.get(1).is_none() && kept.get(KEPT).is_some());
}
