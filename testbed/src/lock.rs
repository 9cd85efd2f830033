//! Guests share the host's few cores: a timed one runs alone, so that no other disturbs its clock.

use crate::Error;
use crate::compile::work_dir;
use std::fs::File;

/// Waits for a lock among all processes that use this work directory; it is free again when the file is dropped.
pub(crate) fn lock(name: &str, exclusive: bool) -> Result<File, Error> {
    let path = work_dir().join(format!("{name}.lock"));
    std::fs::create_dir_all(work_dir()).map_err(Error::write(work_dir()))?;
    let file = File::create(&path).map_err(Error::write(&path))?;
    let locked = if exclusive { file.lock() } else { file.lock_shared() };
    locked.map_err(Error::write(&path))?;
    Ok(file)
}
