use super::*;

fn none(_: &str) -> Option<OsString> {
    None
}

#[test]
fn a_folder_is_private_and_goes_with_its_owner() {
    let base = tempfile::tempdir().unwrap();
    let made = CollectorFolder::make_in(base.path()).unwrap();
    assert_eq!(made.path().metadata().unwrap().mode() & 0o777, 0o700);
    assert!(made.name().starts_with('/'));
    std::fs::write(made.path().join("1-2.part"), "x").unwrap();
    let path = made.path().to_owned();
    drop(made);
    assert!(!path.exists());
    assert_eq!(base.path().read_dir().unwrap().count(), 0);
}

#[test]
fn ranks_do_not_begin_where_little_is_free_and_meet_where_one_has_begun() {
    let base = tempfile::tempdir().unwrap();
    let join = |own, free| CollectorFolder::join_in(base.path(), "job", own, |_| free);
    let error = join("0.rank", Some(Bytes::kib(64))).unwrap_err().to_string();
    assert_eq!(error, "only 64 KiB are free");
    let first = join("0.rank", None).unwrap();
    assert_eq!(join("1.rank", Some(Bytes::kib(64))).unwrap().path(), first.path());
}

#[test]
fn what_a_killed_one_left_goes_and_what_is_used_stays() {
    let base = tempfile::tempdir().unwrap();
    let old = SystemTime::now() - 2 * LEAST_AGE;
    let age = |path: &Path| File::open(path).unwrap().set_modified(old).unwrap();
    let used = CollectorFolder::make_in(base.path()).unwrap();
    age(used.path());
    let left = base.path().join(format!("{BEGIN}1-1"));
    DirBuilder::new().mode(0o700).create(&left).unwrap();
    std::fs::write(left.join("1-2.part"), "x").unwrap();
    age(&left);
    let young = base.path().join(format!("{BEGIN}1-2"));
    DirBuilder::new().mode(0o700).create(&young).unwrap();
    let others = base.path().join("somebody-elses");
    DirBuilder::new().mode(0o700).create(&others).unwrap();
    age(&others);
    remove_left(base.path());
    assert!(!left.exists());
    assert!(used.path().exists() && young.exists() && others.exists());
}

#[test]
fn it_lies_in_memory_where_there_is_a_place() {
    if !Path::new(IN_MEMORY).is_dir() {
        eprintln!("SKIPPED: no {IN_MEMORY}");
        return;
    }
    let (made, notice) = CollectorFolder::make(&none).unwrap();
    assert!(made.path().starts_with(IN_MEMORY) && notice.is_none());
}

#[test]
fn a_place_where_nothing_can_be_made_is_an_error() {
    assert!(CollectorFolder::make_in(Path::new("/no/such/folder")).is_err());
}

#[test]
fn what_was_taken_to_the_disk_goes_with_the_folder_and_nothing_else_does() {
    let base = tempfile::tempdir().unwrap();
    for (name, goes) in [(format!("{BEGIN_TAKEN}here-a"), true), ("work".to_owned(), false)] {
        let (folder, taken) = (base.path().join("a"), base.path().join(name));
        std::fs::create_dir(&folder).unwrap();
        std::fs::create_dir(&taken).unwrap();
        std::fs::write(taken.join("1-2-0"), "chunks").unwrap();
        std::os::unix::fs::symlink(&taken, folder.join(TAKEN)).unwrap();
        remove(&folder);
        assert_eq!((folder.exists(), taken.exists()), (false, !goes));
    }
}
