//! The preloaded libraries, which `cargo test` does not build; for tests of any crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library that watches programs, as it ships.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("collector"))
}

/// The library that writes allocations down.
#[allow(dead_code)] // Not every test wants both.
pub fn heap_library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("heap"))
}

/// As it ships: without unwinding.
fn built(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("collector");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let package = format!("numawise-{name}");
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--release", "--locked", "-p", &package, "--target-dir"]);
    let built = command.arg(&target).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
    assert!(built.success(), "{package} does not build");
    target.join(format!("release/libnumawise_{name}.so"))
}
