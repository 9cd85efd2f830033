use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

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
fn a_file_that_grows_takes_the_place_of_another_with_what_it_begins_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.json");
    for _ in 0..2 {
        let mut file = begin(&path, b"1\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n");
        file.write_all(b"2\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
    }
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o007, 0);
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
