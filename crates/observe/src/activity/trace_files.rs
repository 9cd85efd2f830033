//! The trace files of a folder to which processes add theirs: looked for often, and listed only where one may have come.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use numawise_wire::trace::SUFFIX;

#[cfg(test)]
#[path = "trace_files_tests.rs"]
mod tests;

/// What comes to a folder within a tick of the clock of files does not show in when it was changed: 10 ms where the kernel's clock is slow.
const TICK: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct TraceFiles {
    folder: PathBuf,
    /// When the folder had been changed as it was listed; none: it is to be listed again.
    listed: Option<SystemTime>,
}

impl TraceFiles {
    pub fn of(folder: &Path) -> TraceFiles {
        TraceFiles { folder: folder.to_owned(), listed: None }
    }

    /// All of them, where one may have come since they were last listed, or `anyway`; else none.
    pub fn changed(&mut self, anyway: bool) -> Vec<PathBuf> {
        let changed = self.folder.metadata().and_then(|folder| folder.modified()).ok();
        if !anyway && changed.is_some() && changed == self.listed {
            return Vec::new();
        }
        self.listed = changed.filter(|changed| changed.elapsed().is_ok_and(|age| age > TICK));
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.as_os_str().as_encoded_bytes().ends_with(SUFFIX.as_bytes())).collect()
    }
}
