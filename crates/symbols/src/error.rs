//! What can go wrong with a file of code.

use std::path::PathBuf;

/// Why nothing can be said of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("cannot read the code of {}: {problem}; what it runs has no names", path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error(
        "{} was changed on disk after it was loaded: its code is no longer what runs; start the program again",
        path.display()
    )]
    Changed { path: PathBuf },
}

impl Error {
    pub fn path(&self) -> &std::path::Path {
        match self {
            Error::Unreadable { path, .. } | Error::Changed { path } => path,
        }
    }

    /// What is wrong, without the name of the file.
    pub fn problem(&self) -> String {
        match self {
            Error::Unreadable { problem, .. } => problem.clone(),
            Error::Changed { .. } => "it was changed on disk after it was loaded".to_owned(),
        }
    }
}
