//! Statuses of calls, and the text of the last that was none.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};

use numawise_inside::{Error, ErrorKind};

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
    #[error(transparent)]
    Inside(#[from] Error),
    #[error("{what} takes {needed}; the buffer has {given}")]
    TooSmall { what: &'static str, needed: usize, given: usize },
    #[error(
        "the header is of version {header}, the library of {library}; compile with the header that belongs to it"
    )]
    Version { header: u32, library: u32 },
}

impl CallError {
    pub fn null(argument: &'static str) -> CallError {
        CallError::invalid(argument, "NULL".to_owned(), "an address")
    }

    pub fn invalid(argument: &'static str, found: String, expected: &'static str) -> CallError {
        CallError::Inside(Error::Invalid { argument, found, expected })
    }

    pub fn status(&self) -> Status {
        match self {
            CallError::Inside(error) => of_kind(error.kind()),
            CallError::TooSmall { .. } => Status::TooSmall,
            CallError::Version { .. } => Status::Version,
        }
    }
}

fn of_kind(kind: ErrorKind) -> Status {
    match kind {
        ErrorKind::Invalid => Status::Invalid,
        ErrorKind::NotThere => Status::NotThere,
        ErrorKind::NotAllowed => Status::NotAllowed,
        ErrorKind::NoMemory => Status::NoMemory,
        ErrorKind::Refused => Status::Refused,
        ErrorKind::Ended => Status::Ended,
        ErrorKind::NotMapped => Status::NotMapped,
        ErrorKind::Unavailable => Status::Unavailable,
        ErrorKind::System => Status::System,
        ErrorKind::Fault => Status::Fault,
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
