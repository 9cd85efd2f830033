//! The record of `numawise snapshot`: a run that was watched from inside, one SQLite file, written at once when the run has ended.
//!
//! A process is a row and each of its threads another, so that no cell grows with the job. A trace is in rows of [its own](trace). Of very many ranks all together are kept, each
//! table of them in rows of its own, and in full those that stand out.

mod merged;
mod streams;
mod trace;

use std::path::Path;
use std::sync::Arc;

use numawise_facts::{Activity, Reading, SourcePlaces, ThreadActivity, WatchedRun, WatchedRunHeader};
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params, params_from_iter};

use crate::cell::{Cells, Parsed};

pub use streams::{PartOverview, StreamPart, TraceStreams};
pub use trace::overview::PartBin;
pub use trace::seen::{add_seen_part, seen_part};
pub use trace::spans::{add_span_part, span_parts};
pub use trace::{OpenPart, add_trace_part, trace_parts};

use crate::schema::WATCHED_RUN;
use crate::valid::{CountedSoFar, Flaw};
use crate::whole::Existing;
use crate::{RecordError, object_rows, read, source, valid, whole, write};

/// Keeps a run in a new file: it is there as a whole, or not at all.
///
/// # Errors
/// [`RecordError::RunExists`], [`RecordError::NotARecord`] and [`RecordError::OtherKind`] when the file is something else, which stays
/// as it is; [`RecordError::Full`], [`RecordError::Unstorable`], or what else the file system says.
pub fn save_watched_run(path: &Path, run: &WatchedRun, existing: Existing) -> Result<(), RecordError> {
    watched_run_may_be_saved(path, existing)?;
    write::storable(&run.header)?;
    sound(run).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
    run.objects.iter().try_for_each(object_rows::storable)?;
    whole::save(path, &WATCHED_RUN, existing, |transaction| insert(transaction, run))
}

/// Whether a run could be kept there, for who is about to begin one.
///
/// # Errors
/// As [`save_watched_run`].
pub fn watched_run_may_be_saved(path: &Path, existing: Existing) -> Result<(), RecordError> {
    whole::may_be_saved(path, &WATCHED_RUN, existing)
}

/// The run that a file holds.
///
/// # Errors
/// Whatever keeps the file from being the snapshot of a run that we know and may read: see [`RecordError`].
pub fn read_watched_run(path: &Path) -> Result<WatchedRun, RecordError> {
    let connection = whole::open(path, &WATCHED_RUN)?;
    read_run(&connection, Events::All).map_err(|error| read::damage(path, error))
}

fn sound(run: &WatchedRun) -> Result<(), Flaw> {
    valid::watched_header(&run.header)?;
    let mut counted = CountedSoFar::default();
    if let Some(ranks) = &run.merged {
        valid::merged(ranks)?;
    }
    let mut processes = run.processes.iter().enumerate();
    processes.try_for_each(|(number, activity)| valid::process(activity, number, &mut counted))
}

fn insert(transaction: &Transaction<'_>, run: &WatchedRun) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO snapshot VALUES (1, ?1, ?2)",
        params![run.header.tool_version, write::json(&run.header)?],
    )?;
    write::machine(transaction, &run.header.machine)?;
    for (number, activity) in run.processes.iter().enumerate() {
        insert_process(transaction, number as i64, activity)?;
    }
    if let Some(ranks) = &run.merged {
        merged::insert(transaction, ranks)?;
    }
    let mut row = transaction.prepare("INSERT INTO places VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    for ((file, address), place) in &run.places {
        let key = [Value::Text(file.clone()), write::integer(*address).into()];
        row.execute(params_from_iter(key.into_iter().chain(source::columns(place))))?;
    }
    object_rows::insert_all(transaction, &run.objects)
}

fn insert_process(transaction: &Transaction<'_>, number: i64, activity: &Activity) -> rusqlite::Result<()> {
    let rank = activity.mpi.measured().and_then(|mpi| mpi.rank.measured()).map(|rank| rank.rank);
    let alone = Activity { threads: activity.threads.as_ref().map(|_| Vec::new()), ..activity.clone() };
    transaction.prepare_cached("INSERT INTO processes VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
        number,
        activity.host,
        activity.pid.0,
        activity.program,
        rank,
        write::json(&alone)?,
    ])?;
    for (k, thread) in activity.threads.measured().into_iter().flatten().enumerate() {
        transaction.prepare_cached("INSERT INTO threads VALUES (?1, ?2, ?3, ?4)")?.execute(params![
            number,
            k as i64,
            thread.tid.0,
            write::json(thread)?
        ])?;
        if let Some(of) = &thread.trace {
            trace::insert(transaction, (number, k as i64), of)?;
        }
    }
    Ok(())
}

/// What is read of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Events {
    All,
    AllButCalls,
    Nothing,
}

fn read_run(connection: &Connection, events: Events) -> Parsed<WatchedRun> {
    let transaction = connection.unchecked_transaction()?;
    let header = header(&transaction)?;
    let mut counted = CountedSoFar::default();
    let has = |table| read::has_table(&transaction, table);
    let has = Has {
        traces: has("traces")?,
        spans: events != Events::Nothing && has("spans")?,
        seen: has("seen")?,
        calls: events == Events::All,
    };
    let mut processes = Vec::new();
    let mut query = transaction.prepare("SELECT process, activity FROM processes ORDER BY process")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let cells = Cells::of("processes", row);
        let number: i64 = cells.int("process")?;
        if number != processes.len() as i64 {
            return Err(cells.flaw("process", "numbers from 0 without a gap"));
        }
        let mut activity: Activity = cells.json("activity")?;
        let threads = threads(&transaction, number, has)?;
        activity.threads = match activity.threads {
            Reading::Measured(_) => Reading::Measured(threads),
            unavailable => unavailable,
        };
        valid::process(&activity, processes.len(), &mut counted)?;
        processes.push(activity);
    }
    let places = places(&transaction)?;
    let merged = merged::read(&transaction)?;
    let objects = object_rows::read_all(&transaction)?;
    Ok(WatchedRun { header, processes, merged, places, objects })
}

fn header(connection: &Connection) -> Parsed<WatchedRunHeader> {
    let mut query = connection.prepare("SELECT id, header FROM snapshot")?;
    let mut rows = query.query([])?;
    let row = rows.next()?.ok_or_else(|| Flaw::new("snapshot".to_owned(), "no row".to_owned(), "one row"))?;
    let header: WatchedRunHeader = Cells::of("snapshot", row).json("header")?;
    valid::watched_header(&header)?;
    Ok(header)
}

/// Which of its tables are read.
#[derive(Clone, Copy)]
struct Has {
    traces: bool,
    spans: bool,
    seen: bool,
    calls: bool,
}

fn threads(connection: &Connection, process: i64, has: Has) -> Parsed<Vec<ThreadActivity>> {
    let mut query = connection
        .prepare_cached("SELECT thread, activity FROM threads WHERE process = ?1 ORDER BY thread")?;
    let mut rows = query.query([process])?;
    let mut threads = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::of("threads", row);
        if threads.len() == valid::MOST_THREADS {
            return Err(cells.flaw("thread", "at most 1024 threads of a process"));
        }
        let at = (process, threads.len() as i64);
        let trace = if has.traces { trace::read(connection, at, has)? } else { None };
        threads.push(ThreadActivity { trace: trace.map(Arc::new), ..cells.json("activity")? });
    }
    Ok(threads)
}

fn places(connection: &Connection) -> Parsed<SourcePlaces> {
    let mut query = connection.prepare("SELECT * FROM places ORDER BY file, address")?;
    let mut rows = query.query([])?;
    let mut places = SourcePlaces::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::of("places", row);
        places.insert((cells.text("file")?, source::address(&cells)?), source::place(&cells)?);
    }
    Ok(places)
}
