//! Inputs as files: one file, or a tree of the kernel's files in one text.
//!
//! A tree is a text: `== /absolute/path` begins a file, what follows is its content.

use std::cell::OnceCell;
use std::fs;
use std::path::{Component, Path, PathBuf};

use numawise_linux::Roots;
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// The input as a file, for readers that open one. The same file each time.
pub(crate) fn with_file<T>(input: &[u8], name: &str, read: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a folder for temporary files"));
        let path = folder.path().join(name);
        fs::write(&path, input).expect("a file in the folder for temporary files");
        read(&path)
    })
}

/// At most so many files of a tree are written; a tree has some fifty.
const MOST_FILES: usize = 400;

/// The input as a tree of files, for readers of the kernel's.
pub(crate) fn with_tree<T>(input: &[u8], read: impl FnOnce(&Roots) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for part in split(input).take(MOST_FILES) {
        let end = part.iter().position(|&byte| byte == b'\n').unwrap_or(part.len());
        let content = part.get(end + 1..).unwrap_or_default();
        if let Some(name) = std::str::from_utf8(&part[..end]).ok().and_then(inside) {
            let path = folder.path().join(name);
            // A name that mutation made impossible is left out.
            if path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) {
                let _ = fs::write(path, content);
            }
        }
    }
    read(&Roots::at(folder.path()))
}

fn split(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    const MARK: &[u8] = b"== ";
    let mut starts: Vec<usize> =
        (0..input.len()).filter(|&at| input[at..].starts_with(MARK)).map(|at| at + MARK.len()).collect();
    starts.push(input.len() + MARK.len());
    let parts: Vec<&[u8]> = starts.windows(2).map(|pair| &input[pair[0]..pair[1] - MARK.len()]).collect();
    parts.into_iter()
}

/// A path below the folder, whatever the text says.
fn inside(name: &str) -> Option<PathBuf> {
    let path: PathBuf =
        Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    (!path.as_os_str().is_empty() && !name.contains('\0')).then_some(path)
}
