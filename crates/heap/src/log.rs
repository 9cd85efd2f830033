//! The file of the process, and its mapping: made at the begin and in each child of fork ([`numawise_guest::process`]). A child of vfork has its
//! parent's memory, so that what it allocates is in its parent's file as it is in its parent's memory.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, Ordering, Ordering::Relaxed};

use numawise_guest::{memory, process, sandbox, system};
use numawise_wire::heap::{
    CHUNK, COPIES, COPIES_AT, EVENTS, EVENTS_AT, Event, Flag, HEADER_BYTES, Header, MAGIC, SAMPLES,
    SAMPLES_AT, SUFFIX, Sample, StackCopy, VERSION, file_bytes,
};

static BASE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

/// Settings that children have too.
#[derive(Clone, Copy)]
pub struct Settings {
    pub least: u64,
    pub drawn: u64,
    /// Nanoseconds from one sample to the next; 0: none.
    pub period: u64,
}

static SETTINGS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

pub fn settings() -> Settings {
    let [least, drawn, period] = &SETTINGS;
    Settings { least: least.load(Relaxed), drawn: drawn.load(Relaxed), period: period.load(Relaxed) }
}

/// Whether the process is watched; a child that was not yet seen is.
#[inline]
pub fn is_begun() -> bool {
    process::is_watched() && !sandbox::is_quiet()
}

/// The mapping of the file of this process.
#[derive(Clone, Copy)]
pub struct Log<'a> {
    base: *mut u8,
    pub header: &'a Header,
}

/// The file, where the process is watched and not in a sandbox, in which pages could not be had for it.
#[inline]
pub fn log<'a>() -> Option<Log<'a>> {
    if sandbox::is_quiet() {
        return None;
    }
    if !process::is_watched() || process::generation() == 0 {
        process::restart_in_child(begin_child)?;
    }
    let base = BASE.load(Relaxed);
    // SAFETY: null, or a mapping that stays as long as the process and begins with a header.
    let header = unsafe { base.cast::<Header>().as_ref() }?;
    Some(Log { base, header })
}

impl<'a> Log<'a> {
    /// # Safety
    /// `offset` must be that of a value of `T`, in a file as long as this one, whose zeros are a value.
    unsafe fn at<T>(&self, offset: usize) -> Option<&'a T> {
        if !is_open(self.base, offset, size_of::<T>()) {
            return None;
        }
        // SAFETY: the caller's promise; it is mapped, readable and writable.
        unsafe { self.base.add(offset).cast::<T>().as_ref() }
    }

    /// A place of the ring of events; `None` where there is no disk for it.
    pub fn event(&self, number: u64) -> Option<&'a Event> {
        let place = number as usize % EVENTS;
        // SAFETY: the ring lies there in all files.
        unsafe { self.at(EVENTS_AT + place * size_of::<Event>()) }
    }

    /// A place of the ring of copies.
    pub fn copy(&self, number: u64) -> Option<&'a StackCopy> {
        let place = number as usize % COPIES;
        // SAFETY: as above.
        unsafe { self.at(COPIES_AT + place * size_of::<StackCopy>()) }
    }

    /// A place of the ring of samples, which only files with samples have.
    pub fn sample(&self, number: u64) -> Option<&'a Sample> {
        if settings().period == 0 {
            return None;
        }
        let place = number as usize % SAMPLES;
        // SAFETY: as above.
        unsafe { self.at(SAMPLES_AT + place * size_of::<Sample>()) }
    }

    /// False in a child of vfork, which has its parent's memory.
    pub fn is_ours(&self) -> bool {
        self.header.process.load(Relaxed) == system::process().cast_unsigned()
    }

    pub fn set(&self, flag: Flag) {
        self.header.flags.fetch_or(flag as u32, Relaxed);
    }
}

const CHUNKS: usize = file_bytes(true) / CHUNK;
/// Chunks that are open (1), and those that cannot be (2).
static OPEN: [AtomicU8; CHUNKS] = [const { AtomicU8::new(0) }; CHUNKS];

/// Whether a part of the file is there to be written; what was not yet needed is opened now.
#[inline]
fn is_open(base: *mut u8, offset: usize, bytes: usize) -> bool {
    let chunks = offset / CHUNK..=(offset + bytes.max(1) - 1) / CHUNK;
    chunks.into_iter().all(|chunk| match OPEN.get(chunk) {
        None => false,
        Some(state) => state.load(Relaxed) == 1 || opened(base, chunk, state),
    })
}

/// Two threads may do it at a time.
#[cold]
fn opened(base: *mut u8, chunk: usize, state: &AtomicU8) -> bool {
    if state.load(Relaxed) != 0 {
        return false;
    }
    let place: *mut c_void = base.wrapping_add(chunk * CHUNK).cast();
    // A program that locks its memory gets no pages for what is not open.
    // SAFETY: a part of our mapping.
    let usable = unsafe { libc::mprotect(place, CHUNK, libc::PROT_READ | libc::PROT_WRITE) } == 0
        && memory::reserve(place, CHUNK);
    state.store(if usable { 1 } else { 2 }, Relaxed);
    if !usable && chunk > 0 {
        // SAFETY: the header is open, or nothing else would be opened.
        let header = unsafe { &*base.cast::<Header>() };
        header.flags.fetch_or(Flag::NoDisk as u32, Relaxed);
    }
    usable
}

/// Run in a child before it has a file.
static FORGET: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// Takes the right to begin. False where the process is not to be watched. `forget` is run in a child, before it has a file of its own.
pub fn prepare(folder: Option<&'static [u8]>, settings: Settings, forget: fn()) -> bool {
    FORGET.store(forget as *mut c_void, Relaxed);
    let words = [settings.least, settings.drawn, settings.period];
    process::prepare(|| {
        SETTINGS.iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
        folder
    })
}

/// Makes the file. False where that fails.
pub fn start(flags: u32) -> bool {
    let base = create(flags);
    process::begin_generation(now());
    match base {
        Some(base) => {
            BASE.store(base, Relaxed);
            process::begun();
        }
        None => process::switch_off(),
    }
    base.is_some()
}

pub fn now() -> u64 {
    numawise_syscalls::clock(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

/// In a child of fork, in its only thread. False where it is not watched.
pub fn forked() -> bool {
    if !process::is_inherited() {
        return false;
    }
    // Another handler of fork may have allocated before, and had the file made.
    if !process::has_generation() || process::generation() == 0 {
        begin_child();
    }
    is_begun()
}

fn begin_child() {
    if sandbox::is_quiet() {
        // It may have no file, and its parent's stays where it is: nobody comes to it from here.
        BASE.store(core::ptr::null_mut(), Relaxed);
        process::switch_off();
        return;
    }
    sandbox::begin_child();
    OPEN.iter().for_each(|chunk| chunk.store(0, Relaxed));
    let forget = FORGET.load(Relaxed);
    if !forget.is_null() {
        // SAFETY: a function of this type was stored.
        let forget: fn() = unsafe { core::mem::transmute(forget) };
        forget();
    }
    start(Flag::Forked as u32);
}

/// Makes and maps the file, in the place of the parent's where there is one; `None` where that fails, with nothing left behind.
fn create(flags: u32) -> Option<*mut u8> {
    let bytes = file_bytes(settings().period > 0);
    let parents = BASE.load(Relaxed);
    // A file beyond the limit would bring a signal that ends the program, and its own address space is not to be used up.
    let fits = memory::limit(libc::RLIMIT_FSIZE) >= bytes && memory::limit(libc::RLIMIT_AS) / 8 >= bytes;
    let made = if fits { make_file(bytes, parents) } else { None };
    if made.is_none() && !parents.is_null() {
        // The thread that forked may be in the middle of an allocation: memory that nobody reads takes the file's place.
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the mapping of the parent's file; zeros are a value of all that lies in it.
        unsafe { memory::map(parents.cast(), bytes, rights, None, libc::MAP_FIXED | libc::MAP_NORESERVE) };
    }
    let base = made?;
    fill(base, bytes, flags);
    Some(base)
}

fn make_file(bytes: usize, place: *mut u8) -> Option<*mut u8> {
    let mut path = process::path(now())?;
    let name = path.push(SUFFIX.as_bytes()).then(|| path.c_text())??;
    let file = process::make(name);
    if file < 0 {
        return None;
    }
    let base = map(file, bytes, place);
    // A mapping outlives its descriptor; the program may count on the number.
    system::close(file);
    let usable = base.filter(|base| is_open(*base, 0, HEADER_BYTES));
    if usable.is_none() {
        // SAFETY: the name is a string.
        unsafe { libc::unlink(name.as_ptr()) };
        if let Some(base) = base.filter(|base| *base != place) {
            // SAFETY: a mapping that was not used.
            unsafe { memory::unmap(base.cast(), bytes) };
        }
    }
    usable
}

fn map(file: c_int, bytes: usize, place: *mut u8) -> Option<*mut u8> {
    // SAFETY: the file is ours.
    if unsafe { libc::syscall(libc::SYS_ftruncate, file, bytes) } != 0 {
        return None;
    }
    let fixed = if place.is_null() { 0 } else { libc::MAP_FIXED };
    // SAFETY: a new place, or that of the parent's file, whose zeros are a value of all that lies in it.
    let mapping = unsafe { memory::map(place.cast(), bytes, libc::PROT_NONE, Some(file), fixed) }?;
    // SAFETY: the mapping is ours.
    unsafe {
        libc::madvise(mapping, bytes, libc::MADV_DONTDUMP);
        libc::madvise(mapping, bytes, libc::MADV_NOHUGEPAGE);
    }
    Some(mapping.cast())
}

fn fill(base: *mut u8, bytes: usize, flags: u32) {
    // SAFETY: the begin of a mapping of a new file, which is open.
    let header = unsafe { &*base.cast::<Header>() };
    let Settings { least, drawn, period } = settings();
    header.version.store(VERSION, Relaxed);
    header.flags.store(flags, Relaxed);
    header.bytes.store(bytes as u64, Relaxed);
    header.process.store(system::process().cast_unsigned(), Relaxed);
    // SAFETY: no preconditions.
    header.parent.store(unsafe { libc::getppid() }.cast_unsigned(), Relaxed);
    header.begin.store(now(), Relaxed);
    header.least.store(least, Relaxed);
    header.drawn.store(drawn, Relaxed);
    header.period.store(period, Relaxed);
    header.magic.store(MAGIC, Ordering::Release);
}

/// The header, where this is the process whose file it is, as far as that is known without asking.
fn header_in_sandbox<'a>() -> Option<&'a Header> {
    // SAFETY: null, or a mapping that stays as long as the process and begins with a header.
    unsafe { BASE.load(Relaxed).cast::<Header>().as_ref() }.filter(|_| process::generation() != 0)
}

/// Notes that nothing is written down any more.
pub fn note_sandbox() {
    if let Some(header) = header_in_sandbox() {
        header.flags.fetch_or(Flag::Sandbox as u32, Relaxed);
    }
}

/// Notes that the process ends.
pub fn end() {
    if sandbox::is_quiet() {
        if let Some(header) = header_in_sandbox() {
            header.flags.fetch_or(Flag::Ended as u32, Relaxed);
        }
        return;
    }
    if let Some(log) = log()
        && log.is_ours()
    {
        log.set(Flag::Ended);
    }
}
