//! What people ask with sqlite3.

use numawise_facts::{Reading, Snapshot};
use rusqlite::{Connection, Row};

use super::sample;

const LOOKS: u64 = 40;

/// The sample in two sessions.
fn series() -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.nw");
    for looks in [0..17, 17..LOOKS] {
        let mut series = sample::open(&path);
        for look in looks {
            series.append(&sample::snapshot(look)).unwrap();
        }
    }
    let sql = Connection::open(&path).unwrap();
    (folder, sql)
}

fn rows<T>(sql: &Connection, query: &str, row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
    sql.prepare(query).unwrap().query_map([], row).unwrap().map(Result::unwrap).collect()
}

/// What the same questions give when they are asked of the snapshots.
fn each_task<T>(of: impl Fn(i64, &numawise_facts::TaskSnapshot) -> Vec<T>) -> Vec<T> {
    let look = |(look, snapshot): (usize, Snapshot)| {
        snapshot.tasks.iter().flat_map(|task| of(look as i64, task)).collect::<Vec<_>>()
    };
    sample::snapshots(LOOKS).into_iter().enumerate().flat_map(look).collect()
}

#[test]
fn the_timeline_of_memory_has_every_look() {
    let (_folder, sql) = series();
    let mut found =
        rows(&sql, "SELECT look, pid, used_for, node, bytes FROM memory_timeline WHERE bytes > 0", |r| {
            Ok((
                r.get::<_, i64>(0)?,
                r.get::<_, i32>(1)?,
                r.get::<_, String>(2)?,
                r.get::<_, u32>(3)?,
                r.get::<_, i64>(4)?,
            ))
        });
    let mut expected = each_task(|look, task| {
        let memory = task.memory.measured().map_or(&[][..], |memory| &memory.by_use[..]);
        memory
            .iter()
            .map(|(used, node, bytes)| (look, task.pid.0, used.to_string(), node.0, bytes.0 as i64))
            .collect()
    });
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let by_node = rows(&sql, "SELECT look, node, bytes FROM memory_by_node WHERE bytes > 0", |r| {
        Ok((r.get::<_, i64>(0)?, r.get::<_, u32>(1)?, r.get::<_, i64>(2)?))
    });
    for (look, node, bytes) in by_node {
        let sum: i64 = expected.iter().filter(|e| (e.0, e.3) == (look, node)).map(|e| e.4).sum();
        assert_eq!(bytes, sum, "look {look}, node {node}");
    }
}

#[test]
fn the_timeline_of_threads_has_every_look() {
    let (_folder, sql) = series();
    let mut found =
        rows(&sql, "SELECT look, pid, tid, state, cpu, node, mask, migrations FROM thread_timeline", |r| {
            Ok((
                (r.get::<_, i64>(0)?, r.get::<_, i32>(1)?, r.get::<_, i32>(2)?),
                (r.get::<_, String>(3)?, r.get::<_, u32>(4)?, r.get::<_, u32>(5)?),
                (r.get::<_, Option<String>>(6)?, r.get::<_, Option<i64>>(7)?),
            ))
        });
    let mut expected = each_task(|look, task| {
        let threads = task.threads.measured().map_or(&[][..], Vec::as_slice);
        threads
            .iter()
            .map(|t| {
                (
                    (look, task.pid.0, t.tid.0),
                    (t.state.to_string(), t.cpu.0, t.cpu.0 / 2),
                    (t.mask.measured().map(ToString::to_string), t.migrations.measured().map(|&n| n as i64)),
                )
            })
            .collect()
    });
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn the_share_of_a_cpu_is_that_since_the_look_before() {
    let (_folder, sql) = series();
    let shares = rows(
        &sql,
        "SELECT tid, cpu_share FROM thread_timeline WHERE tid IN (100, 102) AND cpu_share IS NOT NULL",
        |r| Ok((r.get::<_, i32>(0)?, r.get::<_, f64>(1)?)),
    );
    assert!(shares.len() > 40, "{}", shares.len());
    for (tid, share) in shares {
        assert!((share - if tid == 100 { 0.5 } else { 0.0 }).abs() < 1e-9, "thread {tid}: {share}");
    }
}

#[test]
fn what_is_missing_has_its_reason_and_no_zero() {
    let (_folder, sql) = series();
    let reasons = rows(&sql, "SELECT DISTINCT what, reason FROM unavailable ORDER BY what, look", |r| {
        Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?))
    });
    let has = |what: &str, reason: &str| reasons.iter().any(|(w, r)| w == what && r == reason);
    assert!(has("memory", "permission denied"), "{reasons:?}");
    assert!(has("threads", "it ended while it was looked at for the 8. time"), "{reasons:?}");
    assert!(has("mask", "the thread had gone"), "{reasons:?}");
    assert!(has("migrations", "/proc/PID/task/TID/sched is not there"), "{reasons:?}");
    let zeros: i64 = sql
        .query_row("SELECT count(*) FROM thread_looks WHERE state IS NULL AND cpu_ns IS NOT NULL", [], |r| {
            r.get(0)
        })
        .unwrap();
    assert_eq!(zeros, 0);
    let unknown = sample::snapshots(LOOKS)
        .iter()
        .flat_map(|s| &s.tasks)
        .filter(|task| matches!(task.memory, Reading::Unavailable { .. }))
        .count();
    assert!(unknown > 3, "the sample has such looks");
}

/// An hour of a large job is asked for in seconds: each span finds its looks by number. SQLite's other way, every span for
/// every look, takes minutes.
#[test]
fn the_timelines_find_looks_by_their_numbers() {
    let (_folder, sql) = series();
    for view in ["thread_timeline", "memory_timeline"] {
        let plan = rows(&sql, &format!("EXPLAIN QUERY PLAN SELECT * FROM {view}"), |r| r.get::<_, String>(3));
        let found =
            plan.iter().any(|step| step.contains("SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"));
        assert!(found, "{view}: {plan:#?}");
        assert!(
            !plan.iter().any(|step| step.contains("AUTOMATIC") && step.contains("SEARCH l ")),
            "{plan:#?}"
        );
    }
}
