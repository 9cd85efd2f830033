//! Takes apart what a heap log holds, from bytes of which nothing is trusted.

use core::mem::offset_of;

use super::{
    Event, EventKind, Flag, HEADER_BYTES, Header, IS_PYTHON, MAGIC, MOST_EXPONENT, PYTHON_PLACES, REGISTERS,
    SAMPLE_STACK, STACK_BYTES, STACK_PLACES, Sample, StackCopy, VERSION, file_bytes,
};
use crate::bytes::{long, word};
use crate::python::{FrameText, frames};

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;

/// What is wrong with the begin of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeapLogError {
    /// Shorter than the header.
    Short {
        needed: usize,
        found: usize,
    },
    /// Not a heap log, or one that is not begun.
    Magic {
        found: u64,
    },
    Version {
        found: u32,
        expected: u32,
    },
    /// Not the length that a file of this version has.
    Length {
        found: u64,
    },
}

/// Bytes of the file that [`LogHeader::parse`] takes.
pub const HEADER_READ: usize = size_of::<Header>();
const _: () = assert!(HEADER_READ <= HEADER_BYTES);
/// Where the reader writes how far it has read the rings.
pub const EVENT_TAIL_AT: usize = offset_of!(Header, event_tail);
pub const COPY_TAIL_AT: usize = offset_of!(Header, copy_tail);
pub const SAMPLE_TAIL_AT: usize = offset_of!(Header, sample_tail);

/// The header at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogHeader {
    pub flags: u32,
    pub process: u32,
    pub parent: u32,
    pub begin: u64,
    pub least: u64,
    pub drawn: u64,
    pub period: u64,
    pub has_samples: bool,
    pub events_dropped: u64,
    pub samples_dropped: u64,
    pub without_stack: u64,
    pub spent: u64,
    pub passed: u64,
    pub event_head: u64,
    pub copy_head: u64,
    pub sample_head: u64,
}

impl LogHeader {
    /// # Errors
    /// Where the bytes do not begin a file of this version.
    pub fn parse(bytes: &[u8]) -> Result<LogHeader, HeapLogError> {
        if bytes.len() < HEADER_READ {
            return Err(HeapLogError::Short { needed: HEADER_READ, found: bytes.len() });
        }
        let magic = long(bytes, offset_of!(Header, magic));
        if magic != MAGIC {
            return Err(HeapLogError::Magic { found: magic });
        }
        let version = word(bytes, offset_of!(Header, version));
        if version != VERSION {
            return Err(HeapLogError::Version { found: version, expected: VERSION });
        }
        let length = long(bytes, offset_of!(Header, bytes));
        if ![false, true].map(|samples| file_bytes(samples) as u64).contains(&length) {
            return Err(HeapLogError::Length { found: length });
        }
        Ok(LogHeader {
            flags: word(bytes, offset_of!(Header, flags)),
            process: word(bytes, offset_of!(Header, process)),
            parent: word(bytes, offset_of!(Header, parent)),
            begin: long(bytes, offset_of!(Header, begin)),
            least: long(bytes, offset_of!(Header, least)),
            drawn: long(bytes, offset_of!(Header, drawn)),
            period: long(bytes, offset_of!(Header, period)),
            has_samples: length == file_bytes(true) as u64,
            events_dropped: long(bytes, offset_of!(Header, events_dropped)),
            samples_dropped: long(bytes, offset_of!(Header, samples_dropped)),
            without_stack: long(bytes, offset_of!(Header, without_stack)),
            spent: long(bytes, offset_of!(Header, spent)),
            passed: long(bytes, offset_of!(Header, passed)),
            event_head: long(bytes, offset_of!(Header, event_head)),
            copy_head: long(bytes, offset_of!(Header, copy_head)),
            sample_head: long(bytes, offset_of!(Header, sample_head)),
        })
    }

    pub fn has(&self, flag: Flag) -> bool {
        self.flags & flag as u32 != 0
    }
}

/// The word that tells whether a place of a ring is whole: the first one.
pub fn sequence(place: &[u8]) -> u64 {
    long(place, 0)
}
const _: () = assert!(
    offset_of!(Event, sequence) == 0
        && offset_of!(StackCopy, sequence) == 0
        && offset_of!(Sample, sequence) == 0
);

/// An event of the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRecord {
    pub kind: EventKind,
    pub time: u64,
    pub address: u64,
    pub bytes: u64,
    pub thread: u32,
    /// [`super::NO_STACK`], or a number below [`STACK_PLACES`].
    pub stack: Option<u32>,
    /// For how many allocations it stands.
    pub weight: u32,
}

impl EventRecord {
    /// `None` for what is no event of this version.
    pub fn parse(place: &[u8]) -> Option<EventRecord> {
        use EventKind::{Allocated, Attached, Detached, Drawn, Freed, Mapped, MappedShared, Unmapped};
        let kinds = [Allocated, Freed, Mapped, MappedShared, Unmapped, Drawn, Attached, Detached];
        let kind = word(place, offset_of!(Event, kind));
        let stack = word(place, offset_of!(Event, stack));
        let exponent = word(place, offset_of!(Event, exponent));
        if exponent > MOST_EXPONENT {
            return None;
        }
        Some(EventRecord {
            kind: kinds.into_iter().find(|known| *known as u32 == kind)?,
            time: long(place, offset_of!(Event, time)),
            address: long(place, offset_of!(Event, address)),
            bytes: long(place, offset_of!(Event, bytes)),
            thread: word(place, offset_of!(Event, thread)),
            stack: ((stack as usize) < STACK_PLACES).then_some(stack),
            weight: 1 << exponent,
        })
    }
}

/// The number of a Python stack, of 1 + that.
fn python_number(word: u32) -> Option<u32> {
    word.checked_sub(1).filter(|number| (*number as usize) < PYTHON_PLACES)
}

/// A Python stack of the ring of copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PythonRecord<'a> {
    /// Below [`PYTHON_PLACES`].
    pub number: u32,
    /// The address of a function of the interpreter.
    pub interpreter: u64,
    text: &'a [u8],
}

impl<'a> PythonRecord<'a> {
    /// `None` for what is another copy, or none.
    pub fn parse(place: &'a [u8]) -> Option<PythonRecord<'a>> {
        let number = word(place, offset_of!(StackCopy, number));
        let bytes = word(place, offset_of!(StackCopy, bytes)) as usize;
        let is_python = word(place, offset_of!(StackCopy, python)) == IS_PYTHON;
        if !is_python || number as usize >= PYTHON_PLACES || bytes > STACK_BYTES {
            return None;
        }
        Some(PythonRecord {
            number,
            interpreter: long(place, offset_of!(StackCopy, ip)),
            text: place.get(offset_of!(StackCopy, stack)..)?.get(..bytes)?,
        })
    }

    /// Its functions, from the innermost on.
    pub fn frames(&self) -> impl Iterator<Item = FrameText<'a>> {
        frames(self.text)
    }
}

/// A call stack of the ring of copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackRecord<'a> {
    /// Below [`STACK_PLACES`].
    pub number: u32,
    /// Of what Python executes in it.
    pub python: Option<u32>,
    pub ip: u64,
    pub sp: u64,
    pub bp: u64,
    pub kept: [u64; 5],
    pub stack: &'a [u8],
}

impl StackRecord<'_> {
    /// `None` for a number that there is not, or with more of a stack than there is place, and for a Python stack.
    pub fn parse(place: &[u8]) -> Option<StackRecord<'_>> {
        let number = word(place, offset_of!(StackCopy, number));
        let bytes = word(place, offset_of!(StackCopy, bytes)) as usize;
        let python = word(place, offset_of!(StackCopy, python));
        if python == IS_PYTHON || number as usize >= STACK_PLACES || bytes > STACK_BYTES {
            return None;
        }
        Some(StackRecord {
            number,
            python: python_number(python),
            ip: long(place, offset_of!(StackCopy, ip)),
            sp: long(place, offset_of!(StackCopy, sp)),
            bp: long(place, offset_of!(StackCopy, bp)),
            kept: core::array::from_fn(|k| long(place, offset_of!(StackCopy, kept) + 8 * k)),
            stack: place.get(offset_of!(StackCopy, stack)..)?.get(..bytes)?,
        })
    }
}

/// A sample of the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRecord<'a> {
    pub time: u64,
    pub thread: u32,
    pub cpu: Option<u32>,
    /// Of the thread since it began, modulo 2^32.
    pub faults: u32,
    /// The number of what Python executes.
    pub python: Option<u32>,
    pub ip: u64,
    pub sp: u64,
    pub registers: [u64; REGISTERS],
    pub stack: &'a [u8],
}

impl SampleRecord<'_> {
    /// `None` for one with more of a stack than there is place.
    pub fn parse(place: &[u8]) -> Option<SampleRecord<'_>> {
        let begin = offset_of!(Sample, stack);
        let bytes = word(place, offset_of!(Sample, stack_bytes)) as usize;
        let stack = place.get(begin..).filter(|_| bytes <= SAMPLE_STACK)?.get(..bytes)?;
        Some(SampleRecord {
            time: long(place, offset_of!(Sample, time)),
            thread: word(place, offset_of!(Sample, thread)),
            cpu: word(place, offset_of!(Sample, cpu)).checked_sub(1),
            faults: word(place, offset_of!(Sample, faults)),
            python: python_number(word(place, offset_of!(Sample, python))),
            ip: long(place, offset_of!(Sample, ip)),
            sp: long(place, offset_of!(Sample, sp)),
            registers: core::array::from_fn(|k| long(place, offset_of!(Sample, registers) + 8 * k)),
            stack,
        })
    }
}
