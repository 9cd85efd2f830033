//! The file of one process, read at places and not mapped: who writes it may make it shorter.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use numawise_units::Pid;
use numawise_wire::heap::reader::{
    COPY_TAIL_AT, EVENT_TAIL_AT, EventRecord, HEADER_READ, LogHeader, PythonRecord, SAMPLE_TAIL_AT,
    SampleRecord, StackRecord, sequence,
};
use numawise_wire::heap::{
    COPIES, COPIES_AT, EVENTS, EVENTS_AT, Event, SAMPLES, SAMPLES_AT, Sample, StackCopy,
};

/// Longer is not waited for a thread that took a place and does not fill it. A thread that others keep from its CPU for longer is rare,
/// and one that was killed never comes.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes that are read at a time.
const AT_A_TIME: usize = 256 << 10;

/// A ring as far as it was read.
#[derive(Debug)]
struct Ring {
    begin: usize,
    places: u64,
    place_bytes: usize,
    tail_at: usize,
    /// The number of the next one that is read.
    next: u64,
    /// Those that were taken and never filled, or make no sense.
    holes: u64,
    waits_since: Option<Instant>,
}

/// What is read at a time, twice.
#[derive(Debug, Default)]
pub struct Buffers([Vec<u8>; 2]);

#[derive(Debug)]
pub struct LogFile {
    file: File,
    header: LogHeader,
    copies: Ring,
    events: Ring,
    samples: Ring,
    handed_over: HashSet<u32>,
    /// The process was gone before its events were read last.
    was_gone: bool,
    read: u64,
    without_stack: u64,
}

impl LogFile {
    /// `None` for what is no heap log, is not begun, or cannot be read and written.
    pub fn open(path: &Path) -> Option<LogFile> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let header = header(&file)?;
        let ring = |begin, places: usize, place_bytes, tail_at| Ring {
            begin,
            places: places as u64,
            place_bytes,
            tail_at,
            next: 0,
            holes: 0,
            waits_since: None,
        };
        Some(LogFile {
            file,
            header,
            copies: ring(COPIES_AT, COPIES, size_of::<StackCopy>(), COPY_TAIL_AT),
            events: ring(EVENTS_AT, EVENTS, size_of::<Event>(), EVENT_TAIL_AT),
            samples: ring(SAMPLES_AT, SAMPLES, size_of::<Sample>(), SAMPLE_TAIL_AT),
            handed_over: HashSet::new(),
            was_gone: false,
            read: 0,
            without_stack: 0,
        })
    }

    pub fn header(&self) -> &LogHeader {
        &self.header
    }

    pub fn process(&self) -> Pid {
        super::pid(self.header.process)
    }

    /// Events that were read.
    pub fn events(&self) -> u64 {
        self.read
    }

    pub fn holes(&self) -> u64 {
        self.events.holes
    }

    pub fn lost_samples(&self) -> u64 {
        self.samples.holes
    }

    /// Events whose stack was not copied in time, or makes no sense.
    pub fn without_stack(&self) -> u64 {
        self.without_stack
    }

    /// True where nothing more will come and all was read: the process was gone before, or became another program.
    pub fn is_done(&self, replaced: bool) -> bool {
        let read = self.events.next == self.header.event_head && self.samples.next == self.header.sample_head;
        read && (replaced || self.was_gone)
    }

    /// Reads the call stacks that are there, each as the bytes of its place, and then the events. The number that an event has was handed
    /// over before.
    pub fn read_events(
        &mut self,
        (is_last, buffers): (bool, &mut Buffers),
        each_stack: &mut dyn FnMut(Box<[u8]>),
        each: &mut dyn FnMut(EventRecord),
    ) {
        self.was_gone = !numawise_linux::calls::process::exists(self.process());
        if let Some(header) = header(&self.file) {
            // What a file says of whose it is, it says once.
            let (process, parent, begin) = (self.header.process, self.header.parent, self.header.begin);
            self.header = LogHeader { process, parent, begin, ..header };
        }
        // The stacks of all events that we know of are there by now.
        let copied = header(&self.file).map_or(self.header.copy_head, |header| header.copy_head);
        let (file, handed_over) = (&self.file, &mut self.handed_over);
        self.copies.follow(file, copied, (is_last, buffers), &mut |place| {
            let stack = StackRecord::parse(place).map(|stack| handed_over.insert(stack.number));
            if stack == Some(true) || PythonRecord::parse(place).is_some() {
                each_stack(place.into());
                return true;
            }
            stack.is_some()
        });
        if self.copies.next != copied && !is_last {
            return;
        }
        let (read, without_stack) = (&mut self.read, &mut self.without_stack);
        self.events.follow(file, self.header.event_head, (is_last, buffers), &mut |place| {
            let Some(mut event) = EventRecord::parse(place) else { return false };
            *read += 1;
            // Another thread may still copy the stack that it was the first to have.
            if event.stack.take_if(|number| !handed_over.contains(number)).is_some() {
                *without_stack += 1;
            }
            each(event);
            true
        });
    }

    /// Reads the samples that are there: the time of each, and its bytes.
    pub fn read_samples(
        &mut self,
        last_and_buffers: (bool, &mut Buffers),
        each: &mut dyn FnMut(u64, Box<[u8]>),
    ) {
        if !self.header.has_samples {
            return;
        }
        self.samples.follow(&self.file, self.header.sample_head, last_and_buffers, &mut |place| {
            let Some(sample) = SampleRecord::parse(place) else { return false };
            each(sample.time, place.into());
            true
        });
    }
}

fn header(file: &File) -> Option<LogHeader> {
    let mut bytes = [0; HEADER_READ];
    file.read_exact_at(&mut bytes, 0).ok()?;
    LogHeader::parse(&bytes).ok()
}

impl Ring {
    /// Reads on to the place before `head`, and tells the writers. `each` says whether a place makes sense.
    fn follow(
        &mut self,
        file: &File,
        head: u64,
        (is_last, Buffers(buffers)): (bool, &mut Buffers),
        each: &mut dyn FnMut(&[u8]) -> bool,
    ) {
        let lag = head.wrapping_sub(self.next);
        if lag > self.places {
            // No writer of ours did that: what is left of it is read.
            self.holes = self.holes.saturating_add(lag - self.places);
            self.next = head.wrapping_sub(self.places);
        }
        while self.next != head {
            let first = self.next % self.places;
            let at_a_time = (AT_A_TIME / self.place_bytes) as u64;
            let count = head.wrapping_sub(self.next).min(at_a_time).min(self.places - first);
            let at = self.begin + first as usize * self.place_bytes;
            // Twice: what the first reading finds whole is whole in the second, however the bytes are copied.
            let bytes = count as usize * self.place_bytes;
            for buffer in buffers.iter_mut() {
                if buffer.len() < bytes {
                    buffer.resize(bytes, 0);
                }
                if file.read_exact_at(&mut buffer[..bytes], at as u64).is_err() {
                    return;
                }
            }
            let [before, after] = buffers.each_ref().map(|buffer| &buffer[..bytes]);
            let begun = self.next;
            let places = before.chunks_exact(self.place_bytes).zip(after.chunks_exact(self.place_bytes));
            for (before, after) in places {
                let is_whole = sequence(before) == self.next.wrapping_add(1);
                if !is_whole && !self.may_pass(is_last) {
                    break;
                }
                self.waits_since = None;
                if !is_whole || !each(after) {
                    self.holes += 1;
                }
                self.next = self.next.wrapping_add(1);
            }
            // The writers drop what they have no place for, should that fail, and count it.
            let _ = file.write_all_at(&self.next.to_ne_bytes(), self.tail_at as u64);
            if self.next.wrapping_sub(begun) < count {
                return;
            }
        }
    }

    /// Whether a place that is not whole was waited for long enough.
    fn may_pass(&mut self, is_last: bool) -> bool {
        let since = *self.waits_since.get_or_insert_with(Instant::now);
        is_last || since.elapsed() > PATIENCE
    }
}
