//! Makes the pages of traces before the threads of the program come to them: a page that is made where a call returns costs the program more than
//! all that is written into it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use numawise_linux::calls::shared::make_pages;
use numawise_units::Bytes;
use numawise_wire::trace::reader::{chunks_of, opened};
use numawise_wire::trace::{CHUNK_BYTES, COUNTS_BYTES, file_bytes};

use super::trace_files::TraceFiles;

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;

/// How far ahead of a process: four megabytes, or 100,000 records.
const AHEAD: usize = 64;
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A thread that makes pages until this is dropped.
#[derive(Debug)]
pub struct TracePages {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl TracePages {
    /// Of all traces in the folder, also of processes to come.
    ///
    /// # Errors
    /// Where there is no thread for it: the program makes its pages itself then.
    pub fn start(folder: &Path) -> io::Result<TracePages> {
        let (stop, stopped) = mpsc::channel();
        let mut traces = Traces { files: TraceFiles::of(folder), known: BTreeMap::new() };
        let work = move || {
            while stopped.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
                traces.look();
            }
        };
        let thread = std::thread::Builder::new().name("trace pages".to_owned()).spawn(work)?;
        Ok(TracePages { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for TracePages {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The files of a folder, each with the chunks that have pages. One in which no more can be made is not looked at again.
struct Traces {
    files: TraceFiles,
    known: BTreeMap<PathBuf, Option<(File, usize)>>,
}

impl Traces {
    fn look(&mut self) {
        for path in self.files.changed(false) {
            self.known.entry(path).or_insert_with_key(|path| {
                let file = OpenOptions::new().read(true).write(true).open(path);
                file.ok().map(|file| (file, 0))
            });
        }
        for place in self.known.values_mut() {
            if place.as_mut().is_some_and(|(file, made)| go_ahead(file, made).is_err()) {
                *place = None;
            }
        }
    }
}

/// A process is never waited for: where it is ahead, it has made the pages itself.
fn go_ahead(file: &File, made: &mut usize) -> io::Result<()> {
    let mut header = [0; COUNTS_BYTES];
    let read = file.read_at(&mut header, 0)?;
    let Some((places, _)) = chunks_of(header.get(..read).unwrap_or_default()) else { return Ok(()) };
    let opened = opened(&header);
    let wanted = opened.saturating_add(AHEAD).min(places);
    let from = (*made).max(opened.min(places));
    if from < wanted {
        let bytes = |chunks: usize| Bytes(chunks as u64);
        make_pages(file, bytes(file_bytes(from)), bytes((wanted - from) * CHUNK_BYTES))?;
        *made = wanted;
    }
    Ok(())
}
