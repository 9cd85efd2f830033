//! The files that hold the addresses which were noted, so that these can be named when the process is gone.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering, Ordering::Relaxed};

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
            if by_object(address, module).unwrap_or_else(|| by_walk(address, module)) {
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

/// Whether the path of the file in which an address lies is such a one; false where there is none.
pub fn path_of(address: usize, is: fn(&[u8]) -> bool) -> bool {
    let path = match found(address) {
        Some(found) => found.and_then(|found| (!found.map.is_null()).then_some(found.map)).map(|map| {
            // SAFETY: a file that runs stays loaded, and its map with it.
            unsafe { (*map).name }
        }),
        None => system::loaded_file(address).map(|file| file.dli_fname),
    };
    // SAFETY: a string of the loader.
    path.is_some_and(|path| !path.is_null() && is(unsafe { CStr::from_ptr(path) }.to_bytes()))
}

/// In a child of fork: who was adding is in the parent.
pub fn begin_child() {
    ADDING.store(false, Relaxed);
}

/// What glibc's `_dl_find_object` (2.35) fills: see dlfcn.h. We read three fields; the rest is for it to write.
#[repr(C)]
struct FoundObject {
    flags: u64,
    start: *mut c_void,
    end: *mut c_void,
    map: *const LinkMap,
    rest: [u64; 12],
}

/// The public beginning of glibc's `struct link_map`: see link.h.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
}

/// Looked up once, when the process begins to be watched; 0: there is none.
static FIND: AtomicUsize = AtomicUsize::new(0);

pub fn look_up() {
    FIND.store(system::next_symbol(c"_dl_find_object").expose_provenance(), Relaxed);
}

/// What the loader knows of the file of an address, without a lock of the loader, which another thread may hold while it waits for this one. `None` in older
/// C libraries, and `Some(None)` where it lies in no file.
fn found(address: usize) -> Option<Option<FoundObject>> {
    let find = FIND.load(Relaxed);
    if find == 0 {
        return None;
    }
    let null = core::ptr::null_mut();
    let mut found = FoundObject { flags: 0, start: null, end: null, map: null.cast(), rest: [0; 12] };
    // SAFETY: glibc's function of this type takes any address, and writes no more than its own struct, which ours is at least as
    // large as.
    let is_found = unsafe {
        let find: unsafe extern "C" fn(*mut c_void, *mut FoundObject) -> c_int = core::mem::transmute(find);
        find(core::ptr::with_exposed_provenance_mut(address), &raw mut found) == 0
    };
    Some(is_found.then_some(found))
}

fn by_object(address: usize, module: &Module) -> Option<bool> {
    let Some(found) = found(address)?.filter(|found| !found.map.is_null()) else { return Some(false) };
    module.begin.store(found.start.addr() as u64, Relaxed);
    module.end.store(found.end.addr() as u64, Relaxed);
    // SAFETY: a file that runs stays loaded, and its map with it.
    unsafe {
        module.base.store((*found.map).base as u64, Relaxed);
        name((*found.map).name, module);
    }
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
