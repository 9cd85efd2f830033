//! Which small allocations are drawn: each byte with the same chance, so that an allocation stands for a known number of bytes.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::chance::minus_logarithm;
use crate::local::Local;

/// Bytes from one that is drawn to the next, on average; 0: none is drawn.
static MEAN: AtomicU64 = AtomicU64::new(0);

pub fn set_mean(bytes: u64) {
    MEAN.store(bytes.min(1 << 40), Relaxed);
}

pub fn mean() -> u64 {
    MEAN.load(Relaxed)
}

/// Whether the allocation that was counted last is to be drawn. A thread that comes here for the first time begins to count.
#[cold]
pub fn is_due(local: &Local) -> bool {
    let mean = mean();
    if mean == 0 {
        local.countdown.set(i64::MAX);
        return false;
    }
    if !local.counts_small.replace(true) {
        local.countdown.set(local.countdown.get().saturating_add(interval(local, mean)));
    }
    local.countdown.get() < 0
}

/// Begins to count to the next one, once one was drawn.
pub fn begin(local: &Local) {
    local.countdown.set(interval(local, mean_of(local)));
}

/// The mean in force for the thread: larger where it draws so many that they would cost too much.
fn mean_of(local: &Local) -> u64 {
    mean() << local.budget.small_exponent()
}

/// Random bits of the thread.
pub fn random(local: &Local) -> u64 {
    if local.random.get() == 0 {
        let seed = u64::from(local.thread()) << 32 ^ core::ptr::from_ref(local).addr() as u64;
        local.random.set(mixed(seed) | 1);
    }
    let mut state = local.random.get();
    // xorshift64, which never comes to 0.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    local.random.set(state);
    mixed(state)
}

/// The bytes that a drawn allocation stands for: its own by the chance that it was drawn, 1 - exp(-bytes / mean). That is mean + bytes / 2 to
/// within a thousandth while it is a tenth of the mean at most.
pub fn weight(local: &Local, bytes: u64) -> u64 {
    mean_of(local).saturating_add(bytes / 2)
}

/// Bytes to the next one: exponential, so that it does not matter where the last one was.
fn interval(local: &Local, mean: u64) -> i64 {
    let logarithm = minus_logarithm(random(local));
    let bytes = (u128::from(mean) * u128::from(logarithm)) >> 16;
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The finalizer of splitmix64, whose bits are all as good as one another.
pub fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
