//! Statuses of calls, and the text of the last that was none.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::io;

use numawise_placement::PlacementError;

/// What a call gives; the numbers are those of `enum numawise_status` in the header, and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// An argument makes no sense: a null pointer, a length of 0, a number that stands for nothing.
    Invalid = 1,
    /// A node, a CPU, a task or a thread that is not there.
    NotThere = 2,
    /// It is there, and we may not use it.
    NotAllowed = 3,
    /// There is not enough memory.
    NoMemory = 4,
    /// The kernel refuses the call, as in containers.
    Refused = 5,
    /// The thread has ended.
    Ended = 6,
    /// The range is not all mapped.
    NotMapped = 7,
    /// It is not known here; the text has the reason.
    Unavailable = 8,
    /// The caller's buffer is too small; its length says what is needed.
    TooSmall = 9,
    /// Header and library are of different versions.
    Version = 10,
    /// The kernel said something else.
    System = 11,
    /// A fault of the library.
    Fault = 12,
}

/// Why a call did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("{argument} is {found}; expected {expected}")]
    Invalid { argument: &'static str, found: String, expected: &'static str },
    /// A text that does not parse, with what is wrong with it.
    #[error("{argument}: {problem}")]
    Text { argument: &'static str, problem: String },
    #[error("{what} {found} does not exist; there are {exist}")]
    NotThere { what: &'static str, found: String, exist: String },
    #[error("{0}")]
    Unavailable(String),
    #[error("{what} takes {needed}; the buffer has {given}")]
    TooSmall { what: &'static str, needed: usize, given: usize },
    #[error(
        "the header is of version {header}, the library of {library}; compile with the header that belongs to it"
    )]
    Version { header: u32, library: u32 },
    #[error("{call} failed: {source}")]
    System { call: &'static str, source: io::Error },
    #[error(transparent)]
    Machine(#[from] numawise_machine::Error),
    #[error(transparent)]
    Plan(#[from] PlacementError),
    #[error("the library has a fault: {0}")]
    Fault(String),
}

impl CallError {
    pub fn null(argument: &'static str) -> CallError {
        CallError::Invalid { argument, found: "NULL".to_owned(), expected: "an address" }
    }

    pub fn status(&self) -> Status {
        match self {
            CallError::Invalid { .. } | CallError::Text { .. } => Status::Invalid,
            CallError::NotThere { .. } => Status::NotThere,
            CallError::Unavailable(_) => Status::Unavailable,
            CallError::TooSmall { .. } => Status::TooSmall,
            CallError::Version { .. } => Status::Version,
            CallError::System { source, .. } => of_errno(source),
            CallError::Machine(_) => Status::System,
            CallError::Plan(error) => of_plan(error),
            CallError::Fault(_) => Status::Fault,
        }
    }
}

fn of_errno(error: &io::Error) -> Status {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => Status::Refused,
        Some(libc::ENOMEM) => Status::NoMemory,
        Some(libc::ESRCH) => Status::Ended,
        Some(libc::EFAULT) => Status::NotMapped,
        Some(libc::EINVAL) => Status::NotAllowed,
        _ => Status::System,
    }
}

fn of_plan(error: &PlacementError) -> Status {
    match error {
        PlacementError::NoSuchCpu { .. } | PlacementError::NoSuchNode { .. } => Status::NotThere,
        PlacementError::CpuNotAllowed { .. }
        | PlacementError::NodeNotAllowed { .. }
        | PlacementError::NodeCpusNotAllowed { .. }
        | PlacementError::NoCpu { .. } => Status::NotAllowed,
        PlacementError::NoHbm { .. } | PlacementError::NoMemory { .. } => Status::Unavailable,
        _ => Status::Invalid,
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps the text for this thread.
pub fn remember(error: &CallError) -> c_int {
    let text: Vec<u8> = error.to_string().into_bytes().into_iter().filter(|byte| *byte != 0).collect();
    // A thread that is about to end has none any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
    error.status() as c_int
}

/// The text of the last call of this thread that failed; empty where none did. It is there until the next one that fails in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn numawise_error_text() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
