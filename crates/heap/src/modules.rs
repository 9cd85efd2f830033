//! Where the files lie that rules speak of.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use numawise_guest::system::SavedErrno;
use numawise_wire::heap::rules::{InFile, MOST_FILES, is_named};

/// A file that a rule names.
struct Module {
    /// Its name, as it was encoded: where it begins in the text of the rules, and its length.
    name: AtomicUsize,
    /// How far from its own addresses it lies.
    moved: AtomicU64,
    is_loaded: AtomicBool,
}

static MODULES: [Module; MOST_FILES] = [const {
    Module { name: AtomicUsize::new(0), moved: AtomicU64::new(0), is_loaded: AtomicBool::new(false) }
}; MOST_FILES];
static NAMED: AtomicUsize = AtomicUsize::new(0);
/// Files of rules that are not loaded, as far as is known.
static MISSING: AtomicUsize = AtomicUsize::new(0);
/// How many files the loader had loaded in all when it was asked last.
static LOADS: AtomicU64 = AtomicU64::new(0);
static ASKS: AtomicBool = AtomicBool::new(false);

/// Bytes of the name of the program's file.
const NAME: usize = 256;

/// Notes the next file that rules name.
pub fn add(begin: usize, length: usize) {
    if let Some(module) = MODULES.get(NAMED.load(Relaxed)) {
        module.name.store(begin << 16 | length, Relaxed);
        NAMED.fetch_add(1, Relaxed);
        MISSING.fetch_add(1, Relaxed);
    }
}

/// Where an address of a file is in this process; `None` where the file is not loaded.
#[inline]
pub fn address(of: InFile) -> Option<u64> {
    let module = MODULES.get(usize::from(of.file))?;
    module.is_loaded.load(Acquire).then(|| module.moved.load(Relaxed).wrapping_add(of.address()))
}

struct Question<'a> {
    text: &'a [u8],
    loads: u64,
    program: [u8; NAME],
    program_length: usize,
    /// Some file of a rule was found that was not there before, or elsewhere.
    found: bool,
}

/// Asks the loader for files that were not there, where it loaded any since. True where something new was found. One thread does at a time, and
/// the others go without: nobody waits for us who holds the loader's lock.
pub fn look(text: &[u8]) -> bool {
    if MISSING.load(Relaxed) == 0 || ASKS.swap(true, Acquire) {
        return false;
    }
    let _errno = SavedErrno::new();
    let mut question =
        Question { text, loads: LOADS.load(Relaxed), program: [0; NAME], program_length: 0, found: false };
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(one), (&raw mut question).cast()) };
    LOADS.store(question.loads, Relaxed);
    ASKS.store(false, Release);
    question.found
}

/// In a child of fork: another thread of the parent may have held the loader's lock, which nobody gives back here.
pub fn begin_child() {
    ASKS.store(true, Relaxed);
}

unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, bytes: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    let (info, question) = unsafe { (&*info, &mut *data.cast::<Question<'_>>()) };
    // The first one is the program, which has no name there.
    if question.program_length == 0 {
        let counts = bytes >= core::mem::offset_of!(libc::dl_phdr_info, dlpi_adds) + size_of::<u64>();
        if counts && info.dlpi_adds == question.loads {
            return 1;
        }
        question.loads = if counts { info.dlpi_adds } else { 0 };
        question.program_length = program(&mut question.program);
        note(question, info.dlpi_addr, true, &[]);
        return 0;
    }
    if !info.dlpi_name.is_null() {
        // SAFETY: a string, while the loader's lock is held.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        note(question, info.dlpi_addr, false, path);
    }
    0
}

/// The path of the program's file; its length, at least 1.
fn program(name: &mut [u8; NAME]) -> usize {
    let mut path = [0u8; 4096];
    // SAFETY: the name is a string, and the kernel writes at most the buffer.
    let length = unsafe {
        libc::syscall(
            libc::SYS_readlinkat,
            libc::AT_FDCWD,
            c"/proc/self/exe".as_ptr(),
            path.as_mut_ptr(),
            path.len(),
        )
    };
    let path = path.get(..usize::try_from(length).unwrap_or(0)).unwrap_or_default();
    let end = end_of(path);
    name.iter_mut().zip(end).for_each(|(place, byte)| *place = *byte);
    end.len().clamp(1, NAME)
}

fn end_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

fn note(question: &mut Question<'_>, moved: u64, is_program: bool, path: &[u8]) {
    let Question { text, program, program_length, found, .. } = question;
    let name = if is_program { program.get(..*program_length).unwrap_or_default() } else { end_of(path) };
    for module in MODULES.iter().take(NAMED.load(Relaxed)) {
        let (begin, length) = (module.name.load(Relaxed) >> 16, module.name.load(Relaxed) & 0xffff);
        if !text.get(begin..begin + length).is_some_and(|encoded| is_named(encoded, name)) {
            continue;
        }
        // The first one of a name counts; one that was loaded again may lie elsewhere, which is not followed.
        if !module.is_loaded.load(Relaxed) {
            module.moved.store(moved, Relaxed);
            module.is_loaded.store(true, Release);
            MISSING.fetch_sub(1, Relaxed);
            *found = true;
        }
    }
}
