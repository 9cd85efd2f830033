//! Traces of its threads.

use std::num::NonZeroU64;
use std::sync::Arc;

use numawise_facts::activity::{
    ConstructName, FileOperation, MessageSide, PhaseName, SpanKind, SpanName, ThreadTrace, TracedCall,
    TracedKind, TracedMessage, TracedSite, TracedSpan, WindowStep,
};
use numawise_facts::{Reading, WatchedRun};
use numawise_record::{Existing, read_watched_run, save_watched_run};
use numawise_units::{Bytes, Nanoseconds, Pid};
use rusqlite::Connection;

use super::{SECOND, at, file, with_objects};

/// So many calls of each kind.
fn trace(calls: u64) -> ThreadTrace {
    let site = |call: &str| TracedSite { call: call.to_owned(), at: at(0x1234), communicator: Some(0) };
    let mut trace =
        ThreadTrace { sites: ["MPI_Waitall", "MPI_Bcast"].map(site).to_vec(), ..ThreadTrace::default() };
    for k in 0..calls {
        let begin = Nanoseconds(5 * SECOND + 1000 * k);
        let (kind, messages) = match k % 3 {
            0 => (TracedKind::Alone, 3),
            1 => (
                TracedKind::Collective { key: (u64::MAX - k).try_into().unwrap(), root: Some(k as u32 % 7) },
                0,
            ),
            _ => (TracedKind::Polls { calls: k, within: Nanoseconds(9) }, 0),
        };
        for (end, communicator) in [
            (MessageSide::Sent, None),
            (MessageSide::Received, 9u64.try_into().ok()),
            (MessageSide::SendDone, None),
        ] {
            let posted = begin.saturating_sub(Nanoseconds(k));
            let of =
                TracedMessage { end, posted, communicator, bytes: Bytes(k << 20), tag: -5, peer: k as u32 };
            trace.messages.extend((messages > 0).then_some(of));
        }
        let end = begin + Nanoseconds(k % 1000);
        trace.calls.push(TracedCall { site: (k % 2) as u32, begin, end, kind, bytes: Bytes(k), messages });
    }
    trace
}

/// The run of version 3, whose first rank made so many calls.
pub fn traced_run(calls: u64) -> WatchedRun {
    let mut run = with_objects();
    let threads = run.processes[1].threads.measured_mut().unwrap();
    threads[0].trace = Some(Arc::new(trace(calls)));
    run
}

/// The run of version 4, whose first rank had so many spans of each kind too.
pub fn spanned_run(calls: u64, spans: u64) -> WatchedRun {
    let mut run = with_objects();
    let threads = run.processes[1].threads.measured_mut().unwrap();
    let mut trace = trace(calls);
    trace.names = vec![
        SpanName::Construct(ConstructName::Parallel, at(0x4321)),
        SpanName::Construct(ConstructName::Others, Reading::unavailable("there was no place")),
        SpanName::Phase(PhaseName::Region("solve".to_owned())),
    ];
    for k in 0..spans {
        let begin = Nanoseconds(5 * SECOND + 777 * k);
        let end = begin + Nanoseconds(k % 5000);
        for (of, kind) in [
            (0, SpanKind::Region { threads: k as u32, waits_since: begin }),
            (1, SpanKind::Worked { master: Pid(k as i32), begun: begin.saturating_sub(Nanoseconds(k)) }),
            (0, SpanKind::Waited),
            (2, SpanKind::Phase),
        ] {
            trace.spans.push(TracedSpan { of, begin, end, kind });
        }
    }
    threads[0].trace = Some(Arc::new(trace));
    run
}

/// The run of version 5, whose first rank also takes part in what its calls do not say themselves, once of each kind.
pub fn windowed_run(calls: u64, spans: u64) -> WatchedRun {
    let mut run = spanned_run(calls, spans);
    let threads = run.processes[1].threads.measured_mut().unwrap();
    let mut trace = ThreadTrace::clone(threads[0].trace.as_ref().unwrap());
    let ends = WindowStep::ALL.map(MessageSide::Window).into_iter().chain([MessageSide::Part]);
    for (k, end) in (1..).zip(ends) {
        let (begin, communicator) = (Nanoseconds(6 * SECOND + k), NonZeroU64::new(u64::MAX - k / 2));
        let (bytes, tag, peer) = (Bytes(0), k as i32, u32::MAX - k as u32);
        trace.messages.push(TracedMessage { end, posted: begin, communicator, bytes, tag, peer });
        let (end, kind) = (begin + Nanoseconds(1), TracedKind::Alone);
        trace.calls.push(TracedCall { site: 0, begin, end, kind, bytes, messages: 1 });
    }
    threads[0].trace = Some(Arc::new(trace));
    run
}

#[test]
fn calls_that_were_left_out_and_numbers_of_ends_come_back_as_they_were() {
    let (_folder, path) = file();
    let mut run = traced_run(9);
    let threads = run.processes[1].threads.measured_mut().unwrap();
    let mut trace = ThreadTrace::clone(threads[0].trace.as_ref().unwrap());
    let begin = Nanoseconds(6 * SECOND);
    for (end, peer) in [(MessageSide::SentBefore, 3), (MessageSide::ReceivedBefore, u32::MAX)] {
        let bytes = Bytes(1 << 40);
        trace.messages.push(TracedMessage { end, posted: begin, communicator: None, bytes, tag: 7, peer });
    }
    let kind = TracedKind::LeftOut { calls: 1 << 33 };
    trace.calls.push(TracedCall { site: 1, begin, end: begin, kind, bytes: Bytes(0), messages: 2 });
    threads[0].trace = Some(Arc::new(trace));
    save_watched_run(&path, &run, Existing::Stays).unwrap();
    assert!(read_watched_run(&path).unwrap() == run);
}

#[test]
fn calls_and_spans_of_a_trace_come_back_as_they_were() {
    let (_folder, path) = file();
    // More than a part holds.
    let mut run = windowed_run(70_000, 20_000);
    let threads = run.processes[1].threads.measured_mut().unwrap();
    let trace = Arc::make_mut(threads[0].trace.as_mut().unwrap());
    for operation in FileOperation::ALL {
        let (of, begin) = (trace.names.len() as u32, Nanoseconds(6 * SECOND));
        trace.names.push(SpanName::File(operation));
        trace.spans.push(TracedSpan { of, begin, end: begin + Nanoseconds(2000), kind: SpanKind::File });
    }
    save_watched_run(&path, &run, Existing::Stays).unwrap();
    assert!(read_watched_run(&path).unwrap() == run);
    // Two numbers of eight bytes a call, on average, and what a message has.
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes < 70_000 * 25 + 80_000 * 6, "{bytes} bytes");
}

#[test]
fn calls_and_spans_that_make_no_sense_are_refused_with_the_place() {
    let (folder, path) = file();
    save_watched_run(&path, &spanned_run(70_000, 20_000), Existing::Stays).unwrap();
    for (sql, expected) in [
        ("UPDATE traces SET calls = x'00'", "calls"),
        ("UPDATE traces SET calls = substr(calls, 1, length(calls) / 2)", "calls"),
        (
            "UPDATE traces SET calls = (SELECT calls FROM traces WHERE part = 1), sites = '[]' WHERE part = 0",
            "calls",
        ),
        ("UPDATE traces SET calls = 'text'", "blob"),
        ("UPDATE traces SET sites = '{' WHERE part = 0", "sites"),
        ("DELETE FROM traces WHERE part = 0", "without a gap"),
        ("UPDATE spans SET spans = x'00'", "spans of names"),
        ("UPDATE spans SET spans = substr(spans, 1, length(spans) / 2)", "spans of names"),
        ("UPDATE spans SET names = '[]' WHERE part = 0", "spans of names"),
        ("UPDATE spans SET names = '{' WHERE part = 0", "names"),
        ("DELETE FROM spans WHERE part = 0", "without a gap"),
    ] {
        let copy = folder.path().join("copy.nw");
        std::fs::copy(&path, &copy).unwrap();
        assert!(Connection::open(&copy).unwrap().execute(sql, []).unwrap() > 0, "{sql}");
        let error = read_watched_run(&copy).unwrap_err().to_string();
        let table = if sql.contains("spans") { "spans: row" } else { "traces: row" };
        assert!(error.contains(table) && error.contains(expected), "{sql}: {error}");
    }
}
