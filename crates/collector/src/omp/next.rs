//! The runtime's own entry points, which ours stand before.
//!
//! Where the program or a library that it is linked to has the runtime, everybody is bound to that one: the next
//! definition in the global scope. Where only libraries that were opened have it (a Python module that brings its libgomp, or two that
//! bring one each), each calling library has its own: it is looked up in the caller's scope.

use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use numawise_wire::snapshot::Flag;

use super::objects;
use crate::{process, system};

/// Not in the global scope. No function has this address.
const NOT_GLOBAL: usize = 1;

/// A runtime's function of the type `F`, which must be a function pointer.
pub struct Next<F> {
    name: &'static CStr,
    /// 0: not looked up.
    global: AtomicUsize,
    /// By the number of the calling object; 0: not looked up.
    scoped: [AtomicUsize; objects::CALLERS],
    /// 0: not known; else whose it is.
    owner: AtomicUsize,
    function: PhantomData<fn() -> F>,
}

/// LLVM's or Intel's runtime, which have libgomp's entry points too: they tell us by OMPT what is called.
const OWNER_KMP: usize = 2;
const OWNER_OTHER: usize = 1;

impl<F: Copy> Next<F> {
    pub const fn new(name: &'static CStr) -> Next<F> {
        Next {
            name,
            global: AtomicUsize::new(0),
            scoped: [const { AtomicUsize::new(0) }; objects::CALLERS],
            owner: AtomicUsize::new(0),
            function: PhantomData,
        }
    }

    /// The function that `caller` would have called without us.
    #[inline(always)]
    pub fn get(&self, caller: usize) -> F {
        const { assert!(size_of::<F>() == size_of::<usize>()) };
        let found = self.global.load(Relaxed);
        let address = if found > NOT_GLOBAL { found } else { self.look_up(caller) };
        let pointer: *const c_void = core::ptr::with_exposed_provenance(address);
        // SAFETY: `F` is the type of the function of this name, which whoever made the value says.
        unsafe { core::mem::transmute_copy(&pointer) }
    }

    /// True where everybody has the same one.
    pub fn is_global(&self) -> bool {
        self.global.load(Relaxed) > NOT_GLOBAL
    }

    /// True where the runtime tells by OMPT what is called, so that it would be counted twice.
    #[inline(always)]
    pub fn tells_itself(&self, caller: usize) -> bool {
        let owner = self.owner.load(Relaxed);
        if owner == 0 { self.find_owner(caller) } else { owner == OWNER_KMP }
    }

    #[cold]
    #[inline(never)]
    fn find_owner(&self, caller: usize) -> bool {
        let _errno = system::SavedErrno::new();
        let address = self.search(caller);
        if address == 0 {
            return false;
        }
        let kmp = objects::same_object_has(address, c"__kmpc_fork_call");
        if !kmp {
            process::set_flag(Flag::Libgomp);
        }
        self.owner.store(if kmp { OWNER_KMP } else { OWNER_OTHER }, Relaxed);
        kmp
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, caller: usize) -> usize {
        let _errno = system::SavedErrno::new();
        match self.search(caller) {
            0 => missing(self.name),
            address => address,
        }
    }

    fn search(&self, caller: usize) -> usize {
        let mut found = self.global.load(Relaxed);
        if found == 0 {
            found = system::next_symbol(self.name).expose_provenance().max(NOT_GLOBAL);
            self.global.store(found, Relaxed);
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
