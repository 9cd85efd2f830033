//! Where the code of the files lies that are loaded: which words of a stack may be addresses to which functions return.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use numawise_guest::known::Flags;
use numawise_guest::system::{extent, parts};

/// Parts with code that are known; a file has one.
const MOST: usize = 1024;
/// Pages whose kind is remembered.
const PAGES: usize = 1024;
const PAGE_SHIFT: u32 = 12;
/// A program's own file lies below, and libraries above, where both are placed by chance; that is only to leave out what lies between.
const BETWEEN: u64 = 0x7000_0000_0000;
/// Not more often is what is loaded asked for anew: code that a program makes as it runs lies in no file.
const REST: u64 = 100_000_000;

struct Table {
    count: AtomicUsize,
    parts: [[AtomicU64; 2]; MOST],
}

impl Table {
    const fn new() -> Table {
        Table { count: AtomicUsize::new(0), parts: [const { [const { AtomicU64::new(0) }; 2] }; MOST] }
    }
}

/// One is read while the other is filled.
static TABLES: [Table; 2] = [Table::new(), Table::new()];
static CURRENT: AtomicUsize = AtomicUsize::new(0);
/// Begin and length of all code below and above [`BETWEEN`].
static BOUNDS: [[AtomicU64; 2]; 2] = [const { [const { AtomicU64::new(0) }; 2] }; 2];
/// Pages that have code.
static KNOWN: Flags<PAGES> = Flags::empty();
static FILLING: AtomicBool = AtomicBool::new(false);
static FILLED: AtomicU64 = AtomicU64::new(0);

/// Whether a word is an address in the code of a file.
#[inline]
pub fn is_code(word: u64) -> bool {
    near().has(word) && is_code_near(word)
}

/// Begin and length of all code below and above [`BETWEEN`], read once for many words, and how far it is from the begin of one to the end of the
/// other: what lies outside, as numbers and the stack do, is told by one comparison.
#[derive(Clone, Copy)]
pub struct Near {
    parts: [[u64; 2]; 2],
    all: [u64; 2],
}

#[inline]
pub fn near() -> Near {
    let parts = BOUNDS.each_ref().map(|[begin, length]| [begin.load(Relaxed), length.load(Relaxed)]);
    let [below, above] = parts;
    let begin = below[0].min(above[0]);
    let end = below[0].wrapping_add(below[1]).max(above[0].wrapping_add(above[1]));
    Near { parts, all: [begin, end.wrapping_sub(begin)] }
}

impl Near {
    /// False for most words that are no address of code.
    #[inline]
    pub fn has(&self, word: u64) -> bool {
        let is_in = |[begin, length]: [u64; 2]| word.wrapping_sub(begin) < length;
        is_in(self.all) && (is_in(self.parts[0]) | is_in(self.parts[1]))
    }
}

/// The same of a word that [`Near`] has.
#[inline]
pub fn is_code_near(word: u64) -> bool {
    KNOWN.is(word >> PAGE_SHIFT, || is_in_table(word))
}

#[cold]
fn is_in_table(word: u64) -> bool {
    let Some(table) = TABLES.get(CURRENT.load(Acquire)) else { return false };
    let used = table.parts.iter().take(table.count.load(Relaxed));
    used.into_iter().any(|[begin, end]| (begin.load(Relaxed)..end.load(Relaxed)).contains(&word))
}

/// Asks anew what is loaded where code runs that is in no file that is known.
pub fn note_caller(address: u64, now: u64) {
    if !is_code(address) && now.wrapping_sub(FILLED.load(Relaxed)) > REST {
        fill(now);
    }
}

/// Asks the loader what is loaded. One thread does at a time, and the others go without: nobody waits for us who holds the loader's lock.
pub fn fill(now: u64) {
    if FILLING.swap(true, Acquire) {
        return;
    }
    FILLED.store(now, Relaxed);
    let next = 1 - CURRENT.load(Relaxed).min(1);
    if let Some(table) = TABLES.get(next) {
        table.count.store(0, Relaxed);
        // SAFETY: the function is of the type that is asked for, and its data is a static.
        unsafe { libc::dl_iterate_phdr(Some(add), (&raw const *table).cast_mut().cast()) };
        bound(table);
        CURRENT.store(next, Release);
        KNOWN.clear();
    }
    FILLING.store(false, Release);
}

/// Where the file begins and ends that is loaded around an address; twice 0 where there is none. Takes a lock of the loader.
pub fn file_around(address: usize) -> (usize, usize) {
    let mut search = Search { address, found: (0, 0) };
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(search_in), (&raw mut search).cast()) };
    search.found
}

struct Search {
    address: usize,
    found: (usize, usize),
}

unsafe extern "C" fn search_in(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    let extent = extent(info);
    if extent.contains(&search.address) {
        search.found = (extent.start, extent.end);
        return 1;
    }
    0
}

/// In a child of fork, which keeps what its parent knew: another thread of that may have held the loader's lock, which nobody gives back here.
pub fn begin_child() {
    FILLING.store(true, Relaxed);
}

fn bound(table: &Table) {
    for (above, place) in [false, true].into_iter().zip(&BOUNDS) {
        let (mut low, mut high) = (u64::MAX, 0);
        for [begin, end] in table.parts.iter().take(table.count.load(Relaxed)) {
            let (begin, end) = (begin.load(Relaxed), end.load(Relaxed));
            if (begin >= BETWEEN) == above {
                low = low.min(begin);
                high = high.max(end);
            }
        }
        place[0].store(low, Relaxed);
        place[1].store(high.saturating_sub(low), Relaxed);
    }
}

unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct with a table of so many entries, and `data` is the pointer that we gave.
    let (info, table) = unsafe { (&*info, &*data.cast::<Table>()) };
    for part in
        parts(info).iter().filter(|part| part.p_type == libc::PT_LOAD && part.p_flags & libc::PF_X != 0)
    {
        let count = table.count.load(Relaxed);
        let Some([begin, end]) = table.parts.get(count) else { return 1 };
        let from = info.dlpi_addr.wrapping_add(part.p_vaddr);
        begin.store(from, Relaxed);
        end.store(from.wrapping_add(part.p_memsz), Relaxed);
        table.count.store(count + 1, Relaxed);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_this_program_and_of_libraries_are_code_and_data_is_not() {
        fill(1);
        let functions = [fill as *const () as u64, libc::getpid as *const () as u64];
        assert!(functions.into_iter().all(is_code) && functions.into_iter().all(is_code));
        let on_stack = 0;
        for data in [0, 1, u64::MAX, (&raw const on_stack).addr() as u64, (&raw const TABLES).addr() as u64] {
            assert!(!is_code(data), "{data:x}");
        }
    }
}
