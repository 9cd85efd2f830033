//! A job of several computers, with a numawise for each rank: what was measured on each goes through a folder that all share, beside the
//! record, to the computer of rank 0, which reports.
//!
//! Each computer puts one file there, a process a line, and a note of its ranks behind it; the note is taken away by who has read the
//! file. Where nobody takes it away, the folder is not shared, and that computer keeps a record of its own. Files go from one numawise to
//! another of the same build, and are not kept.

use std::fs::{DirBuilder, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::ReadFolder;
use super::job::JobKey;
use numawise_facts::{Activity, RankEnd};
use numawise_linux::calls::process;

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;

/// So long the computer of rank 0 waits for others, after the last of its own programs has ended: they end together where they speak MPI.
/// Network file systems show new names to other computers after up to 60 s (acdirmax of NFS).
const WAIT: Duration = Duration::from_secs(75);
/// So long others wait for it; it may have ended later than they.
const WAIT_FOR_READER: Duration = Duration::from_secs(120);
const INTERVAL: Duration = Duration::from_millis(20);

const PROCESSES: &str = "processes";
const NOTE: &str = "note";

/// The folder that the computers of a job share.
#[derive(Debug)]
pub struct Exchange {
    folder: PathBuf,
    wait: Duration,
    wait_for_reader: Duration,
}

/// What came of other computers.
#[derive(Debug, Default)]
pub struct HandedOver {
    pub processes: Vec<Activity>,
    /// What is wrong with what is not among them.
    pub unreadable: Vec<String>,
    pub ends: Vec<RankEnd>,
}

/// What is said of a computer: how many of its ranks are watched, and how they ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalNote {
    pub ranks: u32,
    pub ends: Vec<RankEnd>,
}

impl Exchange {
    /// Beside the record, or in the current folder.
    pub fn of(key: JobKey, record: Option<&Path>) -> Exchange {
        let beside = record.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let folder = beside.unwrap_or(Path::new(".")).join(format!(".numawise-{}", key.text()));
        Exchange { folder, wait: WAIT, wait_for_reader: WAIT_FOR_READER }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn make(&self) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let facts = self.folder.symlink_metadata()?;
        let is_ours = facts.is_dir() && facts.uid() == process::user();
        is_ours.then_some(()).ok_or_else(|| io::Error::other("somebody else has made it"))
    }

    /// Puts what was read on this computer there, under the number of the first of its ranks.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn hand_over(&self, first: u32, read: &ReadFolder, note: &LocalNote) -> io::Result<()> {
        self.make()?;
        let mut file = BufWriter::new(File::create(self.path(first, PROCESSES))?);
        let mut line = |process: Result<&Activity, String>| {
            serde_json::to_writer(&mut file, &process)?;
            file.write_all(b"\n")
        };
        match read {
            Ok(processes) => {
                processes.iter().try_for_each(|one| line(one.as_ref().map_err(ToString::to_string)))?
            }
            Err(error) => line(Err(error.to_string()))?,
        }
        file.into_inner()?.sync_all()?;
        let text = serde_json::to_vec(&(note.ranks, &note.ends)).map_err(io::Error::other)?;
        let draft = self.path(first, "draft");
        std::fs::write(&draft, text)?;
        std::fs::rename(draft, self.path(first, NOTE))
    }

    /// Waits for the computer of rank 0 to take what was handed over. False where it does not: nothing of it is left then.
    pub fn is_taken(&self, first: u32) -> bool {
        let note = self.path(first, NOTE);
        let taken = || !note.exists();
        if wait_for(self.wait_for_reader, taken) {
            return true;
        }
        // Who removes the note has the file: one of both.
        let is_ours = std::fs::remove_file(note).is_ok();
        if is_ours {
            let _ = std::fs::remove_file(self.path(first, PROCESSES));
            let _ = std::fs::remove_dir(&self.folder);
        }
        !is_ours
    }

    /// Takes what other computers have handed over by now.
    pub fn take_at_once(&self) -> HandedOver {
        let mut taken = HandedOver::default();
        self.take_present(&mut taken);
        let _ = std::fs::remove_dir(&self.folder);
        taken
    }

    /// Takes what other computers hand over, until that is of `missing` ranks, or no more comes.
    pub fn take(&self, missing: u32) -> HandedOver {
        // Made here too: who looks before others have made it would otherwise not see it for a while, over a network.
        let _ = self.make();
        let (mut taken, mut ranks) = (HandedOver::default(), 0);
        wait_for(self.wait, || {
            ranks += self.take_present(&mut taken);
            ranks >= missing
        });
        let _ = std::fs::remove_dir(&self.folder);
        taken
    }

    /// Takes what is there; gives the number of ranks that it is of.
    fn take_present(&self, taken: &mut HandedOver) -> u32 {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return 0 };
        let notes = entries.flatten().map(|entry| entry.path());
        let notes = notes.filter(|path| path.extension().is_some_and(|end| end == NOTE));
        let mut ranks = 0;
        for note in notes {
            let Ok(text) = std::fs::read(&note) else { continue };
            let Ok((of, ends)) = serde_json::from_slice::<(u32, Vec<RankEnd>)>(&text) else { continue };
            let file = note.with_extension(PROCESSES);
            let read = read(&file);
            // Whose note it was may have waited too long, and taken it back.
            if std::fs::remove_file(&note).is_err() {
                continue;
            }
            let _ = std::fs::remove_file(&file);
            ranks += of;
            taken.ends.extend(ends);
            for process in read.unwrap_or_else(|error| vec![Err(format!("{}: {error}", file.display()))]) {
                match process {
                    Ok(process) => taken.processes.push(process),
                    Err(problem) => taken.unreadable.push(problem),
                }
            }
        }
        ranks
    }

    fn path(&self, first: u32, end: &str) -> PathBuf {
        self.folder.join(format!("{first}.{end}"))
    }
}

fn read(file: &Path) -> io::Result<Vec<Result<Activity, String>>> {
    let lines = BufReader::new(File::open(file)?).lines();
    lines.map(|line| serde_json::from_str(&line?).map_err(io::Error::other)).collect()
}

/// Waits until it holds; false where it did not in this time.
fn wait_for(most: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if begun.elapsed() > most {
            return false;
        }
        std::thread::sleep(INTERVAL);
    }
}
