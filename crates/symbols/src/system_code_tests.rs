use super::*;

#[test]
fn libraries_of_the_system_are_not_the_programs() {
    for path in ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libm.so", "/usr/lib/python3/a.cpython-311.so"]
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
