//! The runtime's own entry points, which ours stand before.
//!
//! Where the program or a library that it is linked to has the runtime, everybody is bound to that one: the next
//! definition in the global scope. Where only libraries that were opened have it (a Python module that brings its libgomp, or two that
//! bring one each), each calling library has its own: it is looked up in the caller's scope.

use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use numawise_wire::snapshot::Flag;

use super::account::Me;
use super::objects;
use crate::{process, system, thread};

/// Not in the global scope. No function has this address.
const NOT_GLOBAL: usize = 1;

/// Whose a function is, in two bits: LLVM's or Intel's runtime, which have libgomp's entry points too, tell us by OMPT what is called.
const OWNER_KMP: usize = 2;
const OWNER_OTHER: usize = 1;
const OWNER: usize = 3;

/// A name that a runtime defines, and what it stands for.
struct Symbol {
    name: &'static CStr,
    /// 0: not looked up.
    global: AtomicUsize,
    /// By the number of the calling object; 0: not looked up.
    scoped: [AtomicUsize; objects::CALLERS],
    /// Whose it is, from below for each calling object, and last for the global scope; 0: not known.
    owners: AtomicUsize,
}

/// A runtime's function of the type `F`, which must be a function pointer. All of them lie in one section, so that they can be looked
/// up together: `#[unsafe(link_section = "numawise_next")]`.
#[repr(transparent)]
pub struct Next<F> {
    symbol: Symbol,
    function: PhantomData<fn() -> F>,
}

impl<F: Copy> Next<F> {
    pub const fn new(name: &'static CStr) -> Next<F> {
        let symbol = Symbol {
            name,
            global: AtomicUsize::new(0),
            scoped: [const { AtomicUsize::new(0) }; objects::CALLERS],
            owners: AtomicUsize::new(0),
        };
        Next { symbol, function: PhantomData }
    }

    /// The function that `caller` would have called without us.
    #[inline(always)]
    pub fn get(&self, caller: usize) -> F {
        const { assert!(size_of::<F>() == size_of::<usize>()) };
        let found = self.symbol.global.load(Relaxed);
        let address = if found > NOT_GLOBAL { found } else { self.symbol.look_up(caller) };
        let pointer: *const c_void = core::ptr::with_exposed_provenance(address);
        // SAFETY: `F` is the type of the function of this name, which whoever made the value says.
        unsafe { core::mem::transmute_copy(&pointer) }
    }

    /// True where everybody has the same one.
    pub fn is_global(&self) -> bool {
        self.symbol.global.load(Relaxed) > NOT_GLOBAL
    }

    /// True where the runtime tells by OMPT what is called, so that it would be counted twice.
    #[inline(always)]
    pub fn tells_itself(&self, caller: usize) -> bool {
        match self.symbol.owner(objects::CALLERS) {
            0 => self.symbol.find_owner(caller),
            owner => owner == OWNER_KMP,
        }
    }
}

impl Symbol {
    /// Whose it is for the calling object of this number.
    #[inline(always)]
    fn owner(&self, number: usize) -> usize {
        self.owners.load(Relaxed) >> (2 * number) & OWNER
    }

    #[cold]
    #[inline(never)]
    fn find_owner(&self, caller: usize) -> bool {
        let _errno = system::SavedErrno::new();
        let caller = asking(caller);
        let address = self.search(caller);
        let is_global = self.global.load(Relaxed) > NOT_GLOBAL;
        let number = if is_global { Some(objects::CALLERS) } else { objects::number(caller) };
        match number.map_or(0, |number| self.owner(number)) {
            0 if address == 0 => return false,
            0 => {}
            owner => return owner == OWNER_KMP,
        }
        let kmp = objects::same_object_has(address, c"__kmpc_fork_call");
        if !kmp {
            process::set_flag(Flag::Libgomp);
        }
        if let Some(number) = number {
            let owner = if kmp { OWNER_KMP } else { OWNER_OTHER };
            self.owners.fetch_or(owner << (2 * number), Relaxed);
        }
        kmp
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, caller: usize) -> usize {
        let _errno = system::SavedErrno::new();
        let caller = asking(caller);
        let mut address = self.search(caller);
        if address == 0 {
            address = objects::anywhere(self.name);
            if let Some(place) = objects::number(caller).and_then(|number| self.scoped.get(number)) {
                place.store(address, Release);
            }
        }
        if address == 0 {
            missing(self.name);
        }
        look_up_all(caller);
        address
    }

    /// Without an end: 0 where neither the global scope nor the caller's has it.
    fn search(&self, caller: usize) -> usize {
        let mut found = self.global.load(Relaxed);
        if found == 0 {
            found = system::next_symbol(self.name).expose_provenance().max(NOT_GLOBAL);
            self.global.store(found, Relaxed);
            if found == NOT_GLOBAL {
                // So that the program's dlerror finds nothing of ours.
                // SAFETY: no preconditions.
                unsafe { libc::dlerror() };
            }
        }
        if found > NOT_GLOBAL {
            return found;
        }
        let number = objects::number(caller);
        let place = number.and_then(|number| self.scoped.get(number));
        let known = place.map_or(0, |place| place.load(Acquire));
        if known != 0 {
            return known;
        }
        let address = objects::in_scope_of(caller, self.name);
        if let Some(place) = place {
            place.store(address, Release);
        }
        address
    }
}

/// Whose scope is asked: a call at the end of a region's function returns to ourselves, and is the region's.
fn asking(caller: usize) -> usize {
    if !objects::is_ours(caller) {
        return caller;
    }
    let me = thread::current().and_then(Me::of);
    let region = me.map(|me| me.row(me.local.position.get()).address.load(Relaxed) as usize);
    region.filter(|address| *address != 0).unwrap_or(caller)
}

unsafe extern "C" {
    /// The section of all symbols, from its begin to its end, as the linker has it.
    static __start_numawise_next: c_void;
    static __stop_numawise_next: c_void;
}

/// Looks all of them up, by the first thread that needs one. A worker that did so later would wait for the loader's lock; and the
/// thread that waits for the worker may hold it, where a library opens a region while it is loaded.
fn look_up_all(caller: usize) {
    /// A bit for each calling object, and one for calls from others.
    static DONE: AtomicUsize = AtomicUsize::new(0);
    let bit = 1 << objects::number(caller).unwrap_or(objects::CALLERS);
    if DONE.fetch_or(bit, Relaxed) & bit != 0 {
        return;
    }
    let begin = (&raw const __start_numawise_next).cast::<Symbol>();
    let bytes = (&raw const __stop_numawise_next).addr() - begin.addr();
    // SAFETY: the section holds nothing but symbols, one after the other.
    let all = unsafe { core::slice::from_raw_parts(begin, bytes / size_of::<Symbol>()) };
    for symbol in all {
        symbol.find_owner(caller);
    }
}

/// The program calls what no library has: without us, the loader would have ended it, with these words and this status.
#[cold]
fn missing(name: &CStr) -> ! {
    let parts: [&[u8]; 3] = [b"symbol lookup error: undefined symbol: ", name.to_bytes(), b"\n"];
    for part in parts {
        // SAFETY: the buffer is valid for its length.
        unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
    }
    const LOADER_FAILED: c_int = 127;
    // SAFETY: no preconditions.
    unsafe { libc::_exit(LOADER_FAILED) }
}
