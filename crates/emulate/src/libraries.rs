//! Programs of the host, and the shared libraries they need as the host's loader resolves them.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Paths of all libraries of a program or library; none for static programs, scripts and data.
///
/// # Errors
/// When one of them is not on this host.
pub(crate) fn of(program: &Path) -> Result<Vec<PathBuf>, Error> {
    let advice = "ldd comes with the C library (libc-bin)";
    let output = Command::new("ldd")
        .arg(program)
        .env("LC_ALL", "C")
        .output()
        .map_err(|source| Error::Start { program: "ldd".to_owned(), source, advice })?;
    // ldd fails on what is not a dynamic program: then there is nothing to copy.
    parse(program, &String::from_utf8_lossy(&output.stdout))
}

/// Reads `name => /path (address)`, `/path (address)` and `name => not found`.
fn parse(program: &Path, text: &str) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim) {
        let (name, rest) = line.split_once(" => ").unwrap_or((line, line));
        if rest == "not found" {
            return Err(Error::LibraryMissing { program: program.to_path_buf(), library: name.to_owned() });
        }
        let path = rest.split(" (").next().unwrap_or_default();
        if path.starts_with('/') {
            paths.push(PathBuf::from(path));
        }
    }
    Ok(paths)
}

/// Where the host's loader finds a library that a program opens while it runs.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let output = Command::new("/sbin/ldconfig").arg("-p").env("LC_ALL", "C").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} (")))?;
    Some(PathBuf::from(line.split_once(" => ")?.1.trim()))
}

/// The first program of this name on the host's PATH.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

#[cfg(test)]
#[path = "libraries_tests.rs"]
mod tests;
