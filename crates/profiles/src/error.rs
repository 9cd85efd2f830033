//! What can go wrong with a profile, each text once.

use std::io;
use std::path::{Path, PathBuf};

use numawise_linux::space::{self, FileObstacle};

/// Why a profile could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("{}: there is no such file", .0.display())]
    Missing(PathBuf),
    #[error("{}: it is a directory; expected the path of a file", .0.display())]
    Directory(PathBuf),
    #[error(
        "{}: it was written by a newer numawise (format version {found}, this one reads up to {known}); \
         use that version, or choose another file",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error(
        "{}: no space is left to write ({problem}); make room and run the same command again, or choose a file on another disk",
        path.display()
    )]
    Full { path: PathBuf, problem: String },
    #[error(
        "{}: cannot write there ({problem}); choose a file in a directory in which you may write",
        path.display()
    )]
    ReadOnly { path: PathBuf, problem: String },
    #[error("it cannot be kept: {0}")]
    Unstorable(String),
    #[error(
        "{}: it is no profile of a machine: {found}; expected a profile that numawise saved, or the text that Intel's \
         Memory Latency Checker prints",
        path.display()
    )]
    NotAProfile { path: PathBuf, found: String },
    #[error("{}: it is no profile of a machine: it is an SQLite file", .0.display())]
    SqliteNotAProfile(PathBuf),
    /// `line` is the last.
    #[error(
        "{}: MLC's text makes no sense in line {line}: there is none of its tables; expected what mlc prints without options",
        path.display()
    )]
    MlcWithoutTables { path: PathBuf, line: usize },
    #[error(
        "{}: the profile is damaged: {problem}; take a copy of it, or measure the machine again",
        path.display()
    )]
    DamagedProfile { path: PathBuf, problem: String },
    #[error(
        "{}: MLC's text makes no sense in line {line}: {problem}; expected the text as mlc printed it, whole; run mlc again",
        path.display()
    )]
    BrokenMlc { path: PathBuf, line: usize, problem: String },
    #[error(
        "{}: there is a file already that is no profile ({found}); it is left as it is; choose another file",
        path.display()
    )]
    NotToReplace { path: PathBuf, found: String },
    #[error("{}: cannot {doing}", path.display())]
    Io { path: PathBuf, doing: &'static str, source: io::Error },
}

impl ProfileError {
    /// The error of the file system in our words.
    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match space::obstacle(&source) {
            // Of what is to be written it is a folder that is missing.
            FileObstacle::Missing if doing == "open it" => ProfileError::Missing(path),
            FileObstacle::Directory => ProfileError::Directory(path),
            FileObstacle::ReadOnly(problem) => ProfileError::ReadOnly { path, problem },
            FileObstacle::Full(problem) => ProfileError::Full { path, problem },
            FileObstacle::Missing | FileObstacle::Other => ProfileError::Io { path, doing, source },
        }
    }
}
