//! A disk that fills up, and places where nothing may be written.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use numawise_record::{Record, RecordError};

use crate::sample;

const PATH: &str = "NUMAWISE_TEST_RECORD_TO_FILL";

/// Not a test by itself: writes until it cannot, then says what came of it.
#[test]
fn the_writer_that_runs_out() {
    let Some(path) = std::env::var_os(PATH) else {
        return;
    };
    let path = Path::new(&path);
    let opened = if path.exists() { Record::open(path) } else { Record::create(path, &sample::header()) };
    let mut record = match opened {
        Ok(record) => record,
        Err(error) => return println!("refused: {error}"),
    };
    let first = record.study().unwrap().trials.len() as u32;
    for number in first..first + 5000 {
        if let Err(error) = record.append(&sample::trial(number)) {
            println!("stopped at {number}: {error}");
            println!("as {error:?}");
            return;
        }
    }
    println!("never stopped");
}

/// Runs the writer through a shell line in which `"$@"` is the writer.
fn writer(path: &Path, shell: &str) -> String {
    let output = Command::new("sh")
        .args(["-c", shell, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full::the_writer_that_runs_out", "--nocapture"])
        .env(PATH, path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// What was kept before is whole, and it goes on from there once there is room.
fn goes_on(path: &Path, said: &str) {
    assert!(said.contains("no space is left to write"), "{said}");
    let stopped: u32 = said.split("stopped at ").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
    assert!(stopped > 10, "it stopped before anything could be seen: {said}");
    let mut record = Record::open(path).unwrap();
    let trials = record.study().unwrap().trials;
    assert_eq!(trials, (0..stopped).map(sample::trial).collect::<Vec<_>>());
    record.append(&sample::trial(stopped)).unwrap();
}

#[test]
fn a_limit_on_the_size_of_files_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    // 600 blocks of 512 bytes; the signal is ignored, so that the write fails instead.
    let said = writer(&path, r#"trap "" XFSZ; ulimit -f 600; exec "$@""#);
    goes_on(&path, &said);
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let Some(_mounted) = Mounted::new(&disk, &["-t", "tmpfs", "-o", "size=600k", "none"]) else {
        return;
    };
    let path = disk.join("app.nw");
    let said = writer(&path, r#"exec "$@""#);
    assert!(said.contains("as Full"), "{said}");
    let whole = folder.path().join("app.nw");
    std::fs::copy(&path, &whole).unwrap();
    goes_on(&whole, &said);
    // Not even room for a new study: nothing is left behind. What the writer could not use is filled first.
    let filled = std::fs::write(disk.join("filler"), vec![0; 1 << 20]);
    assert_eq!(filled.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    let other = disk.join("other.nw");
    let error = Record::create(&other, &sample::header()).unwrap_err();
    assert!(matches!(error, RecordError::Full { .. }), "{error}");
    assert!(!other.exists() && !disk.join("other.nw-journal").exists());
}

#[test]
fn a_read_only_disk_can_be_read_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real");
    std::fs::create_dir(&real).unwrap();
    Record::create(&real.join("app.nw"), &sample::header()).unwrap().append(&sample::trial(0)).unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let Some(mounted) = Mounted::new(&disk, &["--bind", real.to_str().unwrap()]) else {
        return;
    };
    mounted.remount_read_only();
    let path = disk.join("app.nw");
    assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap().trials.len(), 1);
    for refused in [
        Record::open(&path),
        Record::create(&disk.join("new.nw"), &sample::header()),
        Record::replace(&path, &sample::header()),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, RecordError::ReadOnly { .. }), "{error}");
        assert!(error.to_string().contains("choose a file in a directory in which you may write"));
    }
}

#[test]
fn a_directory_without_permission_is_refused() {
    // Not even root may make a file there.
    let error = Record::create(Path::new("/sys/app.nw"), &sample::header()).unwrap_err();
    assert!(matches!(error, RecordError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_directory_in_which_no_journal_can_be_made_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    Record::create(&path, &sample::header()).unwrap().append(&sample::trial(0)).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    // As somebody else than root, whom permissions do not bind.
    let said = writer(
        &path,
        r#"[ "$(id -u)" != 0 ] || set -- setpriv --reuid 65534 --clear-groups "$@"; exec "$@""#,
    );
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(said.contains("cannot write there"), "{said}");
    assert_eq!(Record::open(&path).unwrap().study().unwrap().trials.len(), 1);
}

/// A file system, gone when dropped.
struct Mounted(PathBuf);

impl Mounted {
    /// None, and a word on stderr, where we may not mount.
    fn new(at: &Path, arguments: &[&str]) -> Option<Self> {
        let mounted = Command::new("mount").args(arguments).arg(at).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Mounted(at.to_owned())),
            _ => {
                let _ = writeln!(
                    std::io::stderr(),
                    "SKIPPED: this test has to mount a file system, which needs root"
                );
                None
            }
        }
    }

    fn remount_read_only(&self) {
        let options = ["-o", "remount,ro,bind"];
        assert!(Command::new("mount").args(options).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
