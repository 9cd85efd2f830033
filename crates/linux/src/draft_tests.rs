use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Both kinds of draft one after the other, whatever the file system can.
fn drafts(path: &Path) -> impl Iterator<Item = Draft> {
    let named = |path: &Path| behind_links(path).and_then(Draft::named);
    [Draft::of, named].into_iter().map(move |make| make(path).unwrap())
}

#[test]
fn nothing_stands_there_before_it_is_placed_and_nothing_else_after() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    for mut draft in drafts(&path) {
        draft.write_all(b"text").unwrap();
        assert!(!path.exists());
        let placed = draft.place_new().unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"text".to_vec(), vec!["report.html".into()])
        );
        // The lock stays with the file that was given back.
        let other = OpenOptions::new().write(true).open(&path).unwrap();
        assert_eq!(claim_writer(&other).unwrap(), WriterClaim::HeldByAnother);
        drop(placed);
        assert_eq!(claim_writer(&other).unwrap(), WriterClaim::Taken);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn what_stands_there_is_replaced_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nw");
    fs::write(&path, "theirs").unwrap();
    for draft in drafts(&path) {
        assert_eq!(draft.place_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"theirs".to_vec(), vec!["a.nw".into()])
        );
    }
    for (mut draft, text) in drafts(&path).zip(["one", "two"]) {
        draft.write_all(text.as_bytes()).unwrap();
        draft.replace().unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names(folder.path())),
            (text.into(), vec!["a.nw".into()])
        );
    }
}

#[test]
fn the_lock_holds_before_there_is_a_name_and_abandoned_drafts_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nw");
    let alive = Draft::named(path.clone()).unwrap();
    let abandoned = folder.path().join(".numawise-0123456789abcdef.part");
    let others = [".numawise-0123456789abcdeg.part", ".numawise-12.part", "a.nw.1234.part", "a.part"];
    for other in others {
        fs::write(folder.path().join(other), "not ours").unwrap();
    }
    let link = folder.path().join(".numawise-00000000000000aa.part");
    symlink(folder.path().join("a.part"), &link).unwrap();
    fs::write(&abandoned, "left by a dead process").unwrap();
    Draft::of(&path).unwrap().place_new().unwrap();
    let part = alive.part.clone().unwrap();
    assert!(!abandoned.exists() && part.exists() && link.is_symlink());
    assert!(others.iter().all(|other| folder.path().join(other).exists()));
    drop(alive);
    assert!(!part.exists());
}

#[test]
fn a_dangling_link_gets_its_target_and_a_circle_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [link, target, one, two] = ["link", "deep/target", "one", "two"].map(|name| folder.path().join(name));
    fs::create_dir(folder.path().join("deep")).unwrap();
    symlink("deep/target", &link).unwrap();
    for draft in drafts(&link) {
        draft.place_new().unwrap();
        assert!(link.is_symlink() && target.is_file());
        fs::remove_file(&target).unwrap();
    }
    symlink(&two, &one).unwrap();
    symlink(&one, &two).unwrap();
    assert_eq!(Draft::of(&one).unwrap_err().raw_os_error(), Some(libc::ELOOP));
}

#[test]
fn nobody_else_may_read_it_and_a_replaced_file_gives_no_more_rights_than_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nw");
    let mode = || path.metadata().unwrap().mode() & 0o7777;
    for draft in drafts(&path) {
        draft.place_new().unwrap();
        assert_eq!(mode() & !WIDEST_MODE, 0, "{:o}", mode());
        fs::remove_file(&path).unwrap();
    }
    for (old, expected) in [(0o600, 0o600), (0o666, 0o640), (0o4755, 0o640), (0o644, 0o640)] {
        for draft in drafts(&path) {
            let _ = fs::remove_file(&path);
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, std::fs::Permissions::from_mode(old)).unwrap();
            draft.replace().unwrap();
            assert_eq!(mode() & !expected, 0, "{old:o} became {:o}", mode());
            assert!(mode() & 0o600 == 0o600);
        }
    }
}

#[test]
fn a_file_without_a_name_can_be_copied_to_one_with_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nw");
    let mut draft = Draft::of(&path).unwrap();
    draft.write_all(b"text").unwrap();
    draft.with_a_name().unwrap().place_new().unwrap();
    assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"text".to_vec(), vec!["a.nw".into()]));
}
