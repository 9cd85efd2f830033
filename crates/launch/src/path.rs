//! Why a program could not be executed: the kernel gives one number for several causes.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::LaunchError;

/// Where execvp searches when there is no PATH (confstr(_CS_PATH) of glibc).
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The folders in which programs are searched for.
pub fn search() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into())
}

/// What execve's error means for `program`, started in `directory` with the folders of `search` (`PATH`).
pub fn explain(program: &OsStr, directory: &Path, search: &OsStr, error: io::Error) -> LaunchError {
    let name = program.to_string_lossy().into_owned();
    let not_executable = |problem: String| LaunchError::NotExecutable { program: name.clone(), problem };
    let Some(file) = find(program, directory, search) else {
        return match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES) => {
                LaunchError::NotFound { program: name, directory: directory.to_owned() }
            }
            _ => not_executable(error.to_string()),
        };
    };
    match error.raw_os_error() {
        Some(libc::EACCES) if file.is_dir() => not_executable("it is a directory".to_owned()),
        Some(libc::EACCES) => not_executable(permission(&file, error)),
        Some(libc::ENOENT) => not_executable(match interpreter(&file) {
            Some(interpreter) => {
                format!("its first line asks for the interpreter {interpreter}, which is not there")
            }
            None => "the loader that it asks for is not there: it was built for another system".to_owned(),
        }),
        Some(libc::ENOEXEC) => {
            not_executable("it is neither a program for this machine nor a script".to_owned())
        }
        _ => not_executable(error.to_string()),
    }
}

fn permission(file: &Path, error: io::Error) -> String {
    match file.metadata() {
        Ok(metadata) if metadata.permissions().mode() & 0o111 == 0 => {
            format!("no execute permission; try: chmod +x {}", file.display())
        }
        Ok(_) => match interpreter(file) {
            Some(interpreter) => format!("{error} (for the file, or for its interpreter {interpreter})"),
            None => format!("{error} (its permissions, or a file system mounted noexec)"),
        },
        Err(_) => error.to_string(),
    }
}

/// The program is a path, which is not searched for.
pub fn is_named(program: &OsStr) -> bool {
    program.as_bytes().contains(&b'/')
}

/// The files that execvp tries: the one named, or that name in each folder of `search`.
pub fn candidates(program: &OsStr, search: &OsStr) -> impl Iterator<Item = OsString> {
    let named = program.is_empty() || is_named(program);
    let folders: Vec<PathBuf> = if named { Vec::new() } else { std::env::split_paths(search).collect() };
    let program = program.to_owned();
    let direct = named.then(|| program.clone());
    direct.into_iter().chain(folders.into_iter().map(move |folder| folder.join(&program).into_os_string()))
}

/// The file that was meant, whether or not it may be executed.
pub fn find(program: &OsStr, directory: &Path, search: &OsStr) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    let mut there = candidates(program, search).map(|file| directory.join(file));
    if is_named(program) {
        return there.find(|file| file.symlink_metadata().is_ok());
    }
    let found: Vec<PathBuf> = there.filter(|file| file.is_file()).collect();
    executable(&found).or(found.first()).cloned()
}

/// The file that a shell executes for `program` where `PATH` is `search`; none where there is no such file, or none that may be
/// executed by anybody.
pub fn executable_in(program: &OsStr, search: &OsStr) -> Option<PathBuf> {
    let found: Vec<PathBuf> =
        candidates(program, search).map(PathBuf::from).filter(|file| file.is_file()).collect();
    executable(&found).cloned()
}

/// True for the name of a program that a shell in `directory` would execute.
pub fn is_executable(program: &OsStr, directory: &Path) -> bool {
    let found = find(program, directory, &search());
    found.is_some_and(|file| file.is_file() && executable(&[file]).is_some())
}

/// The first of these files that may be executed.
fn executable(files: &[PathBuf]) -> Option<&PathBuf> {
    let may_be =
        |file: &&PathBuf| file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
    files.iter().find(may_be)
}

/// What stands behind `#!` in the first line.
pub fn interpreter(file: &Path) -> Option<String> {
    let mut head = [0u8; 256]; // BINPRM_BUF_SIZE of the kernel
    let mut length = 0;
    let mut file = std::fs::File::open(file).ok()?;
    while length < head.len() {
        match file.read(&mut head[length..]) {
            Ok(0) | Err(_) => break,
            Ok(n) => length += n,
        }
    }
    let line = head[..length].strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let text = String::from_utf8_lossy(line);
    text.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_as_a_shell_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tool");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        let search = folder.path().as_os_str();
        let name = OsStr::new("tool");
        let there = || -> Vec<PathBuf> { candidates(name, search).map(PathBuf::from).collect() };
        assert_eq!(executable(&there()), None, "it cannot be executed");
        assert_eq!(find(name, Path::new(""), search), Some(file.clone()), "but it was meant");
        assert_eq!(executable_in(name, search), None);
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(executable(&there()), Some(&file));
        assert_eq!(executable_in(name, search), Some(file.clone()));
        assert_eq!(find(name, Path::new(""), search), Some(file));
        let direct: Vec<OsString> = candidates(OsStr::new("./tool"), search).collect();
        assert_eq!(direct, ["./tool"]);
        assert_eq!(find(OsStr::new("no-such-tool"), Path::new(""), search), None);
        assert!(find(OsStr::new("sh"), Path::new(""), OsStr::new(DEFAULT_PATH)).is_some());
    }

    #[test]
    fn of_several_the_one_that_may_be_executed_is_meant() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, mode) in [(&first, 0o644), (&second, 0o755)] {
            let file = folder.path().join("tool");
            std::fs::write(&file, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        }
        let search = std::env::join_paths([first.path(), second.path()]).unwrap();
        assert_eq!(find(OsStr::new("tool"), Path::new(""), &search), Some(second.path().join("tool")));
    }
}
