//! The heap of a program that holds much at times, as a trace of a hundred million calls.

use std::alloc::{GlobalAlloc, Layout, System};

#[cfg(test)]
#[path = "heap_tests.rs"]
mod tests;

/// A huge page of most processors; where they are larger, the kernel has its own way.
const PAGE: usize = 2 << 20;
/// What is smaller has few of them.
const BIG: usize = 2 * PAGE;

/// The C library's heap, with transparent huge pages for what is big, where the kernel gives them to who asks: in a virtual machine the first touch of
/// base pages took up to a third of the analysis of a trace.
#[doc(alias = "MADV_HUGEPAGE")]
pub struct HugeHeap;

fn advise(start: *mut u8, bytes: usize) -> *mut u8 {
    if bytes >= BIG && !start.is_null() {
        let before = start.addr().next_multiple_of(PAGE) - start.addr();
        let whole = (bytes - before) / PAGE * PAGE;
        // SAFETY: whole pages of what was just given to the caller; advice changes no contents, and where the kernel takes none, all stays as it is.
        unsafe { libc::madvise(start.wrapping_add(before).cast(), whole, libc::MADV_HUGEPAGE) };
    }
    start
}

// SAFETY: all is done by `System`, with what the caller promises.
unsafe impl GlobalAlloc for HugeHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        advise(unsafe { System.realloc(start, layout, bytes) }, bytes)
    }
}
