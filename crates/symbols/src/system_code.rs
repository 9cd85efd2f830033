//! Source files that are not the program's own.

pub use numawise_facts::activity::is_system_source as is_system;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_the_system_are_not_the_programs() {
        for path in
            ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libm.so", "/usr/lib/python3/a.cpython-311.so"]
        {
            assert!(is_systems_library(path), "{path}");
        }
        for path in
            ["/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "/opt/app/lib/libsolve.so", "/usr/local/lib/libx.so", ""]
        {
            assert!(!is_systems_library(path), "{path}");
        }
    }

    #[test]
    fn interpreters_are_not_the_programs_wherever_they_lie() {
        for path in [
            "/opt/venv/bin/python",
            "/root/.pyenv/versions/3.11.7/bin/python3.11",
            "/opt/python3.13t",
            "/opt/lib/libpython3.12.so.1.0",
            "/opt/julia/lib/libjulia.so.1.10.4",
            "/usr/bin/perl5.36-x86",
        ] {
            assert_eq!(is_systems_library(path), !path.ends_with("x86"), "{path}");
        }
        for path in [
            "/opt/pythonic",
            "/opt/libpythonic.so",
            "/opt/lib/_core.cpython-311-x86_64-linux-gnu.so",
            "/a/rubyred",
        ] {
            assert!(!is_systems_library(path), "{path}");
        }
    }

    #[test]
    fn headers_of_system_and_compiler_are_not_the_programs() {
        for file in [
            "/usr/include/c++/12/bits/stl_vector.h",
            "/usr/include/eigen3/Eigen/Core",
            "/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h",
            "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector",
            "/opt/gcc-14/include/c++/14.1.0/bits/new_allocator.h",
            "/rustc/0123456789abcdef/library/alloc/src/vec/mod.rs",
            "/build/gcc-12/x86_64-linux-gnu/libstdc++-v3/include/bits/basic_string.h",
        ] {
            assert!(is_system(file), "{file}");
        }
        for file in ["/home/a/wave.cpp", "wave.cpp", "/home/a/include/grid.h", "/usr/src/app/main.c", ""] {
            assert!(!is_system(file), "{file}");
        }
    }
}
