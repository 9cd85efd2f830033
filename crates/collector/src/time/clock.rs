//! Ticks: the processor's counter where the kernel itself keeps its time by it, else the kernel's clock in nanoseconds.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use numawise_syscalls as syscalls;
use numawise_wire::snapshot::ClockKind;

/// Which of the two: [`ClockKind`] as a number. Set while the process has one thread.
static KIND: AtomicU32 = AtomicU32::new(ClockKind::Kernel as u32);
static TEN_MILLISECONDS: AtomicU64 = AtomicU64::new(10_000_000);

/// The kernel's answer to what it keeps its time by.
#[cfg(target_arch = "x86_64")]
const SOURCE: &core::ffi::CStr = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// Decides once, before the first reading.
pub fn choose() {
    #[cfg(target_arch = "x86_64")]
    if is_invariant() && kernel_uses_tsc() {
        KIND.store(ClockKind::Tsc as u32, Ordering::Relaxed);
        // No rate is promised by the processor: two to five ticks a nanosecond are usual, and this is no measure of time.
        TEN_MILLISECONDS.store(25_000_000, Ordering::Relaxed);
    }
    #[cfg(target_arch = "aarch64")]
    {
        KIND.store(ClockKind::Cntvct as u32, Ordering::Relaxed);
        let hertz: u64;
        // SAFETY: reads a register that every process may read.
        unsafe { core::arch::asm!("mrs {}, cntfrq_el0", out(reg) hertz, options(nomem, nostack)) };
        TEN_MILLISECONDS.store(hertz / 100, Ordering::Relaxed);
    }
}

pub fn kind() -> u32 {
    KIND.load(Ordering::Relaxed)
}

/// About as many ticks as ten milliseconds have.
#[inline]
pub fn ticks_in_ten_milliseconds() -> u64 {
    TEN_MILLISECONDS.load(Ordering::Relaxed)
}

#[inline]
pub fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    if KIND.load(Ordering::Relaxed) == ClockKind::Tsc as u32 {
        // SAFETY: every x86-64 processor has it; where a process may not read it, `choose` has not chosen it.
        return unsafe { core::arch::x86_64::_rdtsc() };
    }
    #[cfg(target_arch = "aarch64")]
    if KIND.load(Ordering::Relaxed) == ClockKind::Cntvct as u32 {
        let ticks: u64;
        // SAFETY: reads a register that every process may read.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        return ticks;
    }
    kernel_nanoseconds()
}

/// The kernel's monotonic clock.
pub fn kernel_nanoseconds() -> u64 {
    syscalls::clock(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

pub fn realtime_nanoseconds() -> u64 {
    syscalls::clock(libc::CLOCK_REALTIME).unwrap_or(0)
}

/// The counter runs at one rate whatever the processor does, and the process may read it.
#[cfg(target_arch = "x86_64")]
fn is_invariant() -> bool {
    use core::arch::x86_64::__cpuid;
    const ADVANCED_POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    let known = __cpuid(0x8000_0000).eax;
    if known < ADVANCED_POWER || __cpuid(ADVANCED_POWER).edx & INVARIANT == 0 {
        return false;
    }
    let mut allowed: core::ffi::c_int = 0;
    // SAFETY: the kernel writes one int.
    let asked = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut allowed) };
    asked == 0 && allowed == libc::PR_TSC_ENABLE
}

#[cfg(target_arch = "x86_64")]
fn kernel_uses_tsc() -> bool {
    let mut text = [0u8; 16];
    crate::system::read(SOURCE, &mut text) == Some(b"tsc\n")
}
