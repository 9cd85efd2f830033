//! Whether two figures of the same runs go up and down together: rank correlation, and how likely it is by chance.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{StatsError, checked};

#[cfg(test)]
#[path = "association_tests.rs"]
mod tests;

/// With fewer pairs not even all of them in order would be evidence at 1 %.
const MINIMUM: usize = 5;
/// So many pairs, at most, are held against all their orders; more against orders drawn at random.
const ALL_ORDERS: usize = 7;
/// Orders drawn at random: a probability of 0.01 then has a standard error of a tenth.
const DRAWN: usize = 9999;
/// More pairs than this are thinned out evenly: the orders of all would take too long.
const MOST: usize = 500;

/// How far two figures go together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankCorrelation {
    /// Spearman's coefficient, from -1 to 1.
    pub rho: f64,
    /// How likely the coefficient is at least as high if the second figures came in any order: one-sided, exact up to 7 pairs.
    pub p: f64,
}

/// The rank correlation of pairs, and the permutation test of whether the second goes up with the first; ties share their ranks, and the
/// test holds for them too. What is asked is that the pairs are independent of one another. `None` below five pairs, and where one of the
/// two is the same in all.
///
/// # Errors
/// A value that is not a finite number.
pub fn rank_correlation(pairs: &[(f64, f64)], seed: u64) -> Result<Option<RankCorrelation>, StatsError> {
    let thinned = pairs.iter().step_by(pairs.len().div_ceil(MOST).max(1));
    let (first, second): (Vec<f64>, Vec<f64>) = thinned.copied().unzip();
    checked("a rank correlation", &first, 0)?;
    checked("a rank correlation", &second, 0)?;
    if first.len() < MINIMUM {
        return Ok(None);
    }
    let (x, mut y) = (centred_ranks(&first), centred_ranks(&second));
    let length = |ranks: &[f64]| ranks.iter().map(|rank| rank * rank).sum::<f64>().sqrt();
    let scale = length(&x) * length(&y);
    if scale <= 0.0 {
        return Ok(None);
    }
    let product = |y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let seen = product(&y);
    // Sums of halves and quarters are exact; the tolerance is for the mean rank.
    let reached = |y: &[f64]| product(y) >= seen - 1e-9 * scale;
    let p = if x.len() <= ALL_ORDERS {
        let (mut as_high, mut all) = (0u32, 0u32);
        let length = y.len();
        each_order(&mut y, length, &mut |order| {
            as_high += u32::from(reached(order));
            all += 1;
        });
        f64::from(as_high) / f64::from(all)
    } else {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let as_high = (0..DRAWN).filter(|_| {
            y.shuffle(&mut random);
            reached(&y)
        });
        // The order that was seen is one of them, so that no probability is zero.
        (as_high.count() + 1) as f64 / (DRAWN + 1) as f64
    };
    Ok(Some(RankCorrelation { rho: seen / scale, p }))
}

/// Ranks, those that are equal sharing theirs, with their mean taken away.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + (equal - 1.0) / 2.0 - middle
    };
    values.iter().map(rank).collect()
}

/// Hands over every order of the first `count` values (Heap's algorithm).
fn each_order(values: &mut [f64], count: usize, take: &mut impl FnMut(&[f64])) {
    if count <= 1 {
        return take(values);
    }
    for k in 0..count {
        each_order(values, count - 1, take);
        let other = if count.is_multiple_of(2) { k } else { 0 };
        values.swap(other, count - 1);
    }
}
