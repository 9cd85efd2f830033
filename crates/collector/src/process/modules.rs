//! The files that hold the addresses which were noted, so that these can be named when the process is gone.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering, Ordering::Relaxed};

use numawise_guest::loaded;
use numawise_wire::snapshot::{Header, Module, PATH_BYTES, SOURCE_LINES, SOURCES};

use super::file;
use crate::system;

/// One thread adds at a time; the others go without, and the next address of the same file adds it.
static ADDING: AtomicBool = AtomicBool::new(false);

/// Notes the file to which an address belongs. Called when an address is seen for the first time.
pub fn note(header: &Header, address: usize) {
    let modules = file::modules(header);
    let used = header.modules.load(Ordering::Acquire) as usize;
    let has =
        |module: &Module| (module.begin.load(Relaxed)..module.end.load(Relaxed)).contains(&(address as u64));
    if modules.iter().take(used).any(has) || ADDING.swap(true, Ordering::Acquire) {
        return;
    }
    let usable = used > 0 || super::reserve(modules.as_ptr().cast(), size_of_val(modules));
    match modules.get(used).filter(|_| usable) {
        Some(module) => {
            if by_table(address, module).unwrap_or_else(|| by_walk(address, module)) {
                header.modules.store(used as u32 + 1, Ordering::Release);
            }
        }
        None => {
            header.modules_dropped.fetch_add(1, Relaxed);
        }
    }
    ADDING.store(false, Ordering::Release);
}

/// The address at which a source of an interpreter begins, which is one of the files from then on; `Some(None)` where there is no place for it, and `None`
/// where another thread adds one now.
pub fn note_source(header: &Header, path: &[u8]) -> Option<Option<u64>> {
    let modules = file::modules(header);
    let rest = path.len().saturating_sub(PATH_BYTES - 1);
    let path = path.get(rest..).unwrap_or_default();
    let is_it = |module: &&Module| {
        let of = &module.path;
        let same = path.iter().zip(of).all(|(byte, place)| *byte == place.load(Relaxed));
        module.begin.load(Relaxed) >= SOURCES
            && same
            && of.get(path.len()).is_some_and(|end| end.load(Relaxed) == 0)
    };
    let known = |used: usize| modules.iter().take(used).find(is_it).map(|module| module.begin.load(Relaxed));
    if let Some(begin) = known(header.modules.load(Ordering::Acquire) as usize) {
        return Some(Some(begin));
    }
    if ADDING.swap(true, Ordering::Acquire) {
        return None;
    }
    let used = header.modules.load(Ordering::Acquire) as usize;
    let usable = used > 0 || super::reserve(modules.as_ptr().cast(), size_of_val(modules));
    let begin = known(used).or_else(|| {
        let module = modules.get(used).filter(|_| usable)?;
        let begin = SOURCES + used as u64 * SOURCE_LINES;
        module.begin.store(begin, Relaxed);
        module.end.store(begin + SOURCE_LINES, Relaxed);
        module.base.store(begin, Relaxed);
        file::copy(path, &module.path);
        header.modules.store(used as u32 + 1, Ordering::Release);
        Some(begin)
    });
    if begin.is_none() {
        header.modules_dropped.fetch_add(1, Relaxed);
    }
    ADDING.store(false, Ordering::Release);
    Some(begin)
}

/// In a child of fork: who was adding is in the parent.
pub fn begin_child() {
    ADDING.store(false, Relaxed);
}

fn by_table(address: usize, module: &Module) -> Option<bool> {
    let Some(file) = loaded::by_table(address)? else { return Some(false) };
    module.begin.store(file.at.start as u64, Relaxed);
    module.end.store(file.at.end as u64, Relaxed);
    module.base.store(file.base as u64, Relaxed);
    // SAFETY: a string of the loader, or null.
    unsafe { name(file.path, module) };
    Some(true)
}

/// # Safety
/// The path must be null or a string of the loader.
unsafe fn name(path: *const c_char, module: &Module) {
    if path.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let rest = path.len().saturating_sub(PATH_BYTES - 1);
    file::copy(path.get(rest..).unwrap_or_default(), &module.path);
}

fn by_walk(address: usize, module: &Module) -> bool {
    let mut search = Search { address, module };
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) != 0 }
}

struct Search<'a> {
    address: usize,
    module: &'a Module,
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    let (info, search) = unsafe { (&*info, &*data.cast::<Search>()) };
    if !system::holds(info, search.address) {
        return 0;
    }
    let extent = system::extent(info);
    search.module.begin.store(extent.start as u64, Relaxed);
    search.module.end.store(extent.end as u64, Relaxed);
    search.module.base.store(info.dlpi_addr, Relaxed);
    // SAFETY: the loader keeps the path as a string while the file is loaded.
    unsafe { name(info.dlpi_name, search.module) };
    1
}
