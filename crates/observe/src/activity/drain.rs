//! Takes full chunks of traces away to the disk while the program runs, so that what is in memory of a process does not bound its trace.
//!
//! Nobody waits for anybody: a thread lets a chunk go and takes one that is free, or counts what it loses. Of several numawise that share a folder,
//! one has each process, by a lock on its file; when that one has gone another goes on, in a new file. Nothing is taken as long as a process
//! has filled neither [`ENOUGH`] chunks nor half of its memory: a short program is left alone, and a long one writes where its pages are already.

mod packed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::mem::offset_of;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use numawise_linux::space;
use numawise_units::Bytes;
use numawise_wire::trace::reader::{
    ChunkOf, chunks_of, cut_since, dropped, lost, places_in, records, taken, wanted_until,
};
use numawise_wire::trace::{CHUNK_BYTES, COUNTS_BYTES, ChunkState, HEADER_BYTES, Header, file_bytes};

use super::trace_files::TraceFiles;

pub use packed::next;
#[cfg(test)]
pub use packed::pack;

#[cfg(test)]
#[path = "drain_tests.rs"]
mod tests;

/// Beside the files of the processes, a link to the folder into which their chunks go.
pub const TAKEN: &str = "taken";

const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// Where there was something to take.
const BETWEEN_FULL: Duration = Duration::from_millis(1);
/// Looks between two tries to take over the file of a process that another numawise has: a tenth of a second.
const FOREIGN: u32 = 20;
/// Chunks that are packed and then written at once.
const AT_ONCE: usize = 64;
/// From so many on, chunks are taken: new pages in their place cost the program's threads 16 to 23 ns a record here.
const ENOUGH: usize = 32;
/// Left free beside what the record will take, which is half of what was taken away.
const LEFT_FREE: Bytes = Bytes::mib(16);
/// Files of a process are so large at least.
const LEAST_FILE: u64 = 64 << 10;

/// Which calls stay where not all find a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeptCalls {
    #[default]
    First,
    Last,
    /// Until it is frozen the last ones, in half of the bound; then the first ones.
    Around,
}

/// Where chunks go, and how much of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainTo {
    /// Made when it is needed.
    pub folder: PathBuf,
    pub most: Bytes,
    pub keep: KeptCalls,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Drained {
    /// Was written, whether it is still there or not.
    pub taken: Bytes,
    /// Why no more was.
    pub problem: Option<io::Error>,
}

/// A thread that takes chunks away until it is asked to stop.
#[derive(Debug)]
pub struct TraceDrain {
    stop: Sender<()>,
    thread: JoinHandle<Drained>,
}

impl TraceDrain {
    /// Of all traces in the folder, also of processes to come. What is there when `frozen` comes true stays, with [`KeptCalls::Around`].
    ///
    /// # Errors
    /// Where there is no thread for it.
    pub fn start(folder: &Path, to: DrainTo, frozen: Arc<AtomicBool>) -> io::Result<TraceDrain> {
        let (stop, stopped) = mpsc::channel();
        let mut drain = Drain { frozen, ..Drain::new(folder, to) };
        let work = move || {
            let mut wait = BETWEEN_LOOKS;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = if drain.look() { BETWEEN_FULL } else { BETWEEN_LOOKS };
            }
            Drained { taken: Bytes(drain.written), problem: drain.problem }
        };
        let thread = std::thread::Builder::new().name("trace drain".to_owned()).spawn(work)?;
        Ok(TraceDrain { stop, thread })
    }

    /// What is in memory stays there.
    pub fn finish(self) -> Drained {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

#[derive(Debug)]
struct Drain {
    folder: PathBuf,
    files: TraceFiles,
    to: DrainTo,
    /// None: another numawise has it, or it cannot be had.
    known: BTreeMap<PathBuf, Option<Traced>>,
    looks: u32,
    /// Processes of which something was taken.
    in_all: u64,
    frozen: Arc<AtomicBool>,
    /// The last look found a process: there may be more.
    has_found: bool,
    /// In files that are there, and in all.
    kept: u64,
    written: u64,
    /// Where the first calls are kept: of what comes now nothing is.
    is_over: bool,
    problem: Option<io::Error>,
    /// Of the folder on the disk: as long as it is held, nobody takes that for left.
    lock: Option<File>,
}

/// A process whose chunks are taken here.
#[derive(Debug)]
struct Traced {
    file: File,
    /// Of the header, up to the state of its last place.
    header_bytes: usize,
    stem: String,
    /// The last one is written.
    files: VecDeque<TakenFile>,
    /// Since it is frozen, how much it may keep.
    most: Option<u64>,
}

#[derive(Debug)]
struct TakenFile {
    number: u32,
    file: File,
    bytes: u64,
    records: u64,
    /// The end of the last of its calls, in ticks.
    until: u64,
}

/// A chunk that its thread has let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LetGo {
    number: u64,
    slot: u32,
    place: usize,
}

impl Drain {
    fn new(folder: &Path, to: DrainTo) -> Drain {
        Drain {
            folder: folder.to_owned(),
            files: TraceFiles::of(folder),
            to,
            known: BTreeMap::new(),
            looks: 0,
            in_all: 0,
            frozen: Arc::default(),
            has_found: false,
            kept: 0,
            written: 0,
            is_over: false,
            problem: None,
            lock: None,
        }
    }

    /// Whether something was taken.
    fn look(&mut self) -> bool {
        if self.problem.is_some() || self.is_over {
            return false;
        }
        self.find();
        let mut known = std::mem::take(&mut self.known);
        self.in_all = known.values().flatten().filter(|traced| !traced.files.is_empty()).count() as u64;
        let mut has_taken = false;
        if self.to.keep == KeptCalls::Around && self.frozen.load(Relaxed) {
            let half = self.to.most.0 / 2 / self.in_all.max(1);
            let thawed = known.values_mut().flatten().filter(|traced| traced.most.is_none());
            self.problem = thawed.map(|traced| traced.freeze(half)).find_map(Result::err);
        }
        for traced in known.values_mut().flatten() {
            match self.take(traced) {
                Ok(taken) => has_taken |= taken,
                // Its process has made it shorter.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
                Err(error) => self.problem = Some(error),
            }
        }
        self.known = known;
        has_taken
    }

    /// Takes one process that is new in each look, so that several numawise have about as many each.
    fn find(&mut self) {
        let may_try_again = self.looks.is_multiple_of(FOREIGN);
        self.looks = self.looks.wrapping_add(1);
        let paths = self.files.changed(may_try_again || std::mem::take(&mut self.has_found));
        for path in paths {
            let is_done = match self.known.get(&path) {
                Some(known) => known.is_some() || !may_try_again,
                None => false,
            };
            if is_done {
                continue;
            }
            let traced = Traced::open(&path, self.to.keep);
            self.has_found = traced.is_some();
            self.known.insert(path, traced);
            if self.has_found {
                return;
            }
        }
    }

    fn take(&mut self, traced: &mut Traced) -> io::Result<bool> {
        let (let_go, has_lost) = traced.let_go()?;
        self.is_over |= has_lost && self.to.keep == KeptCalls::First;
        if self.is_over || let_go.is_empty() {
            return Ok(false);
        }
        let mut packed = Vec::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        if traced.files.is_empty() {
            self.in_all += 1;
        }
        // So few that they are a small part of what is kept, of which the oldest goes.
        let few = (self.room() / 8 / CHUNK_BYTES as u64).max(1);
        let at_once = if self.to.keep == KeptCalls::First { AT_ONCE } else { AT_ONCE.min(few as usize) };
        for some in let_go.chunks(at_once) {
            packed.clear();
            let (mut number, mut until) = (0, 0);
            for of in some {
                traced.file.read_exact_at(&mut chunk, file_bytes(of.place) as u64)?;
                let Some(chunk) = ChunkOf::parse(&chunk) else { continue };
                packed::pack(chunk, &mut packed);
                for record in records(chunk.records) {
                    number += 1;
                    until = until.max(record.end());
                }
            }
            if !self.has_room(traced, packed.len() as u64)? {
                return Ok(false);
            }
            traced.write(&self.to.folder, &packed, (number, until))?;
            self.kept += packed.len() as u64;
            self.written += packed.len() as u64;
            for of in some {
                traced.give_back(of.place)?;
            }
        }
        Ok(true)
    }

    /// Of each process, where the first calls are not those that stay, before it is frozen.
    fn room(&self) -> u64 {
        let part = if self.to.keep == KeptCalls::Around { 2 } else { 1 };
        self.to.most.0 / part / self.in_all.max(1)
    }

    /// Whether so much more may be written for a process.
    fn has_room(&mut self, traced: &mut Traced, bytes: u64) -> io::Result<bool> {
        if self.lock.is_none() {
            self.make_folder()?;
        }
        let free = space::free(&self.to.folder)?;
        let needed = LEFT_FREE + Bytes(self.kept / 2 + bytes);
        let too_full = || io::Error::new(io::ErrorKind::StorageFull, format!("only {free} are free"));
        if self.to.keep == KeptCalls::First {
            self.is_over = self.kept + bytes > self.to.most.0;
            return if free < needed { Err(too_full()) } else { Ok(!self.is_over) };
        }
        if let Some(most) = traced.most {
            return if free < needed { Err(too_full()) } else { Ok(traced.kept() + bytes <= most) };
        }
        let most = self.room();
        // An eighth of it goes at once, or a quarter of what is little.
        if traced.files.back().is_some_and(|file| file.bytes >= LEAST_FILE.min(most / 4).max(most / 8)) {
            traced.begin(&self.to.folder)?;
        }
        let mut missing = Bytes(needed.0.saturating_sub(free.0));
        while missing.0 > 0 || traced.kept() + bytes > most {
            match traced.drop_first(&self.to.folder)? {
                Some(gone) => {
                    self.kept -= gone;
                    missing = Bytes(missing.0.saturating_sub(gone));
                }
                None if missing.0 > 0 => return Err(too_full()),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Other numawise of the job may have made it.
    fn make_folder(&mut self) -> io::Result<()> {
        let is_there = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(error),
        };
        DirBuilder::new().mode(0o700).create(&self.to.folder).or_else(is_there)?;
        symlink(&self.to.folder, self.folder.join(TAKEN)).or_else(is_there)?;
        let folder = File::open(&self.to.folder)?;
        // Not every file system has locks.
        let _ = folder.try_lock_shared();
        self.lock = Some(folder);
        Ok(())
    }
}

impl Traced {
    /// None where another numawise has it, or it is not begun.
    fn open(path: &Path, keep: KeptCalls) -> Option<Traced> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).ok()?;
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0).ok()?;
        let (places, _) = chunks_of(&header)?;
        file.try_lock().ok()?;
        let traced = Traced {
            file,
            header_bytes: COUNTS_BYTES + places,
            stem: path.file_stem()?.to_str()?.to_owned(),
            files: VecDeque::new(),
            most: None,
        };
        if keep != KeptCalls::First {
            traced.note(offset_of!(Header, keeps_last), &1u32.to_ne_bytes()).ok()?;
        }
        Some(traced)
    }

    /// Chunks to take, those of each thread in their order; none where there is room enough. And whether some of its records were lost.
    fn let_go(&self) -> io::Result<(Vec<LetGo>, bool)> {
        let mut header = vec![0; self.header_bytes];
        self.file.read_exact_at(&mut header, 0)?;
        let (places, _) = chunks_of(&header).unwrap_or_default();
        // What was not asked for finds no place by intention.
        let has_lost =
            if wanted_until(&header).is_some() { cut_since(&header) > 0 } else { lost(&header) > 0 };
        let first: Vec<usize> = places_in(&header, ChunkState::LetGo).collect();
        let held = places_in(&header, ChunkState::Held).count();
        if first.is_empty() || first.len() < ENOUGH && (first.len() + held) * 2 < places {
            return Ok((Vec::new(), has_lost));
        }
        let first = self.chunks_in(first)?;
        // While they were read, a thread may have let one go behind us and then one before us.
        self.file.read_exact_at(&mut header, 0)?;
        let second = self.chunks_in(places_in(&header, ChunkState::LetGo).collect())?;
        let is_before = |one: &LetGo| first.iter().any(|of| of.slot == one.slot && one.number < of.number);
        let missed = second.into_iter().filter(is_before);
        let all: BTreeSet<LetGo> = first.iter().copied().chain(missed).collect();
        Ok((all.into_iter().collect(), has_lost))
    }

    fn chunks_in(&self, places: Vec<usize>) -> io::Result<Vec<LetGo>> {
        let mut bytes = [0; 64];
        let each = places.into_iter().map(|place| {
            self.file.read_exact_at(&mut bytes, file_bytes(place) as u64)?;
            let of = ChunkOf::parse(&bytes).map_or((0, 0), |of| (of.number, of.slot));
            Ok(LetGo { number: of.0, slot: of.1, place })
        });
        each.collect()
    }

    /// What is there stays, and so much more may come.
    fn freeze(&mut self, more: u64) -> io::Result<()> {
        self.most = Some(self.kept() + more);
        self.note(offset_of!(Header, frozen), &1u32.to_ne_bytes())
    }

    fn note(&self, at: usize, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, at as u64)
    }

    fn give_back(&self, place: usize) -> io::Result<()> {
        self.note(offset_of!(Header, states) + place, &[ChunkState::Free as u8])
    }

    fn kept(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn path(&self, folder: &Path, number: u32) -> PathBuf {
        folder.join(file_name(&self.stem, number))
    }

    /// Begins a file, behind those of whoever had the process before.
    fn begin(&mut self, folder: &Path) -> io::Result<()> {
        let mut header = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut header, 0)?;
        let number = taken(&header).end;
        self.note(offset_of!(Header, taken), &(number + 1).to_ne_bytes())?;
        let path = self.path(folder, number);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        self.files.push_back(TakenFile { number, file, bytes: 0, records: 0, until: 0 });
        Ok(())
    }

    /// Appends chunks; what cannot be written whole is not there.
    fn write(&mut self, folder: &Path, packed: &[u8], (records, until): (u64, u64)) -> io::Result<()> {
        if self.files.is_empty() {
            self.begin(folder)?;
        }
        let Some(last) = self.files.back_mut() else { return Ok(()) };
        if let Err(error) = last.file.write_all(packed) {
            let _ = last.file.set_len(last.bytes);
            return Err(error);
        }
        last.bytes += packed.len() as u64;
        last.records += records;
        last.until = last.until.max(until);
        Ok(())
    }

    /// Lets the oldest file go, where it is not the one that is written; gives its bytes.
    fn drop_first(&mut self, folder: &Path) -> io::Result<Option<u64>> {
        if self.files.len() < 2 {
            return Ok(None);
        }
        let Some(gone) = self.files.pop_front() else { return Ok(None) };
        let mut header = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut header, 0)?;
        let (dropped, until) = dropped(&header);
        self.note(offset_of!(Header, dropped), &(dropped + gone.records).to_ne_bytes())?;
        self.note(offset_of!(Header, dropped_until), &until.max(gone.until).to_ne_bytes())?;
        self.note(offset_of!(Header, first_taken), &(gone.number + 1).to_ne_bytes())?;
        std::fs::remove_file(self.path(folder, gone.number))?;
        Ok(Some(gone.bytes))
    }
}

/// The records in the chunks of a file.
///
/// # Errors
/// Where it holds something else.
pub fn count_taken(mut file: &[u8]) -> io::Result<u64> {
    let mut all = 0;
    while let Some(chunk) = next(&mut file)? {
        all += records(&chunk.records).count() as u64;
    }
    Ok(all)
}

/// The name of a file of chunks.
pub fn file_name(stem: &str, number: u32) -> String {
    format!("{stem}-{number}")
}
