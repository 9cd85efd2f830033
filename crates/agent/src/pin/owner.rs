//! Which file an address of the program belongs to.

use core::ffi::{CStr, c_int, c_void};

use numawise_guest::loaded;
use numawise_wire::roles;

/// The name of a file without its folders; empty for the program itself and for what belongs to no file.
#[derive(Debug, Clone, Copy)]
pub struct Owner(&'static [u8]);

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

    /// The file that an address belongs to. What runs stays loaded.
    pub fn of(address: *const c_void) -> Owner {
        Owner(without_folders(loaded::path_of(address.expose_provenance())))
    }

    pub fn name(&self) -> &[u8] {
        self.0
    }
}

fn without_folders(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// Whether a file is loaded whose name (without folders) `is_meant`.
pub fn is_loaded(mut is_meant: fn(&[u8]) -> bool) -> bool {
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: the loader gives a live struct, whose path is null or a string, and `data` is the pointer that we gave.
        let (path, is_meant) = unsafe {
            let path = (*info).dlpi_name;
            let path = if path.is_null() { c"" } else { CStr::from_ptr(path) };
            (path.to_bytes(), *data.cast::<fn(&[u8]) -> bool>())
        };
        c_int::from(is_meant(without_folders(path)))
    }
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut is_meant).cast()) != 0 }
}
