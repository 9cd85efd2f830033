//! A guess at values that were not measured, from those that were: a Gaussian process over the levels of factors.
//!
//! The covariance of two points is a sum of one part for each factor (main effects) and one for all factors together (interactions). Along a
//! numeric factor it falls off as exp(-distance / length) (an Ornstein-Uhlenbeck process: continuous, not smooth, so that a cliff between
//! two levels does no harm further off); two different levels of a categorical factor have one correlation. Lengths, correlation, the
//! weight of interactions and the noise are those of the largest marginal likelihood on a grid (Rasmussen and Williams, Gaussian Processes
//! for Machine Learning, 2006, chapters 2 and 5); the scale has its closed form.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use crate::error::{StatsError, checked};

#[cfg(test)]
#[path = "surrogate_tests.rs"]
mod tests;

/// A level of a factor, for distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinate {
    /// On a scale of the caller's, such as the logarithm of a number of threads.
    Number(f64),
    Category(usize),
}

/// What was measured at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub at: Vec<Coordinate>,
    /// At least one.
    pub values: Vec<f64>,
}

impl Observed {
    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Sum of squares about the mean.
    fn scatter(&self) -> f64 {
        let mean = self.mean();
        self.values.iter().map(|value| (value - mean).powi(2)).sum()
    }
}

/// The guess.
#[derive(Debug, Clone)]
pub struct Surrogate {
    covariance: Covariance,
    /// The range of each numeric factor.
    ranges: Vec<f64>,
    observed: Vec<Vec<Coordinate>>,
    mean: f64,
    /// Variance of what is guessed at; that of the noise is `covariance.noise` of it.
    scale: f64,
    factor: Cholesky,
    /// The inverse of the covariance times the residuals.
    weights: Vec<f64>,
}

/// All that was measured, point by point.
struct Data {
    points: Vec<Vec<Coordinate>>,
    ranges: Vec<f64>,
    means: Vec<f64>,
    counts: Vec<f64>,
    /// Squares of repeats about their means, and how many of them are free.
    scatter: f64,
    free: f64,
}

/// What is known of a value that was not measured, or not without noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    pub mean: f64,
    /// Standard deviation, without that of the noise.
    pub sd: f64,
}

impl Guess {
    /// How far below `limit` the value is on average, where what is above counts as 0 (expected improvement).
    pub fn expected_below(&self, limit: f64) -> f64 {
        if self.sd <= 0.0 {
            return (limit - self.mean).max(0.0);
        }
        let gap = (limit - self.mean) / self.sd;
        let normal = Normal::standard();
        self.sd * (gap * normal.cdf(gap) + normal.pdf(gap))
    }

    /// How likely the value is below `other` by more than `by`, both taken as independent.
    pub fn likely_below(&self, other: &Guess, by: f64) -> f64 {
        let sd = self.sd.hypot(other.sd).max(f64::MIN_POSITIVE);
        Normal::standard().cdf((other.mean - by - self.mean) / sd)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Covariance {
    /// Of numeric factors, as a share of their range.
    length: f64,
    /// Of two levels of a categorical factor.
    correlation: f64,
    /// Share of the part of all factors together.
    interaction: f64,
    /// Variance of the noise over that of what is guessed at.
    noise: f64,
}

const LENGTHS: [f64; 4] = [0.3, 1.0, 3.0, 10.0];
const CORRELATIONS: [f64; 3] = [0.2, 0.6, 0.9];
const INTERACTIONS: [f64; 3] = [0.1, 0.4, 0.8];
const NOISES: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];

impl Covariance {
    fn all() -> impl Iterator<Item = Covariance> {
        LENGTHS.into_iter().flat_map(|length| {
            CORRELATIONS.into_iter().flat_map(move |correlation| {
                INTERACTIONS.into_iter().flat_map(move |interaction| {
                    NOISES.into_iter().map(move |noise| Covariance {
                        length,
                        correlation,
                        interaction,
                        noise,
                    })
                })
            })
        })
    }

    fn of(&self, one: &[Coordinate], other: &[Coordinate], ranges: &[f64]) -> f64 {
        let each = one.iter().zip(other).zip(ranges).map(|((one, other), range)| match (one, other) {
            (Coordinate::Number(one), Coordinate::Number(other)) if *range > 0.0 => {
                (-(one - other).abs() / range / self.length).exp()
            }
            (Coordinate::Category(one), Coordinate::Category(other)) if one != other => self.correlation,
            _ => 1.0,
        });
        let (mut sum, mut product, mut count) = (0.0, 1.0, 0.0);
        for part in each {
            sum += part;
            product *= part;
            count += 1.0;
        }
        if count == 0.0 {
            return 1.0;
        }
        (1.0 - self.interaction) * sum / count + self.interaction * product
    }
}

impl Surrogate {
    /// Fits to what was measured, each point once in the list.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] below two points, or for a point without a value; [`StatsError::NotFinite`]; [`StatsError::Ragged`] where
    /// points have different numbers of factors.
    pub fn fit(observed: &[Observed]) -> Result<Surrogate, StatsError> {
        let data = Data::of(observed)?;
        let candidates = Covariance::all().filter_map(|covariance| {
            let fit = Surrogate::with(covariance, &data)?;
            let likelihood = fit.likelihood(&data);
            likelihood.is_finite().then_some((likelihood, fit))
        });
        let best = candidates.max_by(|one, other| one.0.total_cmp(&other.0));
        let found = data.means.len();
        best.map(|(_, fit)| fit).ok_or(StatsError::NoVariation { found, value: data.means[0] })
    }

    /// The same with lengths, correlation, interactions and noise as they were found before, at a small part of the cost; fits anew where
    /// these do not do.
    ///
    /// # Errors
    /// As [`Surrogate::fit`].
    pub fn fit_again(&self, observed: &[Observed]) -> Result<Surrogate, StatsError> {
        match Surrogate::with(self.covariance, &Data::of(observed)?) {
            Some(fit) => Ok(fit),
            None => Surrogate::fit(observed),
        }
    }

    fn with(covariance: Covariance, data: &Data) -> Option<Surrogate> {
        let size = data.points.len();
        let mut matrix = vec![vec![0.0; size]; size];
        for i in 0..size {
            for j in 0..=i {
                matrix[i][j] = covariance.of(&data.points[i], &data.points[j], &data.ranges);
            }
            matrix[i][i] += covariance.noise / data.counts[i];
        }
        let factor = Cholesky::of(matrix)?;
        // The mean is estimated along (generalised least squares).
        let ones = factor.solve(&vec![1.0; size]);
        let mean = ones.iter().zip(&data.means).map(|(one, value)| one * value).sum::<f64>()
            / ones.iter().sum::<f64>();
        let residuals: Vec<f64> = data.means.iter().map(|value| value - mean).collect();
        let weights = factor.solve(&residuals);
        let of_means = residuals.iter().zip(&weights).map(|(one, other)| one * other).sum::<f64>();
        // Repeats tell of the noise, and by it of the scale.
        let scale = (of_means + data.scatter / covariance.noise) / (size as f64 + data.free);
        let (ranges, observed) = (data.ranges.clone(), data.points.clone());
        Some(Surrogate {
            covariance,
            ranges,
            observed,
            mean,
            scale: scale.max(f64::MIN_POSITIVE),
            factor,
            weights,
        })
    }

    /// The logarithm of the marginal likelihood with the best scale, without what all candidates have alike.
    fn likelihood(&self, data: &Data) -> f64 {
        let size = data.means.len() as f64 + data.free;
        -0.5 * size * self.scale.ln()
            - self.factor.log_determinant_half()
            - 0.5 * data.free * self.covariance.noise.ln()
    }

    /// What is known of a point.
    pub fn guess(&self, at: &[Coordinate]) -> Guess {
        let with: Vec<f64> =
            self.observed.iter().map(|other| self.covariance.of(at, other, &self.ranges)).collect();
        let mean = self.mean + with.iter().zip(&self.weights).map(|(one, other)| one * other).sum::<f64>();
        let half = self.factor.solve_lower(&with);
        let explained: f64 = half.iter().map(|value| value * value).sum();
        let variance = self.scale * (self.covariance.of(at, at, &self.ranges) - explained).max(0.0);
        Guess { mean, sd: variance.sqrt() }
    }

    /// Standard deviation of the noise of one measurement.
    pub fn noise(&self) -> f64 {
        (self.scale * self.covariance.noise).sqrt()
    }
}

impl Data {
    fn of(observed: &[Observed]) -> Result<Data, StatsError> {
        if observed.len() < 2 {
            let what = "a guess at values that were not measured";
            return Err(StatsError::TooFew { what, needed: 2, found: observed.len() });
        }
        let factors = observed[0].at.len();
        for (block, one) in observed.iter().enumerate() {
            checked("what was measured at a point", &one.values, 1)?;
            if one.at.len() != factors {
                return Err(StatsError::Ragged { block, found: one.at.len(), expected: factors });
            }
        }
        Ok(Data {
            points: observed.iter().map(|one| one.at.clone()).collect(),
            ranges: (0..factors).map(|k| range(observed, k)).collect(),
            means: observed.iter().map(Observed::mean).collect(),
            counts: observed.iter().map(|one| one.values.len() as f64).collect(),
            scatter: observed.iter().map(Observed::scatter).sum(),
            free: observed.iter().map(|one| one.values.len() as f64 - 1.0).sum(),
        })
    }
}

fn range(observed: &[Observed], factor: usize) -> f64 {
    let numbers = observed.iter().filter_map(|one| match one.at[factor] {
        Coordinate::Number(number) => Some(number),
        Coordinate::Category(_) => None,
    });
    let (low, high) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
    if high > low { high - low } else { 0.0 }
}

/// The lower triangle whose product with its transpose is a matrix.
#[derive(Debug, Clone)]
struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// Of a symmetric matrix, of which the lower triangle is read; `None` where it is not positive definite.
    fn of(mut matrix: Vec<Vec<f64>>) -> Option<Cholesky> {
        for i in 0..matrix.len() {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
                let rest = matrix[i][j] - dot;
                matrix[i][j] = if i != j {
                    rest / matrix[j][j]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Cholesky(matrix))
    }

    fn log_determinant_half(&self) -> f64 {
        self.0.iter().enumerate().map(|(k, row)| row[k].ln()).sum()
    }

    fn solve_lower(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = Vec::with_capacity(right.len());
        for (row, value) in self.0.iter().zip(right) {
            let dot: f64 = row.iter().zip(&solution).map(|(one, other)| one * other).sum();
            solution.push((value - dot) / row[solution.len()]);
        }
        solution
    }

    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = self.solve_lower(right);
        for i in (0..solution.len()).rev() {
            let dot: f64 = (i + 1..solution.len()).map(|k| self.0[k][i] * solution[k]).sum();
            solution[i] = (solution[i] - dot) / self.0[i][i];
        }
        solution
    }
}
