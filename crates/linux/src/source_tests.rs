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
    assert!((PATIENCE..PATIENCE * 5).contains(&begun.elapsed()), "{:?}", begun.elapsed());
}

#[test]
fn a_named_pipe_with_a_writer_is_read_to_its_end_however_slow_that_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = pipe(folder.path());
    let (writes_late, pauses) = (Duration::from_millis(100), Duration::from_millis(300));
    let writer = std::thread::spawn({
        let path = path.clone();
        move || {
            sleep(writes_late);
            let mut file = OpenOptions::new().write(true).open(path).unwrap();
            for word in ["one ", "two ", "three"] {
                sleep(pauses);
                file.write_all(word.as_bytes()).unwrap();
            }
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
