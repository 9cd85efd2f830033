//! What can go wrong with a record, each text once.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use numawise_linux::space::{self, FileObstacle};
use numawise_units::{Bytes, harmless};
use rusqlite::ErrorCode;

use crate::schema::RecordKind;

/// How long we wait for somebody who reads the file.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A record grows by less at a time.
const STEP: Bytes = Bytes::kib(64);

/// Why a record could not be made, opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("{}: there is no such file", .0.display())]
    Missing(PathBuf),
    #[error("{}: a study is kept there already; go on with it, start over, or choose another file", .0.display())]
    Exists(PathBuf),
    #[error("{}: a run is kept there already; choose another file, or ask for it to be replaced", .0.display())]
    RunExists(PathBuf),
    #[error("{}: it is a directory; expected the path of a file", .0.display())]
    Directory(PathBuf),
    #[error("{}: it is not a numawise record: {found}", path.display())]
    NotARecord { path: PathBuf, found: String },
    #[error(
        "{}: the file is empty: numawise was stopped before anything was recorded, nothing is lost; start again",
        .0.display()
    )]
    Empty(PathBuf),
    #[error(
        "{}: it was written by a newer numawise (format version {found}, this one reads up to {known}); \
         use that version, or choose another file",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{}: it holds {found}; expected {expected}; choose another file", path.display())]
    OtherKind { path: PathBuf, found: RecordKind, expected: RecordKind },
    #[error(
        "{}: it was recorded on another machine ({recorded}; this one has {now}); choose another file",
        path.display()
    )]
    OtherMachine { path: PathBuf, recorded: String, now: String },
    #[error("{}: the record is damaged: {problem}; restore it from a copy, or start over", path.display())]
    Damaged { path: PathBuf, problem: String },
    #[error("{}: another numawise is measuring into it; wait for that one, or choose another file", .0.display())]
    InUse(PathBuf),
    #[error(
        "{}: another program has been holding the record for {seconds} s; end that program (an open sqlite3 query?) \
         and try again",
        path.display()
    )]
    Busy { path: PathBuf, seconds: u64 },
    #[error(
        "{}: no space is left to write ({problem}); what was recorded before is whole; make room and run the same \
         command again, or choose a file on another disk",
        path.display()
    )]
    Full { path: PathBuf, problem: String },
    #[error(
        "{}: cannot write there ({problem}); choose a file in a directory in which you may write",
        path.display()
    )]
    ReadOnly { path: PathBuf, problem: String },
    #[error("{}: trial {number} is recorded already", path.display())]
    Duplicate { path: PathBuf, number: u32 },
    #[error("{}: trial {number} is of the point '{point}', which the study does not have", path.display())]
    UnknownPoint { path: PathBuf, number: u32, point: String },
    #[error("it cannot be kept in a record: {0}")]
    Unstorable(String),
    #[error(
        "a study of {points} points cannot be kept in a record: {problem}; take fewer levels, leave points out by a condition, or make \
         several studies of it, each with a record of its own"
    )]
    TooManyPoints { points: usize, problem: String },
    #[error("{}: cannot {doing}", path.display())]
    Io { path: PathBuf, doing: &'static str, source: io::Error },
    #[error("{}: cannot {doing}", path.display())]
    Sqlite { path: PathBuf, doing: &'static str, source: rusqlite::Error },
}

impl RecordError {
    /// The error of the file system in our words.
    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match space::obstacle(&source) {
            // Of what is to be written it is a folder that is missing.
            FileObstacle::Missing if doing == "open it" => RecordError::Missing(path),
            FileObstacle::Directory => RecordError::Directory(path),
            FileObstacle::ReadOnly(problem) => RecordError::ReadOnly { path, problem },
            FileObstacle::Full(problem) => RecordError::Full { path, problem },
            FileObstacle::Missing | FileObstacle::Other => RecordError::Io { path, doing, source },
        }
    }

    /// The error of SQLite in our words.
    pub(crate) fn sqlite(path: &Path, doing: &'static str, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let problem = source.to_string();
        let Some(error) = source.sqlite_error() else {
            return match source {
                // A value of another type than the schema says, or a missing row.
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::InvalidColumnName(..)
                | rusqlite::Error::Utf8Error(..)
                | rusqlite::Error::QueryReturnedNoRows => RecordError::damaged(&path, problem),
                _ => RecordError::Sqlite { path, doing, source },
            };
        };
        match error.code {
            ErrorCode::NotADatabase => {
                RecordError::NotARecord { path, found: "it is not an SQLite file".to_owned() }
            }
            ErrorCode::OperationInterrupted => RecordError::damaged(
                &path,
                "found more work in it than a file of its size can hold, expected tables as numawise writes them",
            ),
            // What our statements name is not there, or is longer than anything that we write.
            ErrorCode::Unknown | ErrorCode::TooBig | ErrorCode::TypeMismatch if doing == "read it" => {
                RecordError::damaged(&path, problem)
            }
            ErrorCode::DatabaseCorrupt => RecordError::damaged(&path, problem),
            ErrorCode::DiskFull => RecordError::Full { path, problem },
            // A quota or a limit on the size of files shows as a failed write, which SQLite has taken back by now.
            ErrorCode::SystemIoFailure if error.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE => {
                let problem = space::limit_reached(&path, STEP).unwrap_or(problem);
                RecordError::Full { path, problem }
            }
            ErrorCode::SystemIoFailure if error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ => {
                RecordError::damaged(&path, problem)
            }
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                RecordError::ReadOnly { path, problem }
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                RecordError::Busy { path, seconds: PATIENCE.as_secs() }
            }
            _ => RecordError::Sqlite { path, doing, source },
        }
    }

    /// What is stored does not make sense.
    pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> Self {
        RecordError::Damaged { path: path.to_owned(), problem: harmless::beginning(&problem.into()) }
    }
}
