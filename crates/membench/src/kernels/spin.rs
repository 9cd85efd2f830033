//! Waiting without touching memory.

/// Waits for `steps` steps of a few cycles each, always as many, and neither loads nor stores. How long a step takes is for the
/// caller to measure.
#[inline(never)]
pub fn spin(steps: u64) {
    let mut left = steps;
    while left > 0 {
        left = held(left - 1);
    }
}

/// The same value, which the compiler must take for an unknown one: four dependent instructions that it cannot see through.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn held(mut value: u64) -> u64 {
    // SAFETY: rotates one register all the way round, and touches nothing else but the flags.
    unsafe {
        std::arch::asm!(
            "ror {0}, 16",
            "ror {0}, 16",
            "ror {0}, 16",
            "ror {0}, 16",
            inout(reg) value,
            options(nomem, nostack)
        );
    }
    value
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn held(mut value: u64) -> u64 {
    // SAFETY: rotates one register all the way round, and touches nothing else.
    unsafe {
        std::arch::asm!(
            "ror {0}, {0}, #16",
            "ror {0}, {0}, #16",
            "ror {0}, {0}, #16",
            "ror {0}, {0}, #16",
            inout(reg) value,
            options(nomem, nostack, preserves_flags)
        );
    }
    value
}

/// May go through the stack, which stays in the first cache.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
fn held(value: u64) -> u64 {
    std::hint::black_box(value)
}
