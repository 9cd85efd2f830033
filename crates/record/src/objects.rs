//! The record of `numawise objects`: the memory objects of a run, one SQLite file, written at once when the run has ended.
//!
//! An object is a row, and so is each thread that touched or used it: no cell grows with the run. What of an object has no column is
//! JSON in its row.

mod rows;

use std::borrow::Cow;
use std::path::Path;

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{
    BandwidthOverTime, CodeSamples, MemoryBound, MemoryObject, ObjectRunHeader, ObjectThread, ObjectWatching,
    ProcessRank, SourceExcerpt, TriedCure,
};
use numawise_facts::{ObjectRun, Reading};
use numawise_units::Pid;
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::cell::{Cells, ColumnPlaces, Parsed};
use crate::schema::OBJECT_RUN;
use crate::valid::{Flaw, ObjectSums};
use crate::whole::{self, Existing};
use crate::{RecordError, read, source, valid, write};

/// Keeps the memory objects of a run in a new file: it is there as a whole, or not at all.
///
/// # Errors
/// [`RecordError::RunExists`], [`RecordError::NotARecord`] and [`RecordError::OtherKind`] when the file is something else, which stays
/// as it is; [`RecordError::Full`], [`RecordError::Unstorable`], or what else the file system says.
pub fn save_object_run(path: &Path, run: &ObjectRun, existing: Existing) -> Result<(), RecordError> {
    object_run_may_be_saved(path, existing)?;
    write::storable(&run.header)?;
    write::storable(&run.watching)?;
    write::storable(&BeyondObjects::of(run))?;
    sound(run).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
    let alone: Vec<MemoryObject> = run.objects.iter().map(rows::without_lists).collect();
    alone.iter().try_for_each(write::storable)?;
    whole::save(path, &OBJECT_RUN, existing, |transaction| insert(transaction, run, &alone))
}

/// Whether a run fits together as one that is read from a file does, for who has it from elsewhere.
///
/// # Errors
/// [`RecordError::Unstorable`] with the place, what was found, and what was expected.
pub fn object_run_is_sound(run: &ObjectRun) -> Result<(), RecordError> {
    sound(run).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))
}

/// Whether objects could be kept there, for who is about to begin a run.
///
/// # Errors
/// As [`save_object_run`].
pub fn object_run_may_be_saved(path: &Path, existing: Existing) -> Result<(), RecordError> {
    whole::may_be_saved(path, &OBJECT_RUN, existing)
}

/// The memory objects that a file holds.
///
/// # Errors
/// Whatever keeps the file from being the objects of a run that we know and may read: see [`RecordError`].
pub fn read_object_run(path: &Path) -> Result<ObjectRun, RecordError> {
    let connection = whole::open(path, &OBJECT_RUN)?;
    read_run(&connection).map_err(|error| read::damage(path, error))
}

pub(crate) fn sound(run: &ObjectRun) -> Result<(), Flaw> {
    valid::object_header(&run.header)?;
    valid::watching(&run.watching)?;
    run.threads.iter().enumerate().try_for_each(|(k, thread)| valid::object_thread(thread, k))?;
    run.places.iter().enumerate().try_for_each(|(k, place)| valid::code_place(place, k))?;
    let mut sums = ObjectSums::of(run);
    run.objects.iter().enumerate().try_for_each(|(k, object)| sums.object(object, k))?;
    sums.together(&run.watching)?;
    valid::beyond_objects(run)
}

fn insert(transaction: &Transaction<'_>, run: &ObjectRun, alone: &[MemoryObject]) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO object_run VALUES (1, ?1, ?2, ?3, ?4)",
        params![
            run.header.tool_version,
            write::json(&run.header)?,
            write::json(&run.watching)?,
            write::json(&BeyondObjects::of(run))?
        ],
    )?;
    write::machine(transaction, &run.header.machine)?;
    let mut row = transaction.prepare("INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for (k, thread) in run.threads.iter().enumerate() {
        let [name, missing] = source::pair(&thread.name, |name| Value::Text(name.clone()));
        row.execute(params![k as i64, thread.process.0, thread.tid.0, thread.number, name, missing])?;
    }
    let mut row = transaction.prepare("INSERT INTO places VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
    for (k, place) in run.places.iter().enumerate() {
        let key =
            [Value::Integer(k as i64), Value::Text(place.file.clone()), write::integer(place.address).into()];
        row.execute(params_from_iter(key.into_iter().chain(source::columns(&place.source))))?;
    }
    let mut row = transaction.prepare("INSERT INTO objects VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for (k, object) in alone.iter().enumerate() {
        row.execute(params![
            k as i64,
            write::word(&object.kind),
            object.process.0,
            object.name.measured(),
            write::integer(object.bytes.0),
            write::integer(object.count),
            write::json(object)?,
        ])?;
    }
    rows::insert(transaction, &run.objects)
}

fn read_run(connection: &Connection) -> Parsed<ObjectRun> {
    let transaction = connection.unchecked_transaction()?;
    let (header, watching, beyond) = header(&transaction)?;
    let threads = threads(&transaction)?;
    let places = places(&transaction)?;
    let mut objects = objects(&transaction)?;
    rows::read(&transaction, &mut objects)?;
    let BeyondObjects { ranks, sources, bandwidth, memory_bound, trials, code } = beyond;
    let run = ObjectRun {
        header,
        watching,
        threads,
        places,
        objects,
        ranks: ranks.into_owned(),
        sources: sources.into_owned(),
        bandwidth: bandwidth.into_owned(),
        memory_bound: memory_bound.into_owned(),
        trials: trials.into_owned(),
        code: code.into_owned(),
    };
    let mut sums = ObjectSums::of(&run);
    run.objects.iter().enumerate().try_for_each(|(k, object)| sums.object(object, k))?;
    sums.together(&run.watching)?;
    valid::beyond_objects(&run)?;
    Ok(run)
}

/// What a run holds besides its objects.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct BeyondObjects<'a> {
    /// Records were written before there were any.
    #[serde(default)]
    pub ranks: Cow<'a, [ProcessRank]>,
    pub sources: Cow<'a, [SourceExcerpt]>,
    pub bandwidth: Cow<'a, Reading<BandwidthOverTime>>,
    pub memory_bound: Cow<'a, Reading<MemoryBound>>,
    pub trials: Cow<'a, [TriedCure]>,
    /// Records were written before there was a survey.
    #[serde(default = "no_survey")]
    pub code: Cow<'a, Reading<CodeSamples>>,
}

fn no_survey<'a>() -> Cow<'a, Reading<CodeSamples>> {
    Cow::Owned(Reading::unavailable("its loops were not surveyed"))
}

impl BeyondObjects<'_> {
    pub fn of(run: &ObjectRun) -> BeyondObjects<'_> {
        BeyondObjects {
            ranks: Cow::Borrowed(&run.ranks),
            sources: Cow::Borrowed(&run.sources),
            bandwidth: Cow::Borrowed(&run.bandwidth),
            memory_bound: Cow::Borrowed(&run.memory_bound),
            trials: Cow::Borrowed(&run.trials),
            code: Cow::Borrowed(&run.code),
        }
    }
}

fn header(connection: &Connection) -> Parsed<(ObjectRunHeader, ObjectWatching, BeyondObjects<'static>)> {
    let mut query = connection.prepare("SELECT id, header, watching, beyond FROM object_run")?;
    let mut rows = query.query([])?;
    let row =
        rows.next()?.ok_or_else(|| Flaw::new("object_run".to_owned(), "no row".to_owned(), "one row"))?;
    let cells = Cells::of("object_run", row);
    let header: ObjectRunHeader = cells.json("header")?;
    valid::object_header(&header)?;
    let watching: ObjectWatching = cells.json("watching")?;
    valid::watching(&watching)?;
    let beyond = cells.json("beyond")?;
    Ok((header, watching, beyond))
}

fn threads(connection: &Connection) -> Parsed<Vec<ObjectThread>> {
    numbered(connection, "threads", "SELECT * FROM threads ORDER BY thread", |cells, number| {
        let thread = ObjectThread {
            process: Pid(cells.int("process")?),
            tid: Pid(cells.int("tid")?),
            name: source::text(cells, "name", "name_missing")?,
            number: cells.int("number")?,
        };
        valid::object_thread(&thread, number)?;
        Ok(thread)
    })
}

fn places(connection: &Connection) -> Parsed<Vec<CodePlace>> {
    numbered(connection, "places", "SELECT * FROM places ORDER BY place", |cells, number| {
        let place = CodePlace {
            file: cells.text("file")?,
            address: source::address(cells)?,
            source: source::place(cells)?,
        };
        valid::code_place(&place, number)?;
        Ok(place)
    })
}

fn objects(connection: &Connection) -> Parsed<Vec<MemoryObject>> {
    numbered(connection, "objects", "SELECT object, facts FROM objects ORDER BY object", |cells, _| {
        let object: MemoryObject = cells.json("facts")?;
        if !rows::is_without_lists(&object) {
            return Err(cells.flaw("facts", "lists that are empty: they have tables of their own"));
        }
        Ok(object)
    })
}

/// The rows of a table whose first column is their number.
fn numbered<T>(
    connection: &Connection,
    table: &'static str,
    sql: &str,
    one: impl Fn(&Cells<'_, '_>, usize) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    let mut query = connection.prepare(sql)?;
    let key = query.column_name(0)?.to_owned();
    let columns = ColumnPlaces::of(&query);
    let mut rows = query.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::with(&columns, table, row);
        if cells.int::<i64>(&key)? != all.len() as i64 {
            return Err(cells.flaw(&key, "numbers from 0 without a gap"));
        }
        all.push(one(&cells, all.len())?);
    }
    Ok(all)
}
