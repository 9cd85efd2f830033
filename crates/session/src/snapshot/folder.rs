//! The folder into which the processes of a program map their files: in memory, where there is a place for it.
//!
//! It is ours alone and goes with us, or that of all ranks of a job on this computer, whose last one removes it. One that a killed
//! numawise left is found by its lock, which nobody holds any more, and is removed by the next of the same user.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use numawise_facts::Notice;
use numawise_facts::notice::SnapshotNotice;
use numawise_observe::activity::TAKEN;
use numawise_units::Bytes;

use crate::Error;

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;

/// Where Linux has a file system in memory.
pub const IN_MEMORY: &str = "/dev/shm";
const BEGIN: &str = "numawise-snapshot-";
/// Begins the name of a folder of what was taken from memory to the disk; the computer follows, and the folder in memory.
pub const BEGIN_TAKEN: &str = ".numawise-taken-";
/// A folder is locked a moment after it is made.
const LEAST_AGE: Duration = Duration::from_secs(60);
/// What is free in memory where it is enough: 30 processes with MPI, of 130 KB each.
const ENOUGH: Bytes = Bytes::mib(4);
/// A process with MPI takes about as much.
const OF_A_PROCESS: Bytes = Bytes::kib(128);

/// A folder that is removed with all that is in it.
#[derive(Debug)]
pub struct CollectorFolder {
    path: PathBuf,
    /// The same as text, for the environment.
    name: String,
    is_shared: bool,
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
        CollectorFolder::make_with(environment, |folder| match too_little(folder) {
            Some(free) => Err(too_full(free)),
            None => CollectorFolder::make_in(folder),
        })
    }

    /// The same, with all others that ask for this name and have not put a file of the name `own` there yet.
    ///
    /// # Errors
    /// As above.
    pub fn join(
        name: &str,
        own: &str,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<(CollectorFolder, Option<Notice>), Error> {
        CollectorFolder::make_with(environment, |folder| {
            CollectorFolder::join_in(folder, name, own, too_little)
        })
    }

    fn make_with(
        environment: &dyn Fn(&str) -> Option<OsString>,
        make_in: impl Fn(&Path) -> io::Result<CollectorFolder>,
    ) -> Result<(CollectorFolder, Option<Notice>), Error> {
        let problem = match make_in(Path::new(IN_MEMORY)) {
            Ok(made) => return Ok((made, None)),
            Err(error) => format!("{IN_MEMORY}: {error}"),
        };
        let temporary = temporary(environment);
        match make_in(&temporary) {
            Ok(made) => {
                let folder = made.name.clone();
                Ok((made, Some(SnapshotNotice::CollectedOnDisk { folder, problem }.into())))
            }
            Err(source) => Err(Error::NoFolderForCollector { memory: problem, folder: temporary, source }),
        }
    }

    /// Where temporary files go, for what is large.
    ///
    /// # Errors
    /// Where none can be made there.
    pub fn on_disk(environment: &dyn Fn(&str) -> Option<OsString>) -> Result<CollectorFolder, Error> {
        let folder = temporary(environment);
        let made = CollectorFolder::make_in(&folder);
        made.map_err(|source| Error::NoFolderForRecords { folder, source })
    }

    fn make_in(folder: &Path) -> io::Result<CollectorFolder> {
        remove_left(folder);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = folder.join(format!("{BEGIN}{}-{now:x}", std::process::id()));
        let name = text(&path)?;
        DirBuilder::new().mode(0o700).create(&path)?;
        let lock = File::open(&path).and_then(|open| open.try_lock().map(|()| open).map_err(io::Error::from));
        let made = CollectorFolder { path, name, is_shared: false, _lock: lock.ok() };
        made.try_writing("tried")?;
        Ok(made)
    }

    /// Folders of one name are numbered: who was in the first already is another time in the second. None is made where `too_little`
    /// is free, so that all of a job go elsewhere; one that is there has been made by another of them.
    fn join_in(
        folder: &Path,
        name: &str,
        own: &str,
        too_little: impl Fn(&Path) -> Option<Bytes>,
    ) -> io::Result<CollectorFolder> {
        remove_left(folder);
        // Users do not meet.
        let user = format!("job-{}-{name}", numawise_linux::calls::process::user());
        let mut number = 0;
        loop {
            let path = folder.join(format!("{BEGIN}{user}-{number}"));
            let is_there = path.exists();
            let next = folder.join(format!("{BEGIN}{user}-{}", number + 1));
            if is_there && path.join(own).exists() || !is_there && next.exists() {
                number += 1;
                continue;
            }
            if let Some(free) = too_little(folder).filter(|_| !is_there) {
                return Err(too_full(free));
            }
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let facts = path.symlink_metadata()?;
            if !facts.is_dir()
                || facts.mode() & 0o777 != 0o700
                || facts.uid() != numawise_linux::calls::process::user()
            {
                return Err(io::Error::other("somebody else has made it"));
            }
            let lock = lock_shared(&path);
            // Its last user may just have removed it.
            if !path.exists() {
                continue;
            }
            let made = CollectorFolder { name: text(&path)?, path, is_shared: true, _lock: lock.ok() };
            made.try_writing(&format!("{own}-tried"))?;
            return Ok(made);
        }
    }

    /// A full or forbidden place is better found now.
    fn try_writing(&self, name: &str) -> io::Result<()> {
        let tried = self.path.join(name);
        std::fs::write(&tried, [0; 4096])?;
        std::fs::remove_file(&tried)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// As long as this process lives, nobody else gets the lock.
    pub fn is_locked(&self) -> bool {
        self._lock.is_some()
    }

    fn free(&self) -> Option<Bytes> {
        numawise_linux::space::free(&self.path).ok()
    }

    /// What is to be said where processes may have found no place.
    pub fn is_full(&self) -> Option<Notice> {
        let free = self.free().filter(|free| *free < OF_A_PROCESS)?;
        Some(SnapshotNotice::CollectorFolderFull { folder: self.name.clone(), free }.into())
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

fn temporary(environment: &dyn Fn(&str) -> Option<OsString>) -> PathBuf {
    let temporary = environment("TMPDIR").filter(|folder| !folder.is_empty());
    let temporary = temporary.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    // Processes may change their folder.
    std::path::absolute(&temporary).unwrap_or(temporary)
}

impl Drop for CollectorFolder {
    fn drop(&mut self) {
        if !self.is_shared {
            remove(&self.path);
        }
    }
}

/// Locks a folder together with others, once whoever has it alone is gone: as long as the lock is held, nobody takes the folder for left.
///
/// # Errors
/// Where it is not there, or cannot be opened.
pub fn lock_shared(folder: &Path) -> io::Result<File> {
    let open = File::open(folder)?;
    open.lock_shared().map(|()| open)
}

/// Waits until the one that made a folder is gone, and locks it. Nothing where that one has removed it.
pub fn when_left(folder: &Path) -> Option<File> {
    let lock = lock_shared(folder).ok()?;
    folder.exists().then_some(lock)
}

/// Removes a folder with all that is in it, and what was taken from there to the disk.
pub fn remove(folder: &Path) {
    let taken = std::fs::read_link(folder.join(TAKEN)).ok();
    let is_ours = |taken: &PathBuf| {
        taken.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(BEGIN_TAKEN.as_bytes()))
    };
    if let Some(taken) = taken.filter(is_ours) {
        let _ = std::fs::remove_dir_all(taken);
    }
    // Twice: a process that begins just now may put its file there meanwhile.
    if std::fs::remove_dir_all(folder).is_err() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// What is free in memory, where that is too little. On a disk there is no better place.
fn too_little(folder: &Path) -> Option<Bytes> {
    let free = numawise_linux::space::free(folder).ok()?;
    (folder == Path::new(IN_MEMORY) && free < ENOUGH).then_some(free)
}

fn too_full(free: Bytes) -> io::Error {
    io::Error::other(format!("only {free} are free"))
}

fn text(path: &Path) -> io::Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| io::Error::other("its path is not text"))
}

/// Removes what those have left that were killed. Others' stay, and those of which it is not sure.
fn remove_left(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_named = entry.file_name().as_encoded_bytes().starts_with(BEGIN.as_bytes());
        if is_named && is_left(&path).unwrap_or(false) {
            remove(&path);
        }
    }
}

/// Whether whoever made it, or uses it, has gone.
pub fn is_left(path: &Path) -> io::Result<bool> {
    let facts = path.symlink_metadata()?;
    // Others' folders cannot be opened, unless we are root: that user's numawise removes them.
    let is_old = facts.modified()?.elapsed().is_ok_and(|age| age > LEAST_AGE);
    if !facts.is_dir() || !is_old || facts.mode() & 0o777 != 0o700 {
        return Ok(false);
    }
    Ok(File::open(path)?.try_lock().is_ok())
}
