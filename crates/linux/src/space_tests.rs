use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const ROOM: Bytes = Bytes::kib(64);

fn kind(path: &Path) -> io::ErrorKind {
    try_file(path, &["-journal"], ROOM).unwrap_err().kind()
}

#[test]
fn what_could_be_written_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("there"), "text").unwrap();
    symlink(path("there"), path("link")).unwrap();
    for name in ["new", "there", "link"] {
        try_file(&path(name), &["-journal"], ROOM).unwrap();
    }
    try_file(Path::new("/dev/null"), &[], ROOM).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(fs::read_to_string(path("there")).unwrap(), "text");
}

#[test]
fn what_could_not_be_written_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert_eq!(kind(folder.path()), io::ErrorKind::IsADirectory);
    assert_eq!(kind(&path("no/a.nw")), io::ErrorKind::NotFound);
    fs::write(path("file"), "").unwrap();
    assert_eq!(kind(&path("file/a.nw")), io::ErrorKind::NotADirectory);
    // 255 bytes are what a name may have; this one has them, and what is written beside it has more.
    assert_eq!(kind(&path(&"n".repeat(255))), io::ErrorKind::InvalidFilename);
    assert_eq!(kind(&path(&"n".repeat(300))), io::ErrorKind::InvalidFilename);
    let most = Bytes(1 << 62);
    assert!(try_file(&path("new"), &[], most).is_err(), "no disk has so much");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_limit_on_the_size_of_files_is_named_where_there_is_one() {
    let error = io::Error::from_raw_os_error(libc::EFBIG);
    match file_size_limit() {
        None => assert_eq!(problem(&error), error.to_string()),
        Some(limit) => assert!(problem(&error).contains(&format!("{limit} (ulimit -f)"))),
    }
    assert!(problem(&io::Error::from_raw_os_error(libc::ENOSPC)).contains("No space"));
}
