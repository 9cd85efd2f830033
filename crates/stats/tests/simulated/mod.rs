//! Simulated checks: a world whose truth is known, and how often the verdict and the intervals agree with it.
//!
//! Shared by the tests and by `examples/coverage.rs`, so that the document and the tests measure the same thing.

pub mod lists;

use numawise_stats::{
    Advice, Better, Contrast, Decision, Design, Family, Standing, analyse, is_look, should_stop, two_sided_t,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Shape of the noise of one trial, always scaled to the standard deviation asked for and to mean 0 in logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Normal,
    /// Student's t with 4 degrees of freedom: heavy tails on both sides.
    Heavy,
    /// Skewed: the log itself is log-normal (slow runs are much slower than fast runs are fast).
    Skewed,
    /// One trial in twenty is five standard deviations slower, whichever the point.
    Outliers,
    /// The same, but only the baseline has them.
    BaselineOutliers,
}

/// A check whose truth is known.
#[derive(Debug, Clone)]
pub struct World {
    /// True improvement of points 1.. over point 0.
    pub effects: Vec<f64>,
    /// Noise of each point, 0 first: standard deviation of its log.
    pub noise: Vec<f64>,
    pub shape: Shape,
    /// Drift over 60 blocks, in logs; within a block it moves on from trial to trial.
    pub drift: f64,
    /// Standard deviation of what all trials of one block share.
    pub block: f64,
    /// Share of trials that are missing.
    pub missing: f64,
    /// Values are rounded to this step (around 10); 0: not at all.
    pub step: f64,
    pub max_blocks: usize,
    pub margin: f64,
}

impl World {
    /// `k` contrasts with the same effect, all points with the noise `sd`.
    pub fn plain(k: usize, effect: f64, sd: f64, max_blocks: usize) -> Self {
        Self {
            effects: vec![effect; k],
            noise: vec![sd; k + 1],
            shape: Shape::Normal,
            drift: 0.0,
            block: 0.0,
            missing: 0.0,
            step: 0.0,
            max_blocks,
            margin: 0.03,
        }
    }

    pub fn design(&self) -> Design {
        let points = self.effects.len() + 1;
        Design { margin: self.margin, ..Design::against_baseline(points) }
    }

    /// One block: every point once, in random order, so that drift falls on another point each time.
    pub fn run_block(&self, index: usize, rng: &mut ChaCha8Rng) -> Vec<Option<f64>> {
        let points = self.effects.len() + 1;
        let mut order: Vec<usize> = (0..points).collect();
        for i in (1..points).rev() {
            order.swap(i, rng.random_range(0..=i));
        }
        let shared = self.block * normal(rng);
        let mut row = vec![None; points];
        for (place, &point) in order.iter().enumerate() {
            let time = index as f64 + place as f64 / points as f64;
            let truth = if point == 0 { 0.0 } else { -self.effects[point - 1].ln() };
            let noise = self.noise[point] * self.shaped(point, rng);
            let mut value = 10.0 * (truth + shared + self.drift * time / 60.0 + noise).exp();
            if self.step > 0.0 {
                value = (value / self.step).round().max(1.0) * self.step;
            }
            if self.missing == 0.0 || rng.random::<f64>() >= self.missing {
                row[point] = Some(value);
            }
        }
        row
    }

    fn shaped(&self, point: usize, rng: &mut ChaCha8Rng) -> f64 {
        match self.shape {
            Shape::Normal => normal(rng),
            Shape::Heavy => {
                let chi: f64 = (0..4).map(|_| normal(rng).powi(2)).sum();
                // Variance of t(4) is 2.
                normal(rng) / (chi / 4.0).sqrt() / 2f64.sqrt()
            }
            Shape::Skewed => {
                // exp(0.8 z), standardised: mean exp(s^2/2), variance (exp(s^2) - 1) exp(s^2).
                let s2 = 0.64f64;
                ((0.8 * normal(rng)).exp() - (s2 / 2.0).exp()) / ((s2.exp() - 1.0) * s2.exp()).sqrt()
            }
            Shape::Outliers => normal(rng) + if rng.random::<f64>() < 0.05 { 5.0 } else { 0.0 },
            // Centred, so that the baseline's mean log stays the truth the effects are relative to.
            Shape::BaselineOutliers if point == 0 => {
                normal(rng) + if rng.random::<f64>() < 0.05 { 5.0 } else { 0.0 } - 0.25
            }
            Shape::BaselineOutliers => normal(rng),
        }
    }
}

/// Standard normal by Box and Muller.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let u = 1.0 - rng.random::<f64>();
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// How a simulated experiment decides when to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// As the crate says.
    Sequential,
    /// Runs all blocks, looks once.
    Fixed,
    /// As soon as the reported intervals decide, looking after each block from the fifth on.
    Impatient,
    /// As the crate says for the first contrast; the others may also end once their interval rules out a gain beyond
    /// the margin, since only a gain would count.
    GainOnly,
}

/// Shares of the simulated checks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rates {
    pub affected: f64,
    pub not_affected: f64,
    /// All intervals hold their truths.
    pub all_cover: f64,
    /// The interval of the first contrast holds its truth (with one contrast: the plain coverage).
    pub first_covers: f64,
    /// The interval of the contrast with the largest ratio holds its truth.
    pub best_covers: f64,
    /// A contrast is called better or worse although it is on the other side, or equivalent although it is outside.
    pub wrong: f64,
    /// A contrast outside the margin is called equivalent.
    pub false_equivalent: f64,
    pub mean_blocks: f64,
}

/// Runs `checks` simulated checks of `world`; the same seed gives the same rates on every machine.
pub fn simulate(world: &World, rule: Rule, checks: usize, seed: u64) -> Rates {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let design = world.design();
    let mut sum = Rates::default();
    for _ in 0..checks {
        let (family, blocks) = one_check(world, &design, rule, &mut rng);
        tally(world, &family, blocks, &mut sum);
    }
    let n = checks as f64;
    Rates {
        affected: sum.affected / n,
        not_affected: sum.not_affected / n,
        all_cover: sum.all_cover / n,
        first_covers: sum.first_covers / n,
        best_covers: sum.best_covers / n,
        wrong: sum.wrong / n,
        false_equivalent: sum.false_equivalent / n,
        mean_blocks: sum.mean_blocks / n,
    }
}

fn one_check(world: &World, design: &Design, rule: Rule, rng: &mut ChaCha8Rng) -> (Family, usize) {
    let mut blocks = Vec::with_capacity(world.max_blocks);
    let ended = |blocks: &[Vec<Option<f64>>]| {
        analyse(design, blocks, Better::Lower).expect("simulated values are good")
    };
    for index in 0..world.max_blocks {
        blocks.push(world.run_block(index, rng));
        let stop = match rule {
            Rule::Fixed => false,
            Rule::Sequential => {
                matches!(should_stop(design, &blocks, Better::Lower), Ok(Advice::Stop(_)))
            }
            Rule::GainOnly => is_look(blocks.len()) && gains_settled(world, &ended(&blocks)),
            Rule::Impatient => blocks.len() >= 5 && ended(&blocks).decision != Decision::Undecided,
        };
        if stop {
            break;
        }
    }
    (ended(&blocks), blocks.len())
}

fn gains_settled(world: &World, family: &Family) -> bool {
    let no_gain = |c: &Contrast| c.estimate.as_ref().is_ok_and(|e| e.high < 1.0 + world.margin);
    family.contrasts.iter().enumerate().all(|(index, c)| c.settled || (index > 0 && no_gain(c)))
}

/// Share of checks called affected by plain 95 % t intervals, one for each contrast as if it were alone, looked at
/// after each block from the fifth on: what a script that "repeats until significant" does.
pub fn naive_affected(world: &World, checks: usize, seed: u64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let critical: Vec<f64> = (0..=world.max_blocks).map(|n| two_sided_t(0.05, n.saturating_sub(1))).collect();
    let excludes_one = |blocks: &[Vec<Option<f64>>], j: usize| {
        let d: Vec<f64> = blocks.iter().filter_map(|b| Some((b[0]? / b[j]?).ln())).collect();
        let n = d.len() as f64;
        let mean = d.iter().sum::<f64>() / n;
        let sd = (d.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        d.len() > 1 && mean.abs() > critical[d.len()] * sd / n.sqrt()
    };
    let affected = (0..checks).filter(|_| {
        let mut blocks = Vec::with_capacity(world.max_blocks);
        (0..world.max_blocks).any(|index| {
            blocks.push(world.run_block(index, &mut rng));
            blocks.len() >= 5 && (1..=world.effects.len()).any(|j| excludes_one(&blocks, j))
        })
    });
    affected.count() as f64 / checks as f64
}

fn tally(world: &World, family: &Family, blocks: usize, sum: &mut Rates) {
    let one = |yes: bool| f64::from(u8::from(yes));
    let covers = |index: usize| {
        let e = family.contrasts[index].estimate.as_ref().ok();
        e.is_some_and(|e| e.low <= world.effects[index] && world.effects[index] <= e.high)
    };
    let best = family.best().map(|c| c.pair.1 - 1);
    let outside = |e: f64| e > 1.0 + world.margin || e < 1.0 / (1.0 + world.margin);
    let wrong = |c: &Contrast| {
        let truth = world.effects[c.pair.1 - 1];
        match c.standing {
            Standing::Better => truth <= 1.0,
            Standing::Worse => truth >= 1.0,
            Standing::Equivalent => outside(truth),
            Standing::Open => false,
        }
    };
    sum.affected += one(family.decision == Decision::Affected);
    sum.not_affected += one(family.decision == Decision::NotAffected);
    sum.all_cover += one((0..family.contrasts.len()).all(covers));
    sum.first_covers += one(covers(0));
    sum.best_covers += one(best.is_some_and(covers));
    sum.wrong += one(family.contrasts.iter().any(wrong));
    sum.false_equivalent +=
        one(family.contrasts.iter().any(|c| c.standing == Standing::Equivalent && wrong(c)));
    sum.mean_blocks += blocks as f64;
}
