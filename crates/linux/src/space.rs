//! Whether a file could be written: tried before time is spent on what is to be in it, and nothing is left behind.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use numawise_units::Bytes;

use crate::calls::process::most;
use crate::draft::{Draft, folder_of};
use crate::replace::possible_in;

#[cfg(test)]
#[path = "space_tests.rs"]
mod tests;

/// Tries whether `path` could be made, or replaced where it is a file, with `room` in it; with the `suffixes` its name has in files
/// beside it. What is no ordinary file is asked for its permission only.
///
/// # Errors
/// The reason why not.
pub fn try_file(path: &Path, suffixes: &[&str], room: Bytes) -> io::Result<()> {
    let mut real = path.to_owned();
    match path.metadata() {
        Ok(facts) if facts.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(facts) => {
            possible_in(path)?; // access(2) asks the same of a file
            if !facts.is_file() {
                return Ok(());
            }
            real = path.canonicalize()?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    for suffix in [""].iter().chain(suffixes) {
        let mut longer = real.clone().into_os_string();
        longer.push(suffix);
        match Path::new(&longer).symlink_metadata() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let draft = Draft::of(&real)?;
    if room.0 == 0 { Ok(()) } else { reserve(draft.file(), room) }
}

/// Why a file could not be opened or written, as far as a person can do something about it; with the words of the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileObstacle {
    Missing,
    Directory,
    ReadOnly(String),
    Full(String),
    Other,
}

/// What stands in the way of what failed so.
pub fn obstacle(error: &io::Error) -> FileObstacle {
    match error.kind() {
        io::ErrorKind::NotFound => FileObstacle::Missing,
        io::ErrorKind::IsADirectory => FileObstacle::Directory,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            FileObstacle::ReadOnly(problem(error))
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            FileObstacle::Full(problem(error))
        }
        _ => FileObstacle::Other,
    }
}

/// The folder that holds a file.
pub fn folder(path: &Path) -> PathBuf {
    folder_of(path).to_owned()
}

#[doc(alias = "fallocate")]
fn reserve(file: &File, room: Bytes) -> io::Result<()> {
    // SAFETY: reserves blocks of an open file.
    if unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, room.0.cast_signed()) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // The file system cannot reserve.
        error if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => {
            let zeros = vec![0; room.0 as usize];
            io::Write::write_all(&mut &*file, &zeros).and_then(|()| file.sync_data())
        }
        error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        error => Err(error),
    }
}

/// What is in the way of writing; a limit on the size of files is named.
#[doc(alias = "RLIMIT_FSIZE")]
pub fn problem(error: &io::Error) -> String {
    match (error.kind(), file_size_limit()) {
        (io::ErrorKind::FileTooLarge, Some(limit)) => reached(limit),
        _ => error.to_string(),
    }
}

/// The same for a file that could not grow by so much, where the error that tells why is lost. None where there is no limit, or it
/// is further away.
pub fn limit_reached(file: &Path, step: Bytes) -> Option<String> {
    let length = Bytes(file.metadata().ok()?.len());
    file_size_limit().filter(|limit| length + step > *limit).map(reached)
}

fn reached(limit: Bytes) -> String {
    format!("the file-size limit of {limit} (ulimit -f) is reached")
}

/// The most that a file of this process may hold; none where there is no limit.
pub fn file_size_limit() -> Option<Bytes> {
    most(libc::RLIMIT_FSIZE).map(Bytes)
}

/// What is free in the file system of a folder for who is not root.
///
/// # Errors
/// What the kernel says.
pub fn free(folder: &Path) -> io::Result<Bytes> {
    let path = CString::new(folder.as_os_str().as_bytes())?;
    // SAFETY: zeros are a value of the struct.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a string and a struct that live through the call.
    if unsafe { libc::statvfs(path.as_ptr(), &mut found) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Bytes(found.f_bavail.saturating_mul(found.f_frsize)))
}
