//! Records of the kernel's sampling of programs, as they lie in its rings (perf_event_open(2), "MMAP layout").

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use numawise_units::{CpuId, Nanoseconds, Pid};

#[cfg(test)]
#[path = "samples_tests.rs"]
mod tests;

/// What is in each sample: PERF_SAMPLE_IP, TID, TIME, ADDR, CPU, REGS_USER, STACK_USER and IDENTIFIER. [`Record::parse`] reads this and
/// [`LOAD_SAMPLE_TYPE`], and nothing else. PERF_SAMPLE_PERIOD must not be among them: the kernel then takes a sample at each event of its
/// own, such as a page fault, whatever period was asked for (perf_swevent_event in kernel/events/core.c).
pub const SAMPLE_TYPE: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 7 | 1 << 12 | 1 << 13 | 1 << 16;

/// The same and PERF_SAMPLE_WEIGHT and DATA_SRC, of events that sample loads. These stand last, so that the length of a record tells whether
/// it has them.
pub const LOAD_SAMPLE_TYPE: u64 = SAMPLE_TYPE | 1 << 14 | 1 << 15;

/// The registers in each sample, by the kernel's numbers: ax to ip, and r8 to r15.
#[cfg(target_arch = "x86_64")]
pub const REGISTERS: u64 = 0x1ff | 0xff << 16;
/// The same: x0 to x30, sp and pc.
#[cfg(target_arch = "aarch64")]
pub const REGISTERS: u64 = (1 << 33) - 1;

const WORDS: usize = REGISTERS.count_ones() as usize;

/// Registers of a program of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRegisters([u64; WORDS]);

#[cfg(target_arch = "x86_64")]
impl UserRegisters {
    /// In the order of their numbers in instructions: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
    pub fn general(&self) -> [u64; 16] {
        // The kernel has ax, bx, cx, dx, si, di, bp, sp, ip, r8...
        const FROM: [usize; 8] = [0, 2, 3, 1, 7, 6, 4, 5];
        std::array::from_fn(|k| if k < 8 { self.0[FROM[k]] } else { self.0[k + 1] })
    }

    pub fn ip(&self) -> u64 {
        self.0[8]
    }

    pub fn sp(&self) -> u64 {
        self.0[7]
    }
}

#[cfg(target_arch = "aarch64")]
impl UserRegisters {
    /// x0 to x30, and sp.
    pub fn general(&self) -> [u64; 32] {
        std::array::from_fn(|k| self.0[k])
    }

    pub fn ip(&self) -> u64 {
        self.0[32]
    }

    pub fn sp(&self) -> u64 {
        self.0[31]
    }
}

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// By which event it was taken.
    pub event: u64,
    pub ip: u64,
    pub process: Pid,
    pub thread: Pid,
    pub at: Nanoseconds,
    /// Of what the event is about; 0 where it has none.
    pub address: u64,
    pub cpu: CpuId,
    /// Missing for threads without registers of 64 bits.
    pub registers: Option<UserRegisters>,
    /// From the stack pointer on.
    pub stack: &'a [u8],
    /// Of events that sample loads.
    pub load: Option<SampledLoad>,
}

/// What a processor says of a load that it sampled, as the kernel has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledLoad {
    /// Cycles that it took; 0 where that is not known.
    pub weight: u64,
    /// Where the data came from: union perf_mem_data_src of linux/perf_event.h.
    pub data_source: u64,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record<'a> {
    Sample(Sample<'a>),
    /// A file, or memory without one, was mapped so that its code can run.
    Mapped {
        process: Pid,
        begin: u64,
        bytes: u64,
        offset: u64,
        path: PathBuf,
    },
    /// A thread was made; of a process of its own where `process` is not `parent`.
    Forked {
        process: Pid,
        parent: Pid,
        thread: Pid,
    },
    /// A thread has a new name; `is_exec`: since it runs another program.
    Named {
        process: Pid,
        thread: Pid,
        name: String,
        is_exec: bool,
    },
    /// Records that found no place.
    Lost {
        count: u64,
    },
    /// The kernel took no samples for a while: they cost too much.
    Throttled,
    Other,
}

/// `type` of struct perf_event_header.
const MMAP2: u32 = 10;
const LOST: u32 = 2;
const COMM: u32 = 3;
const THROTTLE: u32 = 5;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
/// PERF_RECORD_MISC_COMM_EXEC.
const IS_EXEC: u16 = 1 << 13;
/// PERF_SAMPLE_REGS_ABI_64.
const OF_64_BITS: u64 = 2;
/// What stands behind all records but samples: process and thread, time, CPU, event.
const BEHIND: usize = 32;

/// Words and bytes, one after the other.
pub(crate) struct Words<'a>(pub(crate) &'a [u8]);

impl<'a> Words<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    pub(crate) fn word(&mut self) -> Option<u64> {
        self.bytes(8).map(|bytes| u64::from_ne_bytes(std::array::from_fn(|k| bytes[k])))
    }

    pub(crate) fn half(&mut self) -> Option<u32> {
        self.bytes(4).map(|bytes| u32::from_ne_bytes(std::array::from_fn(|k| bytes[k])))
    }

    pub(crate) fn pid(&mut self) -> Option<Pid> {
        self.half().map(|pid| Pid(pid as i32))
    }

    /// A text with a zero behind it.
    fn text(&mut self) -> Vec<u8> {
        self.0.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
    }
}

impl<'a> Record<'a> {
    /// A record with its header, and when it was made. Nothing where it is cut short.
    pub fn parse(record: &'a [u8]) -> Option<(Nanoseconds, Record<'a>)> {
        let mut words = Words(record);
        let kind = words.half()?;
        let flags = words.half()? as u16;
        if kind == SAMPLE {
            let sample = sample(&mut words)?;
            return Some((sample.at, Record::Sample(sample)));
        }
        let body = words.0.len().checked_sub(BEHIND)?;
        let mut body = Words(words.bytes(body)?);
        let _who = words.word()?;
        let at = Nanoseconds(words.word()?);
        Some((at, other(kind, flags, &mut body)?))
    }
}

fn other<'a>(kind: u32, flags: u16, words: &mut Words<'_>) -> Option<Record<'a>> {
    Some(match kind {
        MMAP2 => {
            let (process, _thread) = (words.pid()?, words.pid()?);
            let (begin, bytes, offset) = (words.word()?, words.word()?, words.word()?);
            // Device, inode, its generation, protection and flags.
            words.bytes(32)?;
            let path = PathBuf::from(OsString::from_vec(words.text()));
            Record::Mapped { process, begin, bytes, offset, path }
        }
        COMM => {
            let (process, thread) = (words.pid()?, words.pid()?);
            let name = String::from_utf8_lossy(&words.text()).into_owned();
            Record::Named { process, thread, name, is_exec: flags & IS_EXEC != 0 }
        }
        FORK => {
            let (process, parent, thread) = (words.pid()?, words.pid()?, words.pid()?);
            Record::Forked { process, parent, thread }
        }
        LOST => {
            let _event = words.word()?;
            Record::Lost { count: words.word()? }
        }
        THROTTLE => Record::Throttled,
        _ => Record::Other,
    })
}

fn sample<'a>(words: &mut Words<'a>) -> Option<Sample<'a>> {
    let event = words.word()?;
    let ip = words.word()?;
    let (process, thread) = (words.pid()?, words.pid()?);
    let at = Nanoseconds(words.word()?);
    let address = words.word()?;
    let cpu = CpuId(words.half()?);
    let _reserved = words.half()?;
    let abi = words.word()?;
    let mut registers = None;
    if abi != 0 {
        let mut values = [0; WORDS];
        for value in &mut values {
            *value = words.word()?;
        }
        registers = (abi == OF_64_BITS).then_some(UserRegisters(values));
    }
    let length = words.word()?;
    let mut stack: &[u8] = &[];
    if length > 0 {
        let all = words.bytes(usize::try_from(length).ok()?)?;
        // What was really there.
        let there = usize::try_from(words.word()?).ok()?;
        stack = all.get(..there)?;
    }
    let load = match words.0.len() {
        0 => None,
        _ => Some(SampledLoad { weight: words.word()?, data_source: words.word()? }),
    };
    Some(Sample { event, ip, process, thread, at, address, cpu, registers, stack, load })
}
