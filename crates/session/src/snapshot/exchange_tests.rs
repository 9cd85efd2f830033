use numawise_observe::activity::SeenFromOutside;
use numawise_units::Nanoseconds;

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
    let (ends, notices, objects) = (Vec::new(), Vec::new(), Vec::new());
    LocalNote { ranks, ends, computer, notices, objects, to_time_of_day: 0 }
}

#[test]
fn what_one_hands_over_the_other_takes_and_nothing_is_left() {
    let (shared, [first, second]) = two();
    let other = std::thread::spawn(move || {
        second.hand_over("2", &unreadable(), &note_of("far", 2), Collected::default()).unwrap();
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
    second.hand_over("2", &unreadable(), &note_of("far", 2), Collected::default()).unwrap();
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
    inside.hand_over("a", &unreadable(), &note_of("a", 1), Collected::default()).unwrap();
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        for name in ["a", "b"] {
            inside.hand_over(name, &unreadable(), &note_of(name, 1), Collected::default()).unwrap();
        }
    });
    let taken = around.take_of_begun(HandedOver::default());
    late.join().unwrap();
    let hosts: Vec<&str> = taken.computers.iter().map(|computer| computer.host.as_str()).collect();
    assert_eq!((hosts, taken.processes.finish().notices.len()), (vec!["a", "b"], 2));
    around.remove();
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
    let gone = Exchange::given(around.folder());
    assert!(
        gone.begin("a").is_err()
            && gone.hand_over("a", &unreadable(), &note_of("a", 1), Collected::default()).is_err()
    );
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
    let on = |host: &str, ranks: std::ops::Range<u32>| -> Vec<Result<Activity, _>> {
        ranks.map(|number| Ok(Activity { host: host.to_owned(), ..rank(number, RANKS) })).collect()
    };
    let (far, farther) = (ReadFolder::Ok(on("far", 600..1200)), ReadFolder::Ok(on("farther", 1200..RANKS)));
    second.hand_over("1", &far, &note_of("far", 600), Collected::default()).unwrap();
    second.hand_over("2", &farther, &note_of("farther", 800), Collected::default()).unwrap();
    let mut here = Collected::default();
    here.add_all(on("near", 0..600), || None);
    let taken = first.take(RANKS - 600, HandedOver::to(here));
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0);
    let mut expected = Collected::default();
    for (host, ranks) in [("near", 0..600), ("far", 600..1200), ("farther", 1200..RANKS)] {
        expected.add_all(on(host, ranks), || None);
    }
    let (kept, expected) = (taken.processes.finish(), expected.finish());
    assert!(kept.notices.is_empty() && kept.processes.len() < 120, "{:?}", kept.notices);
    assert_eq!(kept.merged, expected.merged);
    assert_eq!(kept.processes, expected.processes);
    let merged = kept.merged.unwrap();
    assert_eq!((kept.seen, merged.ranks), (expected.seen, RANKS.into()));
    let placement = merged.placement.unwrap();
    assert_eq!((placement.processes, placement.hosts.len()), (RANKS.into(), 3));
}

fn written(shared: &Path) -> u64 {
    let files = std::fs::read_dir(shared.join(".numawise-1")).unwrap().flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|end| end == PROCESSES));
    files.map(|file| file.metadata().unwrap().len()).sum()
}

/// Of 16 times as many ranks on a computer as much is handed over.
#[test]
fn what_a_computer_hands_over_does_not_grow_with_its_ranks() {
    let size = |ranks: u32| {
        let (shared, [first, _]) = two();
        let read = ReadFolder::Ok((0..ranks).map(|number| Ok(rank(number, 40_000))).collect());
        first.hand_over("1", &read, &note_of("far", ranks), Collected::default()).unwrap();
        written(shared.path())
    };
    let (some, many) = (size(250), size(4000));
    assert!(many < some + some / 8, "{some} and {many} bytes");
}

#[test]
fn ranks_of_another_job_there_are_not_merged_with_those_of_the_one_that_is_shown() {
    let (_shared, [first, second]) = two();
    let later = |of: Activity| Activity { began: Nanoseconds(10), program: "/bin/later".to_owned(), ..of };
    let all = (0..1100).map(|number| rank(number, 1100)).chain([later(rank(0, 2)), later(rank(1, 2))]);
    let read = ReadFolder::Ok(all.map(Ok).collect());
    second.hand_over("1", &read, &note_of("far", 1100), Collected::default()).unwrap();
    let kept = first.take(1100, HandedOver::default()).processes.finish();
    assert_eq!(kept.merged.unwrap().ranks, 1100);
    assert!(kept.processes.iter().all(|one| one.program == "/bin/app"));
}

#[test]
fn a_few_ranks_that_were_asked_for_of_many_go_in_full() {
    let (shared, [first, second]) = two();
    let asked = || Collected::new(Some("0-9".parse().unwrap()), PathBuf::new(), String::new());
    let read = ReadFolder::Ok((0..10).map(|number| Ok(rank(number, 40_000))).collect());
    second.hand_over("1", &read, &note_of("far", 10), asked()).unwrap();
    let kept = first.take(10, HandedOver::to(asked())).processes.finish();
    assert_eq!((kept.processes.len(), kept.merged), (10, None));
    drop(shared);
}

/// Synthetic ranks of 256 computers, as they would be on one; more of them, and figures: `NUMAWISE_RANKS=262144 cargo test --release
/// -p numawise-session --lib -- --nocapture synthetic`.
#[test]
fn synthetic_ranks_of_very_many_computers_come_together_as_those_of_one() {
    const OF_EACH: u32 = 128;
    let ranks = std::env::var("NUMAWISE_RANKS").map_or(32_768, |ranks| ranks.parse().expect("a number"));
    let (shared, [first, second]) = two();
    let (mut expected, mut in_full) = (Collected::default(), 0);
    for computer in 0..ranks / OF_EACH {
        let numbers = computer * OF_EACH..(computer + 1) * OF_EACH;
        let one = |number| Activity { host: format!("node{computer}"), ..rank(number, ranks) };
        let all: Vec<Activity> = numbers.map(one).collect();
        in_full += all.iter().map(|one| serde_json::to_vec(one).unwrap().len() as u64).sum::<u64>();
        expected.add_all(all.iter().cloned().map(Ok::<_, String>).collect(), || None);
        let (name, read) = (computer.to_string(), ReadFolder::Ok(all.into_iter().map(Ok).collect()));
        second.hand_over(&name, &read, &note_of(&name, OF_EACH), Collected::default()).unwrap();
    }
    let (bytes, begun) = (written(shared.path()), Instant::now());
    let taken = first.take(ranks, HandedOver::default());
    eprintln!(
        "{ranks} synthetic ranks, {OF_EACH} on a computer: {} bytes handed over by each, {} in full; taken in {:.2} s",
        bytes / u64::from(ranks / OF_EACH),
        in_full / u64::from(ranks / OF_EACH),
        begun.elapsed().as_secs_f64()
    );
    let (kept, expected) = (taken.processes.finish(), expected.finish());
    assert_eq!(kept.merged, expected.merged);
    assert_eq!((kept.processes, kept.seen), (expected.processes, expected.seen));
}

/// Of a computer whose ranks are killed, two processes may do so: who reads the first file meanwhile has the whole of it.
#[test]
fn what_is_handed_over_again_does_not_change_what_is_being_read() {
    let (shared, [first, _]) = two();
    let hand_over = |ranks: u32| {
        let read = ReadFolder::Ok((0..ranks).map(|number| Ok(rank(number, 40))).collect());
        first.hand_over("1", &read, &note_of("far", ranks), Collected::default()).unwrap();
    };
    hand_over(40);
    let path = shared.path().join(".numawise-1").join("1").with_extension(PROCESSES);
    let whole = std::fs::read_to_string(&path).unwrap();
    let open = File::open(&path).unwrap();
    hand_over(1);
    assert_eq!(std::io::read_to_string(open).unwrap(), whole);
    assert_ne!(std::fs::read_to_string(&path).unwrap(), whole);
}
