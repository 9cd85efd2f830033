//! The chunks of loops: all are counted, and what fetching them takes is measured on a random sample, since a call for a chunk
//! takes less than reading the clock twice.

use numawise_wire::snapshot::openmp::CHUNKS_PER_SAMPLE;

use super::account::Me;
use super::local::{self, Local};
use super::table::add;
use crate::time;

/// A call that took so many times the usual was interrupted, and stands for itself only.
const OUTLIER: u64 = 32;

/// Fetches a chunk by `next` and counts it. `distance` gives its end minus its beginning, where there was one.
#[inline(always)]
pub fn fetch<R: Copy>(next: impl FnOnce() -> R, distance: impl FnOnce(R) -> Option<i64>) -> R {
    let local = local::here();
    let countdown = local.countdown.get().wrapping_sub(1);
    local.countdown.set(countdown);
    let result = if countdown == 0 { timed(next) } else { next() };
    if let Some(distance) = distance(result) {
        count(local, distance);
    }
    result
}

/// Counts a chunk.
#[inline(always)]
pub fn count(local: &Local, distance: i64) {
    local.chunks.set(local.chunks.get().wrapping_add(1));
    local.distance.set(local.distance.get().wrapping_add(distance));
}

#[inline(never)]
fn timed<R>(next: impl FnOnce() -> R) -> R {
    // Where the thread is not watched, it comes here each time that the counter has gone round.
    let Some(me) = Me::here() else { return next() };
    let begin = time::now();
    let result = next();
    let took = time::now().saturating_sub(begin);
    let local = me.local;
    local.countdown.set(gap(local));
    let typical = local.typical.get();
    let usual = typical == 0 || took <= typical.saturating_mul(OUTLIER);
    if usual {
        local.typical.set(if typical == 0 { took.max(1) } else { (typical * 7 + took).div_ceil(8) });
    }
    let stands_for = if usual { took.saturating_mul(CHUNKS_PER_SAMPLE) } else { took };
    local.estimate.set(local.estimate.get().saturating_add(stands_for));
    add(&me.row(local.position.get()).sampled, 1);
    result
}

/// Random, so that no pattern of the program's falls in with it; on average one sample in [`CHUNKS_PER_SAMPLE`].
fn gap(local: &Local) -> u32 {
    let mut random = local.random.get();
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    local.random.set(random);
    1 + random % (2 * CHUNKS_PER_SAMPLE as u32 - 1)
}
