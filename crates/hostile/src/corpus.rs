//! The inputs from which mutations begin.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Reader;

/// The files of a reader's corpus, in the order of their names. Where there are none, one empty input.
///
/// # Panics
/// When a file that the list of readers names cannot be read.
pub fn corpus(reader: &Reader) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for name in reader.corpus {
        let path = root.join(name);
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()));
        } else {
            files.push(path);
        }
    }
    files.sort();
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut inputs: Vec<Vec<u8>> = files.iter().map(read).collect();
    if inputs.is_empty() {
        inputs.push(Vec::new());
    }
    inputs
}
