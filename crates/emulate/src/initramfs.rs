//! The guest's root file system: a cpio archive in the `newc` format (Documentation/driver-api/early-userspace/
//! buffer-format.rst of the kernel). It is not compressed: unpacking costs an emulated CPU more than QEMU's copying.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

const DIRECTORY: u32 = 0o040_755;
const LINK: u32 = 0o120_777;
const EXECUTABLE: u32 = 0o100_755;

/// Files by their path in the guest, without the leading `/`; sorted, so that a directory comes before what is in it.
#[derive(Default)]
pub(crate) struct Archive {
    entries: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

impl Archive {
    /// Adds a file; all are executable, as the guest has one user. A later file replaces an earlier one.
    pub(crate) fn file(&mut self, path: impl AsRef<Path>, contents: impl Into<Vec<u8>>) {
        self.add(path.as_ref(), EXECUTABLE, contents.into());
    }

    /// Adds a symbolic link.
    pub(crate) fn link(&mut self, path: impl AsRef<Path>, target: &str) {
        self.add(path.as_ref(), LINK, target.as_bytes().to_vec());
    }

    /// Adds an empty directory.
    pub(crate) fn directory(&mut self, path: impl AsRef<Path>) {
        self.add(path.as_ref(), DIRECTORY, Vec::new());
    }

    fn add(&mut self, path: &Path, mode: u32, contents: Vec<u8>) {
        let path: PathBuf = path.components().filter(|c| matches!(c, Component::Normal(_))).collect();
        for parent in path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
            self.entries.entry(parent.to_path_buf()).or_insert((DIRECTORY, Vec::new()));
        }
        self.entries.insert(path, (mode, contents));
    }

    /// The archive's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        use std::os::unix::ffi::OsStrExt;
        let mut out = Vec::new();
        for (number, (path, (mode, contents))) in (1..).zip(&self.entries) {
            entry(&mut out, number, *mode, path.as_os_str().as_bytes(), contents);
        }
        entry(&mut out, 0, 0, b"TRAILER!!!", &[]);
        out
    }
}

/// Fields of 8 hexadecimal digits after the magic; name and contents padded to 4 bytes.
fn entry(out: &mut Vec<u8>, inode: usize, mode: u32, name: &[u8], contents: &[u8]) {
    let links = if mode == DIRECTORY { 2 } else { 1 };
    let (size, name_size) = (contents.len(), name.len() + 1);
    out.extend_from_slice(b"070701");
    // inode, mode, uid, gid, links, time, size, device (2), device it is (2), length of the name, checksum (unused)
    for field in [inode, mode as usize, 0, 0, links, 0, size, 0, 0, 0, 0, name_size, 0] {
        out.extend_from_slice(format!("{field:08x}").as_bytes());
    }
    let pad = |out: &mut Vec<u8>| out.resize(out.len().next_multiple_of(4), 0);
    out.extend_from_slice(name);
    out.push(0);
    pad(out);
    out.extend_from_slice(contents);
    pad(out);
}

#[cfg(test)]
#[path = "initramfs_tests.rs"]
mod tests;
