//! Which file an address of the program belongs to.

use core::ffi::{CStr, c_char, c_int, c_void};

use numawise_wire::roles;

use crate::system::Symbol;

/// What glibc's `_dl_find_object` (2.35) fills: see dlfcn.h. We read two fields; the rest is room for it to write.
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

type FindObject = unsafe extern "C" fn(*mut c_void, *mut FoundObject) -> c_int;

static FIND: Symbol = Symbol::new(c"_dl_find_object");

/// The name of a file without its folders; empty for the program itself and for what belongs to no file.
#[derive(Debug, Clone, Copy)]
pub struct Owner(*const c_char);

impl Owner {
    /// Whose work a thread does that begins with `start(argument)`.
    ///
    /// The start routine of `std::thread` lies in libstdc++ whoever made the thread; its argument is an object of a class
    /// made for that thread, whose table of functions lies in the file that made it.
    ///
    /// # Safety
    /// Start and argument must belong together.
    pub unsafe fn of_thread(start: *const c_void, argument: *const c_void) -> Owner {
        let owner = Owner::of(start);
        if !roles::is_cxx_library(owner.name()) || argument.is_null() {
            return owner;
        }
        // SAFETY: libstdc++ gives its start routine a pointer to a `std::thread::_State`, which begins with the address of
        // its table of functions; nothing else in libstdc++ starts threads.
        Owner::of(unsafe { *argument.cast::<*const c_void>() })
    }

    /// The file that an address belongs to.
    pub fn of(address: *const c_void) -> Owner {
        let find = FIND.get();
        if find.is_null() {
            return Owner::by_symbol(address);
        }
        let null = core::ptr::null_mut();
        let mut found = FoundObject { flags: 0, start: null, end: null, map: null.cast(), rest: [0; 12] };
        // SAFETY: the symbol is glibc's function of this type; it takes any address, and writes no more than its own
        // struct, which ours is at least as large as. An object that runs stays loaded, and its map with it.
        unsafe {
            let find: FindObject = core::mem::transmute(find);
            match find(address.cast_mut(), &mut found) {
                0 if !found.map.is_null() => Owner((*found.map).name),
                _ => Owner(core::ptr::null()),
            }
        }
    }

    /// For older C libraries.
    fn by_symbol(address: *const c_void) -> Owner {
        // SAFETY: zeros are a value of this struct of pointers; the call fills it, and takes any address.
        unsafe {
            let mut found: libc::Dl_info = core::mem::zeroed();
            match libc::dladdr(address, &mut found) {
                0 => Owner(core::ptr::null()),
                _ => Owner(found.dli_fname),
            }
        }
    }

    pub fn name(&self) -> &[u8] {
        name_of(self.0)
    }
}

fn name_of<'a>(path: *const c_char) -> &'a [u8] {
    if path.is_null() {
        return b"";
    }
    // SAFETY: the loader keeps the path as a string while the file is loaded.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// Whether a file is loaded whose name (without folders) `is_meant`.
pub fn is_loaded(mut is_meant: fn(&[u8]) -> bool) -> bool {
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
        let (path, is_meant) = unsafe { ((*info).dlpi_name, *data.cast::<fn(&[u8]) -> bool>()) };
        c_int::from(is_meant(name_of(path)))
    }
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut is_meant).cast()) != 0 }
}
