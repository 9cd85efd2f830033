//! The terminal.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// Columns and lines of the terminal behind the standard output; zeros where there is none, or it does not say.
#[doc(alias = "TIOCGWINSZ")]
pub fn size() -> (u16, u16) {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCGWINSZ writes one winsize, which lives until the call returns.
    let failed = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) } != 0;
    if failed { (0, 0) } else { (size.ws_col, size.ws_row) }
}

/// Waits until there is something to read, and says in which. In none when nothing came, or a signal. A file whose other
/// end has gone counts as something to read: reading it gives the reason.
///
/// # Errors
/// When the kernel cannot wait.
#[doc(alias = "poll")]
pub fn wait_readable<const N: usize>(files: [BorrowedFd<'_>; N], within: Duration) -> io::Result<[bool; N]> {
    let mut asked = files.map(|file| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    let within = i32::try_from(within.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: poll reads and writes N pollfds, which live until the call returns.
    let count = unsafe { libc::poll(asked.as_mut_ptr(), N as libc::nfds_t, within) };
    if count < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok([false; N]) } else { Err(error) };
    }
    Ok(asked.map(|file| file.revents != 0))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn what_can_be_read_is_found() {
        let ((quiet, _held), (reader, mut writer)) = (io::pipe().unwrap(), io::pipe().unwrap());
        let both = || [quiet.as_fd(), reader.as_fd()];
        assert_eq!(wait_readable(both(), Duration::ZERO).unwrap(), [false, false]);
        writer.write_all(b"x").unwrap();
        assert_eq!(wait_readable(both(), Duration::from_secs(60)).unwrap(), [false, true]);
        let (gone, writer) = io::pipe().unwrap();
        drop(writer);
        assert_eq!(wait_readable([gone.as_fd()], Duration::from_secs(60)).unwrap(), [true]);
    }
}
