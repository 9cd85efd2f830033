//! The preloaded libraries as they ship, which `cargo test` does not build; for tests of any crate. Built once for all of them, where `make build`
//! builds them too.

#![allow(dead_code)] // Not every test wants all.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library that watches programs.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("collector"))
}

/// The library that writes allocations down.
pub fn heap_library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("heap"))
}

/// The library that pins threads.
pub fn pinning_library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("agent"))
}

fn built(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target folder");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--profile", "preloaded", "--locked", "--target-dir"]).arg(target);
    for package in ["numawise-agent", "numawise-collector", "numawise-heap"] {
        command.args(["-p", package]);
    }
    let built = command.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
    assert!(built.success(), "the preloaded libraries do not build");
    target.join(format!("preloaded/libnumawise_{name}.so"))
}
