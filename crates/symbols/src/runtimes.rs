//! Which runtime makes code while a program runs, by the files that the program has loaded.

use std::path::Path;

use numawise_facts::objects::CodeRuntime;

/// What their files are called up to a version, `.so` or the end. Python comes last: other runtimes are loaded into it, and its own code is made by few.
const RUNTIMES: [(&str, CodeRuntime); 14] = [
    ("libjvm", CodeRuntime::Java),
    ("libj9jit", CodeRuntime::Java),
    ("libjulia", CodeRuntime::Julia),
    ("libluajit", CodeRuntime::LuaJit),
    ("luajit", CodeRuntime::LuaJit),
    ("libcoreclr", CodeRuntime::DotNet),
    ("libmonosgen", CodeRuntime::DotNet),
    ("libnode", CodeRuntime::JavaScript),
    ("node", CodeRuntime::JavaScript),
    ("libruby", CodeRuntime::Ruby),
    ("ruby", CodeRuntime::Ruby),
    ("libpython", CodeRuntime::Python),
    ("python", CodeRuntime::Python),
    ("pypy", CodeRuntime::Python),
];

/// The runtime among these files, with its file.
pub fn of<'a>(files: impl Iterator<Item = &'a Path>) -> Option<(CodeRuntime, &'a Path)> {
    let known = files.filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        let order = RUNTIMES.iter().position(|(known, _)| is(name, known))?;
        Some((order, path))
    });
    known.min_by_key(|(order, _)| *order).map(|(order, path)| (RUNTIMES[order].1, path))
}

/// `libluajit-5.1.so.2`, `python3.12`: behind the name stands a version, or the ending of a library.
fn is(name: &str, known: &str) -> bool {
    let Some(rest) = name.strip_prefix(known) else { return false };
    let version = rest.split(".so").next().unwrap_or_default();
    version.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b't' | b'd'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_known_by_the_names_of_its_files() {
        let of = |names: &[&'static str]| super::of(names.iter().map(Path::new)).map(|(runtime, _)| runtime);
        for (names, runtime) in [
            (&["/usr/bin/java", "/usr/lib/jvm/lib/server/libjvm.so"][..], CodeRuntime::Java),
            (&["/opt/julia/bin/julia", "/opt/julia/lib/libjulia.so.1.10"], CodeRuntime::Julia),
            (&["/usr/bin/luajit-2.1.0"], CodeRuntime::LuaJit),
            (&["/usr/bin/python3.11", "/x/libluajit-5.1.so.2"], CodeRuntime::LuaJit),
            (&["/usr/bin/python3.13t", "/lib/libc.so.6"], CodeRuntime::Python),
            (&["/usr/lib/libpython3.12.so.1.0"], CodeRuntime::Python),
            (&["/usr/bin/node"], CodeRuntime::JavaScript),
        ] {
            assert_eq!(of(names), Some(runtime), "{names:?}");
        }
        for names in [&["/home/me/nodes", "/lib/libc.so.6"][..], &["/home/me/python-like"], &[]] {
            assert_eq!(of(names), None, "{names:?}");
        }
    }
}
