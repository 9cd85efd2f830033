//! Why the truth could not be measured, or the table not be written.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
    #[error("the cases are not described as expected: {what}")]
    Description { what: String },
    #[error("no case is called `{name}`; there are: {known}")]
    NoSuchCase { name: String, known: String },
    #[error(
        "{path} is not there; `make build` and `make -C native/workloads/cases` make what goes into a guest"
    )]
    NotBuilt { path: String },
    #[error("{} is not what was kept of a case: {error}", path.display())]
    NotKept { path: PathBuf, error: serde_json::Error },
    #[error(transparent)]
    Machine(#[from] testbed::LoadError),
    #[error(transparent)]
    Guest(#[from] testbed::Error),
}

impl Problem {
    pub fn read(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Problem {
        let path = path.into();
        move |error| Problem::Read { path, error }
    }

    pub fn write(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Problem {
        let path = path.into();
        move |error| Problem::Write { path, error }
    }
}
