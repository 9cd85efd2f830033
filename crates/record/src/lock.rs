//! One writer per record.
//!
//! SQLite itself keeps two writers from writing at the same time, but not from taking turns: whoever measures into a file holds
//! a lock of our own on it.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use numawise_linux::calls::lock::{WriterClaim, claim_writer};

use crate::RecordError;

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;

/// A child that another thread forks shares the lock until its exec, and a killed writer until it is gone: both take
/// milliseconds, on a busy machine tens of them.
const PATIENCE: Duration = Duration::from_millis(300);
const RETRY: Duration = Duration::from_millis(3);

/// Held while a record is open for writing. Must outlive the connection to the same file: closing any descriptor of a
/// file takes away the locks that the process holds on it, SQLite's too.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock, or tells that somebody else keeps it for longer than a moment. On a file system without such locks there is none to take, and
    /// SQLite's own must do.
    pub fn take(file: File, path: &Path) -> Result<Self, RecordError> {
        let in_use = || RecordError::InUse(path.to_owned());
        let asked = Instant::now();
        while claim_writer(&file).map_err(|error| RecordError::io(path, "lock it", error))?
            == WriterClaim::HeldByAnother
        {
            if asked.elapsed() > PATIENCE {
                return Err(in_use());
            }
            std::thread::sleep(RETRY);
        }
        // Another file may have taken its place between our opening and our lock: then somebody has just begun a record.
        let same = |facts: std::fs::Metadata| {
            file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (facts.dev(), facts.ino()))
        };
        if path.metadata().is_ok_and(|facts| !same(facts)) {
            return Err(in_use());
        }
        Ok(WriterLock { _file: file })
    }

    /// Of a file that was locked before it got its name.
    pub fn of_placed(file: File) -> Self {
        WriterLock { _file: file }
    }
}
