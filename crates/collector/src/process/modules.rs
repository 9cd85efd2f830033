//! The files that hold the addresses which were noted, so that these can be named when the process is gone.

use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicBool, Ordering, Ordering::Relaxed};

use numawise_wire::snapshot::{Header, Module, PATH_BYTES};

use super::file;

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
    let usable = used > 0 || file::reserve(modules.as_ptr().cast(), size_of_val(modules));
    match modules.get(used).filter(|_| usable) {
        Some(module) => {
            let mut search = Search { address, module };
            // SAFETY: the function is of the type that is asked for, and its data lives through the call.
            if unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) } != 0 {
                header.modules.store(used as u32 + 1, Ordering::Release);
            }
        }
        None => {
            header.modules_dropped.fetch_add(1, Relaxed);
        }
    }
    ADDING.store(false, Ordering::Release);
}

/// In a child of fork: who was adding is in the parent.
pub fn begin_child() {
    ADDING.store(false, Relaxed);
}

struct Search<'a> {
    address: usize,
    module: &'a Module,
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut core::ffi::c_void) -> c_int {
    // SAFETY: the loader gives a live struct with a table of so many entries, and `data` is the pointer that we gave.
    let (info, search) = unsafe { (&*info, &*data.cast::<Search>()) };
    // SAFETY: as above.
    let parts = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let base = info.dlpi_addr as usize;
    let loaded = || parts.iter().filter(|part| part.p_type == libc::PT_LOAD);
    let range = |part: &libc::Elf64_Phdr| {
        let begin = base.wrapping_add(part.p_vaddr as usize);
        begin..begin.wrapping_add(part.p_memsz as usize)
    };
    if !loaded().any(|part| range(part).contains(&search.address)) {
        return 0;
    }
    let begin = loaded().map(|part| range(part).start).min().unwrap_or_default();
    let end = loaded().map(|part| range(part).end).max().unwrap_or_default();
    search.module.begin.store(begin as u64, Relaxed);
    search.module.end.store(end as u64, Relaxed);
    search.module.base.store(base as u64, Relaxed);
    if !info.dlpi_name.is_null() {
        // SAFETY: the loader keeps the path as a string while the file is loaded.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let rest = path.len().saturating_sub(PATH_BYTES - 1);
        file::copy(path.get(rest..).unwrap_or_default(), &search.module.path);
    }
    1
}
