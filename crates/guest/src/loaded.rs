//! The file of an address, by the loader's own table: without a lock of the loader, which another thread may hold while it waits for this one.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;

use crate::system::Symbol;

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

static FIND: Symbol = Symbol::new(c"_dl_find_object");

/// Where a file lies.
pub struct LoadedFile {
    pub at: Range<usize>,
    pub base: usize,
    /// Null or a string of the loader, which is kept while the file is loaded.
    pub path: *const c_char,
}

/// Looks for the loader's function, while the process has one thread.
pub fn look_up() {
    FIND.get();
}

/// `None` in older C libraries, and `Some(None)` where the address lies in no file. What runs stays loaded, and so does what is said of it.
pub fn by_table(address: usize) -> Option<Option<LoadedFile>> {
    let find = FIND.get();
    if find.is_null() {
        return None;
    }
    let null = core::ptr::null_mut();
    let mut found = FoundObject { flags: 0, start: null, end: null, map: null.cast(), rest: [0; 12] };
    // SAFETY: glibc's function of this type takes any address, and writes no more than its own struct, which ours is at least as
    // large as. A file that runs stays loaded, and its map with it.
    unsafe {
        let find: unsafe extern "C" fn(*mut c_void, *mut FoundObject) -> c_int = core::mem::transmute(find);
        let is_found = find(core::ptr::with_exposed_provenance_mut(address), &raw mut found) == 0;
        let map = found.map.as_ref().filter(|_| is_found);
        Some(map.map(|map| LoadedFile {
            at: found.start.addr()..found.end.addr(),
            base: map.base,
            path: map.name,
        }))
    }
}

/// The path of the file of an address as the loader has it; empty where there is none.
pub fn path_of<'a>(address: usize) -> &'a [u8] {
    let path = match by_table(address) {
        Some(found) => found.map_or(core::ptr::null(), |file| file.path),
        None => crate::system::loaded_file(address).map_or(core::ptr::null(), |file| file.dli_fname),
    };
    if path.is_null() {
        return b"";
    }
    // SAFETY: the loader keeps the path as a string while the file is loaded.
    unsafe { CStr::from_ptr(path) }.to_bytes()
}
