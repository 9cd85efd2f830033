//! Runs that are written at once when they have ended: where such a file may stand, how it gets there, how it is opened.

use std::path::Path;

use rusqlite::{Connection, Transaction};

use crate::file::{check, connect, open_file, recognise};
use crate::schema::Format;
use crate::{RecordError, guard, make};

/// What becomes of a record that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and that is an error.
    Stays,
    /// It goes, if it is of the same kind.
    IsReplaced,
}

/// Whether a file of this format could be made there.
pub(crate) fn may_be_saved(path: &Path, format: &Format, existing: Existing) -> Result<(), RecordError> {
    if path.is_dir() {
        return Err(RecordError::Directory(path.to_owned()));
    }
    if path.metadata().is_ok_and(|file| file.len() > 0 || !file.is_file()) {
        let found = crate::kind(path)?;
        if found != format.holds {
            return Err(RecordError::OtherKind { path: path.to_owned(), found, expected: format.holds });
        }
        if existing == Existing::Stays {
            return Err(RecordError::RunExists(path.to_owned()));
        }
    }
    Ok(())
}

/// Makes the file with its rows, where it was found that it may be made: it is there as a whole, or not at all.
pub(crate) fn save(
    path: &Path,
    format: &Format,
    existing: Existing,
    rows: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), RecordError> {
    let bytes = make::bytes(path, format, rows)?;
    let made = match existing {
        Existing::IsReplaced if path.exists() => make::replace(path, &bytes, format),
        _ => make::create(path, &bytes),
    };
    match made {
        Err(RecordError::Exists(path)) => Err(RecordError::RunExists(path)),
        made => made.map(drop),
    }
}

/// Opens a whole file of this format to be read.
pub(crate) fn open(path: &Path, format: &Format) -> Result<Connection, RecordError> {
    drop(open_file(path, false)?);
    let mut connection = connect(path)?;
    guard::bound(&mut connection, path)?;
    recognise(&connection, path, format)?;
    check(&connection, path)?;
    Ok(connection)
}
