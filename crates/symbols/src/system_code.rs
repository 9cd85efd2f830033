//! Source files that are not the program's own.

pub use numawise_facts::activity::is_system_source as is_system;

#[cfg(test)]
#[path = "system_code_tests.rs"]
mod tests;

/// True for the libraries of the system, and for interpreters, wherever they lie. Where their debugging information is installed, they have
/// lines too; what a person can change is behind those who call them, or in the libraries that an interpreter calls.
pub fn is_systems_library(path: &str) -> bool {
    let is_systems =
        ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"].iter().any(|begin| path.starts_with(begin));
    let name = path.rsplit('/').next().unwrap_or("");
    let is_library = name.ends_with(".so") || name.contains(".so.");
    is_systems && is_library || is_interpreter(name, is_library)
}

/// `python3.12`, `libpython3.12.so.1.0`: the name of a file, without a version.
fn is_interpreter(name: &str, is_library: bool) -> bool {
    const NAMES: [&str; 6] = ["python", "pypy", "perl", "ruby", "julia", "lua"];
    let stem = match name.split_once(".so").filter(|_| is_library) {
        Some((name, _)) => name.strip_prefix("lib").unwrap_or_default(),
        None => name,
    };
    let is_version =
        |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    // 3.13t has no lock of the interpreter, 3.13d is one for debugging.
    let is = |known: &&str| {
        stem.strip_prefix(*known).is_some_and(|rest| is_version(rest.trim_end_matches(['t', 'd'])))
    };
    NAMES.iter().any(is)
}
