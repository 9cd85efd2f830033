//! The file: made, opened, recognised, refused.

use std::fs::{File, OpenOptions};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::{PATIENCE, RecordError};
use crate::guard;
use crate::schema::{FORMATS, Format, RecordKind, identity};

/// What a file holds; whether it is whole is seen when it is read.
///
/// # Errors
/// Whatever keeps the file from being one of ours: see [`RecordError`].
pub fn kind(path: &Path) -> Result<RecordKind, RecordError> {
    drop(open_file(path, false)?);
    let mut connection = connect(path)?;
    guard::bound(&mut connection, path)?;
    let (format, _) = identify(&connection, path)?;
    Ok(format.holds)
}

/// Brings an older file up to date.
pub(crate) fn update(
    connection: &mut Connection,
    path: &Path,
    format: &Format,
    version: i64,
) -> Result<(), RecordError> {
    if version == format.version() {
        return Ok(());
    }
    let updated = (|| {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        format.migrate(&transaction, version)?;
        transaction.commit()
    })();
    updated.map_err(|e| RecordError::sqlite(path, "bring it up to date", e))
}

/// Opens the file only to see whether it can be opened, since SQLite does not tell why it could not.
pub(crate) fn open_file(path: &Path, write: bool) -> Result<File, RecordError> {
    // Looked at first, because opening a pipe waits for somebody at its other end.
    let facts = path.metadata().map_err(|e| RecordError::io(path, "open it", e))?;
    if facts.is_dir() {
        return Err(RecordError::Directory(path.to_owned()));
    }
    if !facts.is_file() {
        return Err(RecordError::NotARecord {
            path: path.to_owned(),
            found: "it is not an ordinary file".to_owned(),
        });
    }
    let file = OpenOptions::new().read(true).write(write).open(path);
    file.map_err(|e| RecordError::io(path, "open it", e))
}

pub(crate) fn connect(path: &Path) -> Result<Connection, RecordError> {
    // Without SQLITE_OPEN_URI, so that a file named `file:x?y` is just a file.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        guard::distrust(&connection)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    };
    open().map_err(|e| RecordError::sqlite(path, "open it", e))
}

/// What kind of file of ours it is, and of which version. Reading rolls back what a killed writer left half done.
pub(crate) fn identify(connection: &Connection, path: &Path) -> Result<(&'static Format, i64), RecordError> {
    let tables =
        |c: &Connection| c.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0));
    let found = tables(connection).and_then(|tables| Ok((tables, identity(connection)?)));
    let (tables, (application, version)) = found.map_err(|e| RecordError::sqlite(path, "read it", e))?;
    let not_ours = |found: String| Err(RecordError::NotARecord { path: path.to_owned(), found });
    match (application, tables) {
        (0, 0) if path.metadata().is_ok_and(|file| file.len() == 0) => {
            return Err(RecordError::Empty(path.to_owned()));
        }
        // SQLite takes a few bytes of anything for an empty database.
        (0, 0) => return not_ours("it is not an SQLite file".to_owned()),
        _ => {}
    }
    match FORMATS.iter().find(|format| format.application_id == application) {
        Some(format) => Ok((format, version)),
        None => not_ours(format!(
            "it is an SQLite database of another program (application id {application}, {tables} tables and indices)"
        )),
    }
}

/// The version of a file of this kind that we can read.
pub(crate) fn recognise(connection: &Connection, path: &Path, format: &Format) -> Result<i64, RecordError> {
    let (found, version) = identify(connection, path)?;
    let known = format.version();
    match version {
        _ if found.application_id != format.application_id => {
            Err(RecordError::OtherKind { path: path.to_owned(), found: found.holds, expected: format.holds })
        }
        _ if version > known => Err(RecordError::Newer { path: path.to_owned(), found: version, known }),
        _ if version < 1 => {
            Err(RecordError::damaged(path, format!("format version {version} was never written")))
        }
        _ => {
            complete(connection, path)?;
            if version == known {
                guard::known_schema(connection, path, format)?;
            }
            Ok(version)
        }
    }
}

/// Finds what is missing at the end, also where SQLite would read zeros.
fn complete(connection: &Connection, path: &Path) -> Result<(), RecordError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let expected = number("page_count").and_then(|pages| Ok(pages.saturating_mul(number("page_size")?)));
    let expected = expected.map_err(|e| RecordError::sqlite(path, "read it", e))?;
    let found = path.metadata().map_err(|e| RecordError::io(path, "look at it", e))?.len();
    if found < expected.cast_unsigned() {
        Err(RecordError::damaged(path, format!("{found} of {expected} bytes are there")))
    } else {
        Ok(())
    }
}

/// Looks for damage in the whole file before anything is read from it or added to it: every page is met once, so that rows
/// cannot be more than the file has bytes for.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), RecordError> {
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|e| RecordError::sqlite(path, "check it", e))?;
    match found.as_str() {
        "ok" => Ok(()),
        problem => Err(RecordError::damaged(path, problem.replace('\n', " "))),
    }
}

/// Tells by the first bytes whether a file is one of ours of this format, or empty; it may be damaged further on.
pub(crate) fn looks_like_ours(path: &Path, format: &Format) -> Result<bool, RecordError> {
    use std::io::Read;
    let mut start = Vec::new();
    let file = File::open(path).map_err(|e| RecordError::io(path, "open it", e))?;
    file.take(72).read_to_end(&mut start).map_err(|e| RecordError::io(path, "read it", e))?;
    let id = (format.application_id as u32).to_be_bytes();
    Ok(start.is_empty() || (start.starts_with(b"SQLite format 3\0") && start.get(68..72) == Some(&id[..])))
}
