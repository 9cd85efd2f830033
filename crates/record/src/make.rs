//! New files: made whole in memory, written under no name, and only then given theirs.
//!
//! So there is no moment in which a file is half made: who is killed before the end leaves nothing, and after it a record. What
//! an older numawise, or a shell, has left in the place (an empty file, a journal) is filled or put aside when it holds nothing.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use numawise_linux::draft::{self, Draft};
use rusqlite::{Connection, MAIN_DB, Transaction, TransactionBehavior};

use crate::RecordError;
use crate::file::{connect, identify, looks_like_ours, open_file};
use crate::lock::WriterLock;
use crate::schema::Format;

/// What SQLite keeps beside a file.
const COMPANIONS: [&str; 2] = ["-journal", "-wal"];

/// The bytes of a file with its tables and first rows.
pub(crate) fn bytes(
    path: &Path,
    format: &Format,
    first_rows: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<Vec<u8>, RecordError> {
    let made = || {
        let mut connection = Connection::open_in_memory()?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        format.migrate(&transaction, 0)?;
        first_rows(&transaction)?;
        transaction.commit()?;
        Ok(connection.serialize(MAIN_DB)?.to_vec())
    };
    made().map_err(|error| RecordError::sqlite(path, "create it", error))
}

/// Makes a file where there is none, or only an empty one.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<WriterLock, RecordError> {
    let failed = |error| RecordError::io(path, "create it", error);
    let real = draft::behind_links(path).map_err(failed)?;
    match real.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && companions(&real).next().is_none() => {
            let placed = drafted(&real, bytes).and_then(Draft::place_new);
            match placed {
                // Somebody was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Err(RecordError::Exists(path.to_owned()))
                }
                placed => placed.map(WriterLock::of_placed).map_err(failed),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // The journal of a file that is gone: SQLite would apply it to a new one. With an empty file, it puts it aside.
            let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&real);
            let lock = WriterLock::take(file.map_err(failed)?, path)?;
            fill(path, &real, bytes).map(|placed| (placed, lock).0)
        }
        _ => {
            let _old = WriterLock::take(open_file(path, true)?, path)?;
            fill(path, &real, bytes)
        }
    }
}

/// Makes a file in the place of an older one of the same format, which must be locked no more than by us.
pub(crate) fn replace(path: &Path, bytes: &[u8], format: &Format) -> Result<WriterLock, RecordError> {
    let real = draft::behind_links(path).map_err(|error| RecordError::io(path, "replace it", error))?;
    let file = open_file(path, true)?;
    if !looks_like_ours(path, format)? {
        return Err(RecordError::NotARecord {
            path: path.to_owned(),
            found: "it is left as it is".to_owned(),
        });
    }
    let _old = WriterLock::take(file, path)?;
    settle(path);
    // What SQLite could not apply is of a record that is damaged, and must not be applied to the new one.
    for companion in companions(&real) {
        std::fs::remove_file(&companion).map_err(|error| RecordError::io(&companion, "remove it", error))?;
    }
    put(path, &real, bytes)
}

/// Puts a file in the place of an empty one.
fn fill(path: &Path, real: &Path, bytes: &[u8]) -> Result<WriterLock, RecordError> {
    // A file that is not empty may become so, when a journal says that its first transaction did not end.
    if real.metadata().is_ok_and(|file| file.len() > 0) && companions(real).next().is_none() {
        return Err(RecordError::Exists(path.to_owned()));
    }
    match connect(path).and_then(|connection| identify(&connection, path).map(drop)) {
        Err(RecordError::Empty(_)) => put(path, real, bytes),
        Ok(()) | Err(RecordError::NotARecord { .. }) => Err(RecordError::Exists(path.to_owned())),
        Err(error) => Err(error),
    }
}

fn put(path: &Path, real: &Path, bytes: &[u8]) -> Result<WriterLock, RecordError> {
    let placed = drafted(real, bytes).and_then(Draft::replace);
    placed.map(WriterLock::of_placed).map_err(|error| RecordError::io(path, "replace it", error))
}

/// Lets SQLite bring a file to rest that a killed writer has left, if it can.
fn settle(path: &Path) {
    if let Ok(connection) = connect(path) {
        let _ = identify(&connection, path);
    }
}

fn drafted(real: &Path, bytes: &[u8]) -> io::Result<Draft> {
    let mut draft = Draft::of(real)?;
    draft.write_all(bytes)?;
    Ok(draft)
}

/// The journals that lie beside a file, or beside where it would be.
fn companions(real: &Path) -> impl Iterator<Item = PathBuf> {
    let beside = |suffix: &str| {
        let mut name = real.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    COMPANIONS.map(beside).into_iter().filter(|path| path.symlink_metadata().is_ok())
}
