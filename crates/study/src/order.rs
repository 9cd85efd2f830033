//! The order of trials: randomised complete blocks, from a recorded seed.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The order of `points` points in a block: every point once, shuffled. The same seed and block give the same order on
/// every machine and in every version (ChaCha8 is portable and its stream is fixed).
pub fn block_order(seed: u64, block: u32, points: usize) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(block));
    let mut order: Vec<usize> = (0..points).collect();
    order.shuffle(&mut rng);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_stands_once_in_every_block() {
        for block in 1..50 {
            let mut order = block_order(7, block, 6);
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn the_seed_decides() {
        let blocks = |seed| (1..20).map(|block| block_order(seed, block, 6)).collect::<Vec<_>>();
        assert_eq!(blocks(42), blocks(42));
        assert_ne!(blocks(42), blocks(43));
        assert_ne!(block_order(42, 1, 6), block_order(42, 2, 6), "blocks differ");
    }

    #[test]
    fn every_point_comes_first_now_and_then() {
        let mut first = [0; 4];
        (1..=400).for_each(|block| first[block_order(1, block, 4)[0]] += 1);
        // 100 each are expected; 60 is four and a half standard deviations below.
        assert!(first.iter().all(|n| *n > 60), "{first:?}");
    }
}
