//! The library that pins threads, without which nothing but the operating system's placement is tried.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library that pins threads, which `cargo test` does not build, beside the binary.
pub fn pinning_library() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let beside = Path::new(env!("CARGO_BIN_EXE_numawise")).with_file_name("libnumawise_agent.so");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agent");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--release", "--locked", "-p", "numawise-agent", "--target-dir"]);
        let built = command.arg(&target).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
        assert!(built.success(), "numawise-agent does not build");
        let made = target.join("release/libnumawise_agent.so");
        // Under its name at once: other tests run the binary meanwhile.
        let part = beside.with_extension(format!("{}.part", std::process::id()));
        std::fs::copy(made, &part).unwrap();
        std::fs::rename(&part, &beside).unwrap();
        beside
    };
    BUILT.get_or_init(build).clone()
}
