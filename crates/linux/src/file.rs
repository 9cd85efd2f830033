//! Reading the kernel's files: small ones in one go and without allocating, long ones in pieces.

use std::cell::RefCell;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::error::Error;

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;

/// Fills `buffer` with a file that the kernel writes in one go (`stat`, `schedstat`, `status`): one `pread` as a rule.
pub fn read_record(file: &File, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.resize(buffer.capacity().max(1024), 0);
    let mut filled = 0;
    loop {
        let read = match file.read_at(&mut buffer[filled..], filled as u64) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        filled += read;
        // A read that leaves room was the last: these files come whole.
        if filled < buffer.len() {
            buffer.truncate(filled);
            return Ok(());
        }
        buffer.resize(buffer.len() * 2, 0);
    }
}

/// Opens, reads and closes a file that the kernel writes in one go.
pub fn read_path(path: &Path, buffer: &mut Vec<u8>) -> Result<(), Error> {
    let file = File::open(path).map_err(|error| Error::from_io(path, error))?;
    read_record(&file, buffer).map_err(|error| Error::from_io(path, error))
}

/// A long text file of whole lines, read in pieces: `maps` and `numa_maps`.
#[derive(Debug)]
pub struct Lines {
    file: File,
    /// What was read; lines before `taken` have been handed out.
    text: Vec<u8>,
    ended: bool,
}

/// One page: the kernel hands out `maps` and `numa_maps` in pieces of at most that.
const PIECE: usize = 4096;

impl Lines {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| Error::from_io(path, error))?;
        Ok(Lines { file, text: Vec::with_capacity(2 * PIECE), ended: false })
    }

    /// Reads one more piece and hands its whole lines to `take`. False at the end of the file.
    ///
    /// A last line without newline is handed out too: whether it is whole is for its parser to say.
    pub fn piece(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let held = self.text.len();
        self.text.resize(held + PIECE, 0);
        let read = loop {
            match self.file.read(&mut self.text[held..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.text.truncate(held);
                    return Err(error);
                }
                Ok(read) => break read,
            }
        };
        self.text.truncate(held + read);
        self.ended = read == 0;
        let whole = if self.ended {
            self.text.len()
        } else {
            self.text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
        };
        let mut rest = &self.text[..whole];
        while !rest.is_empty() {
            let end = find_byte(rest, b'\n').unwrap_or(rest.len());
            if end > 0 {
                take(&rest[..end]);
            }
            rest = &rest[rest.len().min(end + 1)..];
        }
        self.text.drain(..whole);
        Ok(!self.ended)
    }
}

/// A count that is the whole of `text`: digits and nothing else. Faster than [`number`], for files with very many.
pub fn count(text: &[u8]) -> Option<u64> {
    let digit = |sum: u64, &byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| sum.checked_mul(10)?.checked_add(u64::from(digit))).flatten()
    };
    (!text.is_empty()).then(|| text.iter().try_fold(0, digit)).flatten()
}

/// A decimal number that is the whole of `text`.
pub fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Opens a file below an open directory for reading. For many files in one directory this saves the walk down to it.
///
/// # Errors
/// When it cannot be opened.
#[doc(alias = "openat")]
pub fn open_at(directory: &File, name: &CStr) -> io::Result<File> {
    // SAFETY: `name` ends with a zero byte and the descriptor is open as long as `directory` lives.
    let opened =
        unsafe { libc::openat(directory.as_raw_fd(), name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that was just opened and that nobody else owns.
    Ok(unsafe { File::from_raw_fd(opened) })
}

/// Where `byte` is first in `text`: many bytes at a time, which matters for files of megabytes.
fn find_byte(text: &[u8], byte: u8) -> Option<usize> {
    // SAFETY: memchr reads at most the bytes that it is told `text` has.
    let found = unsafe { libc::memchr(text.as_ptr().cast(), i32::from(byte), text.len()) };
    (!found.is_null()).then(|| found as usize - text.as_ptr() as usize)
}

thread_local! {
    /// Larger than any file that a placement needs, so that one `read` does.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 64 << 10]);
}

/// Open, read, close. `std::fs::read` takes twice as many calls, which shows on machines with hundreds of CPUs.
pub(crate) fn slurp(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    BUFFER.with_borrow_mut(|buffer| {
        let mut length = 0;
        loop {
            let n = match file.read(&mut buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            length += n;
            // The kernel gives such files whole, or as much as there is room for.
            if length < buffer.len() {
                break;
            }
            if n == 0 {
                return Err(io::Error::other("the file is larger than expected"));
            }
            let larger = buffer.len() * 2;
            buffer.resize(larger, 0);
        }
        Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
    })
}
