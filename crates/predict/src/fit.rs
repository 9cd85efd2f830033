//! Programs that agree with the runs: draws from all that are likely, by a Markov chain of differences (ter Braak 2006).
//!
//! A figure that the runs do not tell keeps its spread of before, and widens what is predicted from it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::capacity::Capacities;
use crate::model::{Deviations, FIGURES, Prior, Program};
use crate::shape::PointShape;

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;

/// With fewer runs nothing is predicted.
pub const FEWEST_RUNS: usize = 4;

/// A point that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub shape: PointShape,
    /// The logarithm of its median time.
    pub time: f64,
    /// Standard deviation of that.
    pub noise: f64,
    /// Share of the program's memory that was seen on the node of the first thread.
    pub at_first_node: Option<f64>,
}

/// The programs that may be it.
#[derive(Debug, Clone)]
pub struct Fit {
    pub draws: Vec<Program>,
    /// For each draw, a deviation for what the model leaves out, in standard deviations.
    pub unmodelled: Vec<f64>,
    /// Points by draws: weights without that point, which add up to 1.
    pub without: Vec<Vec<f64>>,
    /// Intervals are stretched by so much, for points that were left out to lie inside.
    pub stretch: f64,
}

/// Chains, and what each does.
const CHAINS: usize = 72;
const STEPS: usize = 700;
/// Of the steps the first are forgotten, and of the rest one in so many is kept.
const FORGOTTEN: usize = 400;
const KEPT: usize = 50;
/// Guesses from which the chains begin.
const GUESSES: usize = 4000;
/// Degrees of freedom of what the model leaves out: now and then it is far off.
const FREEDOM: f64 = 5.0;
/// How far the share of memory on a node is off that of the accesses to it.
const OF_ACCESSES: f64 = 0.15;
/// The same for every fit of the same runs.
const SEED: u64 = 39;

struct Chain {
    at: Deviations,
    likely: f64,
}

pub(crate) fn normal(random: &mut ChaCha8Rng) -> f64 {
    // Box and Muller.
    let (one, other): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

pub(crate) fn likelihood(program: &Program, time: f64, of: &Observed) -> f64 {
    let variance = program.sigma.powi(2) + of.noise.powi(2);
    let off = (of.time - time.ln()).powi(2) / variance;
    -0.5 * (FREEDOM + 1.0) * (off / FREEDOM).ln_1p() - 0.5 * variance.ln()
}

fn posterior(prior: &Prior, observed: &[Observed], z: &Deviations) -> f64 {
    let program = prior.program(z);
    let mut likely = -0.5 * z.iter().map(|value| value * value).sum::<f64>();
    for one in observed {
        likely += likelihood(&program, program.time(&one.shape), one);
        if let (Some(seen), Some((_, patterns))) = (one.at_first_node, one.shape.first_node) {
            let share: f64 = patterns.iter().zip(&program.patterns).map(|(one, other)| one * other).sum();
            likely -= 0.5 * ((seen - share) / OF_ACCESSES).powi(2);
        }
    }
    if likely.is_finite() { likely } else { f64::NEG_INFINITY }
}

/// About the logarithm of the time with one thread.
fn first_guess(observed: &[Observed]) -> f64 {
    let of = |one: &Observed| one.time + 0.7 * one.shape.threads.ln();
    observed.iter().map(of).sum::<f64>() / observed.len().max(1) as f64
}

impl Fit {
    /// The programs that agree with these runs; without any, those that are likely before.
    pub fn of(machine: &Capacities, observed: &[Observed]) -> Fit {
        let prior = Prior::new(machine, first_guess(observed));
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut chains = beginnings(&prior, observed, &mut random);
        let usual = 2.38 / (2.0 * FIGURES as f64).sqrt();
        let mut draws = Vec::with_capacity(CHAINS * (STEPS - FORGOTTEN) / KEPT);
        for step in 0..STEPS {
            for chain in 0..CHAINS {
                let one = random.random_range(0..CHAINS);
                let other = random.random_range(0..CHAINS);
                // Now and then a whole difference, which leads from one mode to another.
                let scale = if step % 10 == 9 { 1.0 } else { usual * (0.5 + random.random::<f64>()) };
                // Of some figures only, which is accepted more often.
                let part: f64 = if random.random::<f64>() < 0.5 { 1.0 } else { 0.35 };
                let mut at = chains[chain].at;
                let scale = if part < 1.0 { scale * 1.6 } else { scale };
                for (figure, value) in at.iter_mut().enumerate() {
                    if random.random::<f64>() < part {
                        let apart = chains[one].at[figure] - chains[other].at[figure];
                        *value += scale * apart + 0.01 * (random.random::<f64>() - 0.5);
                    }
                }
                let likely = posterior(&prior, observed, &at);
                if likely - chains[chain].likely > random.random::<f64>().max(1e-300).ln() {
                    chains[chain] = Chain { at, likely };
                }
            }
            if step >= FORGOTTEN && (step - FORGOTTEN) % KEPT == KEPT - 1 {
                draws.extend(chains.iter().map(|chain| prior.program(&chain.at)));
            }
        }
        Fit::of_draws(draws, observed, &mut random)
    }

    fn of_draws(draws: Vec<Program>, observed: &[Observed], random: &mut ChaCha8Rng) -> Fit {
        let unmodelled = draws.iter().map(|_| normal(random)).collect();
        let without = observed.iter().map(|one| weights_without(&draws, one)).collect();
        let mut fit = Fit { draws, unmodelled, without, stretch: 1.0 };
        fit.stretch = fit.stretch_of(observed);
        fit
    }

    /// By how much points that were left out are off, against how far they are said to be.
    fn stretch_of(&self, observed: &[Observed]) -> f64 {
        if observed.is_empty() {
            return 1.0;
        }
        let off = observed.iter().zip(&self.without).map(|(one, weights)| {
            let times: Vec<f64> = self.draws.iter().map(|draw| draw.time(&one.shape).ln()).collect();
            let mean: f64 = times.iter().zip(weights).map(|(time, weight)| time * weight).sum();
            let within = times.iter().zip(weights).map(|(time, weight)| weight * (time - mean).powi(2));
            let sigma = self.draws.iter().zip(weights).map(|(draw, weight)| weight * draw.sigma.powi(2));
            let variance = within.sum::<f64>() + sigma.sum::<f64>() + one.noise.powi(2);
            // One that is off by far says that it is, and not by how much.
            ((one.time - mean).powi(2) / variance).min(9.0)
        });
        (off.sum::<f64>() / observed.len() as f64).sqrt().clamp(1.0, 2.0)
    }
}

/// The best of many guesses.
fn beginnings(prior: &Prior, observed: &[Observed], random: &mut ChaCha8Rng) -> Vec<Chain> {
    let guess = |random: &mut ChaCha8Rng| {
        let mut at: Deviations = std::array::from_fn(|_| normal(random));
        at[0] *= 0.3;
        // The scale is the one figure that the runs always tell.
        let program = prior.program(&at);
        let off = observed.iter().map(|one| one.time - program.time(&one.shape).ln()).sum::<f64>();
        if !observed.is_empty() {
            at[0] += off / observed.len() as f64 / 2.0;
        }
        Chain { likely: posterior(prior, observed, &at), at }
    };
    let mut all: Vec<Chain> = (0..GUESSES).map(|_| guess(random)).collect();
    if !observed.is_empty() {
        all.sort_by(|one, other| other.likely.total_cmp(&one.likely));
    }
    all.truncate(CHAINS);
    all
}

/// Draws weighted as if a point had not been run: by the inverse of its likelihood, cut where a few draws would outweigh all.
fn weights_without(draws: &[Program], of: &Observed) -> Vec<f64> {
    let logs: Vec<f64> = draws.iter().map(|draw| -likelihood(draw, draw.time(&of.shape), of)).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raw: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
    let mean = raw.iter().sum::<f64>() / raw.len() as f64;
    let cut: Vec<f64> = raw.iter().map(|weight| weight.min(mean * (raw.len() as f64).sqrt())).collect();
    let sum: f64 = cut.iter().sum();
    cut.into_iter().map(|weight| weight / sum).collect()
}
