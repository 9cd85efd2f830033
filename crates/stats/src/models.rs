//! Models of how time goes with the number of workers, fitted to repeated times: Amdahl's law and the universal scalability law.
//!
//! Both are linear in what they add up: time is a sum of terms, each a known function of the number of workers with a coefficient that is
//! not negative. Squares of relative residuals are minimised, so that a short time counts as much as a long one.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::describe::mean;
use crate::error::{StatsError, checked};

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;

/// The times at one number of workers.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingTimes {
    /// At least 1.
    pub workers: usize,
    /// In one unit for all, above 0.
    pub times: Vec<f64>,
}

/// A law of scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalingLaw {
    /// T(n) = serial + parallel / n (Amdahl 1967).
    Amdahl,
    /// T(n) = T(1) (1 + a (n - 1) + b n (n - 1)) / n, with contention a and coherency b (Gunther 1993).
    Universal,
}

impl ScalingLaw {
    /// The terms of T(n); each has a coefficient.
    fn terms(self, workers: usize) -> Vec<f64> {
        let n = workers as f64;
        match self {
            ScalingLaw::Amdahl => vec![1.0, 1.0 / n],
            ScalingLaw::Universal => vec![1.0 / n, (n - 1.0) / n, n - 1.0],
        }
    }

    /// Different numbers of workers that a fit needs: one more than it has coefficients, so that it can fail.
    pub fn least_points(self) -> usize {
        self.terms(1).len() + 1
    }
}

/// A law fitted to times.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingFit {
    pub law: ScalingLaw,
    /// Time with one worker by the fit, in the unit of the times.
    pub one_worker: f64,
    /// Amdahl: the share of the time with one worker that is serial. Universal: contention. 0 or more.
    pub contention: f64,
    /// Universal: coherency, the cost of keeping every pair of workers in step. 0 for Amdahl.
    pub coherency: f64,
    /// For each number of workers as it was given: the mean time divided by the fit's.
    pub ratios: Vec<f64>,
    /// Where the fit is off by most: this many times, at least 1.
    pub worst: f64,
    /// How likely repeats scatter so much about a curve that is this law, where there are repeats: the test of lack of fit (Fisher's F:
    /// variation of means about the fit against that of repeats about their mean).
    pub plausibility: Option<f64>,
}

/// A fit off by no more than this everywhere is good enough to plan with.
const CLOSE: f64 = 1.05;
/// Below it, the scatter of repeats does not explain how far the fit is off.
const IMPLAUSIBLE: f64 = 0.01;

impl ScalingFit {
    /// False where the law does not describe these times: off by more than 5 % somewhere, and that is no scatter.
    pub fn fits(&self) -> bool {
        self.worst <= CLOSE || self.plausibility.is_some_and(|likely| likely >= IMPLAUSIBLE)
    }

    /// The time with so many workers by the fit.
    pub fn time(&self, workers: usize) -> f64 {
        let n = workers.max(1) as f64;
        let overhead = match self.law {
            ScalingLaw::Amdahl => self.contention * (n - 1.0),
            ScalingLaw::Universal => self.contention * (n - 1.0) + self.coherency * n * (n - 1.0),
        };
        self.one_worker * (1.0 + overhead) / n
    }

    /// The number of workers from which on more make it slower; `None` where there is no such number.
    pub fn peak(&self) -> Option<f64> {
        (self.coherency > 0.0).then(|| ((1.0 - self.contention).max(0.0) / self.coherency).sqrt().max(1.0))
    }

    /// The speedup that no number of workers exceeds; `None` where nothing limits it.
    pub fn limit(&self) -> Option<f64> {
        match self.peak() {
            Some(peak) => {
                let at = |n: usize| self.one_worker / self.time(n);
                let below = peak.floor() as usize;
                Some(at(below).max(at(below + 1)))
            }
            None => (self.contention > 0.0).then(|| 1.0 / self.contention),
        }
    }
}

/// Fits a law.
///
/// # Errors
/// [`StatsError::TooFew`] where there are fewer different numbers of workers than [`ScalingLaw::least_points`], or one has no time;
/// [`StatsError::BadParameter`] for 0 workers, a number of workers that is there twice, or a time that is not a finite number above 0.
pub fn fit_scaling(law: ScalingLaw, points: &[ScalingTimes]) -> Result<ScalingFit, StatsError> {
    let means = means(law, points)?;
    let rows: Vec<Vec<f64>> = points
        .iter()
        .zip(&means)
        .map(|(point, mean)| law.terms(point.workers).iter().map(|term| term / mean).collect())
        .collect();
    let weights: Vec<f64> = points.iter().map(|point| point.times.len() as f64).collect();
    let coefficients = nonnegative_least_squares(&rows, &weights);
    let (one_worker, contention, coherency) = match law {
        ScalingLaw::Amdahl => {
            let one = coefficients[0] + coefficients[1];
            (one, coefficients[0] / one, 0.0)
        }
        ScalingLaw::Universal => {
            let one = coefficients[0];
            (one, coefficients[1] / one, coefficients[2] / one)
        }
    };
    if !(one_worker > 0.0 && contention.is_finite() && coherency.is_finite()) {
        return Err(StatsError::BadParameter {
            name: "the time with one worker by the fit",
            value: one_worker,
            expected: "a finite number above 0",
        });
    }
    let mut fit = ScalingFit {
        law,
        one_worker,
        contention,
        coherency,
        ratios: Vec::new(),
        worst: 1.0,
        plausibility: None,
    };
    fit.ratios = points.iter().zip(&means).map(|(point, mean)| mean / fit.time(point.workers)).collect();
    fit.worst = fit.ratios.iter().map(|ratio| ratio.max(1.0 / ratio)).fold(1.0, f64::max);
    let free = coefficients.iter().filter(|coefficient| **coefficient > 0.0).count();
    fit.plausibility = plausibility(&fit, points, &means, free);
    Ok(fit)
}

fn means(law: ScalingLaw, points: &[ScalingTimes]) -> Result<Vec<f64>, StatsError> {
    let needed = law.least_points();
    if points.len() < needed {
        let what = "a fit of a scaling law (different numbers of workers)";
        return Err(StatsError::TooFew { what, needed, found: points.len() });
    }
    let mut means = Vec::with_capacity(points.len());
    for (k, point) in points.iter().enumerate() {
        let bad = |value, expected| StatsError::BadParameter { name: "workers", value, expected };
        if point.workers == 0 {
            return Err(bad(0.0, "at least 1"));
        }
        if points[..k].iter().any(|other| other.workers == point.workers) {
            return Err(bad(point.workers as f64, "each number of workers once"));
        }
        let times = checked("the times at a number of workers", &point.times, 1)?;
        if let Some(&value) = times.iter().find(|time| **time <= 0.0) {
            return Err(StatsError::BadParameter { name: "a time", value, expected: "a number above 0" });
        }
        means.push(mean(times));
    }
    Ok(means)
}

/// The test of lack of fit, with residuals relative to the fit; `None` without repeats, or where no degree of freedom is left.
fn plausibility(fit: &ScalingFit, points: &[ScalingTimes], means: &[f64], free: usize) -> Option<f64> {
    let (mut lack, mut scatter, mut repeats) = (0.0, 0.0, 0);
    for (point, mean) in points.iter().zip(means) {
        let expected = fit.time(point.workers);
        lack += point.times.len() as f64 * ((mean - expected) / expected).powi(2);
        scatter += point.times.iter().map(|time| ((time - mean) / expected).powi(2)).sum::<f64>();
        repeats += point.times.len();
    }
    let (of_lack, of_scatter) = (points.len().checked_sub(free)?, repeats.checked_sub(points.len())?);
    if of_lack == 0 || of_scatter == 0 || scatter <= 0.0 {
        return None;
    }
    let ratio = (lack / of_lack as f64) / (scatter / of_scatter as f64);
    Some(FisherSnedecor::new(of_lack as f64, of_scatter as f64).ok()?.sf(ratio))
}

/// The coefficients, none negative, with the least weighted squares of `row . coefficients - 1`.
///
/// The solution is the free one of some of the columns with the others at 0: with at most three columns all choices are tried.
fn nonnegative_least_squares(rows: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    let mut best = (f64::INFINITY, vec![0.0; columns]);
    for chosen in 1_u32..1 << columns {
        let used: Vec<usize> = (0..columns).filter(|k| chosen >> k & 1 == 1).collect();
        let Some(solution) = least_squares(rows, weights, &used) else { continue };
        if solution.iter().any(|coefficient| *coefficient < 0.0) {
            continue;
        }
        let mut all = vec![0.0; columns];
        used.iter().zip(solution).for_each(|(k, coefficient)| all[*k] = coefficient);
        let squares = rows.iter().zip(weights).map(|(row, weight)| {
            let value: f64 = row.iter().zip(&all).map(|(term, coefficient)| term * coefficient).sum();
            weight * (value - 1.0).powi(2)
        });
        let squares: f64 = squares.sum();
        if squares < best.0 {
            best = (squares, all);
        }
    }
    best.1
}

/// The normal equations of some columns, by elimination; `None` where these do not determine the coefficients.
fn least_squares(rows: &[Vec<f64>], weights: &[f64], used: &[usize]) -> Option<Vec<f64>> {
    let size = used.len();
    let mut matrix = vec![vec![0.0; size + 1]; size];
    for (row, weight) in rows.iter().zip(weights) {
        for (i, &a) in used.iter().enumerate() {
            for (j, &b) in used.iter().enumerate() {
                matrix[i][j] += weight * row[a] * row[b];
            }
            matrix[i][size] += weight * row[a];
        }
    }
    for k in 0..size {
        let scale = matrix[k].iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let pivot = (k..size).max_by(|a, b| matrix[*a][k].abs().total_cmp(&matrix[*b][k].abs()))?;
        matrix.swap(k, pivot);
        if matrix[k][k].abs() <= 1e-14 * scale {
            return None;
        }
        for i in 0..size {
            if i != k {
                let factor = matrix[i][k] / matrix[k][k];
                let row = matrix[k].clone();
                matrix[i].iter_mut().zip(&row).for_each(|(value, other)| *value -= factor * other);
            }
        }
    }
    Some((0..size).map(|k| matrix[k][size] / matrix[k][k]).collect())
}
