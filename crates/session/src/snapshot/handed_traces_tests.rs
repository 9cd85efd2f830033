use numawise_facts::Reading;
use numawise_facts::activity::{
    MessageSide, PhaseName, ProcessEnd, SeenChange, SeenKind, SeenThread, SpanKind, SpanName, TraceLoss,
    TracedCall, TracedKind, TracedMessage, TracedSite, TracedSpan,
};
use numawise_units::{Bytes, Pid};

use super::super::surroundings::tests::{process, thread};
use super::*;

fn trace(calls: u64) -> ThreadTrace {
    let at = Reading::unavailable("it is made");
    let message = |call: u64| TracedMessage {
        end: MessageSide::Sent,
        posted: Nanoseconds(1000 + call),
        communicator: None,
        bytes: Bytes(8),
        tag: 3,
        peer: 1,
    };
    let call = |call: u64| TracedCall {
        site: 0,
        begin: Nanoseconds(1000 + call),
        end: Nanoseconds(1000 + call),
        kind: TracedKind::Alone,
        bytes: Bytes(8),
        messages: 1,
    };
    let span = |number: u64| TracedSpan {
        of: 0,
        begin: Nanoseconds(1000 + number),
        end: Nanoseconds(1010 + number),
        kind: match number % 4 {
            0 => SpanKind::Region { threads: 2, waits_since: Nanoseconds(1005 + number) },
            1 => SpanKind::Worked { master: Pid(7), begun: Nanoseconds(990 + number) },
            2 => SpanKind::Waited,
            _ => SpanKind::Phase,
        },
    };
    ThreadTrace {
        sites: vec![TracedSite { call: "MPI_Send".to_owned(), at, communicator: None }],
        calls: (0..calls).map(call).collect(),
        messages: (0..calls).map(message).collect(),
        names: (0..calls.min(1)).map(|_| SpanName::Phase(PhaseName::Region("solve".to_owned()))).collect(),
        spans: (0..calls).map(span).collect(),
        seen: None,
    }
}

/// A process with threads that called so often; none: a thread that was not traced.
fn traced(calls: &[Option<u64>]) -> Activity {
    let one = process(1, ProcessEnd::Exit);
    let threads = calls.iter().map(|calls| {
        let trace = calls.map(|calls| Arc::new(trace(calls)));
        numawise_facts::ThreadActivity { trace, ..thread(1) }
    });
    Activity { threads: Reading::Measured(threads.collect()), ..one }
}

/// As they are after their way.
fn handed(processes: &[Activity], later: i64) -> Vec<Activity> {
    let mut bytes = Vec::new();
    for (line, activity) in processes.iter().enumerate() {
        write(line as u32, activity, &mut bytes).unwrap();
    }
    let mut traces = HandedTraces::of(bytes.as_slice()).unwrap();
    let each = processes.iter().enumerate().map(|(line, activity)| {
        let mut without: Activity = serde_json::from_str(&serde_json::to_string(activity).unwrap()).unwrap();
        traces.add_to(line as u32, &mut without, later).unwrap();
        without
    });
    each.collect()
}

#[test]
fn traces_come_to_the_threads_that_they_are_of() {
    // More calls than a part has.
    let processes = [traced(&[Some(3), None, Some(0)]), traced(&[]), traced(&[None, Some(70_000)])];
    assert_eq!(handed(&processes, 0), processes);
}

#[test]
fn their_moments_become_those_of_the_reader() {
    let mut process = traced(&[Some(2)]);
    process.lost.trace = Some(TraceLoss {
        records: 1,
        since: Nanoseconds(500),
        until: Some(Nanoseconds(900)),
        again: None,
        is_outside: false,
    });
    for (later, expected) in [(50, [1051, 1051, 1051, 550, 950]), (-700, [301, 301, 301, 0, 200])] {
        let found = handed(std::slice::from_ref(&process), later).remove(0);
        let trace = found.threads.measured().unwrap()[0].trace.clone().unwrap();
        let (call, loss) = (trace.calls[1], found.lost.trace.unwrap());
        let moments = [call.begin, call.end, trace.messages[1].posted, loss.since, loss.until.unwrap()];
        assert_eq!(moments.map(|moment| moment.0), expected);
    }
}

#[test]
fn what_was_seen_of_a_thread_goes_along() {
    let mut process = traced(&[Some(2), None]);
    let change = |at| SeenChange { before: Nanoseconds(500), at: Nanoseconds(at), what: SeenKind::Faults(9) };
    let threads = process.threads.measured_mut().unwrap();
    let trace = threads[0].trace.as_mut().map(Arc::make_mut).unwrap();
    trace.seen = Some(SeenThread { looks: 3, changes: vec![change(700)] });
    let found = handed(std::slice::from_ref(&process), 50).remove(0);
    let seen = found.threads.measured().unwrap()[0].trace.as_ref().unwrap().seen.clone().unwrap();
    let later = SeenChange { before: Nanoseconds(550), ..change(750) };
    assert_eq!((seen.looks, seen.changes), (3, vec![later]));
}

/// Bytes of the spans of a process with one thread.
fn span_bytes(process: &Activity) -> usize {
    let traces =
        process.threads.measured().into_iter().flatten().filter_map(|thread| thread.trace.as_deref());
    let names = |trace: &ThreadTrace| serde_json::to_vec(&trace.names).unwrap().len();
    traces.map(|trace| HEADER + names(trace) + span_parts(trace).map(|part| part.len()).sum::<usize>()).sum()
}

#[test]
fn what_is_cut_off_or_no_trace_is_an_error() {
    let process = traced(&[Some(3)]);
    let mut bytes = Vec::new();
    write(0, &process, &mut bytes).unwrap();
    let read = |bytes: &[u8]| {
        let mut without = process.clone();
        HandedTraces::of(bytes).and_then(|mut traces| traces.add_to(0, &mut without, 0))
    };
    read(&bytes).unwrap();
    // Where its spans begin there is a whole trace.
    let calls = bytes.len() - span_bytes(&process);
    for length in (HEADER..bytes.len()).filter(|length| *length != calls) {
        assert!(read(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    // Without sites before it, a thread has no calls.
    let mut parts = bytes.clone();
    parts[12..16].copy_from_slice(&[0; 4]);
    assert!(read(&parts).is_err());
    let mut long = bytes;
    long[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read(&long).is_err());
}
