//! The shared libraries a program needs, as the host's loader resolves them.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Paths of all libraries of a program or library; none for static programs, scripts and data.
///
/// # Errors
/// When one of them is not on this host.
pub(crate) fn of(program: &Path) -> Result<Vec<PathBuf>, Error> {
    let advice = "ldd comes with the C library (libc-bin)";
    let output = Command::new("ldd")
        .arg(program)
        .env("LC_ALL", "C")
        .output()
        .map_err(|source| Error::Start { program: "ldd".to_owned(), source, advice })?;
    // ldd fails on what is not a dynamic program: then there is nothing to copy.
    parse(program, &String::from_utf8_lossy(&output.stdout))
}

/// Reads `name => /path (address)`, `/path (address)` and `name => not found`.
fn parse(program: &Path, text: &str) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim) {
        let (name, rest) = line.split_once(" => ").unwrap_or((line, line));
        if rest == "not found" {
            return Err(Error::LibraryMissing { program: program.to_path_buf(), library: name.to_owned() });
        }
        let path = rest.split(" (").next().unwrap_or_default();
        if path.starts_with('/') {
            paths.push(PathBuf::from(path));
        }
    }
    Ok(paths)
}

/// Where the host's loader finds a library that a program opens while it runs.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let output = Command::new("/sbin/ldconfig").arg("-p").env("LC_ALL", "C").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} (")))?;
    Some(PathBuf::from(line.split_once(" => ")?.1.trim()))
}

#[cfg(test)]
mod tests {
    use super::{of, parse};
    use crate::Error;
    use std::path::{Path, PathBuf};

    #[test]
    fn ldds_forms_are_understood() {
        let text = "\tlinux-vdso.so.1 (0x00007f)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)\n\
        \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n\tliba.so => /odd path/liba.so (0x00007f)\n";
        let paths = parse(Path::new("p"), text).unwrap();
        let expected =
            ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2", "/odd path/liba.so"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }

    #[test]
    fn static_programs_and_text_need_nothing() {
        assert_eq!(parse(Path::new("p"), "\tstatically linked\n").unwrap(), Vec::<PathBuf>::new());
        assert_eq!(parse(Path::new("p"), "").unwrap(), Vec::<PathBuf>::new());
        assert_eq!(
            of(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).unwrap(),
            Vec::<PathBuf>::new()
        );
    }

    #[test]
    fn a_missing_library_is_named() {
        let error = parse(Path::new("/bin/app"), "\tlibgone.so.1 => not found\n").unwrap_err();
        assert!(
            matches!(&error, Error::LibraryMissing { library, .. } if library == "libgone.so.1"),
            "{error}"
        );
        assert!(error.to_string().contains("/bin/app"), "{error}");
    }

    #[test]
    fn this_program_needs_the_c_library_and_the_loader() {
        let paths = of(&std::env::current_exe().unwrap()).unwrap();
        let has = |name: &str| paths.iter().any(|path| path.to_string_lossy().contains(name));
        assert!(has("libc.so") && has("ld-linux"), "{paths:?}");
    }
}
