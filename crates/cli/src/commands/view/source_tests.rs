use std::time::{Duration, Instant};

use numawise_facts::Reading;
use numawise_facts::activity::{TraceLoss, TracedKind, TracedSite};
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

/// As an older numawise kept it.
fn without_overview(path: &Path) -> rusqlite::Connection {
    let file = rusqlite::Connection::open(path).unwrap();
    file.execute_batch("DROP TABLE overview; PRAGMA user_version = 5").unwrap();
    file
}

fn window(bottom: u32) -> AskedWindow<'static> {
    let (from, to) = (Nanoseconds(0), Nanoseconds(u64::MAX));
    AskedWindow { from, to, ranks: None, top: 0, bottom, columns: 50, lines: 10, with_phases: false }
}

fn until(source: &Source, is_it: impl Fn(&Shown) -> bool) {
    let begun = Instant::now();
    while !is_it(&source.0.shown()) {
        assert!(begun.elapsed() < Duration::from_secs(300) && source.failure().is_none());
        thread::sleep(Duration::from_millis(5));
    }
}

/// What is known of a trace before the analysis.
fn of_streams(path: &Path) -> (StreamView<'static>, Vec<StreamPart>) {
    let (streams, run) = TraceStreams::open(path).unwrap();
    let overview = streams.overview(&run).unwrap();
    let parts = streams.parts().unwrap();
    let run = leaked(with_edges(run, &streams, &parts, overview.as_deref()).unwrap());
    let mut view = streams_of(run, &parts).unwrap();
    overview.iter().for_each(|overview| sketch(&mut view, overview));
    (view, parts)
}

#[test]
fn the_first_picture_of_a_large_trace_needs_none_of_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    let mut run = traced();
    save_watched_run(&path, &run, Existing::Stays).unwrap();
    let (view, _) = of_streams(&path);
    let whole = view.window(window(1), &mut |_| panic!("it is in the overview"));
    let columns = whole.shares.as_chunks::<{ numawise_tables::snapshot::SHARES }>().0;
    assert!(!whole.is_rough && columns.len() == 50);
    // 600 of 1000 ns in calls, all known.
    assert!(
        columns.iter().all(|of| of[4].abs_diff(153) < 3 && (of[0] + of[4]).abs_diff(255) < 3),
        "{columns:?}"
    );
    let near = AskedWindow { from: Nanoseconds(1_000_000), to: Nanoseconds(1_002_000), ..window(1) };
    let mut wanted = Vec::new();
    let rough = view.window(near, &mut |part| {
        wanted.push(part);
        None
    });
    wanted.dedup();
    assert!(rough.is_rough && wanted == [0], "{wanted:?}");
    // It has the same ends as one whose parts are read, also where calls were lost.
    for since in [None, Some(1_000_000 + 70_000_500)] {
        run.processes.iter_mut().for_each(|process| {
            process.lost.trace = since.map(|since| TraceLoss {
                records: 7,
                since: Nanoseconds(since),
                until: None,
                again: None,
                is_outside: false,
            });
        });
        save_watched_run(&path, &run, Existing::IsReplaced).unwrap();
        let (in_short, parts) = of_streams(&path);
        drop(without_overview(&path));
        let (read, read_parts) = of_streams(&path);
        assert_eq!((in_short.names(), parts), (read.names(), read_parts), "{since:?}");
    }
}

#[test]
fn parts_that_are_wanted_come_with_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &traced(), Existing::Stays).unwrap();
    let (streams, _) = TraceStreams::open(&path).unwrap();
    let (view, parts) = of_streams(&path);
    let shown = Shown { version: 1, known: Known::Analysed, view: View::Streams(Box::new(view)) };
    let (_, run) = TraceStreams::open(&path).unwrap();
    let source = Source::from(shown, leaked(run), (&path, parts), Work::default());
    let near = AskedWindow { from: Nanoseconds(1_000_000), to: Nanoseconds(1_002_000), ..window(1) };
    // Nobody reads.
    let (_, is_rough) = source.window_now(near);
    assert!(is_rough && !source.0.has_wanted());
    let shared = Arc::clone(&source.0);
    begin(Box::new(move || shared.read(&streams))).unwrap();
    let begun = Instant::now();
    while !source.0.has_wanted() {
        assert!(begun.elapsed() < Duration::from_secs(300));
    }
    assert!(!source.window_now(near).1);
    source.0.end();
}

#[test]
fn a_large_trace_is_shown_part_by_part_and_then_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &traced(), Existing::Stays).unwrap();
    drop(without_overview(&path));
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
    let file = without_overview(&path);
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
