//! Parts of a trace, read one by one.

use numawise_facts::activity::{MessageSide, ThreadTrace, TracedKind};
use numawise_record::{
    Existing, OpenPart, PartBin, RecordError, TraceStreams, read_watched_run, save_watched_run,
};
use rusqlite::Connection;

use super::spanned_run;

const CALLS: u64 = 150_000;

#[test]
fn parts_of_a_trace_are_read_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &spanned_run(CALLS, 10), Existing::Stays).unwrap();
    let whole = read_watched_run(&path).unwrap();
    let (streams, mut run) = TraceStreams::open(&path).unwrap();
    let traced = |run: &numawise_facts::WatchedRun| {
        run.processes[1].threads.measured().unwrap()[0].trace.clone().unwrap()
    };
    let of_whole = traced(&whole);
    let alone = ThreadTrace { sites: of_whole.sites.clone(), ..ThreadTrace::default() };
    assert_eq!(*traced(&run), alone);
    // All but that is the same.
    run.processes[1].threads.measured_mut().unwrap()[0].trace = Some(of_whole.clone());
    assert_eq!(run, whole);
    let size = streams.size().unwrap().0;
    assert!(size > 100_000 && size < path.metadata().unwrap().len(), "{size}");

    let parts = streams.parts().unwrap();
    let places: Vec<_> = parts.iter().map(|part| (part.process, part.thread, part.part)).collect();
    assert_eq!(places, [(1, 0, 0), (1, 0, 1), (1, 0, 2)]);
    let begins: Vec<_> = parts.iter().map(|part| part.begin).collect();
    assert_eq!(begins, [0, 1, 2].map(|part| of_whole.calls[part << 16].begin));
    // By another connection, and from the last to the first.
    let again = streams.again().unwrap();
    for (number, part) in parts.iter().enumerate().rev() {
        let mut read = alone.clone();
        again.read(*part, &mut read).unwrap();
        let expected = &of_whole.calls[number << 16..];
        assert_eq!(read.calls, expected[..expected.len().min(1 << 16)]);
    }
    // Some calls at a time, over the ends of parts.
    let (mut read, mut open) = (alone.clone(), OpenPart::default());
    for part in &parts {
        streams.open_part(*part, &mut open).unwrap();
        while !open.is_over() {
            open.add(1000, alone.sites.len(), &mut read).unwrap();
        }
    }
    assert_eq!((read.calls == of_whole.calls, read.messages == of_whole.messages), (true, true));
    // With spans, and still without calls.
    let (_, run) = TraceStreams::open_with_spans(&path).unwrap();
    assert_eq!((&traced(&run).spans, traced(&run).calls.len()), (&of_whole.spans, 0));
}

#[test]
fn a_damaged_part_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &spanned_run(CALLS, 10), Existing::Stays).unwrap();
    let break_part = |how: &str| {
        let file = Connection::open(&path).unwrap();
        file.execute(&format!("UPDATE traces SET calls = {how} WHERE part = 1"), []).unwrap();
    };
    let is_damage = |error: RecordError| error.to_string().contains("holds no packed calls");
    // The first numbers are there.
    break_part("substr(calls, 1, length(calls) / 2)");
    let (streams, _) = TraceStreams::open(&path).unwrap();
    let parts = streams.parts().unwrap();
    assert!(is_damage(streams.read(parts[1], &mut ThreadTrace::default()).unwrap_err()));
    assert!(is_damage(streams.open_part(parts[1], &mut OpenPart::default()).unwrap_err()));
    for how in ["x'00'", "''", "'text'"] {
        break_part(how);
        let (streams, _) = TraceStreams::open(&path).unwrap();
        assert!(is_damage(streams.parts().unwrap_err()), "{how}");
    }
}

#[test]
fn parts_say_in_short_what_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    save_watched_run(&path, &spanned_run(CALLS, 10), Existing::Stays).unwrap();
    let (streams, run) = TraceStreams::open(&path).unwrap();
    let parts = streams.overview(&run).unwrap().unwrap();
    assert_eq!(parts.iter().map(|part| part.at).collect::<Vec<_>>(), streams.parts().unwrap());
    let of_run = run.processes[1].threads.measured().unwrap()[0].trace.clone().unwrap();
    for part in &parts {
        let mut read = ThreadTrace { sites: of_run.sites.clone(), ..ThreadTrace::default() };
        streams.read(part.at, &mut read).unwrap();
        assert_eq!(part.edges, ThreadTrace::calls_at_edges(&read.sites, &read.calls, None));
        assert_eq!((part.events, part.bins.len()), ((read.calls.len() + read.messages.len()) as u64, 512));
        let length = (read.calls.last().unwrap().end.0 - read.calls[0].begin.0) as f64;
        let time = |is_poll: bool| -> f64 {
            let those =
                read.calls.iter().filter(|call| matches!(call.kind, TracedKind::Polls { .. }) == is_poll);
            those.map(|call| (call.end.0 - call.entered().0) as f64).sum::<f64>() / length
        };
        let share = |of: fn(&PartBin) -> u16| {
            part.bins.iter().map(|bin| f64::from(of(bin)) / 65535.0).sum::<f64>() / part.bins.len() as f64
        };
        assert!((share(|bin| bin.in_calls) - time(false)).abs() < 1e-3);
        assert!((share(|bin| bin.polls) - time(true)).abs() < 1e-3);
        let sent = read.messages.iter().filter(|of| of.end == MessageSide::Sent).map(|of| of.bytes.0);
        let collective = read
            .calls
            .iter()
            .filter(|call| matches!(call.kind, TracedKind::Collective { .. }))
            .map(|call| call.bytes.0);
        let sum = |of: fn(&PartBin) -> u64| part.bins.iter().map(of).sum::<u64>();
        assert_eq!((sum(|bin| bin.sent.0), sum(|bin| bin.collective.0)), (sent.sum(), collective.sum()));
    }
    // Small beside the calls.
    let file = Connection::open(&path).unwrap();
    let bytes = |table: &str, column: &str| -> f64 {
        file.query_row(&format!("SELECT sum(length({column})) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    let share = (bytes("overview", "bins") + bytes("overview", "edges")) / bytes("traces", "calls");
    assert!(share < 0.01, "{share}");
    let each = [
        ("UPDATE overview SET bins = x'00' WHERE part = 1", true),
        ("UPDATE overview SET edges = substr(edges, 1, length(edges) / 2) WHERE part = 1", true),
        ("DELETE FROM overview WHERE part = 1", false),
        ("DROP TABLE overview", false),
    ];
    for (sql, is_damage) in each {
        file.execute("PRAGMA user_version = 5", []).ok();
        file.execute(sql, []).unwrap();
        let (streams, run) = TraceStreams::open(&path).unwrap();
        match streams.overview(&run) {
            Err(error) => assert!(is_damage && error.to_string().contains("'overview'"), "{sql}: {error}"),
            Ok(found) => assert!(!is_damage && found.is_none(), "{sql}"),
        }
    }
}
