//! Simulated checks: a world whose truth is known, and how often the verdict and the intervals agree with it.
//!
//! Shared by the tests and by `examples/coverage.rs`, so that the document and the tests measure the same thing.

pub mod lists;

use numawise_stats::{
    Better, Contrast, ContrastStanding, Estimate, Family, FamilyDecision, FamilyDesign, Judgement,
    PlannedContrast, StoppingAdvice, analyse, finished_points, should_stop, two_sided_t,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// NoiseShape of the noise of one trial, always scaled to the standard deviation asked for and to mean 0 in logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoiseShape {
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
    pub shape: NoiseShape,
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
    /// What is compared, and what counts of it.
    pub contrasts: Vec<PlannedContrast>,
    /// A point that fails from a block on, and is given up after three failures.
    pub fails: Option<(usize, usize)>,
    /// Points that are run no more after so many blocks, since the time given is too short for them: by a rule that looks at how long
    /// they take, or by chance.
    pub drops: Drops,
    /// The budget ends after so many blocks where a contrast is clearly better, since what is left is for the line to use: else it goes on.
    pub ends_with_gain: Option<usize>,
    /// Points that rest when they are known well enough.
    pub diagnoses: Vec<usize>,
}

/// How points are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Drops {
    #[default]
    None,
    /// This point after so many blocks, whatever was measured.
    Fixed(usize, usize),
    /// After so many blocks the point whose runs took longest so far: what is measured decides what is dropped.
    Slowest(usize),
    /// After so many blocks the last point whose runs are slower than the baseline's.
    SlowerThanBaseline(usize),
}

impl World {
    /// `k` contrasts with the same effect, all points with the noise `sd`.
    pub fn plain(k: usize, effect: f64, sd: f64, max_blocks: usize) -> Self {
        Self {
            effects: vec![effect; k],
            noise: vec![sd; k + 1],
            shape: NoiseShape::Normal,
            drift: 0.0,
            block: 0.0,
            missing: 0.0,
            step: 0.0,
            max_blocks,
            margin: 0.03,
            contrasts: FamilyDesign::against_baseline(k + 1).contrasts,
            fails: None,
            drops: Drops::None,
            ends_with_gain: None,
            diagnoses: Vec::new(),
        }
    }

    /// The same, but only a gain counts in all contrasts after the first.
    pub fn gain_only_after_the_first(self) -> Self {
        let contrasts = self.contrasts.iter().enumerate().map(|(k, contrast)| match k {
            0 => *contrast,
            _ => PlannedContrast { judgement: Judgement::GainOnly, ..*contrast },
        });
        Self { contrasts: contrasts.collect(), ..self }
    }

    /// What `numawise check` compares on two nodes: all nodes and interleaved memory vs the baseline in both ways, one node
    /// with its fewer CPUs as a gain only, remote vs local memory on that node, and copies for information. The effects are of
    /// all nodes, of interleaving, of one node, of remote memory (vs the one node), and of copies.
    pub fn check(effects: [f64; 5], sd: f64, max_blocks: usize) -> Self {
        let [all_nodes, interleaved, one_node, remote, copies] = effects;
        let effects = vec![all_nodes, interleaved, one_node, one_node * remote, copies];
        let planned = |reference, other, judgement| PlannedContrast { reference, other, judgement };
        let contrasts = vec![
            planned(0, 1, Judgement::BothWays),
            planned(0, 2, Judgement::BothWays),
            planned(0, 3, Judgement::GainOnly),
            planned(3, 4, Judgement::BothWays),
            planned(0, 5, Judgement::Unjudged),
        ];
        Self {
            effects,
            contrasts,
            margin: 0.05,
            diagnoses: vec![4, 5],
            ..Self::plain(5, 1.0, sd, max_blocks)
        }
    }

    pub fn design(&self) -> FamilyDesign {
        FamilyDesign {
            margin: self.margin,
            contrasts: self.contrasts.clone(),
            ..FamilyDesign::against_baseline(self.effects.len() + 1)
        }
    }

    /// The true improvement of the second point over the first.
    fn truth(&self, pair: (usize, usize)) -> f64 {
        let over_baseline = |point: usize| if point == 0 { 1.0 } else { self.effects[point - 1] };
        over_baseline(pair.1) / over_baseline(pair.0)
    }

    /// Points that are run no more after so many blocks.
    fn given_up(&self, blocks: usize) -> Vec<usize> {
        self.fails.into_iter().filter(|(_, from)| blocks >= from + 3).map(|(point, _)| point).collect()
    }

    /// The point that is dropped after these blocks.
    fn dropped(&self, blocks: &[Vec<Option<f64>>]) -> Option<usize> {
        let mean = |point: usize| {
            let runs: Vec<f64> = blocks.iter().filter_map(|block| block[point]).collect();
            runs.iter().sum::<f64>() / runs.len() as f64
        };
        let mut others = 1..=self.effects.len();
        match self.drops {
            Drops::Fixed(point, after) if blocks.len() == after => Some(point),
            Drops::Slowest(after) if blocks.len() == after => {
                others.max_by(|a, b| mean(*a).total_cmp(&mean(*b)))
            }
            Drops::SlowerThanBaseline(after) if blocks.len() == after => {
                others.rfind(|point| mean(*point) > mean(0))
            }
            _ => None,
        }
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
            let fails = self.fails.is_some_and(|(failing, from)| failing == point && index >= from);
            if !fails && (self.missing == 0.0 || rng.random::<f64>() >= self.missing) {
                row[point] = Some(value);
            }
        }
        row
    }

    fn shaped(&self, point: usize, rng: &mut ChaCha8Rng) -> f64 {
        match self.shape {
            NoiseShape::Normal => normal(rng),
            NoiseShape::Heavy => {
                let chi: f64 = (0..4).map(|_| normal(rng).powi(2)).sum();
                // Variance of t(4) is 2.
                normal(rng) / (chi / 4.0).sqrt() / 2f64.sqrt()
            }
            NoiseShape::Skewed => {
                // exp(0.8 z), standardised: mean exp(s^2/2), variance (exp(s^2) - 1) exp(s^2).
                let s2 = 0.64f64;
                ((0.8 * normal(rng)).exp() - (s2 / 2.0).exp()) / ((s2.exp() - 1.0) * s2.exp()).sqrt()
            }
            NoiseShape::Outliers => normal(rng) + if rng.random::<f64>() < 0.05 { 5.0 } else { 0.0 },
            // Centred, so that the baseline's mean log stays the truth the effects are relative to.
            NoiseShape::BaselineOutliers if point == 0 => {
                normal(rng) + if rng.random::<f64>() < 0.05 { 5.0 } else { 0.0 } - 0.25
            }
            NoiseShape::BaselineOutliers => normal(rng),
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
    /// The stopping rule of the crate, which `numawise check` calls too.
    Sequential,
    /// Runs all blocks, analyses once.
    Fixed,
    /// As soon as the reported intervals decide, after each block from the fifth on.
    Impatient,
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

fn one_check(world: &World, design: &FamilyDesign, rule: Rule, rng: &mut ChaCha8Rng) -> (Family, usize) {
    let mut blocks = Vec::with_capacity(world.max_blocks);
    let ended = |blocks: &[Vec<Option<f64>>]| {
        analyse(design, blocks, Better::Lower).expect("simulated values are good")
    };
    let (mut dropped, mut resting): (Option<usize>, Vec<usize>) = (None, Vec::new());
    for index in 0..world.max_blocks {
        let mut block = world.run_block(index, rng);
        for point in resting.iter().copied().chain(dropped) {
            block[point] = None;
        }
        blocks.push(block);
        dropped = dropped.or_else(|| world.dropped(&blocks));
        let stop = match rule {
            Rule::Fixed => false,
            Rule::Sequential => {
                let mut given_up = world.given_up(blocks.len());
                given_up.extend(resting.iter().copied().chain(dropped));
                let advice = should_stop(design, &blocks, Better::Lower, &given_up);
                let finished = finished_points(design, &blocks, Better::Lower, &given_up);
                let finished = finished.expect("simulated values are good");
                let rests = |point: &usize| world.diagnoses.contains(point) && !given_up.contains(point);
                resting.extend(finished.into_iter().filter(rests));
                matches!(advice, Ok(StoppingAdvice::Stop(_)))
            }
            Rule::Impatient => blocks.len() >= 5 && ended(&blocks).decision != FamilyDecision::Undecided,
        };
        let gains = |blocks: &[Vec<Option<f64>>]| {
            let counts = |c: &&Contrast| c.judgement != Judgement::Unjudged;
            let clear = |c: &Contrast| c.estimate.as_ref().is_ok_and(Estimate::is_clear);
            ended(blocks)
                .contrasts
                .iter()
                .filter(counts)
                .any(|c| c.standing == ContrastStanding::Better && clear(c))
        };
        if stop || world.ends_with_gain == Some(blocks.len()) && gains(&blocks) {
            break;
        }
    }
    (ended(&blocks), blocks.len())
}

/// Share of checks called affected by plain 95 % t intervals, one for each contrast as if it were alone, analysed
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
    let covers = |contrast: &Contrast| {
        let truth = world.truth(contrast.pair);
        contrast.estimate.as_ref().is_ok_and(|e| e.low <= truth && truth <= e.high)
    };
    let outside = |e: f64| e > 1.0 + world.margin || e < 1.0 / (1.0 + world.margin);
    let wrong = |c: &Contrast| {
        let truth = world.truth(c.pair);
        match c.standing {
            ContrastStanding::Better => truth <= 1.0,
            ContrastStanding::Worse => truth >= 1.0,
            ContrastStanding::Equivalent => outside(truth),
            ContrastStanding::Open => false,
        }
    };
    sum.affected += one(family.decision == FamilyDecision::Affected);
    sum.not_affected += one(family.decision == FamilyDecision::NotAffected);
    sum.all_cover += one(family.contrasts.iter().all(covers));
    sum.first_covers += one(covers(&family.contrasts[0]));
    sum.best_covers += one(family.best().is_some_and(covers));
    sum.wrong += one(family.contrasts.iter().any(wrong));
    sum.false_equivalent +=
        one(family.contrasts.iter().any(|c| c.standing == ContrastStanding::Equivalent && wrong(c)));
    sum.mean_blocks += blocks as f64;
}
