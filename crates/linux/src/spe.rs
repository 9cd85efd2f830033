//! Accesses that Arm's statistical profiling extension (SPE) samples: packets that the processor writes into memory, and the kernel's record of where
//! it wrote them.
//!
//! An operation is a few packets, of a header of one or two bytes and a payload of 1 to 8, and ends with its time or with a packet that says so
//! (Arm Architecture Reference Manual for A-profile, "Statistical Profiling Extension Sample Record Specification"). Each becomes a record as the kernel makes
//! it of loads on other processors, so that whoever reads samples needs to know one kind.

use numawise_units::{CpuId, Cycles, Nanoseconds, Pid};

use crate::counters::ProcessorName;
use crate::samples::Words;

#[cfg(test)]
#[path = "spe_tests.rs"]
mod tests;

/// A sampled operation, as far as its packets tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampledOperation {
    pub kind: OperationKind,
    /// Of the instruction.
    pub ip: u64,
    /// Of the data; 0 where it is not told.
    pub address: u64,
    /// From its begin to when it was done; 0 where it is not told.
    pub cycles: Cycles,
    /// What happened, a bit for each event.
    pub events: u64,
    /// Where the data came from, by a number of the processor's maker.
    pub source: Option<u64>,
    /// Of the generic timer.
    pub ticks: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OperationKind {
    Load,
    Store,
    /// Branches and others, or not told.
    #[default]
    Other,
}

/// Hands over the operations that stand in these bytes, which begin at `at` of the buffer. What is cut off or is no packet is left out.
pub fn operations(bytes: &[u8], at: u64, mut each: impl FnMut(&SampledOperation)) {
    let mut operation = SampledOperation::default();
    let mut rest = bytes;
    while let Some((packet, length)) = packet(rest, at + (bytes.len() - rest.len()) as u64) {
        match packet {
            Packet::Nothing => {}
            Packet::Unknown => operation = SampledOperation::default(),
            Packet::End => each(&std::mem::take(&mut operation)),
            Packet::Timestamp(ticks) => {
                operation.ticks = Some(ticks);
                each(&std::mem::take(&mut operation));
            }
            Packet::Events(events) => operation.events = events,
            Packet::Source(source) => operation.source = Some(source),
            Packet::Kind(kind) => operation.kind = kind,
            Packet::Address(INSTRUCTION, address) => operation.ip = address & ADDRESS,
            Packet::Address(DATA, address) => operation.address = address & ADDRESS,
            Packet::Counter(TOTAL_LATENCY, cycles) => operation.cycles = Cycles(cycles),
            Packet::Address(..) | Packet::Counter(..) => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The upper byte holds a tag, or the level of exceptions.
const ADDRESS: u64 = (1 << 56) - 1;
/// Numbers of addresses, and of counters.
const INSTRUCTION: u8 = 0;
const DATA: u8 = 2;
const TOTAL_LATENCY: u8 = 0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packet {
    /// Padding, and what nobody here asks for.
    Nothing,
    Unknown,
    End,
    Timestamp(u64),
    Events(u64),
    Source(u64),
    Kind(OperationKind),
    Address(u8, u64),
    Counter(u8, u64),
}

/// The first packet and its length, at most what there is; `None` where nothing is left.
fn packet(bytes: &[u8], at: u64) -> Option<(Packet, usize)> {
    let (first, behind) = bytes.split_first()?;
    // Two bits of the header say how long the payload is.
    let payload = |header: u8, behind: &[u8]| {
        let length = 1 << (header >> 4 & 3);
        let mut word = [0; 8];
        word[..length].copy_from_slice(behind.get(..length)?);
        Some((u64::from_le_bytes(word), length))
    };
    let short = |of: fn(u64) -> Packet| match payload(*first, behind) {
        Some((value, length)) => (of(value), 1 + length),
        None => (Packet::Unknown, bytes.len()),
    };
    Some(match *first {
        0x00 => (Packet::Nothing, 1),
        0x01 => (Packet::End, 1),
        0x71 => short(Packet::Timestamp),
        header if header & 0xcf == 0x42 => short(Packet::Events),
        header if header & 0xcf == 0x43 => short(Packet::Source),
        // The process, as far as the kernel lets the processor know it.
        header if header & 0xfc == 0x64 => short(|_| Packet::Nothing),
        0x49 => {
            short(|of| Packet::Kind(if of & 1 == 1 { OperationKind::Store } else { OperationKind::Load }))
        }
        header if header & 0xfc == 0x48 => short(|_| Packet::Kind(OperationKind::Other)),
        header if header & 0xfc == 0x20 => match behind.split_first() {
            // Up to the next multiple of a power of two.
            Some((0, _)) => {
                let multiple = 1u64 << ((header & 0xf) + 1);
                (Packet::Nothing, ((multiple - at % multiple) as usize).max(2))
            }
            Some((second, behind)) => match payload(*second, behind) {
                Some((value, length)) => (numbered(*second, (header & 3) << 3, value), 2 + length),
                None => (Packet::Unknown, bytes.len()),
            },
            None => (Packet::Unknown, 1),
        },
        header => match numbered(header, 0, 0) {
            Packet::Unknown => (Packet::Unknown, 1),
            _ => match payload(header, behind) {
                Some((value, length)) => (numbered(header, 0, value), 1 + length),
                None => (Packet::Unknown, bytes.len()),
            },
        },
    })
}

/// An address or a counter, of which `upper` are the upper bits of its number.
fn numbered(header: u8, upper: u8, value: u64) -> Packet {
    let number = upper | header & 7;
    match header & 0xf8 {
        0xb0 => Packet::Address(number, value),
        0x98 => Packet::Counter(number, value),
        _ => Packet::Unknown,
    }
}

/// Whether the numbers by which a processor says where data came from are those of Arm's Neoverse N1, N2, V1 and V2, which its manuals list alike.
pub fn has_known_sources(of: &ProcessorName) -> bool {
    of.vendor == "0x41" && matches!(of.model, 0xd0c | 0xd40 | 0xd49 | 0xd4f)
}

impl SampledOperation {
    /// As the kernel says it of loads on other processors: union perf_mem_data_src of linux/perf_event.h.
    pub fn data_source(&self, has_known_sources: bool) -> u64 {
        const LEVEL: u32 = 33;
        const ELSEWHERE: u64 = 1 << 37;
        const ANY_CACHE: u64 = 0xb << LEVEL;
        const MEMORY: u64 = 0xd << LEVEL;
        const NOT_TOLD: u64 = 0xf << LEVEL;
        let cache = |level: u64| level << LEVEL;
        let operation = match self.kind {
            OperationKind::Load => 2,
            OperationKind::Store => 4,
            OperationKind::Other => return 0,
        };
        let told = self.source.filter(|_| has_known_sources);
        let source = match told {
            Some(0x0) => cache(1),
            Some(0x8) => cache(2),
            // Another core, of the same cluster or of another one.
            Some(0x9 | 0xa | 0xc) => ANY_CACHE,
            Some(0xb) => cache(3),
            // Another chip.
            Some(0xd) => ANY_CACHE | ELSEWHERE,
            Some(0xe) => MEMORY,
            Some(_) => NOT_TOLD,
            None => self.by_events().unwrap_or(NOT_TOLD),
        };
        operation | source
    }

    /// Events that all processors with SPE number alike.
    fn by_events(&self) -> Option<u64> {
        let has = |event: u32| self.events >> event & 1 == 1;
        let (l1_access, l1_refill, last_access, last_miss, elsewhere) =
            (has(2), has(3), has(8), has(9), has(10));
        let remote = if elsewhere { 1 << 37 } else { 0 };
        match () {
            () if last_miss => Some(0xd << 33 | remote),
            () if last_access => Some(3 << 33 | remote),
            () if l1_access && !l1_refill => Some(1 << 33),
            () => None,
        }
    }

    /// The same as a record of the kernel with [`crate::samples::LOAD_SAMPLE_TYPE`], without registers and stack.
    pub fn record(&self, of: &Written, at: Nanoseconds, has_known_sources: bool) -> Vec<u8> {
        const SAMPLE: u32 = 9;
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let words = [
            0,
            self.ip,
            pair(of.process.0.cast_unsigned(), of.thread.0.cast_unsigned()),
            at.0,
            self.address,
            pair(of.cpu.0, 0),
            // No registers, and no stack.
            0,
            0,
            self.cycles.0,
            self.data_source(has_known_sources),
        ];
        let bytes = 8 + 8 * words.len();
        let header = pair(SAMPLE, (bytes as u32) << 16);
        std::iter::once(header).chain(words).flat_map(u64::to_ne_bytes).collect()
    }
}

/// A part of the buffer that the processor has written, as the kernel tells it when it is full enough, or when the thread leaves its CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// From the begin of all that was ever written.
    pub offset: u64,
    pub bytes: u64,
    /// Some operations found no place.
    pub is_truncated: bool,
    pub process: Pid,
    pub thread: Pid,
    pub at: Nanoseconds,
    pub cpu: CpuId,
}

/// What stands behind each record of an event with [`Written::SAMPLE_TYPE`]: process and thread, time, CPU, event.
const BEHIND: usize = 32;

impl Written {
    /// PERF_SAMPLE_TID, TIME, CPU and IDENTIFIER.
    pub const SAMPLE_TYPE: u64 = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16;

    /// PERF_RECORD_AUX; nothing of other records, and of one that is cut short.
    pub fn parse(record: &[u8]) -> Option<Written> {
        const AUX: u32 = 11;
        const TRUNCATED: u64 = 1;
        let mut words = Words(record);
        let kind = words.half()?;
        words.half()?;
        let (offset, bytes, flags) = (words.word()?, words.word()?, words.word()?);
        let rest = words.0.len().checked_sub(BEHIND).filter(|_| kind == AUX)?;
        words.bytes(rest)?;
        let (process, thread) = (words.pid()?, words.pid()?);
        let at = Nanoseconds(words.word()?);
        let cpu = CpuId(words.half()?);
        Some(Written { offset, bytes, is_truncated: flags & TRUNCATED != 0, process, thread, at, cpu })
    }
}
