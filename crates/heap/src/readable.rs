//! How far a stack may be read. Nobody says where the stack of a thread ends that does not allocate or read a long file for it, so the
//! kernel is asked page by page: it fails where an access of ours would end the program.

use core::ffi::c_int;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use numawise_guest::memory::PAGE;

use crate::local::thread_pointer;

/// Behind the stack of the first thread; 0: not known.
static TOP: AtomicUsize = AtomicUsize::new(0);
/// The kernel keeps at least 128 MB below the top of the first stack free of other mappings (mmap_base in mm/util.c).
const KEPT_FREE: usize = 64 << 20;
/// The smallest stack that a thread can have is 16 KB, with the thread's control block at its top.
const LEAST_STACK: usize = 12 << 10;
/// Pages of the first stack above main: arguments and environment are 6 MB at most.
const MOST_PAGES: usize = (6 << 20) / PAGE;

/// To be called by the first thread, at its begin.
pub fn find_top() {
    let here = 0;
    let mut page = (&raw const here).addr() & !(PAGE - 1);
    for _ in 0..MOST_PAGES {
        page += PAGE;
        if !is_readable(page) {
            TOP.store(page, Relaxed);
            return;
        }
    }
}

/// The bytes from `begin` on that can be read, `most` at most. `certain` lies in a page that is in use.
pub fn from(begin: usize, most: usize, certain: usize) -> usize {
    let Some(end) = begin.checked_add(most) else { return 0 };
    let top = TOP.load(Relaxed);
    if begin < top && top - begin < KEPT_FREE {
        return end.min(top) - begin;
    }
    let own = thread_pointer();
    let mut known = if begin < own && own - begin < LEAST_STACK { (own & !(PAGE - 1)) + PAGE } else { begin };
    if begin & !(PAGE - 1) == certain & !(PAGE - 1) {
        known = known.max((begin & !(PAGE - 1)) + PAGE);
    }
    while known < end && is_readable(known) {
        known = (known & !(PAGE - 1)) + PAGE;
    }
    end.min(known) - begin
}

/// Whether the page of an address can be read: rt_sigprocmask(2) reads the set first, and then finds that it cannot do what is not there.
fn is_readable(address: usize) -> bool {
    const NOTHING_THERE_IS: c_int = -1;
    // A set is eight bytes.
    let address = address & !7;
    let null = core::ptr::null_mut::<u64>();
    // SAFETY: the kernel checks the address, and changes nothing.
    let result =
        unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NOTHING_THERE_IS, address, null, size_of::<u64>()) };
    result == -1 && numawise_syscalls::errno() == libc::EINVAL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_rights_ends_what_is_read() {
        let none = libc::PROT_NONE;
        let null = core::ptr::null_mut();
        // SAFETY: the kernel finds a place for it.
        let begin = unsafe { numawise_guest::memory::map(null, 4 * PAGE, none, None, 0) }.unwrap();
        // SAFETY: our own mapping.
        assert_eq!(unsafe { libc::mprotect(begin, 2 * PAGE, libc::PROT_READ) }, 0);
        let begin = begin.addr();
        assert_eq!(from(begin, 100, 0), 100);
        assert_eq!(from(begin + 8, 4 * PAGE, 0), 2 * PAGE - 8);
        assert_eq!(from(begin + 2 * PAGE - 8, PAGE, begin + PAGE), 8);
        assert_eq!(from(begin + 2 * PAGE, PAGE, 0), 0);
        assert_eq!(from(usize::MAX - 8, PAGE, 0), 0);
    }

    #[test]
    fn the_stack_of_a_thread_ends_at_the_end_of_its_mapping() {
        let here = 0usize;
        let begin = (&raw const here).addr();
        let found = from(begin, 16 << 20, begin);
        assert!((64..16 << 20).contains(&found), "{found}");
    }
}
