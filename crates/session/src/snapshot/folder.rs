//! The folder into which the processes of a program map their files: in memory, where there is a place for it.
//!
//! It is ours alone and goes with us. One that a killed numawise left is found by its lock, which nobody holds any more, and is
//! removed by the next of the same user.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use numawise_facts::Notice;
use numawise_facts::notice::SnapshotNotice;

use crate::Error;

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;

/// Where Linux has a file system in memory.
const IN_MEMORY: &str = "/dev/shm";
const BEGIN: &str = "numawise-snapshot-";
/// A folder is locked a moment after it is made.
const LEAST_AGE: Duration = Duration::from_secs(60);

/// A folder that is removed with all that is in it.
#[derive(Debug)]
pub struct CollectorFolder {
    path: PathBuf,
    /// The same as text, for the environment.
    name: String,
    /// Holds the lock.
    _lock: Option<File>,
}

impl CollectorFolder {
    /// In memory, or else where temporary files go, which the notice says.
    ///
    /// # Errors
    /// Where none can be made in either.
    pub fn make(
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<(CollectorFolder, Option<Notice>), Error> {
        let problem = match CollectorFolder::make_in(Path::new(IN_MEMORY)) {
            Ok(made) => return Ok((made, None)),
            Err(error) => format!("{IN_MEMORY}: {error}"),
        };
        let temporary = environment("TMPDIR").filter(|folder| !folder.is_empty());
        let temporary = temporary.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        // Processes may change their folder.
        let temporary = std::path::absolute(&temporary).unwrap_or(temporary);
        match CollectorFolder::make_in(&temporary) {
            Ok(made) => {
                let folder = made.name.clone();
                Ok((made, Some(SnapshotNotice::CollectedOnDisk { folder, problem }.into())))
            }
            Err(source) => Err(Error::NoFolderForCollector { memory: problem, folder: temporary, source }),
        }
    }

    fn make_in(folder: &Path) -> io::Result<CollectorFolder> {
        remove_left(folder);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = folder.join(format!("{BEGIN}{}-{now:x}", std::process::id()));
        let name = path.to_str().map(str::to_owned);
        let name = name.ok_or_else(|| io::Error::other("its path is not text"))?;
        DirBuilder::new().mode(0o700).create(&path)?;
        let lock = File::open(&path).and_then(|open| open.try_lock().map(|()| open).map_err(io::Error::from));
        let made = CollectorFolder { path, name, _lock: lock.ok() };
        // A full or forbidden place is better found now.
        let tried = made.path.join("tried");
        std::fs::write(&tried, [0; 4096])?;
        std::fs::remove_file(&tried)?;
        Ok(made)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for CollectorFolder {
    fn drop(&mut self) {
        // Twice: a process that begins just now may put its file there meanwhile.
        if std::fs::remove_dir_all(&self.path).is_err() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Removes what those have left that were killed. Others' stay, and those of which it is not sure.
fn remove_left(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_named = entry.file_name().as_encoded_bytes().starts_with(BEGIN.as_bytes());
        if is_named && is_left(&path).unwrap_or(false) {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

fn is_left(path: &Path) -> io::Result<bool> {
    let facts = path.symlink_metadata()?;
    // Others' folders cannot be opened, unless we are root: that user's numawise removes them.
    let is_old = facts.modified()?.elapsed().is_ok_and(|age| age > LEAST_AGE);
    if !facts.is_dir() || !is_old || facts.mode() & 0o777 != 0o700 {
        return Ok(false);
    }
    Ok(File::open(path)?.try_lock().is_ok())
}
