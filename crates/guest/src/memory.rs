//! Memory that is mapped, and paths of files, without an allocation. There is none in a sandbox.

use core::ffi::{CStr, c_int, c_void};
use core::fmt::Write;
use core::sync::atomic::AtomicU64;

use crate::quiet;

/// Bytes of a path, its end included, as the kernel limits them.
const PATH: usize = 4096;
pub const PAGE: usize = 4096;
/// Bytes that the name of a file in a folder takes at most.
const NAME: usize = 64;

/// A text of a fixed length, with a zero at its end.
pub struct Text {
    bytes: [u8; PATH],
    length: usize,
}

impl Text {
    #[expect(clippy::new_without_default, reason = "four kilobytes: never by the way")]
    pub const fn new() -> Text {
        Text { bytes: [0; PATH], length: 0 }
    }

    pub fn push(&mut self, more: &[u8]) -> bool {
        match self.bytes.get_mut(self.length..self.length + more.len()) {
            Some(place) if self.length + more.len() < PATH => {
                place.copy_from_slice(more);
                self.length += more.len();
                true
            }
            _ => false,
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    pub fn c_text(&self) -> Option<&CStr> {
        CStr::from_bytes_until_nul(&self.bytes).ok()
    }

    /// Takes the path of a folder. False for one that is not absolute, or too long for the names of files in it.
    pub fn set_folder(&mut self, path: &[u8]) -> bool {
        path.starts_with(b"/") && path.len() + NAME < PATH && self.push(path)
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        if self.push(text.as_bytes()) { Ok(()) } else { Err(core::fmt::Error) }
    }
}

/// A page that a child of fork finds as zeros; null where the kernel cannot do that.
pub fn page_wiped_in_children() -> *mut AtomicU64 {
    // SAFETY: the kernel finds a place for it.
    let page = unsafe { map(core::ptr::null_mut(), PAGE, libc::PROT_READ | libc::PROT_WRITE, None, 0) };
    let Some(page) = page else { return core::ptr::null_mut() };
    // SAFETY: the mapping is new, and nobody else knows it.
    unsafe {
        if libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) != 0 {
            unmap(page, PAGE);
            return core::ptr::null_mut();
        }
    }
    page.cast()
}

/// A new mapping of a file, shared with it, or of memory of our own; the C library's function may be one that we stand before. `flags`
/// are added to those.
///
/// # Safety
/// With MAP_FIXED in `flags`, what lies at `place` is the caller's own, and nobody has references into it that the new mapping breaks.
pub unsafe fn map(
    place: *mut c_void,
    bytes: usize,
    protection: c_int,
    file: Option<c_int>,
    flags: c_int,
) -> Option<*mut c_void> {
    if quiet::is_quiet() {
        return None;
    }
    let kind = if file.is_some() { libc::MAP_SHARED } else { libc::MAP_PRIVATE | libc::MAP_ANONYMOUS };
    let file = file.unwrap_or(-1);
    // SAFETY: the caller's promise; else the kernel finds a place for it.
    let mapping =
        unsafe { libc::syscall(libc::SYS_mmap, place, bytes, protection, kind | flags, file, 0usize) };
    (mapping != -1).then(|| core::ptr::with_exposed_provenance_mut(mapping.cast_unsigned() as usize))
}

/// Takes a mapping away.
///
/// # Safety
/// It is the caller's own, and nobody uses it.
pub unsafe fn unmap(place: *mut c_void, bytes: usize) {
    if quiet::is_quiet() {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_munmap, place, bytes) };
}

/// A limit of the process; the largest number where there is none.
pub fn limit(resource: libc::__rlimit_resource_t) -> usize {
    // SAFETY: zeros are a value of the struct, and the kernel fills it.
    let mut found: libc::rlimit = unsafe { core::mem::zeroed() };
    // SAFETY: as above.
    match unsafe { libc::getrlimit(resource, &raw mut found) } {
        0 => usize::try_from(found.rlim_cur).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Gets pages for a part of the mapping, now. False where there are none: a full disk would bring a signal at the first
/// write. Kernels before 5.14 cannot say; there the disk is trusted.
pub fn reserve(start: *const c_void, bytes: usize) -> bool {
    if quiet::is_quiet() {
        return false;
    }
    let begin = start.addr() & !(PAGE - 1);
    let bytes = (start.addr() + bytes).next_multiple_of(PAGE) - begin;
    let start = start.cast_mut().with_addr(begin);
    // SAFETY: the range lies in our mapping; what is in it does not change.
    match unsafe { libc::madvise(start, bytes, libc::MADV_POPULATE_WRITE) } {
        0 => true,
        _ => numawise_syscalls::errno() == libc::EINVAL,
    }
}
