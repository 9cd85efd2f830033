//! The process: whether it is watched, its forks, and where its files go.
//!
//! A child of fork shares the pages of its parent's file and must not write them. It is known by the generation of the process, a word in a page
//! that the kernel hands to children as zeros (MADV_WIPEONFORK), whichever way they are made; it makes a file of its own in the handler of fork, or
//! when it is first seen.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_int, c_void};
use core::fmt::Write;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed};

use crate::memory::{self, Text};
use crate::system::{self, SavedErrno};

/// Stands in for the generation where there is no page for it: before the begin, and where the kernel refuses.
static PLAIN: AtomicU64 = AtomicU64::new(0);
static GENERATION: AtomicPtr<AtomicU64> = AtomicPtr::new((&raw const PLAIN).cast_mut());

/// What is done with the process.
static PHASE: AtomicU32 = AtomicU32::new(NOT_BEGUN);
const NOT_BEGUN: u32 = 0;
/// A thread works on it; others are not watched meanwhile.
const BEGINS: u32 = 1;
const WATCHED: u32 = 2;
/// Nobody asked for it, or it cannot be done.
const OFF: u32 = 3;

struct Folder(UnsafeCell<Text>);
// SAFETY: written once, before the process is watched, and read after.
unsafe impl Sync for Folder {}
static FOLDER: Folder = Folder(UnsafeCell::new(Text::new()));

#[inline]
fn word<'a>() -> &'a AtomicU64 {
    // SAFETY: the pointer is to a static or to a page that stays mapped.
    unsafe { &*GENERATION.load(Relaxed) }
}

/// A word that differs in a child; never that of a thread that was not seen (0) once the process has begun.
#[inline]
pub fn generation() -> u64 {
    word().load(Relaxed)
}

/// Whether a child is known by its generation in any case.
pub fn has_generation() -> bool {
    !core::ptr::eq(GENERATION.load(Relaxed), &raw const PLAIN)
}

/// Whether the process is watched; a child that was not yet seen is.
#[inline]
pub fn is_watched() -> bool {
    PHASE.load(Ordering::Acquire) == WATCHED
}

/// Whether some thread is making the file at this moment.
pub fn begins() -> bool {
    PHASE.load(Relaxed) == BEGINS
}

/// Whether it is not watched, and never will be.
#[inline]
pub fn is_off() -> bool {
    PHASE.load(Relaxed) == OFF
}

/// Takes the right to begin, with the folder of the files. False where the process is not to be watched, or the folder's path is not absolute or too
/// long.
pub fn prepare(folder: impl FnOnce() -> Option<&'static [u8]>) -> bool {
    if PHASE.compare_exchange(NOT_BEGUN, BEGINS, Ordering::Acquire, Relaxed).is_err() {
        return false;
    }
    // SAFETY: the one thread that begins is here, once.
    let place = unsafe { &mut *FOLDER.0.get() };
    if !folder().is_some_and(|folder| place.set_folder(folder)) {
        switch_off();
        return false;
    }
    let page = memory::page_wiped_in_children();
    if !page.is_null() {
        GENERATION.store(page, Relaxed);
    }
    true
}

/// Another generation than that of the parent, also where there is no page that is wiped; `now` by any clock.
pub fn begin_generation(now: u64) {
    word().store((u64::from(system::process().cast_unsigned()) << 32) | (now & 0xffff_ffff) | 1, Relaxed);
}

/// The file is there.
pub fn begun() {
    PHASE.store(WATCHED, Ordering::Release);
}

/// There is none, and will not be.
pub fn switch_off() {
    PHASE.store(OFF, Ordering::Release);
}

/// In a sandbox there may be no file: the generation becomes no thread's, as numbers of processes are not 0.
pub fn forgo_generation() {
    word().store(1, Relaxed);
}

/// Whether a child of fork, in its handler, is to be watched as its parent is.
pub fn is_inherited() -> bool {
    ![OFF, NOT_BEGUN].contains(&PHASE.load(Relaxed))
}

/// A child that was made by a bare clone comes here when it is first seen. `begin` makes its file.
#[cold]
pub fn restart_in_child(begin: fn()) -> Option<()> {
    if !is_watched() {
        return None;
    }
    let _errno = SavedErrno::new();
    let alone = PHASE.compare_exchange(WATCHED, BEGINS, Ordering::Acquire, Relaxed).is_ok();
    if alone && generation() == 0 {
        begin();
    } else if alone {
        begun();
    }
    is_watched().then_some(())
}

/// The path of a new file of this process up to the dot; none for one that is too long.
pub fn path(begin: u64) -> Option<Text> {
    let mut path = Text::new();
    // SAFETY: not written any more.
    let folder = unsafe { &*FOLDER.0.get() };
    write!(path.push(folder.as_bytes()).then_some(&mut path)?, "/{}-{begin}", system::process()).ok()?;
    Some(path)
}

/// Makes a file of that name; negative where it cannot be, or is there.
pub fn make(name: &CStr) -> c_int {
    system::open(name, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW, 0o600)
}

/// Has `child` run in each child of fork, in its only thread. What pthread_atfork of glibc calls, where it is no symbol that can be looked up; other C
/// libraries have that. Neither is linked, so that programs of both can load the library.
pub fn at_fork(child: unsafe extern "C" fn()) {
    type Handler = Option<unsafe extern "C" fn()>;
    type Register = unsafe extern "C" fn(Handler, Handler, Handler, *mut c_void) -> c_int;
    const NAMES: [&CStr; 2] = [c"__register_atfork", c"pthread_atfork"];
    let found = NAMES.into_iter().map(system::next_symbol).find(|found| !found.is_null());
    let Some(register) = found else { return };
    // SAFETY: the symbol is a function of this type, or of the same without the owner, which it then does not look at
    // (pointers go in registers). The handler is never unloaded, so it needs no owner.
    unsafe {
        let register: Register = core::mem::transmute(register);
        register(None, None, Some(child), core::ptr::null_mut());
    }
}
