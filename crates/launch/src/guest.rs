//! Libraries that are preloaded to watch a program: where they are, whether they fit, and the environment that has them loaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use numawise_wire::Variable;

use crate::change::Change;
use crate::{LaunchError, address_sanitizer, pinner, preload};

#[cfg(test)]
#[path = "guest_tests.rs"]
mod tests;

pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// A library, by its file and by the mark with the layout of what it writes.
pub(crate) struct Guest {
    pub file: &'static str,
    pub mark: &'static [u8],
    pub mark_begin: &'static [u8],
}

impl Guest {
    /// The path of the library that belongs to the program `exe`: whole, of our layout, and one that the loader takes.
    ///
    /// # Errors
    /// [`LaunchError::CollectorMissing`], [`LaunchError::CollectorUnusable`], [`LaunchError::CollectorOfAnotherVersion`].
    pub fn of_program(&self, exe: &Path) -> Result<String, LaunchError> {
        match pinner::find_library(exe, self.file) {
            Some(library) => self.at(&library),
            None => Err(LaunchError::CollectorMissing {
                file: self.file,
                folder: exe.parent().unwrap_or(Path::new(".")).to_owned(),
            }),
        }
    }

    fn at(&self, library: &Path) -> Result<String, LaunchError> {
        let unusable =
            |problem: String| LaunchError::CollectorUnusable { library: library.to_owned(), problem };
        let path = match library.to_str() {
            // The loader parts the list at spaces and colons, and replaces $ORIGIN, $LIB and $PLATFORM in it.
            Some(path) if !path.contains([' ', ':', '$', '\n', '\t']) => path.to_owned(),
            _ => {
                return Err(unusable(
                    "LD_PRELOAD cannot hold this path (a space, ':', '$' or bytes that are not text); move numawise to \
                     another folder"
                        .to_owned(),
                ));
            }
        };
        let read = |error: std::io::Error| unusable(error.to_string());
        if !preload::is_whole(&std::fs::File::open(library).map_err(read)?).map_err(read)? {
            return Err(unusable("it is damaged: no library, or only a part of one".to_owned()));
        }
        let bytes = std::fs::read(library).map_err(read)?;
        match self.mark_in(&bytes) {
            Some(found) if found == self.mark => Ok(path),
            found => Err(LaunchError::CollectorOfAnotherVersion {
                library: library.to_owned(),
                found: found.map(|found| self.layout(found)),
                expected: self.layout(self.mark),
            }),
        }
    }

    /// `changes` and what has the library at `library` loaded; `now` looks a variable of our own environment up. What is preloaded
    /// already stays: the library that pins threads before ours, all others behind.
    pub fn changes(
        &self,
        library: &str,
        changes: &[Change],
        now: &dyn Fn(&str) -> Option<OsString>,
    ) -> Vec<Change> {
        let of_plan = changes.iter().find(|change| change.name == PRELOAD);
        let preloaded = match of_plan {
            Some(change) => change.value.clone(),
            None => now(PRELOAD).map(|list| list.to_string_lossy().into_owned()),
        };
        let replaced = [PRELOAD, address_sanitizer::OPTIONS];
        let mut all: Vec<Change> =
            changes.iter().filter(|change| !replaced.contains(&change.name)).cloned().collect();
        all.push(Change::set(PRELOAD, self.with(library, preloaded.as_deref().unwrap_or_default())));
        all.extend(address_sanitizer::any_link_order(now));
        all
    }

    /// A list of libraries with ours in its place; another copy of ours goes.
    pub fn with(&self, library: &str, list: &str) -> String {
        let is = |entry: &str, file: &str| Path::new(entry).file_name() == Some(file.as_ref());
        let others = list.split([' ', ':']).filter(|entry| !entry.is_empty() && !is(entry, self.file));
        let (pinning, others): (Vec<&str>, Vec<&str>) = others.partition(|entry| is(entry, pinner::FILE));
        let all: Vec<&str> = pinning.into_iter().chain([library]).chain(others).collect();
        all.join(":")
    }

    /// Where a library says which layout it writes.
    fn mark_in<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let begin = self.mark_begin;
        let begin = bytes.windows(begin.len()).position(|bytes| bytes == begin)?;
        bytes.get(begin..begin + self.mark.len())
    }

    fn layout(&self, mark: &[u8]) -> String {
        let digits = mark.get(self.mark_begin.len()..).unwrap_or_default();
        let digits = String::from_utf8_lossy(digits);
        let digits = digits.trim().trim_start_matches('0');
        numawise_units::harmless::quoted(digits)
    }
}

/// The folder that a variable names, into which another numawise has the processes write.
pub(crate) fn folder(variable: Variable, now: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    now(variable.name()).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}
