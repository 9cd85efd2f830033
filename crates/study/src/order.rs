//! The order of trials: randomised complete blocks, from a recorded seed.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

#[cfg(test)]
mod tests;

/// The order of `points` points in a block: every point once, shuffled. The same seed and block give the same order on
/// every machine and in every version (ChaCha8 is portable and its stream is fixed).
pub fn block_order(seed: u64, block: u32, points: usize) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(block));
    let mut order: Vec<usize> = (0..points).collect();
    order.shuffle(&mut rng);
    order
}
