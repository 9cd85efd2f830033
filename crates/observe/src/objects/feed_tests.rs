use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{AccessMethod, CodeObstacle, DataSource, FileAddress, ObjectKind};
use numawise_linux::calls::pages;
use numawise_units::{Cycles, Pid};

use super::super::input::{Code, LoadedVariable, MemoryChange, MemoryEvent};
use super::*;

fn record(at: u64, number: u8) -> KernelRecord {
    KernelRecord { at: Nanoseconds(at), faults: None, bytes: vec![number].into() }
}

fn numbers(records: &[KernelRecord]) -> Vec<u8> {
    records.iter().map(|record| record.bytes[0]).collect()
}

#[test]
fn records_of_several_rings_come_out_in_the_order_of_time() {
    let records = vec![record(5, 0), record(9, 1), record(12, 2), record(3, 3), record(9, 4)];
    let mut waiting = KernelRecords { records, ..KernelRecords::default() };
    assert_eq!(numbers(&waiting.take(Nanoseconds(9))), [3, 0, 1, 4], "of the same time in their order");
    waiting.records.push(record(11, 5));
    assert!(numbers(&waiting.take(Nanoseconds(10))).is_empty());
    assert_eq!(numbers(&waiting.take(Nanoseconds(100))), [5, 2]);
    assert!(waiting.take(Nanoseconds(u64::MAX)).is_empty());
}

/// A program without code.
struct NoCode;

impl Code for NoCode {
    fn mapped(&mut self, _: &CodeMapping) {}

    fn variables_near(&mut self, _: Pid, _: u64) -> Vec<LoadedVariable> {
        Vec::new()
    }

    fn forked(&mut self, _: Pid, _: Pid) {}

    fn replaced(&mut self, _: Pid) {}

    fn place(&mut self, _: Pid, _: u64) -> Option<CodePlace> {
        None
    }

    fn in_file(&mut self, _: Pid, _: u64) -> Option<FileAddress> {
        None
    }

    fn function(&mut self, _: Pid, _: u64) -> Option<(u64, Vec<u8>)> {
        None
    }

    fn unknown(&mut self, _: Pid, _: u64) -> (CodeObstacle, Option<String>) {
        (CodeObstacle::NoFile, None)
    }
    fn made_function(&mut self, _: Pid, _: u64) -> Option<String> {
        None
    }
    fn callers(&mut self, _: Pid, _: &Stack<'_>) -> Vec<u64> {
        Vec::new()
    }

    fn variable(&mut self, _: &CodePlace) -> Reading<String> {
        Reading::unavailable("it has none")
    }

    fn variables_of_calls(&mut self, _: &FileAddress) -> Vec<String> {
        Vec::new()
    }
}

const PROCESS: Pid = Pid(i32::MAX - 9);

/// A record as the kernel writes it: its header, and words.
fn written(kind: u32, at: u64, words: &[u64]) -> KernelRecord {
    let mut bytes = kind.to_ne_bytes().to_vec();
    bytes.extend(0u16.to_ne_bytes());
    bytes.extend(((8 + 8 * words.len()) as u16).to_ne_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
    KernelRecord { at: Nanoseconds(at), faults: None, bytes: bytes.into() }
}

/// PERF_RECORD_SAMPLE of a load: no registers, as of a thread of 32 bits, and no stack.
fn load(at: u64, address: u64, cycles: u64, data_source: u64) -> KernelRecord {
    let process = PROCESS.0 as u64;
    written(9, at, &[42, 0x40_1000, process | process << 32, at, address, 1, 0, 0, cycles, data_source])
}

#[test]
fn loads_that_a_processor_sampled_are_of_the_object_that_lies_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut tracker = ObjectTracker::new(Nanoseconds(0), AccessMethod::Waited, Box::new(NoCode));
    let change =
        MemoryChange::Mapped { address: 0x7f00_0000, bytes: 0x1000, stack: None, kind: ObjectKind::Mapped };
    let event = MemoryEvent { process: PROCESS, thread: PROCESS, at: Nanoseconds(1), change };
    tracker.memory(&event);
    let bandwidth = Err(BandwidthError::TooShort);
    let mut feed = ObjectFeed::new(tracker, HeapLogs::new(folder.path()), false, bandwidth);
    // Words of a Haswell (the first cache), and of the kernel's table for later ones: memory of another node.
    let remote = 2 | (2 | 1 << 8) << 5 | 0xd << 33 | 1 << 37;
    let records = vec![load(5, 0x7f00_0ff8, 400, remote), load(3, 0x7f00_0008, 7, 0x6810_0142)];
    let read = KernelRecords { records, ..KernelRecords::default() };
    feed.drain(read, Nanoseconds(9));
    let found = feed.finish();
    let mapped = found.tracked.objects.iter().find(|object| object.kind == ObjectKind::Mapped).unwrap();
    let loads: Vec<_> = mapped.loads.iter().map(|of| (of.from, of.samples, of.cycles)).collect();
    assert_eq!(loads, [(DataSource::L1, 1, Cycles(7)), (DataSource::RemoteMemory, 1, Cycles(400))]);
    assert_eq!(found.tracked.counts.load_samples, 2);
}

fn own_process() -> Pid {
    Pid(i32::try_from(std::process::id()).unwrap())
}

/// Memory of this process: 64 pages, each with something in it.
struct OwnPages {
    begin: *mut u8,
    bytes: usize,
}

impl OwnPages {
    fn map() -> OwnPages {
        let (page, count) = (pages::page_size().0 as usize, 64);
        let begin = pages::map(page * count, false).unwrap();
        for number in 0..count {
            // SAFETY: it lies in the mapping, which nobody else knows.
            unsafe { begin.add(number * page).write_volatile(1) };
        }
        OwnPages { begin, bytes: page * count }
    }

    fn change(&self, at: u64, is_there: bool) -> MemoryEvent {
        let process = own_process();
        let (address, bytes) = (self.begin as u64, self.bytes as u64);
        let change = if is_there {
            MemoryChange::Mapped { address, bytes, stack: None, kind: ObjectKind::Mapped }
        } else {
            MemoryChange::Unmapped { address, bytes }
        };
        MemoryEvent { process, thread: process, at: Nanoseconds(at), change }
    }
}

impl Drop for OwnPages {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        unsafe { pages::unmap(self.begin, self.bytes) };
    }
}

const MS: u64 = 1_000_000;

/// One that looked at these pages 100 ms after its begin, when it knew nothing of what happened in the 50 ms before.
fn looked(own: &OwnPages) -> (ObjectFeed, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut tracker = ObjectTracker::new(Nanoseconds(0), AccessMethod::Waited, Box::new(NoCode));
    tracker.memory(&own.change(MS, true));
    let bandwidth = Err(BandwidthError::TooShort);
    let mut feed = ObjectFeed::new(tracker, HeapLogs::new(folder.path()), false, bandwidth);
    feed.drain(KernelRecords::default(), Nanoseconds(50 * MS));
    feed.look(Nanoseconds(100 * MS));
    (feed, folder)
}

fn looks(feed: ObjectFeed) -> Vec<(Nanoseconds, u64)> {
    let found = feed.finish().tracked.objects;
    let mapped = found.iter().find(|object| object.kind == ObjectKind::Mapped).unwrap();
    let looks = mapped.pages.measured().map_or(&[][..], Vec::as_slice);
    looks.iter().map(|look| (look.at, look.on_nodes.iter().map(|(_, count)| count).sum())).collect()
}

#[test]
fn pages_are_those_of_what_lay_there_when_they_were_looked_at() {
    let own = OwnPages::map();
    let (feed, _folder) = looked(&own);
    assert_eq!(looks(feed), [(Nanoseconds(100 * MS), 64)]);
    let (mut feed, _folder) = looked(&own);
    feed.drain(KernelRecords::default(), Nanoseconds(200 * MS));
    feed.tracker.memory(&own.change(150 * MS, false));
    assert_eq!(looks(feed), [(Nanoseconds(100 * MS), 64)], "it went later");
    let (mut feed, _folder) = looked(&own);
    // It is told late that these pages were another object's by then.
    feed.tracker.memory(&own.change(60 * MS, false));
    feed.drain(KernelRecords::default(), Nanoseconds(200 * MS));
    assert_eq!(looks(feed), []);
}

#[test]
fn what_becomes_known_late_is_looked_at_at_once() {
    let own = OwnPages::map();
    let folder = tempfile::tempdir().unwrap();
    let tracker = ObjectTracker::new(Nanoseconds(0), AccessMethod::Waited, Box::new(NoCode));
    let bandwidth = Err(BandwidthError::TooShort);
    let mut feed = ObjectFeed::new(tracker, HeapLogs::new(folder.path()), false, bandwidth);
    for at in 1..80 {
        feed.look(Nanoseconds(at * 25 * MS));
    }
    feed.tracker.memory(&own.change(MS, true));
    feed.look(Nanoseconds(2021 * MS));
    assert_eq!(looks(feed), [(Nanoseconds(2021 * MS), 64)]);
}

#[test]
fn of_a_program_that_has_ended_that_is_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut tracker = ObjectTracker::new(Nanoseconds(0), AccessMethod::Waited, Box::new(NoCode));
    let change =
        MemoryChange::Mapped { address: 0x7f00_0000, bytes: 1 << 20, stack: None, kind: ObjectKind::Mapped };
    tracker.memory(&MemoryEvent { process: PROCESS, thread: PROCESS, at: Nanoseconds(1), change });
    let bandwidth = Err(BandwidthError::TooShort);
    let mut feed = ObjectFeed::new(tracker, HeapLogs::new(folder.path()), false, bandwidth);
    feed.look(Nanoseconds(100 * MS));
    let found = feed.finish().tracked.objects;
    let reason = found[0].pages.reason().unwrap();
    assert!(reason.to_string().starts_with("the program had ended"), "{reason}");
}

#[test]
fn faults_of_pages_that_were_all_there_are_no_first_accesses() {
    let own = OwnPages::map();
    let (mut feed, _folder) = looked(&own);
    let fault = |at: u64| FaultSample {
        at: Nanoseconds(at),
        process: own_process(),
        thread: PROCESS,
        cpu: numawise_units::CpuId(0),
        address: own.begin as u64,
        faults: 31,
        stack: Stack { ip: 1, sp: 8, bp: 0, kept: [0; 5], r10: None, after_call: false, bytes: &[] },
    };
    feed.tracker.fault(&fault(60 * MS));
    feed.drain(KernelRecords::default(), Nanoseconds(200 * MS));
    feed.tracker.fault(&fault(170 * MS));
    let counts = feed.finish().tracked.counts;
    assert_eq!((counts.fault_samples, counts.again_samples, counts.faults_again), (1, 1, 31));
}
