//! The CPU on which the thread runs, as the kernel keeps it for restartable sequences (rseq): a load, where the C library has
//! registered the thread (glibc from 2.35 on). Else, on x86-64, what the kernel's shared page says to sched_getcpu: 10 ns.
//! Elsewhere that is a system call, and the CPU is not known.

#[cfg(target_arch = "x86_64")]
use core::ffi::{c_int, c_void};
#[cfg(target_arch = "x86_64")]
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::{AtomicIsize, Ordering::Relaxed};

use crate::system;

/// From the thread pointer to the kernel's struct rseq, whose second word is the CPU; 0: not there.
static OFFSET: AtomicIsize = AtomicIsize::new(0);
/// Asked where that is not there; null: it does not know either.
#[cfg(target_arch = "x86_64")]
static ASKED: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
#[cfg(target_arch = "x86_64")]
type GetCpu = unsafe extern "C" fn() -> c_int;
/// The kernel writes negative numbers while it does not say.
const MOST: u32 = 1 << 20;

/// Looks for what glibc registered; once, before threads are watched.
pub fn look() {
    let (offset, size) = (system::next_symbol(c"__rseq_offset"), system::next_symbol(c"__rseq_size"));
    if !offset.is_null() && !size.is_null() {
        // SAFETY: glibc's variables of these names are a ptrdiff_t and an unsigned int, set before libraries begin. The size is 0
        // where the kernel refused.
        unsafe {
            if *size.cast::<u32>() > 0 {
                OFFSET.store(*offset.cast::<isize>(), Relaxed);
                return;
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    {
        let found = system::next_symbol(c"sched_getcpu");
        // SAFETY: the C library's function of this type. One that fails sets errno, and is not asked again.
        if !found.is_null() && unsafe { core::mem::transmute::<*const c_void, GetCpu>(found)() } >= 0 {
            ASKED.store(found.cast_mut(), Relaxed);
        }
    }
}

#[cold]
fn ask() -> Option<u32> {
    #[cfg(target_arch = "x86_64")]
    {
        let asked = ASKED.load(Relaxed);
        if !asked.is_null() && !crate::sandbox::is_quiet() {
            // SAFETY: as above.
            let cpu = unsafe { core::mem::transmute::<*mut c_void, GetCpu>(asked)() };
            return u32::try_from(cpu).ok();
        }
    }
    None
}

/// The CPU of the calling thread. Async-signal-safe.
#[inline]
pub fn current() -> Option<u32> {
    let offset = OFFSET.load(Relaxed);
    if offset == 0 {
        return ask();
    }
    let cpu: u32;
    // SAFETY: glibc placed the struct at this distance from the thread pointer of every thread, and the kernel writes it.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("mov {0:e}, dword ptr fs:[{1} + 4]", out(reg) cpu, in(reg) offset, options(nostack, readonly, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        {
            let pointer: *const u8;
            core::arch::asm!("mrs {0}, tpidr_el0", out(reg) pointer, options(nostack, nomem, preserves_flags));
            cpu = pointer.offset(offset + 4).cast::<u32>().read_volatile();
        }
    }
    (cpu < MOST).then_some(cpu)
}
