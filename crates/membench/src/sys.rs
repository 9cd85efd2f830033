//! The system calls of this room, each with a small safe face.

use std::io;
use std::ptr;

use numawise_units::{CpuId, NodeId};

#[cfg(test)]
#[path = "sys_tests.rs"]
mod tests;

/// Bits of a mask for CPUs and nodes: Linux has at most 8192 CPUs and 1024 nodes.
const CPU_WORDS: usize = 8192 / 64;
const NODE_WORDS: usize = 1024 / 64;
const WORD: usize = u64::BITS as usize;

/// From `linux/mempolicy.h`.
const MPOL_BIND: libc::c_ulong = 2;

/// Has the calling thread run on this CPU only. With words of our own, since the C library's mask ends at CPU 1023.
pub fn pin(cpu: CpuId) -> io::Result<()> {
    let mut mask = [0u64; CPU_WORDS];
    let word = mask.get_mut(cpu.0 as usize / WORD).ok_or(io::ErrorKind::InvalidInput)?;
    *word = 1 << (cpu.0 as usize % WORD);
    // SAFETY: 0 means the calling thread, and the mask is as long as said.
    let result = unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(&mask), mask.as_ptr()) };
    checked(result).map(drop)
}

/// The CPU that the calling thread is on.
pub fn current_cpu() -> io::Result<CpuId> {
    let mut cpu = 0u32;
    let none = ptr::null_mut::<u8>();
    // SAFETY: writes one number; the others are not asked for.
    let result = unsafe { libc::syscall(libc::SYS_getcpu, &raw mut cpu, none, none) };
    checked(result).map(|_| CpuId(cpu))
}

/// CPU time of the calling thread in seconds.
pub fn thread_seconds() -> f64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// A clock that only goes forward, in seconds.
pub fn now() -> f64 {
    clock(libc::CLOCK_MONOTONIC)
}

fn clock(id: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one `timespec`; both clocks are always there.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// CPU time of the whole process in seconds.
pub fn process_seconds() -> f64 {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The size of a base page.
pub fn page_size() -> usize {
    // SAFETY: only asks.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// New memory, not yet there: pages come when they are touched. `huge` asks for reserved huge pages of the default size.
pub fn map(bytes: usize, huge: bool) -> io::Result<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let flags = if huge { flags | libc::MAP_HUGETLB } else { flags };
    // SAFETY: a new mapping at a place of the kernel's choice.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    match start {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        start => Ok(start.cast()),
    }
}

/// Gives memory back.
///
/// # Safety
/// It is a whole mapping of [`map`]'s, and nothing uses it any more.
pub unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start.cast(), bytes) };
}

/// Asks for transparent huge pages, or for base pages only.
///
/// # Safety
/// The range lies in a mapping of [`map`]'s.
pub unsafe fn advise_huge(start: *mut u8, bytes: usize, huge: bool) -> io::Result<()> {
    let advice = if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    // SAFETY: advice changes no contents.
    checked(unsafe { libc::madvise(start.cast(), bytes, advice) }.into()).map(drop)
}

/// Has pages of this range come from this node only.
///
/// # Safety
/// The range lies in a mapping of [`map`]'s.
pub unsafe fn bind(start: *mut u8, bytes: usize, node: NodeId) -> io::Result<()> {
    let mut mask = [0u64; NODE_WORDS];
    let word = mask.get_mut(node.0 as usize / WORD).ok_or(io::ErrorKind::InvalidInput)?;
    *word = 1 << (node.0 as usize % WORD);
    // The kernel takes one bit less than it is told.
    let bits = NODE_WORDS * WORD + 1;
    // SAFETY: changes where pages come from, not what is in them; the mask is as long as said.
    let result = unsafe { libc::syscall(libc::SYS_mbind, start, bytes, MPOL_BIND, mask.as_ptr(), bits, 0) };
    checked(result).map(drop)
}

/// The node of each of these pages, or the negative error number of those that are nowhere.
pub fn nodes_of(pages: &[*const u8]) -> io::Result<Vec<i32>> {
    let mut nodes = vec![0i32; pages.len()];
    let none = ptr::null::<i32>();
    let arguments = (pages.len(), pages.as_ptr());
    // SAFETY: without wanted nodes nothing is moved: one number per page is written.
    let result = unsafe {
        libc::syscall(libc::SYS_move_pages, 0, arguments.0, arguments.1, none, nodes.as_mut_ptr(), 0)
    };
    checked(result).map(|_| nodes)
}

fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
