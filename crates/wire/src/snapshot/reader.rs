//! Reads a snapshot file from bytes, of which nothing is trusted: every place is checked against the length, and what is broken
//! is told with its place. Words are read in the byte order of this machine, in which the magic number must make sense.

mod openmp;
mod phases;
mod samples;

use core::mem::offset_of;

use super::files::{FileCalls, FileOperation, KERNEL_BYTES};
use super::header::{Flag, Header, PartName};
use super::openmp::{OpenMp, ROWS};
use super::phase::{PHASES, Phase};
use super::process::{Communicator, Module};
use super::sample::{CallSample, SAMPLES};
use super::thread::{
    CPUS, CpuStay, Dropped, MASK_WORDS, PEERS, Peer, SITES, SIZE_BINS, Site, SizeFamily, ThreadSlot,
    ThreadState, ThreadTables,
};
use super::{COMMUNICATORS, HEADER_BYTES, MAGIC, MODULES, MPI_CALLS, THREADS, VERSION};
use crate::bytes::{half, long, word};

pub use openmp::ConstructRecord;
pub use phases::PhaseRecord;
pub use samples::SampleRecord;

/// What is wrong with a file of the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotFileError {
    /// The bytes end before a place that is needed.
    Short {
        at: usize,
        needed: usize,
        found: usize,
    },
    /// Another file, or one that was not begun.
    Magic {
        found: u64,
    },
    Version {
        found: u32,
        expected: u32,
    },
    /// A part that is not where and what this version has.
    Part {
        name: PartName,
        field: &'static str,
        found: u64,
        expected: u64,
    },
    /// More entries in use than there are places.
    Used {
        at: usize,
        what: &'static str,
        found: u32,
        most: usize,
    },
}

/// Bytes that a file's first page says are in use, at most `file_bytes(THREADS)`: a reader needs no more of it.
pub fn bytes_in_use(first_page: &[u8]) -> usize {
    let slots = word(first_page, offset_of!(Header, slots)) as usize;
    super::file_bytes(slots.min(THREADS))
}

/// Parts that are read.
const PARTS: usize = 5;

/// A snapshot file.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotFile<'a> {
    bytes: &'a [u8],
    slots: usize,
    offsets: [usize; PARTS],
}

/// Bytes up to a zero.
fn text(bytes: &[u8], at: usize, most: usize) -> &[u8] {
    let bytes = bytes.get(at..at.saturating_add(most)).unwrap_or_default();
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Ticks and nanoseconds of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub ticks: u64,
    pub nanoseconds: u64,
}

impl<'a> SnapshotFile<'a> {
    /// # Errors
    /// Where the bytes are no file of this version, or end too early.
    pub fn parse(bytes: &'a [u8]) -> Result<SnapshotFile<'a>, SnapshotFileError> {
        if bytes.len() < HEADER_BYTES {
            return Err(SnapshotFileError::Short { at: 0, needed: HEADER_BYTES, found: bytes.len() });
        }
        let magic = long(bytes, offset_of!(Header, magic));
        if magic != MAGIC {
            return Err(SnapshotFileError::Magic { found: magic });
        }
        let version = word(bytes, offset_of!(Header, version));
        if version != VERSION {
            return Err(SnapshotFileError::Version { found: version, expected: VERSION });
        }
        let mut offsets = [0; PARTS];
        let mut slots = 0;
        let parts = [
            (PartName::Modules, size_of::<Module>(), MODULES),
            (PartName::Communicators, size_of::<Communicator>(), COMMUNICATORS),
            (PartName::Threads, size_of::<ThreadSlot>(), THREADS),
            (PartName::Phases, size_of::<Phase>(), PHASES),
            (PartName::CallSamples, size_of::<CallSample>(), SAMPLES),
        ];
        for ((name, stride, most), place) in parts.into_iter().zip(&mut offsets) {
            let at = offset_of!(Header, parts) + name as usize * 16;
            let (offset, found, capacity) = (long(bytes, at), word(bytes, at + 8), word(bytes, at + 12));
            let part = |field, found: u64, expected: usize| SnapshotFileError::Part {
                name,
                field,
                found,
                expected: expected as u64,
            };
            if matches!(name, PartName::Phases | PartName::CallSamples) && capacity == 0 {
                continue;
            }
            if found as usize != stride {
                return Err(part("stride", found.into(), stride));
            }
            if capacity as usize > most || (name != PartName::Threads && capacity as usize != most) {
                return Err(part("capacity", capacity.into(), most));
            }
            let begin = usize::try_from(offset).map_err(|_| part("offset", offset, bytes.len()))?;
            // Slots that nobody had need not be there.
            let used = match name {
                PartName::Threads => word(bytes, offset_of!(Header, slots)).min(capacity),
                _ => capacity,
            };
            let end = begin.checked_add(stride * used as usize);
            if end.is_none_or(|end| end > bytes.len()) {
                return Err(SnapshotFileError::Short {
                    at: begin,
                    needed: end.unwrap_or(usize::MAX),
                    found: bytes.len(),
                });
            }
            *place = begin;
            if name == PartName::Threads {
                slots = capacity as usize;
            }
        }
        let file = SnapshotFile { bytes, slots, offsets };
        file.check_used()?;
        Ok(file)
    }

    fn check_used(&self) -> Result<(), SnapshotFileError> {
        let check = |at, what, most| match word(self.bytes, at) {
            found if found as usize > most => Err(SnapshotFileError::Used { at, what, found, most }),
            _ => Ok(()),
        };
        check(offset_of!(Header, slots), "slots", self.slots)?;
        check(offset_of!(Header, modules), "modules", MODULES)?;
        check(offset_of!(Header, communicators), "communicators", COMMUNICATORS)?;
        let [_, _, threads, ..] = self.offsets;
        for slot in 0..word(self.bytes, offset_of!(Header, slots)) as usize {
            let begin = threads + slot * size_of::<ThreadSlot>();
            check(begin + offset_of!(ThreadSlot, sites_used), "sites", SITES)?;
            check(begin + offset_of!(ThreadSlot, peers_used), "peers", PEERS)?;
            let rows = offset_of!(ThreadTables, openmp) + offset_of!(OpenMp, rows_used);
            check(begin + offset_of!(ThreadSlot, tables) + rows, "rows", ROWS)?;
        }
        Ok(())
    }

    /// A word of the header, by its place there.
    pub fn header_word(&self, at: usize) -> u32 {
        word(self.bytes.get(..HEADER_BYTES).unwrap_or_default(), at)
    }

    pub fn header_long(&self, at: usize) -> u64 {
        long(self.bytes.get(..HEADER_BYTES).unwrap_or_default(), at)
    }

    pub fn process(&self) -> u32 {
        self.header_word(offset_of!(Header, process))
    }

    pub fn has(&self, flag: Flag) -> bool {
        self.header_word(offset_of!(Header, flags)) & flag as u32 != 0
    }

    /// [`super::MpiKind`] as a number.
    pub fn mpi(&self) -> u32 {
        self.header_word(offset_of!(Header, mpi))
    }

    /// Rank in the world and its size; `None` before MPI_Init has returned.
    pub fn rank(&self) -> Option<(u32, u32)> {
        let size = self.header_word(offset_of!(Header, world));
        (size > 0).then(|| (self.header_word(offset_of!(Header, rank)), size))
    }

    /// [`Header::world_name`]; `None` where the launcher gave none.
    pub fn world_name(&self) -> Option<u64> {
        Some(self.header_long(offset_of!(Header, world_name))).filter(|name| *name != 0)
    }

    /// What the kernel accounted to the process from when it began to be watched to its end; `None` where one of both is not known.
    pub fn kernel_bytes(&self) -> Option<[u64; KERNEL_BYTES]> {
        let mut bytes = self.io(offset_of!(Header, io_end))?;
        let begin = self.kernel_bytes_at_begin()?;
        bytes.iter_mut().zip(begin).for_each(|(bytes, begin)| *bytes = bytes.saturating_sub(begin));
        Some(bytes)
    }

    /// What the kernel had accounted to the process when it began to be watched.
    pub fn kernel_bytes_at_begin(&self) -> Option<[u64; KERNEL_BYTES]> {
        self.io(offset_of!(Header, io_begin))
    }

    fn io(&self, at: usize) -> Option<[u64; KERNEL_BYTES]> {
        let numbers: [u64; KERNEL_BYTES] = core::array::from_fn(|k| self.header_long(at + 8 * k));
        (!numbers.contains(&0)).then(|| numbers.map(|number| number - 1))
    }

    /// Threads that found no slot.
    pub fn threads_dropped(&self) -> u32 {
        self.header_word(offset_of!(Header, threads_dropped))
    }

    pub fn host(&self) -> &'a [u8] {
        text(self.bytes, offset_of!(Header, host), super::header::HOST_BYTES)
    }

    pub fn program(&self) -> &'a [u8] {
        text(self.bytes, offset_of!(Header, program), super::header::PROGRAM_BYTES)
    }

    pub fn begin(&self) -> Moment {
        Moment {
            ticks: self.header_long(offset_of!(Header, begin_ticks)),
            nanoseconds: self.header_long(offset_of!(Header, begin_nanoseconds)),
        }
    }

    /// The latest moment that was noted.
    pub fn last(&self) -> Moment {
        Moment {
            ticks: self.header_long(offset_of!(Header, last_ticks)),
            nanoseconds: self.header_long(offset_of!(Header, last_nanoseconds)),
        }
    }

    /// Nanoseconds of a tick; `None` where the two moments are the same.
    pub fn nanoseconds_per_tick(&self) -> Option<f64> {
        let (begin, last) = (self.begin(), self.last());
        let ticks = last.ticks.checked_sub(begin.ticks).filter(|ticks| *ticks > 0)?;
        let nanoseconds = last.nanoseconds.checked_sub(begin.nanoseconds)?;
        Some(nanoseconds as f64 / ticks as f64)
    }

    fn part(&self, name: PartName, number: usize, stride: usize) -> &'a [u8] {
        let begin = self.offsets.get(name as usize).map_or(0, |offset| offset + number * stride);
        self.bytes.get(begin..begin + stride).unwrap_or_default()
    }

    pub fn modules(&self) -> impl Iterator<Item = LoadedModule<'a>> + use<'a> {
        let file = *self;
        (0..self.header_word(offset_of!(Header, modules)) as usize).map(move |number| {
            let bytes = file.part(PartName::Modules, number, size_of::<Module>());
            LoadedModule {
                begin: long(bytes, offset_of!(Module, begin)),
                end: long(bytes, offset_of!(Module, end)),
                base: long(bytes, offset_of!(Module, base)),
                path: text(bytes, offset_of!(Module, path), super::PATH_BYTES),
            }
        })
    }

    pub fn communicators(&self) -> impl Iterator<Item = KnownCommunicator<'a>> + use<'a> {
        let file = *self;
        (0..self.header_word(offset_of!(Header, communicators)) as usize).map(move |number| {
            let bytes = file.part(PartName::Communicators, number, size_of::<Communicator>());
            KnownCommunicator {
                size: word(bytes, offset_of!(Communicator, size)),
                rank: word(bytes, offset_of!(Communicator, rank)),
                lives: word(bytes, offset_of!(Communicator, lives)),
                members: long(bytes, offset_of!(Communicator, members)),
                is_inter: word(bytes, offset_of!(Communicator, inter)) != 0,
                name: text(bytes, offset_of!(Communicator, name), 32),
            }
        })
    }

    /// Slots that a thread has or had.
    pub fn threads(&self) -> impl Iterator<Item = ThreadRecord<'a>> + use<'a> {
        self.threads_by_slot().map(|(_, thread)| thread)
    }

    /// The same with the numbers of the slots.
    pub fn threads_by_slot(&self) -> impl Iterator<Item = (u32, ThreadRecord<'a>)> + use<'a> {
        let file = *self;
        let record = move |number: u32| {
            let bytes = file.part(PartName::Threads, number as usize, size_of::<ThreadSlot>());
            (number, ThreadRecord(bytes))
        };
        let slots = 0..self.header_word(offset_of!(Header, slots));
        slots.map(record).filter(|(_, record)| record.word(offset_of!(ThreadSlot, lives)) > 0)
    }
}

/// [`CpuStay::cpu`] less one, of all CPUs that found no place.
const OTHER_CPUS: u32 = u32::MAX - 1;

/// A file that was loaded.
#[derive(Debug, Clone, Copy)]
pub struct LoadedModule<'a> {
    pub begin: u64,
    pub end: u64,
    pub base: u64,
    pub path: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
pub struct KnownCommunicator<'a> {
    pub size: u32,
    pub rank: u32,
    pub lives: u32,
    pub members: u64,
    pub is_inter: bool,
    pub name: &'a [u8],
}

/// A slot.
#[derive(Debug, Clone, Copy)]
pub struct ThreadRecord<'a>(&'a [u8]);

/// Calls on files of one kind.
#[derive(Debug, Clone, Copy)]
pub struct FileCallsRecord {
    pub count: u64,
    pub ticks: u64,
    pub longest: u64,
    pub bytes: u64,
}

/// A call site.
#[derive(Debug, Clone, Copy)]
pub struct SiteRecord {
    pub call: &'static str,
    pub address: u64,
    pub communicator: Option<u16>,
    pub count: u64,
    pub ticks: u64,
    pub longest: u64,
    pub sent: u64,
    pub received: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerRecord {
    pub rank: u32,
    pub sent_messages: u64,
    pub sent_bytes: u64,
    pub received_messages: u64,
    pub received_bytes: u64,
    /// Read from the rank's windows.
    pub fetched_bytes: u64,
}

impl<'a> ThreadRecord<'a> {
    /// A word of the slot, by its place there.
    pub fn word(&self, at: usize) -> u32 {
        word(self.0, at)
    }

    pub fn long(&self, at: usize) -> u64 {
        long(self.0, at)
    }

    pub fn is_main(&self) -> bool {
        self.word(offset_of!(ThreadSlot, main)) != 0
    }

    /// Ticks in a state, up to the last change.
    pub fn ticks(&self, state: ThreadState) -> u64 {
        self.long(offset_of!(ThreadSlot, ticks) + 8 * state as usize)
    }

    pub fn begin(&self) -> u64 {
        self.long(offset_of!(ThreadSlot, begin))
    }

    /// 0 while it lives.
    pub fn end(&self) -> u64 {
        self.long(offset_of!(ThreadSlot, end))
    }

    /// The address of the function that it runs; `None` for the first thread, and for those that were not seen when they were made.
    pub fn start(&self) -> Option<u64> {
        Some(self.long(offset_of!(ThreadSlot, start))).filter(|start| *start != 0)
    }

    /// The call of MPI that it began last: its name, the address to which it returns, and since when the thread is in it, if it is.
    pub fn last_call(&self) -> Option<(&'static str, u64, Option<u64>)> {
        let number = self.word(offset_of!(ThreadSlot, last_call)).checked_sub(1)?;
        let name = MPI_CALLS.split('\0').nth(number as usize).filter(|name| !name.is_empty())?;
        let is_in_mpi =
            self.word(offset_of!(ThreadSlot, state)) == ThreadState::Mpi as u32 && self.end() == 0;
        let since = is_in_mpi.then(|| self.long(offset_of!(ThreadSlot, since)));
        Some((name, self.long(offset_of!(ThreadSlot, last_site)), since))
    }

    /// The CPUs on which it may run, as words with the lowest CPUs first; nothing where that is not known.
    pub fn mask(&self) -> impl Iterator<Item = u64> + use<'a> {
        let record = *self;
        let words = (self.word(offset_of!(ThreadSlot, mask_words)) as usize).min(MASK_WORDS);
        (0..words).map(move |word| record.long(offset_of!(ThreadSlot, mask) + 8 * word))
    }

    /// How long it was ready and waited for a CPU; `None` where that is not known.
    pub fn run_delay(&self) -> Option<u64> {
        self.long(offset_of!(ThreadSlot, run_delay)).checked_sub(1)
    }

    /// Of all threads that had the slot; `None` where the process was killed while one of them lived.
    pub fn processor_nanoseconds(&self) -> Option<u64> {
        let last = self.long(offset_of!(ThreadSlot, processor_nanoseconds));
        (last > 0).then(|| last.saturating_add(self.long(offset_of!(ThreadSlot, earlier_processor))))
    }

    /// The CPUs on which it was found, and how often; `None` for all beyond the table's places. Nothing where that is not known.
    pub fn cpus(&self) -> impl Iterator<Item = (Option<u32>, u64)> + use<'a> {
        let record = *self;
        (0..CPUS).filter_map(move |place| {
            let at = offset_of!(ThreadSlot, cpus) + place * size_of::<CpuStay>();
            let cpu = record.word(at + offset_of!(CpuStay, cpu)).checked_sub(1)?;
            Some(((cpu != OTHER_CPUS).then_some(cpu), record.long(at + offset_of!(CpuStay, found))))
        })
    }

    /// Calls that found no place in the table of sites.
    pub fn dropped_calls(&self) -> u64 {
        self.long(offset_of!(ThreadSlot, dropped) + offset_of!(Dropped, site_calls))
    }

    /// Messages of a family by the length of their size in bits.
    pub fn size_counts(&self, family: SizeFamily) -> [u64; SIZE_BINS] {
        let begin = offset_of!(ThreadSlot, size_counts) + 8 * SIZE_BINS * family as usize;
        core::array::from_fn(|bin| self.long(begin + 8 * bin))
    }

    /// Calls on files of one kind.
    pub fn file_calls(&self, operation: FileOperation) -> FileCallsRecord {
        let at = offset_of!(ThreadSlot, files) + operation as usize * size_of::<FileCalls>();
        FileCallsRecord {
            count: self.long(at + offset_of!(FileCalls, count)),
            ticks: self.long(at + offset_of!(FileCalls, ticks)),
            longest: self.long(at + offset_of!(FileCalls, longest)),
            bytes: self.long(at + offset_of!(FileCalls, bytes)),
        }
    }

    pub fn sites(&self) -> impl Iterator<Item = SiteRecord> + use<'a> {
        let record = *self;
        (0..self.word(offset_of!(ThreadSlot, sites_used)) as usize).map(move |number| {
            let at = record.table(offset_of!(ThreadTables, sites), number, size_of::<Site>());
            let communicator = half(record.0, at + offset_of!(Site, communicator));
            let call = half(record.0, at + offset_of!(Site, call));
            SiteRecord {
                call: MPI_CALLS.split('\0').nth(call.into()).unwrap_or_default(),
                address: long(record.0, at + offset_of!(Site, address)),
                communicator: (communicator != super::NO_COMMUNICATOR).then_some(communicator),
                count: long(record.0, at + offset_of!(Site, count)),
                ticks: long(record.0, at + offset_of!(Site, ticks)),
                longest: long(record.0, at + offset_of!(Site, longest)),
                sent: long(record.0, at + offset_of!(Site, sent)),
                received: long(record.0, at + offset_of!(Site, received)),
            }
        })
    }

    pub fn peers(&self) -> impl Iterator<Item = PeerRecord> + use<'a> {
        let record = *self;
        (0..self.word(offset_of!(ThreadSlot, peers_used)) as usize).map(move |number| {
            let at = record.table(offset_of!(ThreadTables, peers), number, size_of::<Peer>());
            PeerRecord {
                rank: word(record.0, at + offset_of!(Peer, rank)).wrapping_sub(1),
                sent_messages: long(record.0, at + offset_of!(Peer, sent_messages)),
                sent_bytes: long(record.0, at + offset_of!(Peer, sent_bytes)),
                received_messages: long(record.0, at + offset_of!(Peer, received_messages)),
                received_bytes: long(record.0, at + offset_of!(Peer, received_bytes)),
                fetched_bytes: long(record.0, at + offset_of!(Peer, fetched_bytes)),
            }
        })
    }

    fn table(&self, begin: usize, number: usize, stride: usize) -> usize {
        offset_of!(ThreadSlot, tables) + begin + number * stride
    }
}
