//! Kernels whose guests can have the host's files: an image with the modules for 9p and overlay.
//!
//! One that is installed is taken, or one of Debian's packages that was unpacked into the work folder: nothing is installed for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use numawise_units::Arrange;

use crate::Error;
use crate::libraries::which;

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;

/// In the order in which they can be loaded; those that are built in, or that a kernel does not have, are no files.
const MODULES: [&str; 11] = [
    "virtio",
    "virtio_ring",
    "virtio_pci_legacy_dev",
    "virtio_pci_modern_dev",
    "virtio_pci",
    "netfs",
    "fscache",
    "9pnet",
    "9pnet_virtio",
    "9p",
    "overlay",
];
/// Without these as files the kernel was built without them: few build them in.
const NEEDED: [&str; 2] = ["9p", "overlay"];
/// Programs that unpack a module, by the end of its name.
const PACKERS: [(&str, &str); 3] = [("xz", "xz"), ("zst", "zstd"), ("gz", "gzip")];

/// A kernel for guests that see the host's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootKernel {
    pub image: PathBuf,
    /// To be loaded in this order.
    modules: Vec<PathBuf>,
}

/// Why no kernel can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelGap {
    /// There is none in any of these folders.
    NotFound,
    /// These are there, and none has what is needed or may be read.
    NotUsable { images: Vec<PathBuf> },
}

/// The newest kernel below one of these roots, as packages fill them: `boot/vmlinuz-VERSION`, `lib/modules/VERSION`. The first
/// root that has one decides.
pub fn find(roots: &[&Path]) -> Result<RootKernel, KernelGap> {
    let mut unusable = Vec::new();
    for root in roots {
        let mut images = images(&root.join("boot"));
        images.reverse();
        for image in images {
            match with_modules(root, &image) {
                Some(kernel) => return Ok(kernel),
                None => unusable.push(image),
            }
        }
    }
    Err(if unusable.is_empty() { KernelGap::NotFound } else { KernelGap::NotUsable { images: unusable } })
}

/// Images by their version, the oldest first.
fn images(boot: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(boot).into_iter().flatten().flatten();
    let mut images: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    images.retain(|path| version_of(path).is_some());
    images.arrange_by_key(|path| numbers(version_of(path).unwrap_or_default()));
    images
}

fn version_of(image: &Path) -> Option<&str> {
    image.file_name()?.to_str()?.strip_prefix("vmlinuz-")
}

/// So that 6.12 comes behind 6.1.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn with_modules(root: &Path, image: &Path) -> Option<RootKernel> {
    std::fs::File::open(image).ok()?;
    let version = version_of(image)?;
    let folders = ["lib/modules", "usr/lib/modules"].map(|below| root.join(below).join(version));
    let folder = folders.into_iter().find(|folder| folder.is_dir())?;
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for below in ["kernel/net/9p", "kernel/fs", "kernel/drivers/virtio"] {
        modules_below(&folder.join(below), 2, &mut found);
    }
    let file = |name: &&str| found.iter().find(|(of, _)| of == name).map(|(_, path)| path.clone());
    NEEDED.iter().all(|name| file(name).is_some()).then(|| RootKernel {
        image: image.to_path_buf(),
        modules: MODULES.iter().filter_map(file).collect(),
    })
}

fn modules_below(folder: &Path, depth: u32, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && depth > 0 {
            modules_below(&path, depth - 1, found);
        } else if let Some(name) = module_name(&path) {
            found.push((name, path));
        }
    }
}

/// `9pnet_virtio` of `9pnet_virtio.ko.xz`, as the kernel calls it: some files have `-` for `_`.
fn module_name(path: &Path) -> Option<String> {
    let (name, packed) = path.file_name()?.to_str()?.split_once(".ko")?;
    let known = packed.is_empty() || PACKERS.iter().any(|(end, _)| packed.strip_prefix('.') == Some(end));
    known.then(|| name.replace('-', "_"))
}

impl RootKernel {
    #[cfg(test)]
    pub(crate) fn of(image: &str) -> Self {
        Self { image: image.into(), modules: Vec::new() }
    }

    /// The modules with their contents, unpacked: an emulated CPU would take long for it.
    ///
    /// # Errors
    /// When one cannot be read or unpacked.
    pub(crate) fn modules(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.modules.iter().map(|path| unpacked(path)).collect()
    }
}

fn unpacked(path: &Path) -> Result<Vec<u8>, Error> {
    let end = path.extension().unwrap_or_default();
    let Some((_, program)) = PACKERS.iter().find(|(of, _)| end == *of) else {
        return std::fs::read(path).map_err(Error::read(path));
    };
    which(program).ok_or_else(|| Error::NoTool((*program).to_owned()))?;
    let output = Command::new(program).arg("-dc").arg(path).output().map_err(Error::read(path))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let program = format!("{program} -dc {}", path.display());
    Err(Error::Failed { program, status: output.status, output: text })
}
