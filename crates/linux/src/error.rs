//! What can go wrong when looking at a process or at the host.

use std::io;
use std::path::{Path, PathBuf};

use numawise_units::harmless::quoted;

/// Why something could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not there: it ended, or /proc hides it (hidepid)", path.display())]
    Gone { path: PathBuf },
    #[error(
        "{} may not be read ({source}): the process is another user's or has more privileges; its own user or one with \
         CAP_SYS_PTRACE (as root has) may look", path.display()
    )]
    Denied { path: PathBuf, source: io::Error },
    #[error("{} cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} reads '{found}'; expected {expected}", path.display())]
    Malformed { path: PathBuf, found: String, expected: &'static str },
    #[error("move_pages on process {pid} failed ({source}); a container's seccomp filter often forbids it")]
    MovePages { pid: i32, source: io::Error },
}

impl Error {
    /// Sorts an I/O error on `path` by what it means for a process that is looked at.
    pub fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.raw_os_error() {
            Some(libc::ENOENT | libc::ESRCH | libc::ENOTDIR) => Error::Gone { path },
            Some(libc::EACCES | libc::EPERM) => Error::Denied { path, source },
            _ => Error::Io { path, source },
        }
    }

    /// True when the thing is no more, which is no fault.
    pub fn is_gone(&self) -> bool {
        matches!(self, Error::Gone { .. })
    }
}

/// A text that is not what it should be; the reader that opened the file adds the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    pub found: String,
    pub expected: &'static str,
}

impl Malformed {
    /// Shows the beginning of `text`.
    pub fn new(text: &[u8], expected: &'static str) -> Self {
        let shown = &text[..text.len().min(80)];
        Malformed { found: quoted(String::from_utf8_lossy(shown).trim_end()), expected }
    }

    pub fn at(self, path: &Path) -> Error {
        Error::Malformed { path: path.to_owned(), found: self.found, expected: self.expected }
    }
}
