use std::fs;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_file_is_written_or_replaced_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    for text in ["first", "second"] {
        write(&path, text.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_link_stays_and_its_target_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::write(&real, "old").unwrap();
    symlink(&real, &link).unwrap();
    write(&link, b"new").unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
}

#[test]
fn a_device_is_written_into() {
    write(Path::new("/dev/null"), b"x").unwrap();
    assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("missing/report.html"), b"x").unwrap_err();
    write(folder.path(), b"x").unwrap_err();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    possible_in(folder.path()).unwrap();
    possible_in(&folder.path().join("missing")).unwrap_err();
}
