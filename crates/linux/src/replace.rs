//! Writing a file in the place of another, so that at any moment one of them is there whole.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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

/// Writes a file beside its place, waits for the disk, and moves it there. What a link leads to is replaced, not the link; a
/// device or a pipe is written into.
///
/// # Errors
/// When the file cannot be written. What stood there before is then untouched.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Asked of what a link leads to: the standard output may be a pipe behind links that have no path.
    let ordinary = path.metadata().is_ok_and(|file| file.is_file());
    match (ordinary, path.exists()) {
        (false, true) => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        (true, _) => path.canonicalize().and_then(|real| beside(&real, bytes)),
        (false, false) => beside(path, bytes),
    }
}

fn beside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let moved = put(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if moved.is_err() {
        // The error at hand says more than one about tidying up would.
        let _ = std::fs::remove_file(&part);
        return moved;
    }
    // The name is on the disk once the folder is. Some file systems cannot be asked for that; the file is whole there too.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or(PathBuf::from("."), Path::to_owned);
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn put(part: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(part)?;
    file.write_all(bytes)?;
    file.sync_all()
}
