//! What the library in the processes of a program writes down (`docs/formats/heap-log.md`), read while they run.
//!
//! Each process has a file, with a ring of events and one of samples. What they hold is foreign: nothing of it is trusted, and what makes no
//! sense is left out and counted.

mod file;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use numawise_facts::objects::{AllocationLog, ObjectKind};
use numawise_operands::Registers;
use numawise_units::{CpuId, Nanoseconds, Pid};
use numawise_wire::heap::reader::{EventRecord, LogHeader, PythonRecord, SampleRecord, StackRecord};
use numawise_wire::heap::{EventKind, Flag, REGISTERS, SUFFIX};
use numawise_wire::python::FrameText;

use super::input::{MemoryChange, MemoryEvent, PythonFrame, Stack, TimeSample};
use file::{Buffers, LogFile};

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;

/// What was written down, in the order of time.
#[expect(clippy::large_enum_variant, reason = "handed over one by one, and kept by nobody")]
#[derive(Debug, Clone, PartialEq)]
pub enum LoggedRecord<'a> {
    /// A process begins to be watched: one that became this program, or a child of fork, which has the memory of its parent.
    ProcessBegins {
        process: Pid,
        parent: Pid,
        at: Nanoseconds,
        forked: bool,
    },
    /// The copy of a call stack, before the first event that names it.
    Stack {
        process: Pid,
        number: u32,
        stack: Stack<'a>,
        /// The number of what Python executes in it.
        python: Option<u32>,
    },
    /// What Python executes, before the first stack or sample that names it.
    Python {
        process: Pid,
        number: u32,
        /// The address of a function of the interpreter.
        interpreter: u64,
        frames: Vec<PythonFrame>,
    },
    Memory(MemoryEvent),
    Time(TimeSample<'a>),
}

impl LoggedRecord<'_> {
    /// When it happened; of a stack nothing is known but that it comes before what names it.
    pub fn at(&self) -> Option<Nanoseconds> {
        match self {
            LoggedRecord::ProcessBegins { at, .. } => Some(*at),
            LoggedRecord::Stack { .. } | LoggedRecord::Python { .. } => None,
            LoggedRecord::Memory(event) => Some(event.at),
            LoggedRecord::Time(sample) => Some(sample.at),
        }
    }
}

/// Samples that the processes took themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoggedSamples {
    pub samples: u64,
    /// They found no place in their ring, or the CPU was not known.
    pub lost: u64,
    /// Processes whose threads were sampled, and those where that was asked for and could not be.
    pub timed: u64,
    pub not_timed: u64,
    /// Processes that forbade system calls to themselves: of these there are neither samples nor allocations from then on.
    pub sandboxed: u64,
}

/// The files of the processes of a program.
#[derive(Debug)]
pub struct HeapLogs {
    folder: PathBuf,
    files: Vec<LogFile>,
    known: HashSet<OsString>,
    pending: Vec<Pending>,
    /// Segments of shared memory that are attached: shmdt(2) does not say how long they are.
    attached: HashMap<(Pid, u64), u64>,
    counts: AllocationLog,
    /// What threads of the program spent in writing.
    spent: Nanoseconds,
    samples: LoggedSamples,
    /// Kept from one call to the next.
    buffers: Buffers,
    handing_over: Vec<Pending>,
}

/// A record that was read and whose time has not come.
#[derive(Debug)]
struct Pending {
    at: u64,
    process: Pid,
    what: What,
}

#[derive(Debug)]
enum What {
    Begins(Box<LogHeader>),
    Stack(Box<[u8]>),
    Event(EventRecord),
    Sample(Box<[u8]>),
}

impl HeapLogs {
    /// For the folder that the processes were given.
    pub fn new(folder: &Path) -> HeapLogs {
        HeapLogs {
            folder: folder.to_owned(),
            files: Vec::new(),
            known: HashSet::new(),
            pending: Vec::new(),
            attached: HashMap::new(),
            counts: AllocationLog::default(),
            spent: Nanoseconds(0),
            buffers: Buffers::default(),
            handing_over: Vec::new(),
            samples: LoggedSamples::default(),
        }
    }

    /// Hands over what happened up to `until`, by the monotonic clock, and was not handed over yet. A thread that is interrupted while it
    /// writes may come late by its time slice, so `until` should lie some milliseconds back. [`u64::MAX`] is the last call, when all
    /// processes are gone: what was begun and never finished is not waited for.
    pub fn drain(&mut self, until: Nanoseconds, each: &mut dyn FnMut(LoggedRecord<'_>)) {
        let is_last = until.0 == u64::MAX;
        self.open_new();
        for file in &mut self.files {
            let process = file.process();
            let pending = RefCell::new(&mut self.pending);
            let put = |at: u64, what: What| pending.borrow_mut().push(Pending { at, process, what });
            let begin = file.header().begin;
            let buffers = &mut self.buffers;
            file.read_events(
                (is_last, buffers),
                &mut |stack| put(begin, What::Stack(stack)),
                // Nothing was written before the file was begun.
                &mut |event| put(event.time.max(begin), What::Event(event)),
            );
            file.read_samples((is_last, buffers), &mut |at, bytes| put(at.max(begin), What::Sample(bytes)));
        }
        self.close_ended(is_last);
        self.pending.sort_by_key(|pending| pending.at);
        let now = self.pending.partition_point(|pending| pending.at <= until.0);
        let mut handing_over = std::mem::take(&mut self.handing_over);
        handing_over.extend(self.pending.drain(..now));
        handing_over.drain(..).for_each(|pending| self.hand_over(&pending, each));
        self.handing_over = handing_over;
    }

    /// What threads of the program spent in the library, as far as they have told.
    pub fn spent(&self) -> Nanoseconds {
        let open = self.files.iter().map(|file| file.header().spent);
        Nanoseconds(open.fold(self.spent.0, u64::saturating_add))
    }

    /// How much there was so far.
    pub fn counts(&self) -> AllocationLog {
        let mut counts = self.counts;
        for file in &self.files {
            add(&mut counts, file);
        }
        counts
    }

    pub fn samples(&self) -> LoggedSamples {
        let mut samples = self.samples;
        self.files.iter().for_each(|file| add_samples(&mut samples, file));
        samples
    }

    fn open_new(&mut self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if !is_log(&name) || self.known.contains(&name) {
                continue;
            }
            // One that is not begun is looked at again.
            let Some(file) = LogFile::open(&entry.path()) else { continue };
            let header = *file.header();
            self.pending.push(Pending {
                at: header.begin,
                process: file.process(),
                what: What::Begins(Box::new(header)),
            });
            self.known.insert(name);
            self.files.push(file);
        }
    }

    /// Closes the files of processes that are gone, so that a program of many thousands does not use up the descriptors.
    fn close_ended(&mut self, is_last: bool) {
        let latest: HashMap<Pid, u64> = self.files.iter().fold(HashMap::new(), |mut latest, file| {
            let begin = latest.entry(file.process()).or_insert(0);
            *begin = file.header().begin.max(*begin);
            latest
        });
        let (counts, samples, spent) = (&mut self.counts, &mut self.samples, &mut self.spent);
        self.files.retain(|file| {
            let replaced = latest.get(&file.process()).is_some_and(|begin| file.header().begin < *begin);
            let done = is_last || file.is_done(replaced);
            if done {
                add(counts, file);
                add_samples(samples, file);
                spent.0 = spent.0.saturating_add(file.header().spent);
            }
            !done
        });
    }

    fn hand_over(&mut self, pending: &Pending, each: &mut dyn FnMut(LoggedRecord<'_>)) {
        let (process, at) = (pending.process, Nanoseconds(pending.at));
        match &pending.what {
            What::Begins(header) => {
                let parent = pid(header.parent);
                let forked = header.has(Flag::Forked);
                if forked {
                    let inherited: Vec<(u64, u64)> = self
                        .attached
                        .iter()
                        .filter(|(of, _)| of.0 == parent)
                        .map(|(of, b)| (of.1, *b))
                        .collect();
                    self.attached.extend(inherited.into_iter().map(|(at, bytes)| ((process, at), bytes)));
                }
                each(LoggedRecord::ProcessBegins { process, parent, at, forked });
            }
            What::Stack(bytes) => {
                // It was one when it was read.
                if let Some(StackRecord { number, python, ip, sp, bp, kept, stack: bytes }) =
                    StackRecord::parse(bytes)
                {
                    let stack = Stack { ip, sp, bp, kept, r10: None, after_call: true, bytes };
                    each(LoggedRecord::Stack { process, number, stack, python });
                } else if let Some(record) = PythonRecord::parse(bytes) {
                    let frames = record.frames().map(python_frame).collect();
                    let (number, interpreter) = (record.number, record.interpreter);
                    each(LoggedRecord::Python { process, number, interpreter, frames });
                }
            }
            What::Event(event) => {
                let change = self.change(process, event);
                each(LoggedRecord::Memory(MemoryEvent { process, thread: pid(event.thread), at, change }));
            }
            What::Sample(bytes) => {
                match SampleRecord::parse(bytes).as_ref().and_then(|record| sample(process, at, record)) {
                    Some(sample) => {
                        self.samples.samples += 1;
                        each(LoggedRecord::Time(sample));
                    }
                    None => self.samples.lost += 1,
                }
            }
        }
    }

    fn change(&mut self, process: Pid, event: &EventRecord) -> MemoryChange {
        let EventRecord { address, bytes, stack, weight, .. } = *event;
        let mapped = |kind| MemoryChange::Mapped { address, bytes, stack, kind };
        match event.kind {
            EventKind::Allocated => MemoryChange::Allocated { address, bytes, stack, weight },
            EventKind::Freed => MemoryChange::Freed { address },
            EventKind::Mapped => mapped(ObjectKind::Mapped),
            EventKind::MappedShared => mapped(ObjectKind::Shared),
            EventKind::Unmapped => MemoryChange::Unmapped { address, bytes },
            EventKind::Drawn => MemoryChange::Drawn { address, weight: bytes, stack },
            EventKind::Attached => {
                self.attached.insert((process, address), bytes);
                mapped(ObjectKind::Shared)
            }
            EventKind::Detached => {
                let bytes = self.attached.remove(&(process, address)).unwrap_or(0);
                MemoryChange::Unmapped { address, bytes }
            }
        }
    }
}

fn python_frame(of: FrameText<'_>) -> PythonFrame {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    PythonFrame { file: text(of.file), function: text(of.function), line: (of.line > 0).then_some(of.line) }
}

fn is_log(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(SUFFIX.as_bytes())
}

fn pid(number: u32) -> Pid {
    Pid(i32::try_from(number).unwrap_or(0))
}

fn add(counts: &mut AllocationLog, file: &LogFile) {
    let header = file.header();
    counts.processes += 1;
    counts.passed = counts.passed.saturating_add(header.passed);
    counts.events = counts.events.saturating_add(file.events());
    counts.dropped = counts.dropped.saturating_add(header.events_dropped).saturating_add(file.holes());
    counts.without_stack =
        counts.without_stack.saturating_add(header.without_stack).saturating_add(file.without_stack());
}

fn add_samples(samples: &mut LoggedSamples, file: &LogFile) {
    let header = file.header();
    samples.lost = samples.lost.saturating_add(header.samples_dropped).saturating_add(file.lost_samples());
    samples.timed += u64::from(header.has(Flag::Timed));
    samples.not_timed += u64::from(header.has(Flag::NotTimed));
    samples.sandboxed += u64::from(header.has(Flag::Sandbox));
}

/// `None` where the CPU is not known.
fn sample<'a>(process: Pid, at: Nanoseconds, record: &SampleRecord<'a>) -> Option<TimeSample<'a>> {
    // Of aarch64 the last one is the stack pointer.
    let general: [u64; GENERAL] =
        std::array::from_fn(|k| record.registers.get(k).copied().unwrap_or(record.sp));
    Some(TimeSample {
        at,
        process,
        thread: pid(record.thread),
        cpu: CpuId(record.cpu?),
        registers: Registers::new(record.ip, general),
        faults: Some(record.faults),
        python: record.python,
        stack: Stack {
            ip: record.ip,
            sp: record.sp,
            bp: record.registers[BP],
            kept: KEPT.map(|number| record.registers[number]),
            r10: R10.map(|number| record.registers[number]),
            after_call: false,
            bytes: record.stack,
        },
    })
}

/// How many general registers there are, and the numbers of those from which callers follow.
#[cfg(not(target_arch = "aarch64"))]
const GENERAL: usize = 16;
#[cfg(not(target_arch = "aarch64"))]
const R10: Option<usize> = Some(10);
#[cfg(target_arch = "aarch64")]
const GENERAL: usize = 32;
#[cfg(target_arch = "aarch64")]
const R10: Option<usize> = None;
#[cfg(not(target_arch = "aarch64"))]
const BP: usize = 5;
#[cfg(not(target_arch = "aarch64"))]
const KEPT: [usize; 5] = [3, 12, 13, 14, 15];
#[cfg(target_arch = "aarch64")]
const BP: usize = 29;
#[cfg(target_arch = "aarch64")]
const KEPT: [usize; 5] = [30, 19, 20, 21, 22];
const _: () = assert!(BP < REGISTERS && KEPT[4] < REGISTERS);
