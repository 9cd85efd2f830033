//! Files that a user names to be read, which may be no files at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Chain, Cursor, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

/// How long a named pipe may be without a writer. A shell that makes one for `<(command)` starts the command at the same time.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// What was opened: the first byte of a named pipe was read to find out that somebody writes.
pub type Source = Chain<Cursor<Vec<u8>>, File>;

/// Opens what `path` names. A named pipe is waited for until somebody writes into it, but not for ever, as open(2) does.
///
/// # Errors
/// Those of open(2); that it is a folder, or a named pipe into which nobody writes.
#[doc(alias = "O_NONBLOCK")]
pub fn open(path: &Path) -> io::Result<Source> {
    // Only a pipe that has a name waits in open(2). What a shell puts in place of `<(command)` has none but in /proc, where its link
    // leads to nothing.
    let is_pipe = path.metadata()?.file_type().is_fifo() && path.canonicalize().is_ok();
    let flags = if is_pipe { libc::O_NONBLOCK } else { 0 };
    let file = OpenOptions::new().read(true).custom_flags(flags | libc::O_NOCTTY).open(path)?;
    let facts = file.metadata()?;
    if facts.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let first = if is_pipe { first_byte(&file, PATIENCE)? } else { Vec::new() };
    Ok(Cursor::new(first).chain(file))
}

/// Waits until there is a writer. From then on reads wait for what is written.
fn first_byte(mut file: &File, patience: Duration) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    let mut byte = [0];
    let first = loop {
        match file.read(&mut byte) {
            // Nobody writes, or not any more.
            Ok(0) if begun.elapsed() < patience => sleep(PAUSE),
            Ok(0) => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "it is a named pipe, and nobody writes into it",
                ));
            }
            Ok(read) => break byte[..read].to_vec(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Vec::new(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    // SAFETY: changes a flag of an open file; the others that can be changed were not set.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, 0) } {
        0 => Ok(first),
        _ => Err(io::Error::last_os_error()),
    }
}
