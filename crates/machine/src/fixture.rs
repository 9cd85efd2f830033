//! Trees of kernel files for tests: `testdata/NAME.tree`, unpacked into a directory that goes away.
//!
//! A tree is a text: `== /absolute/path` begins a file, what follows is its content, lines that begin with `#` before the
//! first file are a comment.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use crate::Roots;

/// An unpacked tree.
pub(crate) struct Fixture {
    directory: TempDir,
}

impl Fixture {
    pub(crate) fn named(name: &str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("testdata/{name}.tree"));
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let fixture = Fixture::empty();
        for part in text.split("== ").skip(1) {
            let (path, content) = part.split_once('\n').expect("a path and a content");
            fixture.write(path, content);
        }
        fixture
    }

    pub(crate) fn empty() -> Self {
        Fixture { directory: TempDir::new().unwrap() }
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let file = self.roots().path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    /// A folder, and a link to it from a class.
    pub(crate) fn device(&self, folder: &str, link: &str) {
        fs::create_dir_all(self.roots().path(folder)).unwrap();
        self.point(link, folder);
    }

    pub(crate) fn point(&self, link: &str, to: &str) {
        let link = self.roots().path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(self.roots().path(to), link).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.roots().path(path)).unwrap();
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::at(self.directory.path())
    }
}
