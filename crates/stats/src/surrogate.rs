//! A guess at values that were not measured, from those that were: a Gaussian process over the levels of factors.
//!
//! The covariance of two points is a sum of one part for each factor (main effects) and one for all factors together (interactions). Along a
//! numeric factor it falls off as exp(-distance / length) (an Ornstein-Uhlenbeck process: continuous, not smooth, so that a cliff between
//! two levels does no harm further off), beside a trend of first and second order that may have one bend; two different levels of a categorical factor have one
//! correlation. Lengths, correlation, the trend, its bend, the weight of interactions and the noise are those of the largest marginal likelihood on a grid (Rasmussen and Williams, Gaussian Processes
//! for Machine Learning, 2006, chapters 2 and 5); the scale has its closed form. They are fitted to at most [`MOST_FITTED`] points; what is known
//! of the points themselves rests on all measurements ([`Posterior`]), and each further one changes it at the cost of one update of rank one.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use crate::describe::mean;
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
    /// Sum of squares about the mean.
    fn scatter(&self) -> f64 {
        let mean = mean(&self.values);
        self.values.iter().map(|value| (value - mean).powi(2)).sum()
    }
}

/// Points to which lengths, correlation, interactions and noise are fitted; of more the first are taken.
pub const MOST_FITTED: usize = 150;

/// How values vary over a grid: what is known before any one point is looked at.
#[derive(Debug, Clone)]
pub struct Surrogate {
    covariance: Covariance,
    ranges: Vec<Range>,
    mean: f64,
    /// Variance of what is guessed at; that of the noise is `covariance.noise` of it.
    scale: f64,
    likelihood: f64,
}

/// All that was measured, point by point.
struct Data {
    points: Vec<Vec<Coordinate>>,
    ranges: Vec<Range>,
    /// What interactions and the share of a point for itself may be.
    interactions: Vec<f64>,
    alones: Vec<f64>,
    /// Where there may be one.
    bends: Vec<Bend>,
    means: Vec<f64>,
    counts: Vec<f64>,
    /// Squares of repeats about their means, and how many of them are free.
    scatter: f64,
    free: f64,
}

/// Where the levels of a numeric factor lie; 0 and 0 for a categorical one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    low: f64,
    width: f64,
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
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Covariance {
    /// Of numeric factors, as a share of their range.
    length: f64,
    /// Of two levels of a categorical factor.
    correlation: f64,
    /// Share of the part of all factors together.
    interaction: f64,
    /// Share of what each point has for itself: cliffs, and effects of single combinations.
    alone: f64,
    /// Variance of the coefficients of the trend, over that of what the trend leaves.
    trend: f64,
    /// Where the trend along a number has a bend, as something that ends there.
    bend: Option<Bend>,
    /// Variance of the noise over that of what is guessed at.
    noise: f64,
}

/// A level of a numeric factor from which on the trend is another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bend {
    factor: usize,
    /// Coordinate of the level.
    at: f64,
}

const LENGTHS: [f64; 4] = [0.3, 1.0, 3.0, 10.0];
const CORRELATIONS: [f64; 3] = [0.2, 0.6, 0.9];
const INTERACTIONS: [f64; 3] = [0.1, 0.4, 0.8];
const ALONES: [f64; 3] = [2e-2, 1e-1, 0.5];
/// Where no point is left to be guessed at: factors may be without effect on one another, and points without anything of their own. Else a
/// cliff that nobody saw would be taken for impossible.
const INTERACTIONS_OF_ALL: [f64; 2] = [1e-6, 1e-3];
const ALONES_OF_ALL: [f64; 2] = [1e-6, 1e-3];
const TRENDS: [f64; 5] = [0.0, 1.0, 10.0, 100.0, 1000.0];
/// So many places of a bend are looked at first; then those beside the best.
const MOST_BENDS: usize = 16;
/// By what the noise is changed.
const NOISES: [f64; 6] = [0.01, 0.1, 0.7, 1.4, 10.0, 100.0];
const NOISE_LIMITS: [f64; 2] = [1e-6, 1e3];

impl Covariance {
    /// Of which the search for the likeliest starts.
    const FIRST: Covariance = Covariance {
        length: 1.0,
        correlation: 0.6,
        interaction: 0.4,
        alone: 0.1,
        trend: 1.0,
        bend: None,
        noise: 1e-2,
    };

    /// Those that differ from this one in one part.
    fn beside(self, data: &Data) -> impl Iterator<Item = Covariance> {
        let lengths = LENGTHS.map(|length| Covariance { length, ..self });
        let correlations = CORRELATIONS.map(|correlation| Covariance { correlation, ..self });
        let interactions =
            data.interactions.iter().map(move |&interaction| Covariance { interaction, ..self });
        let alones = data.alones.iter().map(move |&alone| Covariance { alone, ..self });
        let trends = TRENDS.map(|trend| Covariance { trend, ..self });
        let [low, high] = NOISE_LIMITS;
        let noises = NOISES.map(|times| Covariance { noise: (times * self.noise).clamp(low, high), ..self });
        let all = lengths
            .into_iter()
            .chain(correlations)
            .chain(interactions)
            .chain(alones)
            .chain(trends)
            .chain(noises)
            .chain(self.bends_beside(&data.bends));
        all.filter(move |other| *other != self)
    }

    /// No bend, some all over the range, and the next to the one that there is.
    fn bends_beside(self, bends: &[Bend]) -> Vec<Covariance> {
        if self.trend == 0.0 {
            return Vec::new();
        }
        let each = bends.len().div_ceil(MOST_BENDS).max(1);
        let here = self.bend.and_then(|bend| bends.iter().position(|other| *other == bend));
        let near = |k: usize| here.is_some_and(|here| here.abs_diff(k) <= 1);
        let some = bends.iter().enumerate().filter(|(k, _)| k % each == 0 || near(*k));
        let some = some.map(|(_, bend)| Some(*bend));
        some.chain([None]).map(|bend| Covariance { bend, ..self }).collect()
    }

    fn of(&self, one: &[Coordinate], other: &[Coordinate], ranges: &[Range]) -> f64 {
        let own = if one == other { 1.0 } else { (1.0 - self.alone) * self.of_levels(one, other, ranges) };
        if self.trend == 0.0 { own } else { own + self.trend * of_trend(one, other, ranges, self.bend) }
    }

    fn of_levels(&self, one: &[Coordinate], other: &[Coordinate], ranges: &[Range]) -> f64 {
        let each = one.iter().zip(other).zip(ranges).map(|((one, other), range)| match (one, other) {
            (Coordinate::Number(one), Coordinate::Number(other)) => {
                (-range.apart(*one, *other) / self.length).exp()
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

/// Of straight lines and parabolas along numeric factors, and of a line from the bend on, with coefficients that are independent.
fn of_trend(one: &[Coordinate], other: &[Coordinate], ranges: &[Range], bend: Option<Bend>) -> f64 {
    let pairs = one.iter().zip(other).zip(ranges).enumerate();
    let each = pairs.map(|(factor, ((one, other), range))| match (one, other) {
        (Coordinate::Number(one), Coordinate::Number(other)) if range.width > 0.0 => {
            let product = range.place(*one) * range.place(*other);
            let bent = bend.filter(|bend| bend.factor == factor).map_or(0.0, |bend| {
                let beyond = |number: f64| (range.place(number) - range.place(bend.at)).max(0.0);
                beyond(*one) * beyond(*other)
            });
            product + product * product + bent
        }
        _ => 0.0,
    });
    each.sum()
}

impl Range {
    /// Of each factor of these points.
    pub(crate) fn all(points: &[&[Coordinate]]) -> Vec<Range> {
        (0..points.first().map_or(0, |point| point.len())).map(|factor| Range::of(points, factor)).collect()
    }

    fn of(points: &[&[Coordinate]], factor: usize) -> Range {
        let numbers = points.iter().filter_map(|point| match point.get(factor) {
            Some(Coordinate::Number(number)) => Some(*number),
            _ => None,
        });
        let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        if high > low { Range { low, width: high - low } } else { Range { low: 0.0, width: 0.0 } }
    }

    /// How far two levels are from each other, as a share of the range; 0 where there is but one.
    pub(crate) fn apart(self, one: f64, other: f64) -> f64 {
        if self.width > 0.0 { (one - other).abs() / self.width } else { 0.0 }
    }

    /// From -1 to 1.
    fn place(self, number: f64) -> f64 {
        2.0 * (number - self.low) / self.width - 1.0
    }
}

impl Surrogate {
    /// Fits to what was measured, each point once in the list: one part after the other is changed for as long as that makes the
    /// measurements likelier, beginning with `like` where there is one. Of a `whole` grid each point was measured, so that nothing is between them.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] below two points, or for a point without a value; [`StatsError::NotFinite`]; [`StatsError::Ragged`] where
    /// points have different numbers of factors.
    pub fn fit(
        observed: &[Observed],
        whole: bool,
        like: Option<&Surrogate>,
    ) -> Result<Surrogate, StatsError> {
        let data = Data::of(&observed[..observed.len().min(MOST_FITTED)], whole)?;
        let first = like.map_or(Covariance::FIRST, |like| like.covariance);
        let found = data.means.len();
        let nothing = StatsError::NoVariation { found, value: data.means[0] };
        let mut best = Surrogate::with(first, &data)
            .or_else(|| first.beside(&data).find_map(|other| Surrogate::with(other, &data)))
            .ok_or(nothing)?;
        loop {
            let others = best.covariance.beside(&data).filter_map(|other| Surrogate::with(other, &data));
            match others.max_by(|one, other| one.likelihood.total_cmp(&other.likelihood)) {
                Some(better) if better.likelihood > best.likelihood => best = better,
                _ => return Ok(best),
            }
        }
    }

    fn with(covariance: Covariance, data: &Data) -> Option<Surrogate> {
        let size = data.points.len();
        let of = |i: usize, j: usize| {
            let noise = if i == j { covariance.noise / data.counts[i] } else { 0.0 };
            covariance.of(&data.points[i], &data.points[j], &data.ranges) + noise
        };
        let factor = Cholesky::of((0..size).map(|i| (0..=i).map(|j| of(i, j)).collect()).collect())?;
        // The mean is estimated along (generalised least squares).
        let ones = factor.solve_lower(&vec![1.0; size]);
        let means = factor.solve_lower(&data.means);
        let dot =
            |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
        let mean = dot(&ones, &means) / dot(&ones, &ones);
        let of_means = means.iter().zip(&ones).map(|(value, one)| (value - mean * one).powi(2)).sum::<f64>();
        // Repeats tell of the noise, and by it of the scale.
        let count = size as f64 + data.free;
        let scale = ((of_means + data.scatter / covariance.noise) / count).max(f64::MIN_POSITIVE);
        // The logarithm of the marginal likelihood with the best scale, without what all candidates have alike.
        let likelihood = -0.5 * count * scale.ln()
            - factor.log_determinant_half()
            - 0.5 * data.free * covariance.noise.ln();
        let ranges = data.ranges.clone();
        likelihood.is_finite().then_some(Surrogate { covariance, ranges, mean, scale, likelihood })
    }

    /// The logarithm of how likely the measurements are, up to what all fits to as many of them have alike.
    pub fn likelihood(&self) -> f64 {
        self.likelihood
    }

    /// What is known of all `points`, of which some were measured: with a list of values for each. Where something was `expected` of the
    /// points, the fit is to how far the measurements are off it, and no point is surer than that.
    pub fn posterior(
        &self,
        points: &[&[Coordinate]],
        values: &[&[f64]],
        expected: Option<&[Guess]>,
    ) -> Posterior {
        let row = |one: &&[Coordinate]| {
            points.iter().map(|other| self.scale * self.covariance.of(one, other, &self.ranges)).collect()
        };
        let mut covariance: Vec<Vec<f64>> = points.iter().map(row).collect();
        let mut means = vec![self.mean; points.len()];
        for (point, guess) in expected.into_iter().flatten().enumerate() {
            means[point] += guess.mean;
            covariance[point][point] = covariance[point][point].max(guess.sd.powi(2));
        }
        let noise = self.scale * self.covariance.noise;
        let mut posterior = Posterior { means, covariance, noise };
        for (point, values) in values.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
            posterior.update(point, mean(values), noise / values.len() as f64);
        }
        posterior
    }
}

/// What is known of the points of a grid together: normal, with means and covariances.
#[derive(Debug, Clone)]
pub struct Posterior {
    means: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    /// Variance of one measurement.
    noise: f64,
}

impl Posterior {
    /// What is known of a point.
    pub fn guess(&self, point: usize) -> Guess {
        Guess { mean: self.means[point], sd: self.covariance[point][point].max(0.0).sqrt() }
    }

    /// Takes one more measurement of a point.
    pub fn took(&mut self, point: usize, value: f64) {
        self.update(point, value, self.noise);
    }

    /// Standard deviation of one measurement.
    pub fn noise_sd(&self) -> f64 {
        self.noise.sqrt()
    }

    /// By how many standard deviations the value of a point is below that of another by more than `by`.
    pub fn below(&self, point: usize, other: usize, by: f64) -> f64 {
        let of = |i: usize, j: usize| self.covariance[i][j];
        let variance = of(point, point) + of(other, other) - 2.0 * of(point, other);
        (self.means[other] - by - self.means[point]) / variance.max(f64::MIN_POSITIVE).sqrt()
    }

    /// By how much one more measurement of a point lowers the variance of its difference from another.
    pub fn tells_of_difference(&self, point: usize, other: usize) -> f64 {
        let own = self.covariance[point][point];
        (own - self.covariance[point][other]).powi(2) / (own + self.noise).max(f64::MIN_POSITIVE)
    }

    fn update(&mut self, point: usize, value: f64, noise: f64) {
        let with = self.covariance[point].clone();
        let all = (with[point] + noise).max(f64::MIN_POSITIVE);
        let gap = value - self.means[point];
        for ((mean, row), gain) in self.means.iter_mut().zip(&mut self.covariance).zip(&with) {
            let gain = gain / all;
            *mean += gain * gap;
            row.iter_mut().zip(&with).for_each(|(covariance, with)| *covariance -= gain * with);
        }
    }
}

impl Data {
    fn of(observed: &[Observed], whole: bool) -> Result<Data, StatsError> {
        if observed.len() < 2 {
            let what = "a guess at values that were not measured";
            return Err(StatsError::TooFew { what, needed: 2, found: observed.len() });
        }
        let factors = observed[0].at.len();
        let shares = |shares: [f64; 3], of_all: [f64; 2]| {
            shares.into_iter().chain(of_all.into_iter().filter(|_| whole)).collect()
        };
        for (block, one) in observed.iter().enumerate() {
            checked("what was measured at a point", &one.values, 1)?;
            if one.at.len() != factors {
                return Err(StatsError::Ragged { block, found: one.at.len(), expected: factors });
            }
        }
        Ok(Data {
            points: observed.iter().map(|one| one.at.clone()).collect(),
            ranges: Range::all(&observed.iter().map(|one| one.at.as_slice()).collect::<Vec<_>>()),
            interactions: shares(INTERACTIONS, INTERACTIONS_OF_ALL),
            alones: shares(ALONES, ALONES_OF_ALL),
            // Of a bend between two levels the place cannot be told.
            bends: (0..factors).filter(|_| whole).flat_map(|factor| bends(observed, factor)).collect(),
            means: observed.iter().map(|one| mean(&one.values)).collect(),
            counts: observed.iter().map(|one| one.values.len() as f64).collect(),
            scatter: observed.iter().map(Observed::scatter).sum(),
            free: observed.iter().map(|one| one.values.len() as f64 - 1.0).sum(),
        })
    }
}

/// The inner levels of a numeric factor.
fn bends(observed: &[Observed], factor: usize) -> Vec<Bend> {
    let numbers = observed.iter().filter_map(|one| match one.at[factor] {
        Coordinate::Number(number) => Some(number),
        Coordinate::Category(_) => None,
    });
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let inner = numbers.len().saturating_sub(2);
    numbers.into_iter().skip(1).take(inner).map(|at| Bend { factor, at }).collect()
}

/// The lower triangle whose product with its transpose is a matrix.
#[derive(Debug, Clone)]
struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// Of the lower triangle of a symmetric matrix, row by row; `None` where it is not positive definite.
    fn of(triangle: Vec<Vec<f64>>) -> Option<Cholesky> {
        let mut done: Vec<Vec<f64>> = Vec::with_capacity(triangle.len());
        for mut row in triangle {
            let last = row.len() - 1;
            for (j, above) in done.iter().enumerate() {
                let (before, rest) = row.split_at_mut(j);
                let dot: f64 = before.iter().zip(above).map(|(one, other)| one * other).sum();
                rest[0] = (rest[0] - dot) / above[j];
            }
            let dot: f64 = row[..last].iter().map(|value| value * value).sum();
            let rest = row[last] - dot;
            if rest <= 0.0 {
                return None;
            }
            row[last] = rest.sqrt();
            done.push(row);
        }
        Some(Cholesky(done))
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
}
