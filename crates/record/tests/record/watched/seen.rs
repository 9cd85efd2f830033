//! What was seen of traced threads from outside.

use std::sync::Arc;

use numawise_facts::WatchedRun;
use numawise_facts::activity::{SeenChange, SeenKind, SeenThread};
use numawise_record::{Existing, read_watched_run, save_watched_run};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId};
use rusqlite::Connection;

use super::traced::windowed_run;
use super::{SECOND, file};

/// A run with a trace, of which a thread was seen to change.
pub fn seen_run(number: u64) -> WatchedRun {
    let mut run = windowed_run(number, number);
    let (from, to) = (CpuId(3), CpuId(900));
    let (one, other) = (NodeId(1), NodeId(0));
    let kinds = [
        SeenKind::Moved { from, to },
        SeenKind::Faults(u64::MAX),
        SeenKind::NoCpu(Nanoseconds(SECOND)),
        SeenKind::MemoryMoved { from: one, to: other, bytes: Bytes(1 << 40) },
    ];
    let change = |(k, what): (u64, SeenKind)| {
        let at = Nanoseconds(5 * SECOND + 1000 * k);
        SeenChange { before: at.saturating_sub(Nanoseconds(7 * k)), at, what }
    };
    let changes = (0..number).zip(kinds.into_iter().cycle()).map(change).collect();
    let threads = run.processes[1].threads.measured_mut().unwrap();
    let trace = threads[0].trace.as_mut().unwrap();
    Arc::make_mut(trace).seen = Some(SeenThread { looks: 12_345, changes });
    run
}

#[test]
fn what_was_seen_of_a_thread_comes_back_as_it_was_or_is_refused() {
    let (_folder, path) = file();
    let run = seen_run(999);
    save_watched_run(&path, &run, Existing::Stays).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), run);
    for blob in [&[][..], &[0x78, 0x9c, 0x63]] {
        let sql = Connection::open(&path).unwrap();
        sql.execute("UPDATE seen SET changes = ?1", [blob]).unwrap();
        drop(sql);
        let error = read_watched_run(&path).unwrap_err().to_string();
        assert!(error.contains("seen.changes"), "{error}");
    }
}
