//! Memory of this process that is mapped by hand, and where pages of any process are.

use std::io;
use std::ptr;

use numawise_syscalls as raw;
use numawise_units::{Bytes, NodeId, NodeSet, Pid};

use super::checked;
use super::mempolicy::{PagesThere, PolicyMode, set_range};

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;

/// The size of a base page.
pub fn page_size() -> Bytes {
    // SAFETY: sysconf reads a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Bytes(u64::try_from(size).unwrap_or(4096))
}

/// Asks where the pages at `addresses` of a process are, of this one for process 0: a node, or a negative error number
/// (`-ENOENT`: not resident). Nothing is moved.
///
/// # Errors
/// When the process has ended or is another user's, or a filter forbids the call.
#[doc(alias = "move_pages")]
pub fn page_nodes(process: Pid, addresses: &[usize], nodes: &mut [i32]) -> io::Result<()> {
    assert_eq!(addresses.len(), nodes.len(), "one answer for each page");
    // SAFETY: both arrays have as many elements as are told; without target nodes (null) the kernel reads the first and
    // writes the second only. The addresses are of the other process and are never followed here.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            process.0,
            addresses.len(),
            addresses.as_ptr(),
            ptr::null::<i32>(),
            nodes.as_mut_ptr(),
            0,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Moves the pages of a process, of this one for process 0, from some nodes to others: those of the k-th node to the k-th of the others,
/// as far as there are as many. Gives how many pages the kernel could not move. Pages that several processes map are moved only for who
/// has CAP_SYS_NICE; for others they stay, and do not count.
///
/// # Errors
/// `ESRCH` when the process has ended, `EPERM` when it is another user's or may not use those nodes itself, `EINVAL` when none of the nodes
/// is one that we may use, or the process is the kernel's.
#[doc(alias = "migrate_pages")]
pub fn migrate(process: Pid, from: &NodeSet, to: &NodeSet) -> io::Result<u64> {
    let words = |nodes: &NodeSet| {
        let mut words = [0u64; raw::MASK_WORDS];
        for (word, bits) in words.iter_mut().zip(nodes.words()) {
            *word = *bits;
        }
        words
    };
    let (from, to) = (words(from), words(to));
    // The kernel counts one bit less than it is told.
    let bits = from.len() * 64 + 1;
    // SAFETY: the kernel reads `bits - 1` bits of each of the two live arrays, and writes nothing of ours.
    let left = unsafe { libc::syscall(libc::SYS_migrate_pages, process.0, bits, from.as_ptr(), to.as_ptr()) };
    u64::try_from(left).map_err(|_| io::Error::last_os_error())
}

/// Maps new memory, not yet resident: pages come when they are touched. `huge` asks for reserved huge pages of the default
/// size.
///
/// # Errors
/// When there is no room for it.
#[doc(alias = "mmap")]
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
#[doc(alias = "munmap")]
pub unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start.cast(), bytes) };
}

/// Asks for transparent huge pages, or for base pages only.
///
/// # Safety
/// The range lies in a mapping of [`map`]'s.
///
/// # Errors
/// When the kernel has no transparent huge pages.
#[doc(alias = "madvise")]
pub unsafe fn advise_huge(start: *mut u8, bytes: usize, huge: bool) -> io::Result<()> {
    let advice = if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    // SAFETY: advice changes no contents.
    checked(unsafe { libc::madvise(start.cast(), bytes, advice) }).map(drop)
}

/// Has pages of this range come from this node only.
///
/// # Safety
/// The range lies in a mapping of [`map`]'s.
///
/// # Errors
/// When there is no such node, or policies may not be set.
#[doc(alias = "mbind")]
pub unsafe fn bind(start: *mut u8, bytes: usize, node: NodeId) -> io::Result<()> {
    let nodes = NodeSet::single(node);
    // SAFETY: the caller's promise.
    unsafe { set_range(start, bytes, (PolicyMode::Bind, &nodes), PagesThere::Stay) }
}
