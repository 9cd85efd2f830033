use std::ffi::CString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::*;

fn pipe(folder: &Path) -> PathBuf {
    let path = folder.join("pipe");
    let name = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the name ends with NUL.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    path
}

fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn a_named_pipe_without_a_writer_is_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let error = text(&pipe(folder.path())).unwrap_err();
    assert!(error.to_string().contains("nobody writes"), "{error}");
    assert!(begun.elapsed() >= PATIENCE, "{:?}", begun.elapsed());
}

#[test]
fn a_named_pipe_with_a_writer_is_read_to_its_end_however_slow_that_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = pipe(folder.path());
    // It writes late; that it is there before the reader is not left to the scheduler.
    let mut file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let writer = std::thread::spawn(move || {
        for word in ["one ", "two ", "three"] {
            sleep(Duration::from_millis(100));
            file.write_all(word.as_bytes()).unwrap();
        }
    });
    assert_eq!(text(&path).unwrap(), "one two three");
    writer.join().unwrap();
}

#[test]
fn other_files_are_opened_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "text").unwrap();
    assert_eq!(text(&path).unwrap(), "text");
    assert_eq!(text(Path::new("/dev/null")).unwrap(), "");
    assert_eq!(text(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    assert_eq!(text(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

/// As a shell hands over `<(command)`: its pipe has no name, and nothing is said of when it writes.
#[test]
fn a_pipe_without_a_name_is_read_by_its_descriptor() {
    let (reader, mut writer) = io::pipe().unwrap();
    let path = PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd()));
    let thread = std::thread::spawn(move || {
        sleep(Duration::from_millis(100));
        writer.write_all(b"text").unwrap();
    });
    assert_eq!(text(&path).unwrap(), "text");
    thread.join().unwrap();
}
