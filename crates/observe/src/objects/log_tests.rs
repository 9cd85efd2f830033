use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;

use numawise_wire::heap::{
    COPIES, COPIES_AT, EVENTS, EVENTS_AT, Event, Header, IS_PYTHON, MAGIC, NO_STACK, SAMPLES_AT, Sample,
    StackCopy, VERSION, file_bytes,
};

use numawise_wire::python::frame_head;

use super::*;

/// A file as the library writes it.
struct Written {
    file: File,
}

impl Written {
    fn new(folder: &Path, process: u32, begin: u64, flags: u32, with_samples: bool) -> Written {
        let file = File::create_new(folder.join(format!("{process}-{begin}{SUFFIX}"))).unwrap();
        file.set_len(file_bytes(with_samples) as u64).unwrap();
        let written = Written { file };
        written.word(offset_of!(Header, version), VERSION);
        written.word(offset_of!(Header, flags), flags);
        written.long(offset_of!(Header, bytes), file_bytes(with_samples) as u64);
        written.word(offset_of!(Header, process), process);
        written.word(offset_of!(Header, parent), 1);
        written.long(offset_of!(Header, begin), begin);
        written.long(0, MAGIC);
        written
    }

    fn word(&self, at: usize, value: u32) {
        self.file.write_all_at(&value.to_ne_bytes(), at as u64).unwrap();
    }

    fn long(&self, at: usize, value: u64) {
        self.file.write_all_at(&value.to_ne_bytes(), at as u64).unwrap();
    }

    fn head(&self, head: u64) {
        self.long(offset_of!(Header, event_head), head);
    }

    fn tail(&self) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, offset_of!(Header, event_tail) as u64).unwrap();
        u64::from_ne_bytes(bytes)
    }

    fn event(&self, number: u64, kind: EventKind, time: u64, address: u64, stack: u32) {
        let at = EVENTS_AT + (number as usize % EVENTS) * size_of::<Event>();
        self.long(at + offset_of!(Event, time), time);
        self.long(at + offset_of!(Event, address), address);
        self.long(at + offset_of!(Event, bytes), 4096);
        self.word(at + offset_of!(Event, thread), 9);
        self.word(at + offset_of!(Event, stack), stack);
        self.word(at + offset_of!(Event, kind), kind as u32);
        self.long(at, number + 1);
    }

    /// The copy at a place of their ring.
    fn stack(&self, place: u64, number: u32, ip: u64, bytes: &[u8]) {
        let at = COPIES_AT + (place as usize % COPIES) * size_of::<StackCopy>();
        self.word(at + offset_of!(StackCopy, number), number);
        self.word(at + offset_of!(StackCopy, bytes), bytes.len() as u32);
        self.long(at + offset_of!(StackCopy, ip), ip);
        self.file.write_all_at(bytes, (at + offset_of!(StackCopy, stack)) as u64).unwrap();
        self.long(at, place + 1);
    }

    /// What Python executes, at a place of the same ring.
    fn python(&self, place: u64, number: u32, frames: &[(u32, &str, &str)]) {
        let mut text = Vec::new();
        for (line, file, function) in frames {
            text.extend(frame_head(*line, file.len() as u16, function.len() as u16));
            text.extend(file.bytes().chain(function.bytes()));
        }
        self.stack(place, number, 0x77, &text);
        self.in_python(place, IS_PYTHON);
    }

    fn in_python(&self, place: u64, python: u32) {
        let at = COPIES_AT + (place as usize % COPIES) * size_of::<StackCopy>();
        self.word(at + offset_of!(StackCopy, python), python);
    }

    fn stacks(&self, head: u64) {
        self.long(offset_of!(Header, copy_head), head);
    }
}

/// Records in words: what is handed over, and when.
fn words(logs: &mut HeapLogs, until: u64) -> Vec<String> {
    let mut words = Vec::new();
    logs.drain(Nanoseconds(until), &mut |record| {
        words.push(match record {
            LoggedRecord::ProcessBegins { process, at, forked, .. } => {
                format!("{process} begins {}{}", at.0, if forked { " forked" } else { "" })
            }
            LoggedRecord::Stack { process, number, stack, python } => {
                let python = python.map(|number| format!(" in Python {number}")).unwrap_or_default();
                format!("{process} stack {number} {} {:?}{python}", stack.ip, stack.bytes)
            }
            LoggedRecord::Python { process, number, interpreter, frames } => {
                let of = |of: &PythonFrame| format!("{}:{:?} {}", of.file, of.line, of.function);
                let frames: Vec<String> = frames.iter().map(of).collect();
                format!("{process} Python {number} {interpreter:#x} {}", frames.join(", "))
            }
            LoggedRecord::Memory(MemoryEvent { process, at, change, .. }) => {
                format!("{process} {} {change:?}", at.0)
            }
            LoggedRecord::Time(sample) => {
                format!(
                    "{} {} sample {} {}",
                    sample.process,
                    sample.at.0,
                    sample.cpu,
                    sample.stack.bytes.len()
                )
            }
        });
    });
    words
}

#[test]
fn records_of_all_processes_come_in_the_order_of_time_with_their_stacks_before_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = HeapLogs::new(folder.path());
    assert!(words(&mut logs, 100).is_empty());
    let first = Written::new(folder.path(), 70, 10, 0, false);
    first.stack(0, 5, 0x1234, &[1, 2]);
    first.stacks(1);
    first.event(0, EventKind::Allocated, 30, 0x1000, 5);
    first.event(1, EventKind::Freed, 20, 0x2000, NO_STACK);
    first.event(2, EventKind::Allocated, 60, 0x3000, 5);
    first.head(3);
    first.long(offset_of!(Header, spent), 800);
    first.long(offset_of!(Header, passed), 62);
    let second = Written::new(folder.path(), 71, 25, Flag::Forked as u32, false);
    second.event(0, EventKind::Mapped, 28, 0x4000, 3);
    second.head(1);
    assert_eq!(
        words(&mut logs, 50),
        [
            "70 begins 10",
            "70 stack 5 4660 [1, 2]",
            "70 20 Freed { address: 8192 }",
            "71 begins 25 forked",
            "71 28 Mapped { address: 16384, bytes: 4096, stack: None, kind: Mapped }",
            "70 30 Allocated { address: 4096, bytes: 4096, stack: Some(5), weight: 1 }",
        ]
    );
    assert_eq!((first.tail(), second.tail()), (3, 1));
    assert_eq!(
        words(&mut logs, 100),
        ["70 60 Allocated { address: 12288, bytes: 4096, stack: Some(5), weight: 1 }"]
    );
    let counts = logs.counts();
    assert_eq!((counts.processes, counts.events, counts.dropped, counts.without_stack), (2, 4, 0, 1));
    assert_eq!((counts.passed, logs.spent()), (62, Nanoseconds(800)));
}

#[test]
fn a_place_that_is_not_filled_is_waited_for_and_then_passed() {
    let folder = tempfile::tempdir().unwrap();
    let written = Written::new(folder.path(), std::process::id(), 10, 0, false);
    let mut logs = HeapLogs::new(folder.path());
    written.event(1, EventKind::Freed, 20, 0x2000, NO_STACK);
    written.head(2);
    assert_eq!(words(&mut logs, 100).len(), 1, "its begin");
    assert_eq!((written.tail(), logs.counts().dropped), (0, 0));
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(words(&mut logs, 100).len(), 1);
    assert_eq!((written.tail(), logs.counts().dropped, logs.counts().events), (2, 1, 1));
    // In the last call nothing is waited for.
    written.head(4);
    written.event(3, EventKind::Freed, 30, 0x2000, NO_STACK);
    assert_eq!(words(&mut logs, u64::MAX).len(), 1);
    assert_eq!(logs.counts().dropped, 2);
}

#[test]
fn events_wait_for_the_stacks_before_them_while_one_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    let written = Written::new(folder.path(), std::process::id(), 10, 0, false);
    let mut logs = HeapLogs::new(folder.path());
    written.stack(1, 8, 0x1234, &[1]);
    written.stacks(2);
    written.event(0, EventKind::Allocated, 20, 0x2000, 8);
    written.head(1);
    assert_eq!(words(&mut logs, 100).len(), 1, "its begin: the first copy is not whole");
    written.stack(0, 7, 0x1235, &[]);
    let told = words(&mut logs, 100);
    assert!(told[0].contains("stack 7 ") && told[1].contains("stack 8 "), "{told:?}");
    assert!(told[2].contains("stack: Some(8)"), "{told:?}");
    // One whose thread was killed is passed, in the last call at once.
    written.stacks(3);
    written.event(1, EventKind::Allocated, 30, 0x3000, 9);
    written.head(2);
    assert!(words(&mut logs, u64::MAX)[0].contains("stack: None"));
    assert_eq!((logs.counts().events, logs.counts().without_stack), (2, 1));
}

#[test]
fn places_of_copies_are_used_again() {
    let process = std::process::id();
    let folder = tempfile::tempdir().unwrap();
    let written = Written::new(folder.path(), process, 10, 0, false);
    let mut logs = HeapLogs::new(folder.path());
    let many = COPIES as u64;
    for round in 0..3 {
        for place in round * many..(round + 1) * many {
            written.stack(place, place as u32, 0x1000 + place, &[]);
        }
        written.stacks((round + 1) * many);
        let told = words(&mut logs, 100);
        let last =
            format!("{process} stack {0} {1} []", (round + 1) * many - 1, 0x1000 + (round + 1) * many - 1);
        assert_eq!(told.iter().filter(|word| word.contains("stack")).count(), COPIES);
        assert_eq!(told.last(), Some(&last));
    }
}

#[test]
fn what_is_broken_is_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(format!("1-1{SUFFIX}")), b"short").unwrap();
    std::fs::create_dir(folder.path().join(format!("2-1{SUFFIX}"))).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join(format!("3-1{SUFFIX}"))).unwrap();
    let written = Written::new(folder.path(), 70, 10, 0, false);
    let mut logs = HeapLogs::new(folder.path());
    // A head that no writer of ours sets: what is whole in the ring is found in the end.
    written.head(EVENTS as u64 * 3 + 5);
    written.event(EVENTS as u64 * 3 + 4, EventKind::Freed, 20, 0x2000, NO_STACK);
    assert_eq!(words(&mut logs, u64::MAX), ["70 begins 10", "70 20 Freed { address: 8192 }"]);
    assert_eq!(logs.counts().dropped, EVENTS as u64 * 3 + 4);
    // A file that ends in its ring.
    let cut = Written::new(folder.path(), 72, 10, 0, false);
    cut.file.set_len(EVENTS_AT as u64 + 60).unwrap();
    cut.head(2);
    assert_eq!(words(&mut logs, u64::MAX), ["72 begins 10"]);
}

#[test]
fn segments_are_detached_with_the_length_with_which_they_were_attached() {
    let folder = tempfile::tempdir().unwrap();
    let written = Written::new(folder.path(), 70, 10, 0, false);
    written.event(0, EventKind::Attached, 20, 0x2000, NO_STACK);
    written.event(1, EventKind::Detached, 30, 0x2000, NO_STACK);
    written.event(2, EventKind::Detached, 40, 0x2000, NO_STACK);
    written.head(3);
    let mut logs = HeapLogs::new(folder.path());
    assert_eq!(
        words(&mut logs, 100)[1..],
        [
            "70 20 Mapped { address: 8192, bytes: 4096, stack: None, kind: Shared }",
            "70 30 Unmapped { address: 8192, bytes: 4096 }",
            "70 40 Unmapped { address: 8192, bytes: 0 }",
        ]
    );
}

#[test]
fn samples_without_a_cpu_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let written = Written::new(folder.path(), 70, 10, Flag::Timed as u32, true);
    for (number, cpu) in [(0, 3), (1, 0)] {
        let at = SAMPLES_AT + number * size_of::<Sample>();
        written.long(at + offset_of!(Sample, time), 20);
        written.word(at + offset_of!(Sample, cpu), cpu);
        written.word(at + offset_of!(Sample, stack_bytes), 16);
        written.long(at, number as u64 + 1);
    }
    written.long(offset_of!(Header, sample_head), 2);
    let mut logs = HeapLogs::new(folder.path());
    assert_eq!(words(&mut logs, 100), ["70 begins 10", "70 20 sample 2 16"]);
    let samples = logs.samples();
    assert_eq!((samples.samples, samples.lost, samples.timed, samples.not_timed), (1, 1, 1, 0));
}

#[test]
fn what_python_executes_comes_before_the_stacks_in_which_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = HeapLogs::new(folder.path());
    let written = Written::new(folder.path(), 70, 10, 0, false);
    written.python(0, 3, &[(7, "/a.py", "fill"), (0, "<string>", "<module>")]);
    written.stack(1, 3, 0x1234, &[1]);
    written.in_python(1, 3 + 1);
    // A number that there is not.
    written.stack(2, 4, 0x1234, &[2]);
    written.in_python(2, u32::MAX - 1);
    written.stacks(3);
    written.event(0, EventKind::Allocated, 20, 0x9000, 3);
    written.head(1);
    let found = words(&mut logs, 100);
    assert_eq!(
        found[1..4],
        [
            "70 Python 3 0x77 /a.py:Some(7) fill, <string>:None <module>",
            "70 stack 3 4660 [1] in Python 3",
            "70 stack 4 4660 [2]",
        ]
    );
    assert_eq!(found.len(), 5);
    assert_eq!(logs.counts().dropped, 0);
}
