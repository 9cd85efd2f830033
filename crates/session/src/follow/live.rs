//! What is known of the memory objects of a program that still runs, for whoever asks: at a socket in the folder into which its processes
//! log, which is their user's alone. The program has no part in it.
//!
//! An answer is a line that says who gives it, and the objects as JSON behind it. It goes from one numawise to another of the same
//! build, and is not kept.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::Duration;

use numawise_facts::ObjectRun;
use numawise_linux::calls::process::stand_back;

use crate::ask_error::AskError;

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;

const SOCKET: &str = "ask";
/// Begins an answer; the version of the tool follows.
const ANSWER: &str = "numawise objects so far, ";
/// So long whoever asked may take to read on.
const PATIENCE: Duration = Duration::from_secs(5);
/// So long it waits for an answer: symbols of a large library, which may come before it, take seconds.
const MOST_WAIT: Duration = Duration::from_secs(30);
/// A record of 100,000 objects has 200 MB as JSON.
const MOST_BYTES: u64 = 1 << 29;

/// Answers until it is dropped.
#[derive(Debug)]
pub struct LiveAnswers {
    socket: PathBuf,
    has_ended: Arc<AtomicBool>,
}

impl LiveAnswers {
    /// In a thread of its own; `answer` is called for each question, and has nothing to say of a program that has ended.
    ///
    /// # Errors
    /// Where there can be no socket, or no thread.
    pub fn begin(
        folder: &Path,
        version: String,
        answer: impl Fn() -> Option<ObjectRun> + Send + 'static,
    ) -> io::Result<LiveAnswers> {
        let socket = folder.join(SOCKET);
        let listener = UnixListener::bind(&socket)?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let of_thread = Arc::clone(&has_ended);
        Builder::new().name("answer".to_owned()).spawn(move || {
            // The program may need all CPUs.
            stand_back();
            for asked in listener.incoming() {
                if of_thread.load(Ordering::Acquire) {
                    return;
                }
                // Whoever asked and does not read has nothing of it.
                let _ = asked.and_then(|asked| reply(&asked, &version, answer()));
            }
        })?;
        Ok(LiveAnswers { socket, has_ended })
    }
}

impl Drop for LiveAnswers {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Release);
        // It waits for a question.
        let _ = UnixStream::connect(&self.socket);
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn reply(mut to: &UnixStream, version: &str, run: Option<ObjectRun>) -> io::Result<()> {
    let Some(run) = run else { return Ok(()) };
    let text = serde_json::to_vec(&run).map_err(io::Error::other)?;
    to.set_write_timeout(Some(PATIENCE))?;
    to.write_all(format!("{ANSWER}{version}\n").as_bytes())?;
    to.write_all(&text)
}

/// Asks the numawise that follows the program whose processes log into this folder.
///
/// # Errors
/// Where nobody answers, or one of another version does.
pub fn ask(folder: &Path, version: &str) -> Result<ObjectRun, AskError> {
    let socket = folder.join(SOCKET);
    let open = UnixStream::connect(&socket).map_err(|source| AskError::Nobody { socket, source })?;
    open.set_read_timeout(Some(MOST_WAIT)).map_err(AskError::Silent)?;
    let mut answer = BufReader::new(open.take(MOST_BYTES));
    let mut first = Vec::new();
    answer.read_until(b'\n', &mut first).map_err(AskError::Silent)?;
    if first.is_empty() {
        return Err(AskError::Ended);
    }
    let first = String::from_utf8_lossy(&first);
    let found = first.strip_prefix(ANSWER).unwrap_or("no numawise").trim_end();
    if found != version {
        let (found, expected) = (numawise_units::harmless::quoted(found), version.to_owned());
        return Err(AskError::OtherVersion { found, expected });
    }
    let mut text = String::new();
    answer.read_to_string(&mut text).map_err(AskError::Silent)?;
    serde_json::from_str(&text).map_err(AskError::Unreadable)
}
