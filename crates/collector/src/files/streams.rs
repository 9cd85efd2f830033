//! Stands before what the C library's streams call.
//!
//! glibc's `fprintf`, `fread`, `getline`, `std::cout` where it shares them, and the writing of what is left at exit do not come to the
//! kernel by a name that we could stand before, but through a table of functions that belongs to each kind of stream. We put our functions into
//! the tables of streams of files. That is done where each place holds the very function that glibc exports under its name, and where
//! the table lies in what the loader has made read-only, and is again afterwards. Other C libraries have no such names, and are left alone.

use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::next;
use super::table::{STREAM_CLOSE, STREAM_READ, STREAM_WRITE, stream_close, stream_read, stream_write};
use crate::system::{self, Symbol};

/// Tables of streams of bytes and of wide characters.
const TABLES: [&CStr; 2] = [c"_IO_file_jumps", c"_IO_wfile_jumps"];
/// Places in a table: of the function that reads, of the one that writes, and of the one that closes.
const READ: usize = 14;
const WRITE: usize = 15;
const CLOSE: usize = 17;

type Wrapper = extern "C" fn();
/// Each place with its function in our table and with ours.
const HOOKS: [(usize, usize, Wrapper); 3] = [
    (READ, STREAM_READ, stream_read),
    (WRITE, STREAM_WRITE, stream_write),
    (CLOSE, STREAM_CLOSE, stream_close),
];

static FILENO: Symbol = Symbol::new(c"fileno_unlocked");

/// The descriptor of a stream; -1 where it has none.
pub fn descriptor(stream: usize) -> c_int {
    let fileno = FILENO.get();
    if fileno.is_null() || stream == 0 {
        return -1;
    }
    // SAFETY: the symbol is glibc's function of this type, and the stream is one that the C library works on.
    unsafe {
        let fileno: unsafe extern "C" fn(*mut libc::FILE) -> c_int = core::mem::transmute(fileno);
        fileno(core::ptr::with_exposed_provenance_mut(stream))
    }
}

/// Puts our functions into the tables; true where that of streams of bytes could be changed.
pub fn hook() -> bool {
    FILENO.get();
    let [bytes, _] = TABLES.map(|name| {
        let table = system::next_symbol(name).cast::<AtomicUsize>();
        // SAFETY: the symbol is glibc's table, of 21 words.
        !table.is_null() && !FILENO.get().is_null() && unsafe { change(table) }
    });
    bytes
}

/// # Safety
/// `table` must point to 21 words.
unsafe fn change(table: *const AtomicUsize) -> bool {
    let place = |number: usize| table.wrapping_add(number);
    let holds = |(number, call, _): &(usize, usize, Wrapper)| {
        // SAFETY: the caller's promise.
        let found = unsafe { &*place(*number) }.load(Relaxed);
        found == next::real(*call)
    };
    if !HOOKS.iter().all(holds) {
        return false;
    }
    let Some(pages) = Pages::of(place(READ).addr(), place(CLOSE + 1).addr()) else { return false };
    if !pages.are_read_only || !pages.protect(libc::PROT_READ | libc::PROT_WRITE) {
        return false;
    }
    for (number, _, wrapper) in HOOKS {
        // SAFETY: as above, and the page may be written now.
        unsafe { &*place(number) }.store(wrapper as usize, Relaxed);
    }
    pages.protect(libc::PROT_READ)
}

/// Whole pages, from the first to the one after the last.
struct Pages {
    begin: usize,
    end: usize,
    /// Of one.
    bytes: usize,
    /// They are among those that the loader has made read-only.
    are_read_only: bool,
}

impl Pages {
    fn of(begin: usize, end: usize) -> Option<Pages> {
        // SAFETY: no preconditions.
        let size = usize::try_from(unsafe { libc::getauxval(libc::AT_PAGESZ) })
            .ok()
            .filter(|size| size.is_power_of_two())?;
        let mut pages = Pages {
            begin: begin & !(size - 1),
            end: end.checked_next_multiple_of(size)?,
            bytes: size,
            are_read_only: false,
        };
        // SAFETY: the function is of the type that is asked for, and its data lives through the call.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut pages).cast()) };
        Some(pages)
    }

    fn protect(&self, how: c_int) -> bool {
        let place = core::ptr::with_exposed_provenance_mut(self.begin);
        // SAFETY: pages of a file that stays loaded; what is in them stays.
        unsafe { libc::mprotect(place, self.end - self.begin, how) == 0 }
    }
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut core::ffi::c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    let (info, pages) = unsafe { (&*info, &mut *data.cast::<Pages>()) };
    let holds = system::parts(info).iter().any(|part| {
        let begin = (info.dlpi_addr as usize).wrapping_add(part.p_vaddr as usize);
        let end = begin.wrapping_add(part.p_memsz as usize);
        // The loader protects whole pages: from the one that holds the begin, up to the one that holds the end.
        part.p_type == libc::PT_GNU_RELRO && begin & !(pages.bytes - 1) <= pages.begin && pages.end <= end
    });
    pages.are_read_only |= holds;
    c_int::from(holds)
}
