//! The memory objects within a record of something else: of a study those of one run after its trials, of a snapshot those of each numawise
//! that watched. Between nouns and rows; no cell grows with the number of objects.

use std::borrow::Cow;
use std::path::Path;

use numawise_facts::ObjectRun;
use rusqlite::{Connection, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cell::{Cells, Parsed};
use crate::objects::{self, BeyondObjects};
use crate::valid::Flaw;
use crate::{RecordError, read, write};

const TABLE: &str = "object_rows";

/// Refuses what could not be read again.
pub fn storable(run: &ObjectRun) -> Result<(), RecordError> {
    write::storable(&run.header)?;
    write::storable(&run.watching)?;
    run.objects.iter().try_for_each(write::storable)?;
    objects::sound(run).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))
}

/// Which rows of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowsOf {
    /// All: there is one run.
    Study,
    /// Those of a run by its number.
    Run(i64),
}

impl RowsOf {
    fn insert(self) -> String {
        match self {
            RowsOf::Study => "INSERT INTO object_rows VALUES (?1, ?2, ?3)".to_owned(),
            RowsOf::Run(run) => format!("INSERT INTO object_rows VALUES ({run}, ?1, ?2, ?3)"),
        }
    }

    fn select(self) -> String {
        let of_run = match self {
            RowsOf::Study => String::new(),
            RowsOf::Run(run) => format!("AND run = {run} "),
        };
        format!("SELECT number, facts FROM object_rows WHERE part = ?1 {of_run}ORDER BY number")
    }
}

/// Writes the objects in the place of those that were there.
pub fn put(transaction: &Transaction<'_>, run: &ObjectRun) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM object_rows", [])?;
    insert(transaction, RowsOf::Study, run)
}

/// Writes those of all runs of a snapshot.
pub fn insert_all(transaction: &Transaction<'_>, runs: &[ObjectRun]) -> rusqlite::Result<()> {
    let mut runs = (0..).zip(runs);
    runs.try_for_each(|(number, run)| insert(transaction, RowsOf::Run(number), run))
}

fn insert(transaction: &Transaction<'_>, rows: RowsOf, run: &ObjectRun) -> rusqlite::Result<()> {
    part(transaction, rows, "header", std::slice::from_ref(&run.header))?;
    part(transaction, rows, "watching", std::slice::from_ref(&run.watching))?;
    part(transaction, rows, "beyond", &[BeyondObjects::of(run)])?;
    part(transaction, rows, "thread", &run.threads)?;
    part(transaction, rows, "place", &run.places)?;
    part(transaction, rows, "object", &run.objects)
}

fn part<T: Serialize>(
    transaction: &Transaction<'_>,
    rows: RowsOf,
    part: &str,
    all: &[T],
) -> rusqlite::Result<()> {
    let mut row = transaction.prepare_cached(&rows.insert())?;
    all.iter().enumerate().try_for_each(|(number, facts)| {
        row.execute(params![part, number as i64, write::json(facts)?]).map(drop)
    })
}

/// The objects of a study; nothing where no run followed them.
pub fn objects(connection: &Connection, path: &Path) -> Result<Option<ObjectRun>, RecordError> {
    read_objects(connection).map_err(|error| read::damage(path, error))
}

fn read_objects(connection: &Connection) -> Parsed<Option<ObjectRun>> {
    let transaction = connection.unchecked_transaction()?;
    if !read::has_table(&transaction, TABLE)? {
        return Ok(None);
    }
    let rows: i64 = transaction.query_row("SELECT count(*) FROM object_rows", [], |row| row.get(0))?;
    if rows == 0 {
        return Ok(None);
    }
    read_run(&transaction, RowsOf::Study).map(Some)
}

/// Those of all runs of a snapshot.
pub fn read_all(connection: &Connection) -> Parsed<Vec<ObjectRun>> {
    if !read::has_table(connection, TABLE)? {
        return Ok(Vec::new());
    }
    let mut query = connection.prepare("SELECT DISTINCT run FROM object_rows ORDER BY run")?;
    let mut rows = query.query([])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::of(TABLE, row);
        let number: i64 = cells.int("run")?;
        if number != runs.len() as i64 {
            return Err(cells.flaw("run", "numbers from 0 without a gap"));
        }
        runs.push(read_run(connection, RowsOf::Run(number))?);
    }
    Ok(runs)
}

fn read_run(connection: &Connection, rows: RowsOf) -> Parsed<ObjectRun> {
    let BeyondObjects { ranks, sources, bandwidth, memory_bound, trials, code } =
        one(connection, rows, "beyond")?;
    let run = ObjectRun {
        header: one(connection, rows, "header")?,
        watching: one(connection, rows, "watching")?,
        threads: all(connection, rows, "thread")?,
        places: all(connection, rows, "place")?,
        objects: all(connection, rows, "object")?,
        ranks: Cow::into_owned(ranks),
        sources: Cow::into_owned(sources),
        bandwidth: Cow::into_owned(bandwidth),
        memory_bound: Cow::into_owned(memory_bound),
        trials: Cow::into_owned(trials),
        code: Cow::into_owned(code),
    };
    objects::sound(&run)?;
    Ok(run)
}

fn one<T: DeserializeOwned>(connection: &Connection, rows: RowsOf, part: &str) -> Parsed<T> {
    let mut found: Vec<T> = all(connection, rows, part)?;
    match (found.pop(), found.len()) {
        (Some(row), 0) => Ok(row),
        (row, others) => {
            let found = format!("{} rows of part '{part}'", others + usize::from(row.is_some()));
            Err(Flaw::new(TABLE.to_owned(), found, "one row").into())
        }
    }
}

fn all<T: DeserializeOwned>(connection: &Connection, rows: RowsOf, part: &str) -> Parsed<Vec<T>> {
    let mut query = connection.prepare_cached(&rows.select())?;
    let mut rows = query.query([part])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::of(TABLE, row);
        if cells.int::<i64>("number")? != all.len() as i64 {
            return Err(cells.flaw("number", "numbers from 0 without a gap"));
        }
        all.push(cells.json("facts")?);
    }
    Ok(all)
}
