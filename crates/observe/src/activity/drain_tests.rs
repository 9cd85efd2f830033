use std::os::unix::fs::MetadataExt;

use numawise_wire::snapshot::VERSION;
use numawise_wire::trace::{MAGIC, RECORDS, SUFFIX};

use super::*;

const PLACES: usize = 4;
/// Of a process with much memory.
const MANY: usize = 4 * ENOUGH;

/// What a process would do with its file.
struct Process {
    folder: tempfile::TempDir,
    path: PathBuf,
    file: File,
    given: u64,
}

impl Process {
    fn begin() -> Process {
        Process::begin_in(tempfile::tempdir().unwrap(), "1-2")
    }

    fn begin_in(folder: tempfile::TempDir, name: &str) -> Process {
        Process::with_places(folder, name, PLACES)
    }

    fn with_places(folder: tempfile::TempDir, name: &str, places: usize) -> Process {
        let path = folder.path().join(format!("{name}{SUFFIX}"));
        let file = File::create_new(&path).unwrap();
        file.set_len(file_bytes(places) as u64).unwrap();
        let process = Process { folder, path, file, given: 0 };
        process.put(8, &VERSION.to_ne_bytes());
        process.put(offset_of!(Header, chunks), &(places as u32).to_ne_bytes());
        process.put(offset_of!(Header, asked), &(places as u64).to_ne_bytes());
        process.put(0, &MAGIC.to_ne_bytes());
        process
    }

    fn put(&self, at: usize, bytes: &[u8]) {
        self.file.write_all_at(bytes, at as u64).unwrap();
    }

    fn set_state(&self, place: usize, state: ChunkState) {
        self.put(offset_of!(Header, states) + place, &[state as u8]);
    }

    fn state(&self, place: usize) -> u8 {
        let bytes = std::fs::read(&self.path).unwrap();
        bytes[offset_of!(Header, states) + place]
    }

    /// A thread fills a chunk with calls that begin at its number, and lets it go.
    fn fill(&mut self, place: usize, slot: u32) {
        let at = file_bytes(place);
        self.put(at, &(slot + 1).to_ne_bytes());
        self.put(at + 4, &(RECORDS as u32).to_ne_bytes());
        self.put(at + 8, &self.given.to_ne_bytes());
        let each = (0..RECORDS as u64).flat_map(|record| [self.given * 10_000 + record, 1, 0, 0, 1]);
        self.put(at + 64, &each.flat_map(u64::to_ne_bytes).collect::<Vec<u8>>());
        self.set_state(place, ChunkState::LetGo);
        self.given += 1;
    }

    fn fill_all(&mut self) {
        (0..PLACES).for_each(|place| self.fill(place, place as u32 % 2));
    }

    fn drain(&self, most: Bytes, keep: KeptCalls) -> Drain {
        Drain::new(self.folder.path(), DrainTo { folder: self.to(), most, keep })
    }

    fn to(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Numbers of the chunks in each file.
    fn taken(&self) -> Vec<Vec<u64>> {
        let header = std::fs::read(&self.path).unwrap();
        let each = taken(&header).map(|number| {
            let file = std::fs::read(self.folder.path().join(TAKEN).join(file_name("1-2", number))).unwrap();
            let mut from = file.as_slice();
            std::iter::from_fn(|| next(&mut from).unwrap()).map(|chunk| chunk.number).collect()
        });
        each.collect()
    }
}

#[test]
fn chunks_that_were_let_go_are_taken_and_their_places_given_back() {
    let mut process = Process::begin();
    let mut drain = process.drain(Bytes::mib(1), KeptCalls::First);
    process.fill_all();
    process.set_state(3, ChunkState::Held);
    assert!(drain.look());
    assert_eq!((process.taken(), drain.kept), (vec![vec![0, 1, 2]], drain.written));
    let states = [0, 1, 2, 3].map(|place| process.state(place));
    let (free, held) = (ChunkState::Free as u8, ChunkState::Held as u8);
    assert_eq!(states, [free, free, free, held]);
    assert_eq!(std::fs::metadata(process.to()).unwrap().mode() & 0o777, 0o700);
    assert!(!drain.look(), "there is nothing more");
}

#[test]
fn a_process_with_room_enough_is_left_alone() {
    let mut process = Process::begin();
    process.fill(0, 0);
    assert!(!process.drain(Bytes::mib(1), KeptCalls::First).look());
    assert!(!process.to().exists() && process.state(0) == ChunkState::LetGo as u8);
}

#[test]
fn of_much_memory_a_part_serves_again_and_again() {
    let mut process = Process::with_places(tempfile::tempdir().unwrap(), "1-2", MANY);
    let mut drain = process.drain(Bytes::mib(64), KeptCalls::First);
    (1..ENOUGH).for_each(|place| process.fill(place, 0));
    assert!(!drain.look(), "a short program is left alone");
    process.fill(0, 0);
    assert!(drain.look() && process.taken().concat().len() == ENOUGH);
}

#[test]
fn beyond_its_bound_nothing_more_is_taken_where_the_first_calls_are_kept() {
    let mut process = Process::begin();
    let mut drain = process.drain(Bytes::kib(64), KeptCalls::First);
    while process.given < 100 {
        let full = process.given;
        process.fill_all();
        if !drain.look() {
            assert!(drain.problem.is_none() && drain.is_over && drain.kept <= 64 << 10);
            assert_eq!(process.taken().concat(), (0..full).collect::<Vec<u64>>());
            assert_eq!(process.state(0), ChunkState::LetGo as u8, "what was not taken stays");
            return;
        }
    }
    panic!("{drain:?}");
}

#[test]
fn the_oldest_files_go_and_are_counted_where_the_last_calls_are_kept() {
    let mut process = Process::begin();
    let most = Bytes::kib(256);
    let mut drain = process.drain(most, KeptCalls::Last);
    for _ in 0..40 {
        process.fill_all();
        assert!(drain.look(), "{drain:?}");
        assert!(drain.kept <= most.0);
    }
    let header = std::fs::read(&process.path).unwrap();
    let kept = process.taken().concat();
    assert_eq!(kept.last(), Some(&159), "{kept:?}");
    assert!(kept.windows(2).all(|pair| pair[0] + 1 == pair[1]) && kept.len() < 80, "{kept:?}");
    let (dropped, until) = numawise_wire::trace::reader::dropped(&header);
    assert_eq!(dropped, kept[0] * RECORDS as u64);
    assert_eq!(until, (kept[0] - 1) * 10_000 + RECORDS as u64);
    assert_eq!(std::fs::read_dir(process.to()).unwrap().count(), process.taken().len());
}

/// Bytes that are kept of each process.
fn kept(drain: &Drain) -> Vec<u64> {
    drain.known.values().flatten().map(Traced::kept).collect()
}

#[test]
fn of_several_processes_each_keeps_its_part_of_the_last_calls() {
    let mut first = Process::begin();
    let most = Bytes::mib(1);
    let mut drain = first.drain(most, KeptCalls::Last);
    let mut other = Process::begin_in(first.folder, "3-4");
    (0..2).for_each(|_| assert!(!drain.look()));
    first.folder = tempfile::tempdir().unwrap();
    for _ in 0..120 {
        first.fill_all();
        other.fill_all();
        assert!(drain.look() && drain.problem.is_none());
    }
    let kept = kept(&drain);
    assert!(drain.written > 2 * most.0 && kept.iter().all(|kept| *kept <= most.0 / 2), "{kept:?}");
}

#[test]
fn around_a_signal_half_is_for_what_comes_behind_it() {
    let mut process = Process::begin();
    let most = Bytes::mib(1);
    let mut drain = process.drain(most, KeptCalls::Around);
    for _ in 0..40 {
        process.fill_all();
        assert!(drain.look());
    }
    let before = process.taken().concat();
    assert!(kept(&drain)[0] <= most.0 / 2 && before[0] > 0 && before.len() > 8, "{before:?}");
    drain.frozen.store(true, Relaxed);
    while process.given < 400 {
        process.fill_all();
        if !drain.look() {
            break;
        }
    }
    let all = process.taken().concat();
    assert!(all.starts_with(&before) && all.len() > before.len() * 3 / 2, "{before:?} {all:?}");
    assert!(kept(&drain)[0] <= most.0 && drain.problem.is_none());
    let header = std::fs::read(&process.path).unwrap();
    assert_eq!(header[offset_of!(Header, frozen)], 1);
}

#[test]
fn where_something_was_lost_what_comes_behind_it_is_only_taken_if_the_last_calls_are_kept() {
    for (keep, expected) in [(KeptCalls::First, false), (KeptCalls::Last, true)] {
        let mut process = Process::begin();
        process.fill_all();
        process.put(offset_of!(Header, lost), &1u64.to_ne_bytes());
        assert_eq!(process.drain(Bytes::mib(1), keep).look(), expected);
    }
}

#[test]
fn where_one_process_has_lost_something_of_no_other_one_anything_is_taken_behind_that() {
    let mut first = Process::begin();
    let mut drain = first.drain(Bytes::mib(1), KeptCalls::First);
    let other = Process::begin_in(first.folder, "3-4");
    // Each look finds one process more.
    (0..2).for_each(|_| assert!(!drain.look()));
    assert_eq!(drain.known.values().flatten().count(), 2);
    // The folder is the other's now.
    first.folder = tempfile::tempdir().unwrap();
    let mut both = [first, other];
    both.iter_mut().for_each(Process::fill_all);
    both[0].put(offset_of!(Header, lost), &1u64.to_ne_bytes());
    (0..2).for_each(|_| assert!(!drain.look()));
    assert!(drain.is_over && both[1].state(0) == ChunkState::LetGo as u8);
}

#[test]
fn another_one_goes_on_where_one_has_gone() {
    let mut process = Process::begin();
    let (mut one, mut other) =
        (process.drain(Bytes::mib(1), KeptCalls::First), process.drain(Bytes::mib(1), KeptCalls::First));
    process.fill_all();
    assert!(one.look() && !other.look());
    process.fill_all();
    assert!(!other.look(), "one process is not taken by two");
    drop(one);
    let tries = (0..2 * FOREIGN).position(|_| other.look());
    assert!(tries.is_some());
    assert_eq!(process.taken(), [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
}

#[test]
fn a_full_disk_ends_it_and_what_was_not_written_stays() {
    let mut process = Process::begin();
    let mut drain = process.drain(Bytes::mib(1), KeptCalls::First);
    process.fill_all();
    assert!(drain.look());
    // A file that cannot be written any more.
    drain.known.values_mut().flatten().for_each(|traced| {
        traced.files[0].file = File::open(&process.path).unwrap();
    });
    process.fill_all();
    assert!(!drain.look() && drain.problem.is_some() && !drain.look());
    assert_eq!(process.taken(), [vec![0, 1, 2, 3]]);
    assert_eq!(process.state(0), ChunkState::LetGo as u8);
}

#[test]
fn the_thread_says_what_it_has_taken() {
    let mut process = Process::begin();
    process.fill_all();
    let to = DrainTo { folder: process.to(), most: Bytes::mib(1), keep: KeptCalls::First };
    let drain = TraceDrain::start(process.folder.path(), to, Arc::default()).unwrap();
    while process.state(3) != ChunkState::Free as u8 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let drained = drain.finish();
    assert!(drained.taken.0 > 0 && drained.problem.is_none());
}
