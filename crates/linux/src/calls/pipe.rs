//! Pipes whose other end says by being closed that something has ended.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// Whether nobody has the end that is written any more.
pub fn has_ended(reader: BorrowedFd<'_>) -> bool {
    wait_for_end(reader, Duration::ZERO)
}

/// Waits until nobody has the end that is written any more, for so long at most; true when that is so.
pub fn wait_for_end(reader: BorrowedFd<'_>, at_most: Duration) -> bool {
    let mut waited = [of(reader, 0)];
    wait(&mut waited, at_most);
    is_closed(&waited[0])
}

/// A descriptor to wait for; its end is waited for in any case.
pub(super) fn of(descriptor: BorrowedFd<'_>, events: libc::c_short) -> libc::pollfd {
    libc::pollfd { fd: descriptor.as_raw_fd(), events, revents: 0 }
}

/// Whether what is behind it is no more.
pub(super) fn is_closed(waited: &libc::pollfd) -> bool {
    waited.revents & (libc::POLLHUP | libc::POLLERR) != 0
}

/// Waits for one of them. False where the kernel did not wait.
pub(super) fn wait(all: &mut [libc::pollfd], at_most: Duration) -> bool {
    let millis = at_most.as_nanos().div_ceil(1_000_000);
    let millis = libc::c_int::try_from(millis).unwrap_or(libc::c_int::MAX);
    // SAFETY: the kernel writes into the live list.
    (unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, millis) }) >= 0
}

#[cfg(test)]
mod tests {
    use std::io::pipe;
    use std::os::fd::AsFd;
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_end_that_is_closed_is_seen_at_once_and_one_that_is_not_is_waited_for() {
        let (reader, writer) = pipe().unwrap();
        assert!(!has_ended(reader.as_fd()));
        let begun = Instant::now();
        assert!(!wait_for_end(reader.as_fd(), Duration::from_millis(20)));
        assert!(begun.elapsed() >= Duration::from_millis(20));
        let closing = std::thread::spawn(move || drop(writer));
        assert!(wait_for_end(reader.as_fd(), Duration::from_secs(60)));
        closing.join().unwrap();
        assert!(has_ended(reader.as_fd()));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
