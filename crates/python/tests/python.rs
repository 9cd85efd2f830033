//! The package as programs in Python use it, in each interpreter that is there.

use std::path::{Path, PathBuf};
use std::process::Command;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python/numawise")
}

/// The folder of this test, where Cargo puts the library too.
fn beside() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// A folder for PYTHONPATH, with the package as a wheel has it.
fn installed() -> tempfile::TempDir {
    let made = tempfile::tempdir().unwrap();
    let inside = made.path().join("numawise");
    std::fs::create_dir(&inside).unwrap();
    for file in std::fs::read_dir(package()).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), inside.join(file.file_name())).unwrap();
        }
    }
    let library = beside().join("libnumawise_python.so");
    assert!(library.exists(), "no {}", library.display());
    std::os::unix::fs::symlink(library, inside.join("_native.abi3.so")).unwrap();
    made
}

/// Interpreters that are there and new enough, each once.
fn interpreters() -> Vec<String> {
    let mut found: Vec<(String, String)> = Vec::new();
    for name in ["python3", "/usr/bin/python3", "python3.12", "python3.13", "python3.14"] {
        let ask = "import sys; assert sys.version_info >= (3, 11); print(sys.executable, sys.prefix)";
        let Ok(said) = Command::new(name).args(["-c", ask]).output() else { continue };
        let which = String::from_utf8_lossy(&said.stdout).into_owned();
        if said.status.success() && found.iter().all(|(_, known)| *known != which) {
            found.push((name.to_owned(), which));
        }
    }
    found.into_iter().map(|(name, _)| name).collect()
}

/// The first interpreter that has the packages with which the manual goes on, or the first one.
fn with_packages(interpreters: &[String]) -> &str {
    let has = |interpreter: &&String| {
        let ask = Command::new(interpreter).args(["-c", "import numpy, pandas"]).output();
        ask.is_ok_and(|said| said.status.success())
    };
    interpreters.iter().find(has).unwrap_or(&interpreters[0])
}

/// The command, where it was built.
fn command() -> Option<PathBuf> {
    let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/numawise");
    [beside().join("../numawise"), release].into_iter().find(|path| path.exists())
}

fn python(interpreter: &str, package: &Path) -> Command {
    let mut python = Command::new(interpreter);
    // Development mode warns of what is left open; a warning is a failure.
    python.args(["-X", "dev", "-W", "error", "-B"]).env("PYTHONPATH", package);
    python.env_remove("NUMAWISE").current_dir(package);
    python
}

#[test]
fn every_call_does_what_it_says_in_each_interpreter() {
    let package = installed();
    let interpreters = interpreters();
    if interpreters.is_empty() {
        eprintln!("SKIPPED: no Python of version 3.11 or newer is there");
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let runs_command = with_packages(&interpreters);
    for interpreter in &interpreters {
        let mut run = python(interpreter, package.path());
        run.args(["-m", "unittest", "discover", "-v", "-s"]).arg(&tests);
        // It takes seconds, and is the same command for all.
        if let Some(command) = command().filter(|_| interpreter == runs_command) {
            run.env("NUMAWISE", command);
        }
        let ran = run.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{interpreter}: {}\n{said}", String::from_utf8_lossy(&ran.stdout));
        for skipped in said.lines().filter(|line| line.contains("skipped")) {
            eprintln!("SKIPPED: {interpreter}: {skipped}");
        }
    }
}

#[test]
fn elsewhere_than_on_linux_it_says_so() {
    let package = installed();
    for interpreter in interpreters() {
        let elsewhere = "import sys; sys.platform = 'darwin'; import numawise";
        let ran = python(&interpreter, package.path()).args(["-c", elsewhere]).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success());
        assert!(
            said.contains(
                "ImportError: numawise places threads and memory by calls of the Linux kernel; this is darwin"
            ),
            "{said}"
        );
    }
}

#[test]
fn types_of_the_package_hold() {
    let is_there = Command::new("mypy").arg("--version").output().is_ok_and(|said| said.status.success());
    if !is_there {
        eprintln!("SKIPPED: mypy is not installed");
        return;
    }
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("pyproject.toml");
    let kept = tempfile::tempdir().unwrap();
    let mut check = Command::new("mypy");
    check.arg("--config-file").arg(settings).arg("--cache-dir").arg(kept.path()).arg(package());
    let said = check.output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
}

/// Every public name has its line in the manual.
#[test]
fn the_manual_names_all_that_the_package_has() {
    let of = std::fs::read_to_string(package().join("__init__.py")).unwrap();
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/user/python.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    let (_, listed) = of.split_once("__all__ = [").unwrap();
    let names: Vec<&str> = listed.split('"').skip(1).step_by(2).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        assert!(manual.contains(&format!("`{name}")), "{name} is not in docs/user/python.md");
    }
}
