//! The library that watches programs, which `cargo test` does not build; for tests of any crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library as it ships: built without unwinding.
pub fn library() -> &'static Path {
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
