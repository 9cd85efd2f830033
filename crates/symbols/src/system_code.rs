//! Source files that are not the program's own.

pub use numawise_facts::activity::is_system_source as is_system;

/// True for the libraries of the system. Where their debugging information is installed, they have lines too; what a person can change is
/// behind those who call them.
pub fn is_systems_library(path: &str) -> bool {
    let is_systems =
        ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"].iter().any(|begin| path.starts_with(begin));
    let name = path.rsplit('/').next().unwrap_or("");
    is_systems && (name.ends_with(".so") || name.contains(".so."))
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
