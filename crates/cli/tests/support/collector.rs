//! The preloaded libraries, which `cargo test` does not build, and a binary that finds them.

use std::path::{Path, PathBuf};

use crate::library::{heap_library, library};
use crate::program::copied;

/// A folder with the binary, as `make install` leaves it: `bin/numawise`, and `lib/numawise/` with the libraries unless told otherwise.
pub fn installed(folder: &Path, has_library: bool) -> PathBuf {
    let (bin, lib) = (folder.join("bin"), folder.join("lib/numawise"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&lib).unwrap();
    let binary = bin.join("numawise");
    // A copy of the binary takes long; its own path is that of the file.
    if std::fs::hard_link(env!("CARGO_BIN_EXE_numawise"), &binary).is_err() {
        copied(env!("CARGO_BIN_EXE_numawise"), &binary);
    }
    if has_library {
        for built in [library(), heap_library()] {
            std::fs::copy(built, lib.join(built.file_name().unwrap())).unwrap();
        }
    }
    binary
}
