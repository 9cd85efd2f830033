use numawise_observe::activity::SeenFromOutside;

use super::*;

/// Two computers of a job, with the folder of each.
fn two() -> (tempfile::TempDir, [Exchange; 2]) {
    let shared = tempfile::tempdir().unwrap();
    let of = |_| Exchange {
        folder: shared.path().join(".numawise-1"),
        wait: Duration::from_millis(300),
        wait_for_reader: Duration::from_millis(300),
    };
    let both = [0, 1].map(of);
    (shared, both)
}

fn unreadable() -> ReadFolder {
    // A folder without files has nothing; one that is not there is an error, which comes along too.
    numawise_observe::activity::read_folder(Path::new("/no/such/folder"), &SeenFromOutside::default())
}

const NOTE_OF_TWO: LocalNote = LocalNote { ranks: 2, ends: Vec::new() };

#[test]
fn what_one_hands_over_the_other_takes_and_nothing_is_left() {
    let (shared, [first, second]) = two();
    let other = std::thread::spawn(move || {
        second.hand_over(2, &unreadable(), &NOTE_OF_TWO).unwrap();
        second.is_taken(2)
    });
    let taken = first.take(2);
    assert_eq!((taken.processes.len(), taken.unreadable.len(), taken.ends.len()), (0, 1, 0));
    assert!(taken.unreadable[0].contains("/no/such/folder"), "{taken:?}");
    assert!(other.join().unwrap());
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
}

#[test]
fn nobody_waits_for_ever() {
    let (shared, [first, second]) = two();
    assert!(first.take(2).processes.is_empty());
    second.hand_over(2, &unreadable(), &NOTE_OF_TWO).unwrap();
    // It keeps a record of its own.
    assert!(!second.is_taken(2));
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
}

#[test]
fn it_lies_beside_the_record() {
    let key = JobKey::numbered(1);
    let folder = |record| Exchange::of(key, record).folder().to_owned();
    assert_eq!(folder(Some(Path::new("a/run.nw"))), Path::new("a/.numawise-0000000000000001"));
    assert_eq!(folder(Some(Path::new("run.nw"))), Path::new("./.numawise-0000000000000001"));
    assert_eq!(folder(None), Path::new("./.numawise-0000000000000001"));
}
