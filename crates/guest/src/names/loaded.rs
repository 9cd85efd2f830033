//! The files that are loaded, one after the other.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::file::{Entry, File};
use crate::system::{part_with, parts};

/// The program's constructors run: the C library's functions may be called.
static IS_BEGUN: AtomicBool = AtomicBool::new(false);

pub fn begun() {
    IS_BEGUN.store(true, Relaxed);
}

/// A file that is loaded.
pub struct Loaded<'a> {
    pub file: File,
    /// Its parts; none where nobody says where they stand.
    pub parts: &'a [libc::Elf64_Phdr],
}

impl Loaded<'_> {
    /// The part of a kind in which an address lies.
    pub fn part(&self, kind: u32, address: usize) -> Option<&libc::Elf64_Phdr> {
        part_with(self.file.base, self.parts, kind, address)
    }
}

/// The loader's list, of which link.h says this much. Debuggers read it, so that it stays as it is.
#[repr(C)]
struct Debug {
    version: c_int,
    files: *const Link,
    stop: usize,
    state: c_int,
    loader: usize,
}

#[repr(C)]
struct Link {
    base: usize,
    name: *const c_char,
    dynamic: *const Entry,
    next: *const Link,
}

unsafe extern "C" {
    #[link_name = "_r_debug"]
    static DEBUG: Debug;
    #[link_name = "__ehdr_start"]
    static OWN: libc::Elf64_Ehdr;
    #[link_name = "_DYNAMIC"]
    static OWN_DYNAMIC: Entry;
}

/// The library that this is in.
pub fn own() -> Option<Loaded<'static>> {
    let begin = (&raw const OWN).expose_provenance();
    // SAFETY: the linker says where our own tables stand.
    unsafe { Some(Loaded { file: File::new(begin, &raw const OWN_DYNAMIC)?, parts: parts_at(begin) }) }
}

/// The parts of a file whose first bytes lie at its base, as those of all libraries do.
unsafe fn parts_at(base: usize) -> &'static [libc::Elf64_Phdr] {
    let header: *const libc::Elf64_Ehdr = core::ptr::with_exposed_provenance(base);
    // SAFETY: the file is loaded, and the header says where the table is, in the same part.
    unsafe {
        let parts = header.byte_add((*header).e_phoff as usize).cast();
        core::slice::from_raw_parts(parts, usize::from((*header).e_phnum))
    }
}

/// Calls `each` for each file of the program, in the loader's order.
pub fn each(mut each: &mut dyn FnMut(&Loaded<'_>)) {
    if IS_BEGUN.load(Relaxed) {
        // SAFETY: the function is of the type that is asked for, and its data lives through the call.
        unsafe { libc::dl_iterate_phdr(Some(pass_on), (&raw mut each).cast()) };
        return;
    }
    // SAFETY: there is one thread, and it is in the loader, which has made its list.
    let mut at = unsafe { DEBUG.files };
    while !at.is_null() {
        // SAFETY: the list's own entries, and what they say of files that are loaded.
        unsafe {
            if let Some(file) = File::new((*at).base, (*at).dynamic) {
                // A program with a fixed address has the base 0.
                let parts = if file.base == 0 { &[][..] } else { parts_at(file.base) };
                each(&Loaded { file, parts });
            }
            at = (*at).next;
        }
    }
}

unsafe extern "C" fn pass_on(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    unsafe {
        let (info, each) = (&*info, &mut *data.cast::<&mut dyn FnMut(&Loaded<'_>)>());
        let base = info.dlpi_addr as usize;
        let dynamic = parts(info).iter().find(|part| part.p_type == libc::PT_DYNAMIC);
        let dynamic = dynamic.map_or(0, |part| base.wrapping_add(part.p_vaddr as usize));
        if let Some(file) = File::new(base, core::ptr::with_exposed_provenance(dynamic)) {
            each(&Loaded { file, parts: parts(info) });
        }
    }
    0
}

/// Whether an address lies in the loader.
pub fn is_in_loader(address: usize) -> bool {
    // SAFETY: the loader's own list says where it is itself.
    unsafe {
        let base = DEBUG.loader;
        base != 0 && part_with(base, parts_at(base), libc::PT_LOAD, address).is_some()
    }
}
