//! Programs of tests, compiled once for each build and kept beside it; for tests of any crate.
//!
//! What is kept is found by all that it is made of, so that nothing old is taken. Processes that make the same at once each make their own, and
//! one of them stays.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// What something is made of.
#[derive(Default)]
pub struct Key(DefaultHasher);

impl Key {
    pub fn with(mut self, part: impl Hash) -> Key {
        part.hash(&mut self.0);
        self
    }

    /// A file with its path, which debug information has; all files below it where it is a folder.
    pub fn with_file(self, path: &Path) -> Key {
        let Ok(entries) = std::fs::read_dir(path) else {
            return self.with(path).with(std::fs::read(path).ok());
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().fold(self, |key, path| key.with_file(path))
    }
}

/// The folder that `make` fills; `None` where that says that it cannot.
pub fn kept(name: &str, key: Key, make: impl FnOnce(&Path) -> bool) -> Option<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let folder = all.join(format!("{name}-{:016x}", key.0.finish()));
    if folder.exists() {
        return Some(folder);
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let part = all.join(format!(".{name}-{}-{number}", std::process::id()));
    // One that was left by a process that was killed and had our number.
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).unwrap();
    let is_made = make(&part);
    if !is_made || std::fs::rename(&part, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&part);
    }
    assert!(!is_made || folder.exists(), "{} cannot be kept", folder.display());
    is_made.then_some(folder)
}

/// A program of this source; `None`, having said so, where there is no such compiler.
pub fn compiled(compiler: &str, source: &Path, options: &[&str]) -> Option<PathBuf> {
    let Some(compiler) = found(compiler) else {
        eprintln!("SKIPPED: no {compiler}");
        return None;
    };
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
    let beside = std::fs::read_dir(source.parent().unwrap()).unwrap().flatten().map(|entry| entry.path());
    let mut beside: Vec<PathBuf> =
        beside.filter(|path| path.extension().is_some_and(|end| end == "h")).collect();
    beside.sort();
    let others = options.iter().map(Path::new).filter(|path| path.is_file());
    let key = Key::default().with(&compiler).with(changed(&compiler)).with(options);
    let key = key.with_file(source).with_file(&headers);
    let key = beside.iter().map(PathBuf::as_path).chain(others).fold(key, Key::with_file);
    let name = source.file_name().unwrap().to_str().unwrap();
    let folder = kept(name, key, |folder| {
        let mut command = Command::new(&compiler);
        // Modules of Fortran are written there.
        let made = command.current_dir(folder).arg("-o").arg("program").arg(source).args(options).output();
        let made = made.unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{} {name}: {said}", compiler.display());
        true
    })?;
    Some(folder.join("program"))
}

/// The path of a program.
fn found(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// When what is behind a name was made, in nanoseconds: another version of a compiler is another compiler.
fn changed(program: &Path) -> Option<std::time::SystemTime> {
    program.metadata().and_then(|data| data.modified()).ok()
}
