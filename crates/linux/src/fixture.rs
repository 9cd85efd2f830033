//! Trees of files that stand for `/proc` and `/sys` in tests.

use std::fs;
use std::path::Path;

/// A directory of its own, removed at the end.
pub(crate) struct Tree(tempfile::TempDir);

impl Tree {
    pub fn new() -> Self {
        Tree(tempfile::tempdir().expect("a new directory"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes over a file, in place so that open handles see it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a name below the tree")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}
