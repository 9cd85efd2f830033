//! The calls to the kernel and to the C library, each in one place.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use numawise_syscalls::{self as syscalls, MASK_WORDS};
use numawise_wire::Variable;

use crate::quiet;

/// A set of CPUs as the kernel gives and takes it.
pub struct CpuMask {
    words: [u64; MASK_WORDS],
    length: usize,
}

impl CpuMask {
    pub fn new() -> CpuMask {
        CpuMask { words: [0; MASK_WORDS], length: 0 }
    }

    pub fn union(a: &[u64], b: &[u64]) -> CpuMask {
        let mut all = CpuMask::new();
        all.length = a.len().max(b.len()).min(MASK_WORDS);
        all.words.iter_mut().zip(a).for_each(|(place, word)| *place |= word);
        all.words.iter_mut().zip(b).for_each(|(place, word)| *place |= word);
        all
    }

    pub fn words(&self) -> &[u64] {
        self.words.get(..self.length).unwrap_or_default()
    }
}

/// The CPUs on which the thread `id` may run; 0 is the calling one. False when the kernel does not say.
pub fn affinity(id: c_int, found: &mut CpuMask) -> bool {
    if quiet::is_entered() {
        return false;
    }
    found.length = syscalls::affinity(id, &mut found.words).unwrap_or(0);
    found.length > 0
}

/// False when the kernel refuses, or may not be asked.
pub fn set_affinity(id: c_int, cpus: &[u64]) -> bool {
    !quiet::is_entered() && syscalls::set_affinity(id, cpus).is_ok()
}

pub fn process() -> c_int {
    // SAFETY: no preconditions.
    unsafe { libc::getpid() }
}

/// The number of the calling thread.
pub fn thread() -> c_int {
    // SAFETY: no preconditions.
    unsafe { libc::syscall(libc::SYS_gettid) as c_int }
}

pub fn let_others_run() {
    // SAFETY: no preconditions.
    unsafe { libc::sched_yield() };
}

/// The environment that the loader gave us, while the C library's is not set.
static ENVIRONMENT: AtomicPtr<*const c_char> = AtomicPtr::new(core::ptr::null_mut());

/// To be called before the program begins to change it.
pub fn use_environment(environment: *const *const c_char) {
    ENVIRONMENT.store(environment.cast_mut(), Ordering::Relaxed);
}

/// A variable of the environment; valid until the program changes it.
pub fn variable<'a>(variable: Variable) -> Option<&'a [u8]> {
    let name = variable.c_name();
    let mut entry = ENVIRONMENT.load(Ordering::Relaxed);
    if !entry.is_null() {
        // SAFETY: the environment is a list of strings with a null at its end.
        unsafe {
            while !(*entry).is_null() {
                let text = CStr::from_ptr(*entry).to_bytes();
                if let Some(value) =
                    text.strip_prefix(name.to_bytes()).and_then(|rest| rest.strip_prefix(b"="))
                {
                    return Some(value);
                }
                entry = entry.add(1);
            }
        }
        return None;
    }
    // SAFETY: the name is a string; what comes back is null or a string that lives until the program changes it, and the
    // only caller copies it at once.
    unsafe {
        let value: *const c_char = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

/// A symbol of the libraries after ours, looked up when it is first needed. That is when the first thread is created, in
/// the only thread there is: looking up takes a lock of the loader.
pub struct Symbol {
    name: &'static CStr,
    /// 0: not looked up.
    found: AtomicUsize,
}

/// There is no such symbol. No function has this address.
const NONE: usize = 1;

impl Symbol {
    pub const fn new(name: &'static CStr) -> Symbol {
        Symbol { name, found: AtomicUsize::new(0) }
    }

    /// Null when there is none.
    pub fn get(&self) -> *const c_void {
        let mut found = self.found.load(Ordering::Relaxed);
        if found == 0 {
            // SAFETY: the name is a string.
            found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) }.expose_provenance().max(NONE);
            self.found.store(found, Ordering::Relaxed);
        }
        match found {
            NONE => core::ptr::null(),
            found => core::ptr::with_exposed_provenance(found),
        }
    }
}

/// The program's errno, put back at the end: functions that we stand before must not change it.
pub struct SavedErrno(c_int);

impl SavedErrno {
    pub fn new() -> SavedErrno {
        // SAFETY: the address is valid for the calling thread.
        SavedErrno(unsafe { *libc::__errno_location() })
    }
}

impl Drop for SavedErrno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}
