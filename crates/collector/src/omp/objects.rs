//! Objects that the process has loaded: which one calls, and what it finds in its scope.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::system;

/// Calling objects that are told apart; calls from more are looked up each time.
pub const CALLERS: usize = 8;

/// The addresses of an object that called.
struct Caller {
    begin: AtomicUsize,
    end: AtomicUsize,
}

static SEEN: [Caller; CALLERS] =
    [const { Caller { begin: AtomicUsize::new(0), end: AtomicUsize::new(0) } }; CALLERS];
static USED: AtomicUsize = AtomicUsize::new(0);
/// 1 while a thread adds one.
static ADDING: AtomicU32 = AtomicU32::new(0);

/// The number of the object that `address` lies in.
pub fn number(address: usize) -> Option<usize> {
    let known = || {
        let seen = SEEN.get(..USED.load(Acquire).min(CALLERS))?;
        seen.iter().position(|seen| (seen.begin.load(Relaxed)..seen.end.load(Relaxed)).contains(&address))
    };
    if let Some(number) = known() {
        return Some(number);
    }
    let object = object_at(address)?;
    if ADDING.swap(1, Acquire) != 0 {
        return None;
    }
    let number = known().or_else(|| {
        let number = USED.load(Relaxed);
        let place = SEEN.get(number)?;
        place.begin.store(object.begin, Relaxed);
        place.end.store(object.end, Relaxed);
        USED.store(number + 1, Release);
        Some(number)
    });
    ADDING.store(0, Release);
    number
}

/// The address of `name` as the object that `caller` lies in would find it, but for the global scope; 0: it would not.
pub fn in_scope_of(caller: usize, name: &CStr) -> usize {
    object_at(caller).map_or(0, |object| symbol_of(object.path, name))
}

/// The address of `name` in any object that has it; 0: nowhere.
pub fn anywhere(name: &CStr) -> usize {
    // One at a time: while it lists them the loader holds a lock that looking up takes in another order.
    let found = (0..).map_while(path_of).map(|path| symbol_of(path, name)).find(|found| *found != 0);
    found.unwrap_or(0)
}

/// Whether the object that the function at `address` lies in has a symbol of this name too.
pub fn same_object_has(address: usize, name: &CStr) -> bool {
    let Some(object) = object_at(address) else { return false };
    let found = symbol_of(object.path, name);
    (object.begin..object.end).contains(&found)
}

/// Where the runtime's code lies that tells of events; zeros where there is none.
static RUNTIME: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// The function at `address` is one of the runtime's that tells of events.
pub fn note_runtime(address: usize) {
    if let Some(object) = object_at(address) {
        let [begin, end] = &RUNTIME;
        begin.store(object.begin, Relaxed);
        end.store(object.end, Relaxed);
    }
}

/// Whether an address lies in the runtime that tells of events.
#[inline(always)]
pub fn is_runtime(address: usize) -> bool {
    let [begin, end] = &RUNTIME;
    address < end.load(Relaxed) && address >= begin.load(Relaxed)
}

struct Nth {
    left: usize,
    path: Option<*const c_char>,
}

/// The path of the loaded object with this number.
fn path_of(number: usize) -> Option<*const c_char> {
    let mut nth = Nth { left: number, path: None };
    // SAFETY: the callback gets `nth`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(count), (&raw mut nth).cast()) };
    nth.path
}

unsafe extern "C" fn count(info: *mut libc::dl_phdr_info, _: usize, nth: *mut c_void) -> c_int {
    // SAFETY: the loader gives a valid record, and `path_of` its `nth`.
    let (info, nth) = unsafe { (&*info, &mut *nth.cast::<Nth>()) };
    if let Some(left) = nth.left.checked_sub(1) {
        nth.left = left;
        return 0;
    }
    nth.path = Some(info.dlpi_name);
    1
}

/// The address of a symbol in a loaded object and what it needs, other than in ourselves; 0: none.
fn symbol_of(path: *const c_char, name: &CStr) -> usize {
    // SAFETY: the path is null or a string of the loader's.
    if path.is_null() || unsafe { *path } == 0 {
        return 0;
    }
    // SAFETY: the strings are valid; the object is loaded, and its count of uses is as before afterwards.
    let found = unsafe {
        let handle = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            // So that the program's dlerror finds nothing of ours.
            libc::dlerror();
            return 0;
        }
        let found = libc::dlsym(handle, name.as_ptr());
        if found.is_null() {
            libc::dlerror();
        }
        libc::dlclose(handle);
        found.expose_provenance()
    };
    if is_ours(found) { 0 } else { found }
}

unsafe extern "C" {
    /// Defined by the linker: the begin of this library and the end of its code.
    static __ehdr_start: u8;
    static etext: u8;
}

/// Whether an address lies in the code of this library.
#[inline(always)]
pub fn is_ours(address: usize) -> bool {
    let begin = (&raw const __ehdr_start).addr();
    address.wrapping_sub(begin) < (&raw const etext).addr().wrapping_sub(begin)
}

#[derive(Clone, Copy)]
struct Object {
    path: *const c_char,
    begin: usize,
    end: usize,
}

struct At {
    address: usize,
    found: Option<Object>,
}

/// The object that an address lies in.
fn object_at(address: usize) -> Option<Object> {
    let mut at = At { address, found: None };
    // SAFETY: the callback gets `at`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(compare), (&raw mut at).cast()) };
    at.found
}

unsafe extern "C" fn compare(info: *mut libc::dl_phdr_info, _: usize, at: *mut c_void) -> c_int {
    // SAFETY: the loader gives a valid record, and `object_at` its `at`.
    let (info, at) = unsafe { (&*info, &mut *at.cast::<At>()) };
    let extent = system::extent(info);
    if !extent.contains(&at.address) {
        return 0;
    }
    at.found = Some(Object { path: info.dlpi_name, begin: extent.start, end: extent.end });
    1
}
