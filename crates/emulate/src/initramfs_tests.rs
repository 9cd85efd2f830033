use super::Archive;
use std::io::Write;
use std::process::{Command, Stdio};

/// The archive as cpio lists it: an independent reader of the format.
fn listed(archive: &Archive) -> String {
    let mut cpio = Command::new("busybox")
        .args(["cpio", "-itv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("busybox is a requirement of guests");
    cpio.stdin.take().unwrap().write_all(&archive.bytes()).unwrap();
    let output = cpio.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn cpio_reads_what_was_written() {
    let mut archive = Archive::default();
    archive.file("/usr/bin/program", b"12345".as_slice());
    archive.file("init", "#!/bin/sh\n");
    archive.link("bin/sh", "/testbed/busybox");
    archive.directory("empty");
    let list = listed(&archive);
    let of = |name: &str| {
        list.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {list}"))
    };
    assert!(of("usr/bin/program").starts_with("-rwxr-xr-x"), "{list}");
    assert!(of("usr/bin/program").contains(" 5 "), "{list}");
    assert!(of("bin/sh").starts_with("lrwxrwxrwx"), "{list}");
    assert!(of("bin/sh").ends_with("bin/sh -> /testbed/busybox"), "{list}");
    assert!(of("empty").starts_with("drwxr-xr-x"), "{list}");
    assert_eq!(list.lines().count(), 7, "usr, usr/bin, bin and the four: {list}");
}

#[test]
fn directories_come_before_what_is_in_them() {
    let mut archive = Archive::default();
    archive.file("a/b/c/d", "");
    let list = listed(&archive);
    let at = |name: &str| list.lines().position(|line| line.ends_with(name)).unwrap();
    assert!(at(" a") < at("a/b") && at("a/b") < at("a/b/c") && at("a/b/c") < at("a/b/c/d"), "{list}");
}

#[test]
fn a_later_file_replaces_an_earlier_one_and_no_path_leaves_the_root() {
    let mut archive = Archive::default();
    archive.file("x", "old");
    archive.file("../../x", "newer");
    let list = listed(&archive);
    assert_eq!(list.lines().count(), 1, "{list}");
    assert!(list.contains(" 5 "), "{list}");
}
