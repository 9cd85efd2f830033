use std::fs::OpenOptions;

use super::*;

fn open(path: &Path) -> File {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap()
}

#[test]
fn a_lock_that_is_held_for_a_moment_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nw");
    let first = WriterLock::take(open(&path), &path).unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(PATIENCE / 6);
        drop(first);
    });
    WriterLock::take(open(&path), &path).unwrap();
    holder.join().unwrap();
}

#[test]
fn a_lock_that_stays_is_somebody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nw");
    let _first = WriterLock::take(open(&path), &path).unwrap();
    assert!(matches!(WriterLock::take(open(&path), &path), Err(RecordError::InUse(_))));
}
