//! The library that watches programs, which `cargo test` does not build, beside a binary.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library as it ships: built without unwinding.
fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("collector");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args([
            "build",
            "--quiet",
            "--release",
            "--locked",
            "-p",
            "numawise-collector",
            "--target-dir",
        ]);
        let built = command.arg(&target).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
        assert!(built.success(), "numawise-collector does not build");
        target.join("release/libnumawise_collector.so")
    })
}

/// A folder with the binary, as `make install` leaves it: `bin/numawise`, and `lib/numawise/` with the library unless told otherwise.
pub fn installed(folder: &Path, has_library: bool) -> PathBuf {
    let (bin, lib) = (folder.join("bin"), folder.join("lib/numawise"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&lib).unwrap();
    let binary = bin.join("numawise");
    // A copy of the binary takes long; its own path is that of the file.
    if std::fs::hard_link(env!("CARGO_BIN_EXE_numawise"), &binary).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_numawise"), &binary).unwrap();
    }
    if has_library {
        std::fs::copy(library(), lib.join("libnumawise_collector.so")).unwrap();
    }
    binary
}
