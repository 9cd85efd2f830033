//! Ticks: the processor's counter where the kernel itself keeps its time by it, else the kernel's clock in nanoseconds.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use numawise_syscalls as syscalls;
use numawise_wire::snapshot::ClockKind;

/// Which of the two: [`ClockKind`] as a number. Set while the process has one thread.
static KIND: AtomicU32 = AtomicU32::new(ClockKind::Kernel as u32);
static TEN_MILLISECONDS: AtomicU64 = AtomicU64::new(10_000_000);

/// Reading the kernel's clock is no call: it can be read from the page that the kernel shares.
static IS_SHARED: AtomicBool = AtomicBool::new(false);

/// What is read where nothing may be: the last moment, as [`now`] and as the kernel's clock gave it.
static STOPPED: AtomicBool = AtomicBool::new(false);
static LAST: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// The kind that there was before.
static KIND_BEFORE: AtomicU32 = AtomicU32::new(ClockKind::Kernel as u32);

/// The kernel's answer to what it keeps its time by.
#[cfg(target_arch = "x86_64")]
const SOURCE: &core::ffi::CStr = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// Decides once, before the first reading.
pub fn choose() {
    #[cfg(target_arch = "x86_64")]
    let is_tsc = {
        let mut text = [0u8; 32];
        let source = crate::system::read(SOURCE, &mut text).unwrap_or_default();
        // Those that linux/clocksource.h has a reading for in the shared page of x86.
        let shared: [&[u8]; 3] = [b"tsc\n", b"kvm-clock\n", b"hyperv_clocksource_tsc_page\n"];
        IS_SHARED.store(shared.contains(&source), Ordering::Relaxed);
        source == b"tsc\n"
    };
    #[cfg(target_arch = "x86_64")]
    if is_tsc && is_invariant() {
        KIND.store(ClockKind::Tsc as u32, Ordering::Relaxed);
        // No rate is promised by the processor: two to five ticks a nanosecond are usual, and this is no measure of time.
        TEN_MILLISECONDS.store(25_000_000, Ordering::Relaxed);
    }
    #[cfg(target_arch = "aarch64")]
    {
        KIND.store(ClockKind::Cntvct as u32, Ordering::Relaxed);
        IS_SHARED.store(true, Ordering::Relaxed);
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

/// Nanoseconds in 2^20 ticks; 0: not known yet.
static RATE: AtomicU64 = AtomicU64::new(0);

/// So many ticks were so many nanoseconds.
pub fn learn_rate(ticks: u64, nanoseconds: u64) {
    let rate = (u128::from(nanoseconds) << 20).checked_div(ticks.into());
    RATE.store(rate.and_then(|rate| u64::try_from(rate).ok()).unwrap_or(0), Ordering::Relaxed);
}

/// Of some ticks, which may be no more than in some hours; none in the first ten milliseconds of a process.
#[inline]
pub fn nanoseconds_in(ticks: u64) -> Option<u64> {
    let rate = RATE.load(Ordering::Relaxed);
    (rate != 0).then(|| ticks.saturating_mul(rate) >> 20)
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
    if STOPPED.load(Ordering::Relaxed) {
        return LAST[0].load(Ordering::Relaxed);
    }
    kernel_nanoseconds()
}

/// To be called before the process is in a sandbox: what could not be read there stands still from now on.
pub fn forgo(without_counter: bool) {
    let needs_calls = !IS_SHARED.load(Ordering::Relaxed);
    if STOPPED.load(Ordering::Relaxed) || !(without_counter || needs_calls) {
        return;
    }
    let moments = [now(), kernel_nanoseconds()];
    LAST.iter().zip(moments).for_each(|(place, moment)| place.store(moment, Ordering::Relaxed));
    KIND_BEFORE.store(kind(), Ordering::Relaxed);
    STOPPED.store(true, Ordering::Relaxed);
    // The file keeps the kind that it was begun with.
    KIND.store(ClockKind::Kernel as u32, Ordering::Relaxed);
}

/// There is no sandbox after all.
pub fn resume() {
    if STOPPED.swap(false, Ordering::Relaxed) {
        KIND.store(KIND_BEFORE.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// The kernel's monotonic clock.
pub fn kernel_nanoseconds() -> u64 {
    if STOPPED.load(Ordering::Relaxed) {
        return LAST[1].load(Ordering::Relaxed);
    }
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
