//! Finds the program's MPI: the functions that we stand before, and others of the same library.
//!
//! Mostly it is in the global scope, after us. mpi4py's module is loaded with a scope of its own: nothing is found after us, and
//! the library is among those that the caller's file needs, or is any that is loaded.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use numawise_wire::snapshot::MPI_CALLS;

use super::generated::CALLS;
use crate::system::{self, SavedErrno, file_of, holds, parts};

/// Kinds of names: `MPI_`, `PMPI_`, and those of Fortran.
pub const LAYERS: usize = 7;
pub const FIRST_FORTRAN: usize = 2;
/// What stands before and behind the name, and whether it is in capitals (1) or not (2).
const STYLES: [(&[u8], &[u8], u8); LAYERS] = [
    (b"", b"", 0),
    (b"P", b"", 0),
    (b"", b"_", 2),
    (b"", b"__", 2),
    (b"", b"", 1),
    (b"", b"_f08_", 2),
    (b"", b"_f08ts_", 2),
];

static REAL: [[AtomicUsize; CALLS]; LAYERS] = [const { [const { AtomicUsize::new(0) }; CALLS] }; LAYERS];

/// A handle of the loader for the file that has MPI in its scope; null while the global scope has it.
static SCOPE: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

const LONGEST: usize = 64;

/// The function that the program would have called without us; `None` where no MPI is loaded, which may come later.
#[inline]
pub fn real(layer: usize, call: usize, site: usize) -> Option<usize> {
    let place = REAL.get(layer).and_then(|layer| layer.get(call))?;
    match place.load(Relaxed) {
        0 => look_up(layer, call, site, place),
        real => Some(real),
    }
}

#[cold]
fn look_up(layer: usize, call: usize, site: usize, place: &AtomicUsize) -> Option<usize> {
    let _errno = SavedErrno::new();
    let mut name = [0u8; LONGEST];
    let found = symbol(name_of(layer, call, &mut name)?, site);
    if found.is_null() {
        return None;
    }
    place.store(found.expose_provenance(), Relaxed);
    Some(found.addr())
}

fn name_of(layer: usize, call: usize, place: &mut [u8; LONGEST]) -> Option<&CStr> {
    let name = MPI_CALLS.as_bytes().split(|byte| *byte == 0).nth(call)?;
    let (before, after, case) = STYLES.get(layer)?;
    let bytes = before.iter().chain(name).chain(*after);
    // The last byte stays 0.
    for (to, from) in place.iter_mut().take(LONGEST - 1).zip(bytes) {
        *to = match case {
            1 => from.to_ascii_uppercase(),
            2 => from.to_ascii_lowercase(),
            _ => *from,
        };
    }
    CStr::from_bytes_until_nul(place).ok()
}

/// A variable of MPI. The program may have a copy of it, which is then the one that all use, and lies before us.
pub fn variable(name: &CStr, site: usize) -> *const c_void {
    // SAFETY: the name is a string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() { symbol(name, site) } else { found }
}

/// Whether a symbol lies in the file that has the functions of the program's MPI.
pub fn lies_with_functions(symbol_at: *const c_void, site: usize) -> bool {
    // Tools define the names without the P.
    let functions = symbol(c"PMPI_Init", site);
    !functions.is_null() && file_of(functions.expose_provenance()) == file_of(symbol_at.expose_provenance())
}

/// Whether the file that has the functions of the program's MPI has a name that begins so.
pub fn is_named(begin: &[u8], site: usize) -> bool {
    // Tools define the names without the P.
    let functions = symbol(c"PMPI_Init", site);
    let file = system::loaded_file(functions.expose_provenance()).filter(|file| !file.dli_fname.is_null());
    file.is_some_and(|file| {
        // SAFETY: the loader keeps the path as a string while the file is loaded.
        let path = unsafe { CStr::from_ptr(file.dli_fname) }.to_bytes();
        path.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(begin))
    })
}

/// A symbol of MPI; `site` is an address in the file that calls it, or 0.
pub fn symbol(name: &CStr, site: usize) -> *const c_void {
    let found = system::next_symbol(name);
    if !found.is_null() {
        return found;
    }
    let scope = SCOPE.load(Relaxed);
    if !scope.is_null() {
        // SAFETY: a handle of the loader that is kept open.
        return unsafe { libc::dlsym(scope, name.as_ptr()) };
    }
    let mut search = Search { name, site, scope: core::ptr::null_mut() };
    // First the caller's own file, then each that is loaded.
    for search_for in [of_site, any] {
        // SAFETY: the function is of the type that is asked for, and its data lives through the call.
        if unsafe { libc::dl_iterate_phdr(Some(search_for), (&raw mut search).cast()) } != 0 {
            SCOPE.store(search.scope, Relaxed);
            // SAFETY: as above.
            return unsafe { libc::dlsym(search.scope, name.as_ptr()) };
        }
    }
    core::ptr::null()
}

struct Search<'a> {
    name: &'a CStr,
    site: usize,
    scope: *mut c_void,
}

unsafe extern "C" fn of_site(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    c_int::from(holds(info, search.site) && opens(info.dlpi_name, search))
}

unsafe extern "C" fn any(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: as above.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: the loader keeps the path as a string while the file is loaded.
    let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    let is_mpi = path.windows(4).any(|part| part.eq_ignore_ascii_case(b"mpi."))
        || path.windows(6).any(|part| part.eq_ignore_ascii_case(b"libmpi"));
    c_int::from(is_mpi && opens(info.dlpi_name, search))
}

/// The lowest address of a file.
pub fn begin(info: &libc::dl_phdr_info) -> Option<usize> {
    let loaded = parts(info).iter().filter(|part| part.p_type == libc::PT_LOAD);
    loaded.map(|part| (info.dlpi_addr as usize).wrapping_add(part.p_vaddr as usize)).min()
}

/// Whether a file that is loaded, or what it needs, has the symbol. The handle is kept: what we found must stay loaded.
fn opens(path: *const c_char, search: &mut Search) -> bool {
    // SAFETY: a path of the loader, which is not loaded anew; the name is a string.
    unsafe {
        if path.is_null() || *path == 0 {
            return false;
        }
        let scope = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if scope.is_null() || libc::dlsym(scope, search.name.as_ptr()).is_null() {
            if !scope.is_null() {
                libc::dlclose(scope);
            }
            libc::dlerror();
            return false;
        }
        search.scope = scope;
    }
    true
}

/// The address of [`no_mpi`].
pub fn nothing() -> usize {
    (no_mpi as *const ()).addr()
}

/// What the loader does for a function that is not there. No value that we could give would be the MPI's own: a program only comes here when
/// its MPI was unloaded under it.
extern "C" fn no_mpi() -> ! {
    const MESSAGE: &[u8] =
        b"symbol lookup error: a function of MPI is called, and no MPI is loaded that has it\n";
    // SAFETY: the bytes are so many.
    unsafe { libc::syscall(libc::SYS_write, 2, MESSAGE.as_ptr(), MESSAGE.len()) };
    loop {
        // SAFETY: the process ends, as the loader would end it.
        unsafe { libc::syscall(libc::SYS_exit_group, 127) };
    }
}
