//! Folders of runs that were killed: they are removed by the next one.

use std::fs::File;
use std::path::Path;

use crate::Error;

/// Held by the process whose folder it is.
const ALIVE: &str = "alive";

/// Marks a folder as ours until the file is dropped.
pub fn claim(folder: &Path) -> Result<File, Error> {
    let path = folder.join(ALIVE);
    let file = File::create(&path).map_err(Error::write(&path))?;
    file.lock().map_err(Error::write(&path))?;
    Ok(file)
}

/// Takes the mark away: the folder is left to the user.
pub fn keep(folder: &Path) {
    // Of one that cannot be taken away, the next run removes the folder.
    let _ = std::fs::remove_file(folder.join(ALIVE));
}

/// Removes the folders that were claimed by processes which have ended. What cannot be removed now is left for the next.
pub fn remove(runs: &Path) {
    for entry in std::fs::read_dir(runs).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_over = File::open(folder.join(ALIVE)).is_ok_and(|file| file.try_lock().is_ok());
        if is_over {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_whose_owner_has_ended_are_removed() {
        let runs = tempfile::tempdir().unwrap();
        let at = |name: &str| runs.path().join(name);
        for name in ["ours", "over", "new"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let _alive = claim(&at("ours")).unwrap();
        drop(claim(&at("over")).unwrap());
        remove(runs.path());
        assert_eq!(["ours", "over", "new"].map(|name| at(name).exists()), [true, false, true]);
    }
}
