//! The file of a process and its mapping.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, Ordering, Ordering::Relaxed};

use numawise_wire::snapshot::{
    COMMUNICATORS, COMMUNICATORS_AT, CallSample, Communicator, HEADER_BYTES, Header, LEAST_THREADS, MAGIC,
    MODULES, MODULES_AT, Module, PHASES, PHASES_AT, Part, PartName, Phase, SAMPLES, SAMPLES_AT, SUFFIX,
    THREADS, THREADS_AT, ThreadSlot, VERSION, file_bytes,
};

use numawise_guest::memory::{limit, reserve};
use numawise_guest::process;

use crate::{system, time};

/// What others do when a process gets its file: they get the path of it up to the dot.
pub type AtFile = fn(&[u8]);
static AT_FILE: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// To be called before the first file is made.
pub fn at_file(begins: AtFile) {
    AT_FILE.store(begins as *mut c_void, Ordering::Relaxed);
}

/// Slots for which the limits of the process leave place.
fn threads_within_limits() -> usize {
    // A file beyond the limit would bring a signal that ends the program.
    let file = limit(libc::RLIMIT_FSIZE);
    // The program's own address space is not to be used up.
    let space = if limit(libc::RLIMIT_AS) == usize::MAX { usize::MAX } else { file_bytes(4 * LEAST_THREADS) };
    (file.min(space).saturating_sub(THREADS_AT) / size_of::<ThreadSlot>()).min(THREADS)
}

/// Makes and maps the file; `None` where that fails, with nothing left behind. Gives the number of slots too.
pub fn create<'a>() -> Option<(&'a Header, u32)> {
    let threads = threads_within_limits();
    if threads < LEAST_THREADS {
        return None;
    }
    let mut path = process::path(time::kernel_nanoseconds())?;
    let stem = path.as_bytes().len();
    path.push(SUFFIX.as_bytes());
    let name: *const c_char = path.c_text()?.as_ptr();
    let file = process::make(path.c_text()?);
    if file < 0 {
        return None;
    }
    let mapped = map(file, file_bytes(threads));
    // A mapping outlives its descriptor; the program may count on the number.
    system::close(file);
    let header = mapped.filter(|header| {
        let usable = reserve(at(header, 0), HEADER_BYTES);
        if !usable {
            unmap(header, threads);
        }
        usable
    });
    match header {
        Some(header) => {
            fill(header, threads);
            let begins = AT_FILE.load(Ordering::Relaxed);
            if !begins.is_null() {
                // SAFETY: a function of this type was stored.
                let begins: AtFile = unsafe { core::mem::transmute(begins) };
                begins(path.as_bytes().get(..stem).unwrap_or_default());
            }
        }
        None => {
            // SAFETY: the name ends with a zero.
            unsafe { libc::unlink(name) };
        }
    }
    header.map(|header| (header, threads as u32))
}

fn map<'a>(file: c_int, bytes: usize) -> Option<&'a Header> {
    // SAFETY: the file is ours, and the mapping is new. Its zeros are a value of the header.
    unsafe {
        if libc::syscall(libc::SYS_ftruncate, file, bytes) != 0 {
            return None;
        }
        // Slots open when they are given out: a program that locks its memory gets no pages for the others.
        let mapping = libc::mmap(core::ptr::null_mut(), bytes, libc::PROT_NONE, libc::MAP_SHARED, file, 0);
        if mapping == libc::MAP_FAILED {
            return None;
        }
        if libc::mprotect(mapping, THREADS_AT, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(mapping, bytes);
            return None;
        }
        libc::madvise(mapping, bytes, libc::MADV_DONTDUMP);
        libc::madvise(mapping, bytes, libc::MADV_NOHUGEPAGE);
        mapping.cast::<Header>().as_ref()
    }
}

/// Where a part begins that lies so many bytes behind the header.
fn at(header: &Header, offset: usize) -> *const c_void {
    (&raw const *header).cast::<u8>().wrapping_add(offset).cast()
}

fn unmap(header: &Header, threads: usize) {
    // SAFETY: a mapping that was not used; nobody has another reference to it.
    unsafe { libc::munmap(at(header, 0).cast_mut(), file_bytes(threads)) };
}

/// Puts memory that nobody reads in the place of the parent's file: the thread that forked may be in the middle of a
/// call or a region, and still has references.
pub fn detach(header: &Header, threads: u32) {
    let used = file_bytes(header.slots.load(Relaxed).min(threads) as usize);
    let rest = file_bytes(threads as usize) - used;
    // SAFETY: the mapping of the parent; zeros are a value of all that lies in it.
    unsafe {
        libc::mmap(
            at(header, 0).cast_mut(),
            used,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
            -1,
            0,
        );
        if rest > 0 {
            libc::munmap(at(header, used).cast_mut(), rest);
        }
    }
}

/// Which slots are open, a bit each.
static OPEN: [AtomicU64; THREADS.div_ceil(64)] = [const { AtomicU64::new(0) }; THREADS.div_ceil(64)];

/// Opens a slot that is given out. False where the kernel refuses.
pub fn open_slot(header: &Header, number: u32) -> bool {
    let place = at(header, THREADS_AT + number as usize * size_of::<ThreadSlot>()).cast_mut();
    let Some(word) = OPEN.get(number as usize / 64) else { return false };
    // SAFETY: a part of our mapping that nobody uses.
    let opened =
        unsafe { libc::mprotect(place, size_of::<ThreadSlot>(), libc::PROT_READ | libc::PROT_WRITE) } == 0;
    if opened {
        word.fetch_or(1 << (number % 64), Ordering::Release);
    }
    opened
}

/// In a child of fork, whose file is new.
pub fn close_slots() {
    OPEN.iter().for_each(|word| word.store(0, Relaxed));
}

/// A slot that is open.
pub fn slot(header: &Header, threads: u32, number: u32) -> Option<&ThreadSlot> {
    let is_open = OPEN
        .get(number as usize / 64)
        .is_some_and(|word| word.load(Ordering::Acquire) >> (number % 64) & 1 == 1);
    if number >= threads || !is_open {
        return None;
    }
    let place = at(header, THREADS_AT + number as usize * size_of::<ThreadSlot>()).cast::<ThreadSlot>();
    // SAFETY: it lies in the mapping, on a page's begin, and its zeros are a value of the type.
    unsafe { place.as_ref() }
}

pub fn modules(header: &Header) -> &[Module] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts(at(header, MODULES_AT).cast(), MODULES) }
}

pub fn communicators(header: &Header) -> &[Communicator] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts(at(header, COMMUNICATORS_AT).cast(), COMMUNICATORS) }
}

pub fn call_samples(header: &Header) -> &[CallSample] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts(at(header, SAMPLES_AT).cast(), SAMPLES) }
}

pub fn phases(header: &Header) -> &[Phase] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts(at(header, PHASES_AT).cast(), PHASES) }
}

fn fill(header: &Header, threads: usize) {
    header.version.store(VERSION, Relaxed);
    header.clock.store(time::kind(), Relaxed);
    header.bytes.store(file_bytes(threads) as u64, Relaxed);
    let part = |name: PartName, offset: usize, stride: usize, capacity: usize| {
        let Some(Part { offset: place, stride: size, capacity: number }) = header.parts.get(name as usize)
        else {
            return;
        };
        place.store(offset as u64, Relaxed);
        size.store(stride as u32, Relaxed);
        number.store(capacity as u32, Relaxed);
    };
    part(PartName::Modules, MODULES_AT, size_of::<Module>(), MODULES);
    part(PartName::Communicators, COMMUNICATORS_AT, size_of::<Communicator>(), COMMUNICATORS);
    part(PartName::Phases, PHASES_AT, size_of::<Phase>(), PHASES);
    part(PartName::CallSamples, SAMPLES_AT, size_of::<CallSample>(), SAMPLES);
    part(PartName::Threads, THREADS_AT, size_of::<ThreadSlot>(), threads);
    header.process.store(system::process().cast_unsigned(), Relaxed);
    // SAFETY: no preconditions.
    header.parent.store(unsafe { libc::getppid() }.cast_unsigned(), Relaxed);
    name_host(&header.host);
    // SAFETY: the kernel left a string that lives as long as the process, or nothing.
    unsafe {
        let program = core::ptr::with_exposed_provenance::<c_char>(libc::getauxval(libc::AT_EXECFN) as usize);
        if !program.is_null() {
            copy(CStr::from_ptr(program).to_bytes(), &header.program);
        }
    }
    header.begin_realtime.store(time::realtime_nanoseconds(), Relaxed);
    write_pair(header);
    header.begin_ticks.store(header.last_ticks.load(Relaxed), Relaxed);
    header.begin_nanoseconds.store(header.last_nanoseconds.load(Relaxed), Relaxed);
    header.magic.store(MAGIC, Ordering::Release);
}

fn name_host(place: &[AtomicU8]) {
    // SAFETY: zeros are a value of the struct of bytes, and the kernel fills it with strings.
    unsafe {
        let mut names: libc::utsname = core::mem::zeroed();
        if libc::uname(&raw mut names) == 0 {
            copy(CStr::from_ptr(names.nodename.as_ptr()).to_bytes(), place);
        }
    }
}

/// Copies a text; what does not fit is cut, and a zero stays at the end.
pub fn copy(text: &[u8], place: &[AtomicU8]) {
    let most = place.len().saturating_sub(1);
    text.iter().take(most).zip(place).for_each(|(byte, place)| place.store(*byte, Relaxed));
}

/// Notes one moment by both clocks. The counter is read before and after the kernel's clock; between the two is the moment.
pub fn write_pair(header: &Header) {
    let before = time::now();
    let nanoseconds = time::kernel_nanoseconds();
    let ticks = before + time::now().saturating_sub(before) / 2;
    header.last_sequence.fetch_add(1, Ordering::AcqRel);
    header.last_ticks.store(ticks, Relaxed);
    header.last_nanoseconds.store(nanoseconds, Relaxed);
    header.last_sequence.fetch_add(1, Ordering::Release);
}
