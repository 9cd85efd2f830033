//! What a program writes, kept within bounds, and taken from its pipe at once so that it never waits for us.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread::{Builder, JoinHandle};

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;

/// How much of the end of an output is kept. A metric stands near the end, and a trial must not fill the memory it
/// measures: 8 MiB is some hundred thousand lines.
pub const KEPT: usize = 8 << 20;

/// Standard output and standard error of a task, in the order in which they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// The end of it; bytes that are not UTF-8 are shown as U+FFFD.
    pub text: String,
    /// How many bytes before that were not kept.
    pub dropped: u64,
}

impl Output {
    pub fn truncated(&self) -> bool {
        self.dropped > 0
    }

    /// The last lines that fit in `limit` bytes; the end of the last line when not even that fits.
    pub fn tail(&self, limit: usize) -> &str {
        let text = self.text.trim_end();
        if text.len() <= limit {
            return text;
        }
        let mut start = text.len() - limit;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        match text[start..].find('\n') {
            Some(end) if !text[..start].ends_with('\n') => &text[start + end + 1..],
            _ => &text[start..],
        }
    }
}

/// The end of a stream of bytes.
#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    dropped: u64,
}

impl Tail {
    fn push(&mut self, bytes: &[u8], keep: usize) {
        let surplus = (self.bytes.len() + bytes.len()).saturating_sub(keep);
        let old = surplus.min(self.bytes.len());
        self.bytes.drain(..old);
        self.bytes.extend(&bytes[surplus - old..]);
        self.dropped += surplus as u64;
    }

    fn finish(self) -> Output {
        let bytes = Vec::from(self.bytes);
        Output { text: String::from_utf8_lossy(&bytes).into_owned(), dropped: self.dropped }
    }
}

/// A thread that reads a pipe.
#[derive(Debug)]
pub struct Drain {
    stop: File,
    thread: JoinHandle<Output>,
}

impl Drain {
    /// Reads `pipe` from now on.
    pub fn start(pipe: OwnedFd) -> io::Result<Drain> {
        let (told, stop) = crate::child::pipe()?;
        let thread = Builder::new()
            .name("output".to_owned())
            .stack_size(128 << 10)
            .spawn(move || read_until_told(File::from(pipe), File::from(told)))?;
        Ok(Drain { stop: File::from(stop), thread })
    }

    /// To be called when the task has ended: takes what is still in the pipe, and does not wait for processes that the
    /// task left behind with the pipe open.
    pub fn finish(mut self) -> Output {
        // The reading thread holds the other end until it is told, so this cannot fail in a way that matters.
        let _ = self.stop.write_all(&[0]);
        self.thread.join().unwrap_or_default()
    }
}

fn read_until_told(mut pipe: File, told: File) -> Output {
    let mut tail = Tail::default();
    let mut buffer = vec![0u8; 64 << 10]; // the size of a pipe
    loop {
        let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut entries = [entry(pipe.as_raw_fd()), entry(told.as_raw_fd())];
        // SAFETY: the array lives through the call and its length is given.
        let ready = unsafe { libc::poll(entries.as_mut_ptr(), 2, -1) };
        if ready < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
        if ready > 0 && entries[0].revents != 0 {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => tail.push(&buffer[..n], KEPT),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        } else if ready > 0 && entries[1].revents != 0 {
            break; // told to stop, and nothing left in the pipe
        }
    }
    tail.finish()
}
