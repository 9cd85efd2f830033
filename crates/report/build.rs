//! Packs what pages are made with: scripts, styles, the library that draws charts and its licences. A third of their bytes are in the command,
//! and unpacked where a page is made.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let packed = PathBuf::from(std::env::var_os("OUT_DIR").ok_or(std::io::ErrorKind::NotFound)?);
    pack_all(Path::new("assets"), &packed)?;
    pack_all(Path::new("src"), &packed)
}

/// Each file of a folder, under its own path.
fn pack_all(folder: &Path, packed: &Path) -> std::io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    std::fs::create_dir_all(packed.join(folder))?;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() {
            pack_all(&path, packed)?;
        } else if !is_source && is_newer(&path, &packed.join(&path)) {
            let mut file = ZlibEncoder::new(std::fs::File::create(packed.join(&path))?, Compression::best());
            file.write_all(&std::fs::read(&path)?)?;
            file.finish()?;
        }
    }
    Ok(())
}

/// The library takes a second to pack, and the folders change with each edit.
fn is_newer(path: &Path, packed: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|of| of.modified());
    match (changed(path), changed(packed)) {
        (Ok(path), Ok(packed)) => path >= packed,
        _ => true,
    }
}
