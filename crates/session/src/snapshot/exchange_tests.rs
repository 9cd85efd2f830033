use numawise_observe::activity::SeenFromOutside;

use super::super::collected::tests::rank;
use super::*;

/// Two computers of a job, with the folder of each.
fn two() -> (tempfile::TempDir, [Exchange; 2]) {
    let shared = tempfile::tempdir().unwrap();
    let of = |_| Exchange {
        folder: shared.path().join(".numawise-1"),
        is_given: false,
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

fn note_of(host: &str, ranks: u32) -> LocalNote {
    let computer = Computer { host: host.to_owned(), machine: None };
    LocalNote { ranks, ends: Vec::new(), computer, notices: Vec::new() }
}

#[test]
fn what_one_hands_over_the_other_takes_and_nothing_is_left() {
    let (shared, [first, second]) = two();
    let other = std::thread::spawn(move || {
        second.hand_over("2", &unreadable(), &note_of("far", 2)).unwrap();
        second.is_taken("2")
    });
    let taken = first.take(2, HandedOver::default());
    assert!(taken.ends.is_empty());
    let kept = taken.processes.finish();
    assert!(kept.processes.is_empty() && kept.notices.len() == 1);
    assert!(format!("{:?}", kept.notices).contains("/no/such/folder"), "{kept:?}");
    assert!(other.join().unwrap());
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
}

#[test]
fn nobody_waits_for_ever() {
    let (shared, [first, second]) = two();
    assert!(first.take(2, HandedOver::default()).processes.finish().processes.is_empty());
    second.hand_over("2", &unreadable(), &note_of("far", 2)).unwrap();
    // It keeps a record of its own.
    assert!(!second.is_taken("2"));
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

#[test]
fn around_a_launcher_what_began_is_waited_for_and_a_folder_that_is_not_there_is_none() {
    let shared = tempfile::tempdir().unwrap();
    let around = Exchange::for_launcher("here.x", Some(&shared.path().join("run.nw"))).unwrap();
    let name = around.folder().file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(".numawise-here_x-"), "{name}");
    let inside = Exchange::given(around.folder());
    assert_eq!(
        (inside.begin("a").unwrap(), inside.begin("a").unwrap(), inside.begin("b").unwrap()),
        (true, false, true)
    );
    // One of which a rank died hands over twice.
    inside.hand_over("a", &unreadable(), &note_of("a", 1)).unwrap();
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        for name in ["a", "b"] {
            inside.hand_over(name, &unreadable(), &note_of(name, 1)).unwrap();
        }
    });
    let taken = around.take_of_begun(HandedOver::default());
    late.join().unwrap();
    let hosts: Vec<&str> = taken.computers.iter().map(|computer| computer.host.as_str()).collect();
    assert_eq!((hosts, taken.processes.finish().notices.len()), (vec!["a", "b"], 2));
    around.remove();
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
    let gone = Exchange::given(around.folder());
    assert!(gone.begin("a").is_err() && gone.hand_over("a", &unreadable(), &note_of("a", 1)).is_err());
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0, "nobody else makes it");
}

#[test]
fn a_computer_that_began_and_is_gone_is_not_waited_for_for_ever() {
    let shared = tempfile::tempdir().unwrap();
    let around = Exchange::for_launcher("here", Some(&shared.path().join("run.nw"))).unwrap();
    let around = Exchange { wait: Duration::from_millis(100), ..around };
    assert!(Exchange::given(around.folder()).begin("a").unwrap());
    assert!(around.take_of_begun(HandedOver::default()).computers.is_empty());
}

/// As all of them on one computer.
#[test]
fn very_many_ranks_of_several_computers_are_merged_as_they_are_taken() {
    const RANKS: u32 = 2000;
    let (shared, [first, second]) = two();
    let read =
        |ranks: std::ops::Range<u32>| ReadFolder::Ok(ranks.map(|number| Ok(rank(number, RANKS))).collect());
    second.hand_over("1", &read(600..1200), &note_of("far", 600)).unwrap();
    second.hand_over("2", &read(1200..RANKS), &note_of("farther", 800)).unwrap();
    let mut here = Collected::default();
    (0..600).for_each(|number| here.add(Ok::<_, String>(rank(number, RANKS))));
    let taken = first.take(RANKS - 600, HandedOver::to(here));
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
    let mut expected = Collected::default();
    (0..RANKS).for_each(|number| expected.add(Ok::<_, String>(rank(number, RANKS))));
    let (kept, expected) = (taken.processes.finish(), expected.finish());
    assert!(kept.notices.is_empty() && kept.processes.len() < 120, "{:?}", kept.notices);
    assert_eq!(kept.merged, expected.merged);
    assert_eq!(kept.processes, expected.processes);
    assert_eq!((kept.seen, kept.merged.unwrap().ranks), (expected.seen, RANKS.into()));
}
