//! The calls to the kernel and to the C library, each in one place.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::mask::MOST_WORDS;

/// The CPUs of a thread as the kernel told them.
pub struct Found {
    words: [u64; MOST_WORDS],
    length: usize,
}

impl Found {
    pub fn words(&self) -> &[u64] {
        self.words.get(..self.length).unwrap_or_default()
    }
}

/// The CPUs on which the thread `id` may run; 0 is the calling one.
pub fn affinity(id: c_int) -> Option<Found> {
    let mut found = Found { words: [0; MOST_WORDS], length: 0 };
    // SAFETY: the kernel writes at most the given number of bytes into the live buffer.
    let bytes = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, id, size_of_val(&found.words), found.words.as_mut_ptr())
    };
    found.length = usize::try_from(bytes).ok()? / 8;
    Some(found)
}

/// False when the kernel refuses.
pub fn set_affinity(id: c_int, cpus: &[u64]) -> bool {
    // SAFETY: the kernel reads the given number of bytes from the live slice.
    unsafe { libc::syscall(libc::SYS_sched_setaffinity, id, size_of_val(cpus), cpus.as_ptr()) == 0 }
}

pub fn process() -> c_int {
    // SAFETY: no preconditions.
    unsafe { libc::getpid() }
}

pub fn parent() -> c_int {
    // SAFETY: no preconditions.
    unsafe { libc::getppid() }
}

pub fn let_others_run() {
    // SAFETY: no preconditions.
    unsafe { libc::sched_yield() };
}

pub fn write_error(bytes: &[u8]) {
    // SAFETY: the buffer is live and its length is given. Where standard error is closed, there is nobody to tell.
    unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
}

/// A variable of the environment; valid until the program changes it.
pub fn variable<'a>(name: &CStr) -> Option<&'a [u8]> {
    // SAFETY: the name is a string; what comes back is null or a string that lives until the program changes it, and the
    // only caller copies it at once.
    unsafe {
        let value: *const c_char = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

/// The next definition of a symbol after ours; null when there is none.
pub fn next_symbol(name: &CStr) -> *mut c_void {
    // SAFETY: the name is a string.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

/// The program's errno, put back at the end: functions that we stand before must not change it.
pub struct KeptErrno(c_int);

impl KeptErrno {
    pub fn new() -> KeptErrno {
        // SAFETY: the address is valid for the calling thread.
        KeptErrno(unsafe { *libc::__errno_location() })
    }
}

impl Drop for KeptErrno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}
