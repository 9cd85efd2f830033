use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{AccessMethod, DataSource, FileAddress, ObjectKind};
use numawise_units::{Cycles, Pid};

use super::super::input::{Code, LoadedVariable, MemoryChange, MemoryEvent};
use super::*;

fn record(at: u64, number: u8) -> KernelRecord {
    KernelRecord { at: Nanoseconds(at), is_fault: false, bytes: vec![number].into() }
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
    KernelRecord { at: Nanoseconds(at), is_fault: false, bytes: bytes.into() }
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
    let mut feed = ObjectFeed::new(tracker, HeapLogs::new(folder.path()), None, bandwidth);
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
