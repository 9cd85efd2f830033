//! C programs of this room (the plugin, the mark, the probes), compiled when they are needed and kept.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where everything that is built or downloaded lies: `target/testbed`.
#[must_use]
pub fn work_dir() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this room lies in the workspace");
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), PathBuf::from)
        .join("testbed")
}

/// A file of this room, by its path in it.
pub(crate) fn own_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Compiles one C or assembly file of this room with gcc, unless that was done since its folder and this program (which
/// knows the flags) last changed. Returns the path of what was compiled.
///
/// # Errors
/// When gcc is missing or finds mistakes.
pub fn compile_c(source: &str, program: &str, flags: &[&str]) -> Result<PathBuf, Error> {
    let source = own_file(source);
    let target = work_dir().join(program);
    let this_program = std::env::current_exe().ok().and_then(|path| changed(&path));
    if newest(source.parent().expect("a file has a folder")).max(this_program) < changed(&target) {
        return Ok(target);
    }
    std::fs::create_dir_all(work_dir()).map_err(Error::write(work_dir()))?;
    // Tests compile at the same time: each into its own file, put in place at once.
    let fresh =
        tempfile::Builder::new().prefix(program).tempfile_in(work_dir()).map_err(Error::write(&target))?;
    let mut gcc = Command::new("gcc");
    gcc.arg("-o").arg(fresh.path()).arg(&source).args(flags);
    let output = gcc.output().map_err(|source| Error::Start {
        program: "gcc".to_owned(),
        source,
        advice: "Install gcc",
    })?;
    if !output.status.success() {
        let program = format!("gcc {}", source.display());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Failed { program, status: output.status, output: text });
    }
    fresh.persist(&target).map_err(|e| Error::Write { path: target.clone(), source: e.error })?;
    Ok(target)
}

fn changed(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|m| m.modified()).ok()
}

fn newest(folder: &Path) -> Option<std::time::SystemTime> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|entry| changed(&entry.path())).max()
}
