//! Programs that tests make for themselves.

use std::path::Path;
use std::process::Command;

/// A copy of a program, to be started at once. Another process makes it: where a thread of ours starts a program while this process holds the
/// copy open for writing, the kernel refuses to run the copy (`ETXTBSY`) until that program is there.
pub fn copied(program: impl AsRef<Path>, copy: impl AsRef<Path>) {
    let made = Command::new("cp")
        .arg("--remove-destination")
        .arg(program.as_ref())
        .arg(copy.as_ref())
        .status()
        .unwrap();
    assert!(made.success(), "cp makes no {}", copy.as_ref().display());
}
