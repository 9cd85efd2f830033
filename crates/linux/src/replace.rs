//! Writing a file in the place of another, so that at any moment one of them is there whole.

use std::ffi::CString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::draft::Draft;

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;

/// Asks whether files can be made in a folder, as far as permissions tell.
///
/// # Errors
/// The reason why not.
#[doc(alias = "access")]
pub fn possible_in(folder: &Path) -> io::Result<()> {
    let folder = CString::new(folder.as_os_str().as_bytes())?;
    // SAFETY: a system call on a string that ends with NUL and lives until it returns.
    match unsafe { libc::access(folder.as_ptr(), libc::W_OK) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Writes a file in full and gives it its place then. What a link leads to is replaced, not the link; a device or a pipe is
/// written into. The rights of the file: see [`Draft`].
///
/// # Errors
/// When the file cannot be written. What stood there before is then untouched.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Asked of what a link leads to: the standard output may be a pipe behind links that have no path.
    let ordinary = path.metadata().is_ok_and(|file| file.is_file());
    match (ordinary, path.exists()) {
        (false, true) => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        (true, _) => path.canonicalize().and_then(|real| drafted(&real, bytes)?.replace()).map(drop),
        (false, false) => drafted(path, bytes)?.replace().map(drop),
    }
}

/// Writes a file where there is none.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or why it cannot be written. Nothing is left then.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    drafted(path, bytes)?.place_new().map(drop)
}

fn drafted(path: &Path, bytes: &[u8]) -> io::Result<Draft> {
    let mut draft = Draft::of(path)?;
    draft.write_all(bytes)?;
    Ok(draft)
}
