//! Why a call did not do what it was asked for.

use std::fmt::{self, Display};
use std::io;
use std::str::FromStr;

use numawise_placement::PlacementError;
use numawise_profiles::ProfileError;

/// What kind of failure it is, for programs that decide by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument makes no sense: a length of 0, a number that stands for nothing.
    Invalid,
    /// A node, a CPU, a task or a thread that is not there.
    NotThere,
    /// It is there, and we may not use it.
    NotAllowed,
    /// There is not enough memory.
    NoMemory,
    /// The kernel refuses the call, as in containers.
    Refused,
    /// The thread has ended.
    Ended,
    /// The range is not all mapped.
    NotMapped,
    /// It is not known here; the text has the reason.
    Unavailable,
    /// The kernel said something else.
    System,
    /// A fault of ours.
    Fault,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ErrorKind::Invalid => "invalid",
            ErrorKind::NotThere => "not_there",
            ErrorKind::NotAllowed => "not_allowed",
            ErrorKind::NoMemory => "no_memory",
            ErrorKind::Refused => "refused",
            ErrorKind::Ended => "ended",
            ErrorKind::NotMapped => "not_mapped",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::System => "system",
            ErrorKind::Fault => "fault",
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{argument} is {found}; expected {expected}")]
    Invalid { argument: &'static str, found: String, expected: &'static str },
    /// A text that does not parse, with what is wrong with it.
    #[error("{argument}: {problem}")]
    Text { argument: &'static str, problem: String },
    #[error("{what} {found} does not exist; there are {exist}")]
    NotThere { what: &'static str, found: String, exist: String },
    #[error("{0}")]
    Unavailable(String),
    #[error("policy {policy}: {wanted} bytes are wanted, {there} can be had on its nodes")]
    NoRoom { policy: String, wanted: u64, there: u64 },
    #[error("{call} failed: {source}")]
    System { call: &'static str, source: io::Error },
    #[error(transparent)]
    Machine(#[from] numawise_machine::Error),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Plan(#[from] PlacementError),
    #[error("the library has a fault: {0}")]
    Fault(String),
}

impl Error {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Invalid { .. } | Error::Text { .. } => ErrorKind::Invalid,
            Error::NotThere { .. } => ErrorKind::NotThere,
            Error::NoRoom { .. } => ErrorKind::NoMemory,
            Error::Unavailable(_) => ErrorKind::Unavailable,
            Error::System { source, .. } => of_errno(source),
            Error::Machine(_) => ErrorKind::System,
            Error::Profile(error) => of_profile(error),
            Error::Plan(error) => of_plan(error),
            Error::Fault(_) => ErrorKind::Fault,
        }
    }
}

fn of_errno(error: &io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => ErrorKind::Refused,
        Some(libc::ENOMEM) => ErrorKind::NoMemory,
        Some(libc::ESRCH) => ErrorKind::Ended,
        Some(libc::EFAULT) => ErrorKind::NotMapped,
        Some(libc::EINVAL) => ErrorKind::NotAllowed,
        _ => ErrorKind::System,
    }
}

fn of_profile(error: &ProfileError) -> ErrorKind {
    match error {
        ProfileError::Missing(_) => ErrorKind::NotThere,
        ProfileError::Io { .. } | ProfileError::ReadOnly { .. } | ProfileError::Full { .. } => {
            ErrorKind::System
        }
        _ => ErrorKind::Invalid,
    }
}

fn of_plan(error: &PlacementError) -> ErrorKind {
    match error {
        PlacementError::NoSuchCpu { .. } | PlacementError::NoSuchNode { .. } => ErrorKind::NotThere,
        PlacementError::CpuNotAllowed { .. }
        | PlacementError::NodeNotAllowed { .. }
        | PlacementError::NodeCpusNotAllowed { .. }
        | PlacementError::NoCpu { .. } => ErrorKind::NotAllowed,
        PlacementError::NoHbm { .. } | PlacementError::NoMemory { .. } => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    }
}

/// What a text of the caller's means.
///
/// # Errors
/// [`Error::Text`].
pub(crate) fn parsed<T>(text: &str, argument: &'static str) -> Result<T, Error>
where
    T: FromStr<Err: Display>,
{
    text.parse().map_err(|error: T::Err| Error::Text { argument, problem: error.to_string() })
}
