//! A file that a program writes, and what of it one run wrote.
//!
//! The file is never changed by us. Whether a run wrote it is told by what the kernel says of it before and after; where the run only
//! appended, what was there before is kept apart, so that nothing of an earlier run is taken for what this one wrote.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use numawise_facts::MetricFileProblem;

use crate::output::KEPT;

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;

/// So much of the end of what was there is compared to tell a file that was appended to from one that was written anew.
const COMPARED: u64 = 4096;

/// The kernel stamps files with a clock that ticks every 10 ms at the slowest (CONFIG_HZ=100): two changes in one tick look the same.
const TICK: Duration = Duration::from_millis(20);
/// File systems without fractions of a second (Lustre's servers, FAT with its two seconds) show whole ones in both stamps.
const COARSE_TICK: Duration = Duration::from_millis(2100);

/// What a run left in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenText {
    /// The end of what was there before, where the run only appended; else empty.
    pub before: String,
    /// The end of what the run wrote.
    pub added: String,
    /// How many bytes in front of both were not read.
    pub dropped: u64,
}

/// What the kernel says of a file; it changes with every write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(meta: &Metadata) -> Stamp {
        Stamp {
            file: (meta.dev(), meta.ino()),
            size: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// How much longer a change would get the same stamp.
    fn ambiguous_for(&self, now: Duration) -> Duration {
        let coarse = self.modified.1 == 0 && self.changed.1 == 0;
        let tick = if coarse { COARSE_TICK } else { TICK };
        let (seconds, nanoseconds) = self.changed;
        let changed = Duration::new(seconds.max(0) as u64, nanoseconds as u32);
        // A stamp of the future comes from another clock: it says nothing of the next one.
        if changed > now + COARSE_TICK {
            Duration::ZERO
        } else {
            (changed + tick).saturating_sub(now).min(tick)
        }
    }
}

/// A file as it is before a run.
#[derive(Debug)]
pub struct FileBefore {
    path: PathBuf,
    stamp: Option<Stamp>,
    /// The end of it.
    end: Vec<u8>,
}

impl FileBefore {
    /// Takes note of the file, where there is one, and waits until a change of it would show.
    pub fn of(path: PathBuf) -> FileBefore {
        let stamp = std::fs::metadata(&path).ok().map(|meta| Stamp::of(&meta));
        if let Some(stamp) = stamp {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            sleep(stamp.ambiguous_for(now));
        }
        let end = plain(&path).and_then(|(mut file, meta)| {
            let from = meta.len().saturating_sub(COMPARED);
            part(&mut file, from, COMPARED).map_err(unreadable)
        });
        FileBefore { path, stamp, end: end.unwrap_or_default() }
    }

    /// A file of which nothing is known from before: all that it holds counts.
    pub fn unknown(path: PathBuf) -> FileBefore {
        FileBefore { path, stamp: None, end: Vec::new() }
    }

    /// What was written to it since: the end of it, within the bounds of an output.
    ///
    /// # Errors
    /// When it is no plain file that was written since.
    pub fn written(&self) -> Result<WrittenText, MetricFileProblem> {
        let (mut file, meta) = plain(&self.path)?;
        let now = Stamp::of(&meta);
        if self.stamp == Some(now) {
            return Err(MetricFileProblem::NotWritten);
        }
        let old = self.appended_from(&mut file, now).map_err(unreadable)?;
        let from = now.size.saturating_sub(KEPT as u64);
        // A file of the kernel says that it has no bytes, and has some; one that grows is read no further than it was long.
        let length = if now.size == 0 { KEPT as u64 } else { now.size - from };
        let bytes = part(&mut file, from, length).map_err(unreadable)?;
        let (before, added) = bytes.split_at((old.saturating_sub(from) as usize).min(bytes.len()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(WrittenText { before: text(before), added: text(added), dropped: from })
    }

    /// Where what was added begins: at 0 when the file is another, or was written anew.
    fn appended_from(&self, file: &mut File, now: Stamp) -> io::Result<u64> {
        let Some(old) = self.stamp.filter(|old| old.file == now.file && old.size < now.size) else {
            return Ok(0);
        };
        let from = old.size.saturating_sub(COMPARED);
        let same = part(file, from, old.size - from)? == self.end;
        Ok(if same { old.size } else { 0 })
    }
}

/// Opens a plain file, and nothing that could make us wait.
fn plain(path: &Path) -> Result<(File, Metadata), MetricFileProblem> {
    let kind = |meta: &Metadata| match (meta.is_file(), meta.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(MetricFileProblem::IsAFolder),
        _ => Err(MetricFileProblem::NotAPlainFile),
    };
    // Opening a pipe may do something to who writes to it: asked first.
    kind(&std::fs::metadata(path).map_err(unreadable)?)?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    kind(&meta)?;
    Ok((file, meta))
}

fn part(file: &mut File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(error: io::Error) -> MetricFileProblem {
    match error.kind() {
        ErrorKind::NotFound => MetricFileProblem::Missing,
        _ => MetricFileProblem::Unreadable { problem: error.to_string() },
    }
}
