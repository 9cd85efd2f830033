//! Writing a file in the place of another, so that at any moment one of them is there whole.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
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
    begin(path, bytes).map(drop)
}

/// The same of a file that grows: more can be written behind what it begins with.
///
/// # Errors
/// As [`write`].
pub fn begin(path: &Path, bytes: &[u8]) -> io::Result<File> {
    // Asked of what a link leads to: the standard output may be a pipe behind links that have no path.
    let ordinary = path.metadata().is_ok_and(|file| file.is_file());
    match (ordinary, path.exists()) {
        (false, true) => {
            let mut device = OpenOptions::new().write(true).open(path)?;
            device.write_all(bytes).map(|()| device)
        }
        (true, _) => replaced(&path.canonicalize()?, bytes),
        (false, false) => replaced(path, bytes),
    }
}

fn replaced(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = drafted(path, bytes)?.replace()?;
    file.seek(SeekFrom::End(0)).map(|_| file)
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
