//! The folder of everything that is built, downloaded or written for guests, and the locks on it.

use crate::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is run on the host, carried in this library: it works without the source tree.
const FETCH_KERNEL: [(&str, &str); 1] = [("kernel.sh", include_str!("../kernel.sh"))];

/// A folder that is kept between guests: the kernel, compiled programs, the files of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFolder(PathBuf);

impl WorkFolder {
    /// Made when it is first needed.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Compiles one C or assembly file with gcc, unless that was done since its folder and this program (which knows the
    /// flags) last changed. Returns the path of what was compiled.
    ///
    /// # Errors
    /// When gcc is missing or finds mistakes.
    pub fn compile_c(&self, source: &Path, program: &str, flags: &[&str]) -> Result<PathBuf, Error> {
        let target = self.0.join(program);
        let this_program = std::env::current_exe().ok().and_then(|path| changed(&path));
        let folder = source.parent().unwrap_or(Path::new("."));
        if newest(folder).max(this_program) < changed(&target) {
            return Ok(target);
        }
        std::fs::create_dir_all(&self.0).map_err(Error::write(&self.0))?;
        // Several may compile at the same time: each into its own file, put in place at once.
        let fresh =
            tempfile::Builder::new().prefix(program).tempfile_in(&self.0).map_err(Error::write(&target))?;
        let mut gcc = Command::new("gcc");
        gcc.arg("-o").arg(fresh.path()).arg(source).args(flags);
        let output = gcc.output().map_err(|source| Error::Start {
            program: "gcc".to_owned(),
            source,
            advice: "Install gcc",
        })?;
        if !output.status.success() {
            let program = format!("gcc {}", source.display());
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Failed { program, status: output.status, output: text });
        }
        fresh.persist(&target).map_err(|e| Error::Write { path: target.clone(), source: e.error })?;
        Ok(target)
    }

    /// Path of the guest's kernel image: Debian's, downloaded on the first call by `kernel.sh`.
    ///
    /// # Errors
    /// When it cannot be had; the script's words say why.
    pub(crate) fn kernel(&self) -> Result<PathBuf, Error> {
        let script = self.unpacked("fetch", &FETCH_KERNEL)?.join("kernel.sh");
        let program = script.display().to_string();
        let _one_download = self.lock("kernel", true)?;
        let output = Command::new("bash").arg(&script).arg(&self.0).output();
        let advice = "Install bash";
        let output = output.map_err(|source| Error::Start { program: program.clone(), source, advice })?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(Error::Failed { program, status: output.status, output: text });
        }
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    }

    /// Waits for a lock among all processes that use this folder; it is free again when the file is dropped. Guests
    /// share the host's few cores: a timed one runs alone, so that no other disturbs its clock.
    pub(crate) fn lock(&self, name: &str, exclusive: bool) -> Result<File, Error> {
        let path = self.0.join(format!("{name}.lock"));
        std::fs::create_dir_all(&self.0).map_err(Error::write(&self.0))?;
        let file = File::create(&path).map_err(Error::write(&path))?;
        let locked = if exclusive { file.lock() } else { file.lock_shared() };
        locked.map_err(Error::write(&path))?;
        Ok(file)
    }

    /// Writes what is not there as it should be.
    fn unpacked(&self, name: &str, files: &[(&str, &str)]) -> Result<PathBuf, Error> {
        let folder = self.0.join("sources").join(name);
        std::fs::create_dir_all(&folder).map_err(Error::write(&folder))?;
        for (name, text) in files {
            let path = folder.join(name);
            if std::fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
                continue;
            }
            let fresh = tempfile::NamedTempFile::new_in(&self.0).map_err(Error::write(&path))?;
            std::fs::write(fresh.path(), text).map_err(Error::write(&path))?;
            fresh.persist(&path).map_err(|e| Error::Write { path: path.clone(), source: e.error })?;
        }
        Ok(folder)
    }
}

fn changed(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|m| m.modified()).ok()
}

fn newest(folder: &Path) -> Option<std::time::SystemTime> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|entry| changed(&entry.path())).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_is_put_right_and_what_is_compiled_is_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::new(folder.path().join("new"));
        let carried = [("a.c", "int main(void) { return 0; }")];
        let source = work.unpacked("kept", &carried).unwrap().join("a.c");
        std::fs::write(&source, "broken").unwrap();
        work.unpacked("kept", &carried).unwrap();
        assert_eq!(std::fs::read_to_string(&source).unwrap(), carried[0].1);
        let first = match work.compile_c(&source, "a", &[]) {
            Err(Error::Start { .. }) => return eprintln!("SKIPPED: gcc is not installed"),
            first => changed(&first.unwrap()),
        };
        assert_eq!(changed(&work.compile_c(&source, "a", &[]).unwrap()), first);
    }

    #[test]
    fn mistakes_of_a_source_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.c");
        std::fs::write(&source, "int main(void) { return wrong; }").unwrap();
        match WorkFolder::new(folder.path()).compile_c(&source, "a", &[]) {
            Err(Error::Failed { output, .. }) => assert!(output.contains("wrong"), "{output}"),
            Err(Error::Start { .. }) => eprintln!("SKIPPED: gcc is not installed"),
            other => panic!("{other:?}"),
        }
    }
}
