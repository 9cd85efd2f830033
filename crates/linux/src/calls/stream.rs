//! Writing to a stream whose other end may be slow, full or gone.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Writes all of it, waiting where the stream must not be waited for (`O_NONBLOCK`, which others set on a shared terminal).
///
/// # Errors
/// Why no more could be written; some may have been.
#[doc(alias = "write")]
pub fn write_all(stream: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // SAFETY: the buffer is live and its length is given.
        let written = unsafe { libc::write(stream.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error if error.kind() == io::ErrorKind::WouldBlock => wait_writable(stream)?,
                error => return Err(error),
            },
        }
    }
    Ok(())
}

fn wait_writable(stream: BorrowedFd<'_>) -> io::Result<()> {
    let mut asked = libc::pollfd { fd: stream.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: poll reads and writes one pollfd, which lives until the call returns.
    match unsafe { libc::poll(&raw mut asked, 1, -1) } {
        -1 => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn a_full_pipe_that_must_not_be_waited_for_is_waited_for() {
        let (mut reader, writer) = io::pipe().unwrap();
        // SAFETY: sets a flag of an open descriptor.
        unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        let text = vec![b'x'; 1 << 20]; // sixteen times what a pipe holds
        let expected = text.len();
        let writing = std::thread::spawn(move || write_all(writer.as_fd(), &text));
        std::thread::sleep(std::time::Duration::from_millis(20));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        writing.join().unwrap().unwrap();
        assert_eq!(read.len(), expected);
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(write_all(full.as_fd(), b"x").unwrap_err().kind(), io::ErrorKind::StorageFull);
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        assert_eq!(write_all(writer.as_fd(), b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        write_all(full.as_fd(), b"").unwrap();
    }
}
