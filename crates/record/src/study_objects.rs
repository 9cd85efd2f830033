//! The memory objects of a study, from one run after its trials: between nouns and rows. No cell grows with the number of objects.

use std::borrow::Cow;
use std::path::Path;

use numawise_facts::ObjectRun;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
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

/// Writes the objects in the place of those that were there.
pub fn put(transaction: &Transaction<'_>, run: &ObjectRun) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM object_rows", [])?;
    part(transaction, "header", std::slice::from_ref(&run.header))?;
    part(transaction, "watching", std::slice::from_ref(&run.watching))?;
    part(transaction, "beyond", &[BeyondObjects::of(run)])?;
    part(transaction, "thread", &run.threads)?;
    part(transaction, "place", &run.places)?;
    part(transaction, "object", &run.objects)
}

fn part<T: Serialize>(transaction: &Transaction<'_>, part: &str, rows: &[T]) -> rusqlite::Result<()> {
    let mut row = transaction.prepare_cached("INSERT INTO object_rows VALUES (?1, ?2, ?3)")?;
    rows.iter().enumerate().try_for_each(|(number, facts)| {
        row.execute(params![part, number as i64, write::json(facts)?]).map(drop)
    })
}

/// The objects of a study; nothing where no run followed them.
pub fn objects(connection: &Connection, path: &Path) -> Result<Option<ObjectRun>, RecordError> {
    read_objects(connection).map_err(|error| read::damage(path, error))
}

fn read_objects(connection: &Connection) -> Parsed<Option<ObjectRun>> {
    let transaction = connection.unchecked_transaction()?;
    // A file of version 1 that is read only has no such table.
    let there = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    if transaction.query_row(there, [TABLE], |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    let rows: i64 = transaction.query_row("SELECT count(*) FROM object_rows", [], |row| row.get(0))?;
    if rows == 0 {
        return Ok(None);
    }
    let BeyondObjects { ranks, sources, bandwidth, memory_bound, trials } = one(&transaction, "beyond")?;
    let run = ObjectRun {
        header: one(&transaction, "header")?,
        watching: one(&transaction, "watching")?,
        threads: all(&transaction, "thread")?,
        places: all(&transaction, "place")?,
        objects: all(&transaction, "object")?,
        ranks: Cow::into_owned(ranks),
        sources: Cow::into_owned(sources),
        bandwidth: Cow::into_owned(bandwidth),
        memory_bound: Cow::into_owned(memory_bound),
        trials: Cow::into_owned(trials),
    };
    objects::sound(&run)?;
    Ok(Some(run))
}

fn one<T: DeserializeOwned>(connection: &Connection, part: &str) -> Parsed<T> {
    let mut rows: Vec<T> = all(connection, part)?;
    match (rows.pop(), rows.len()) {
        (Some(row), 0) => Ok(row),
        (row, others) => {
            let found = format!("{} rows of part '{part}'", others + usize::from(row.is_some()));
            Err(Flaw::new(TABLE.to_owned(), found, "one row").into())
        }
    }
}

fn all<T: DeserializeOwned>(connection: &Connection, part: &str) -> Parsed<Vec<T>> {
    let mut query =
        connection.prepare("SELECT number, facts FROM object_rows WHERE part = ?1 ORDER BY number")?;
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
