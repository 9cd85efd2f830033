//! The library that pins threads, without which nothing but the operating system's placement is tried.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::library;

/// It, beside the binary.
pub fn pinning_library() -> PathBuf {
    static BESIDE: OnceLock<PathBuf> = OnceLock::new();
    let place = || {
        let beside = Path::new(env!("CARGO_BIN_EXE_numawise")).with_file_name("libnumawise_agent.so");
        // Under its name at once: other tests run the binary meanwhile.
        let part = beside.with_extension(format!("{}.part", std::process::id()));
        std::fs::copy(library::pinning_library(), &part).unwrap();
        std::fs::rename(&part, &beside).unwrap();
        beside
    };
    BESIDE.get_or_init(place).clone()
}
