//! The search for the best point of a grid without running all of it.
//!
//! A few points spread over the grid come first. From then on a guess at all points ([`Surrogate`]) says where the next trial promises most
//! (expected improvement: Jones, Schonlau, Welch 1998), which is a point nobody has tried or one of the best once more. The search ends when
//! no other point is likely to be better by more than what counts.

use crate::surrogate::{Coordinate, Guess, Observed, Surrogate};

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

/// What is searched, and what is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// The levels of each point, for distances.
    pub points: Vec<Vec<Coordinate>>,
    /// Trials that may be run.
    pub most_trials: usize,
    /// A point that is better by no more than this share is as good.
    pub close: f64,
    /// How unlikely it is to be that some point is better by more.
    pub doubt: f64,
    /// A point is given up when so many of its trials in a row failed.
    pub failures: usize,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchStep {
    Try(usize),
    End(SearchEnd),
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// No other point is likely to be better by more than what counts.
    Sure,
    /// All trials are spent.
    Spent,
}

/// The best point, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestPoint {
    pub point: usize,
    /// How likely some other point is better by more than what counts.
    pub doubt: f64,
}

/// A search under way. The values are what is to become least: logarithms of times, or of rates with the sign turned.
#[derive(Debug, Clone)]
pub struct Search {
    settings: SearchSettings,
    first: Vec<usize>,
    values: Vec<Vec<f64>>,
    /// Failures one after the other.
    failures: Vec<usize>,
    trials: usize,
    guess: Option<Surrogate>,
    /// Trials from which on the guess's own settings are looked for again.
    next_fit: usize,
}

/// Points of the first round: so many for each factor, and as many besides.
const FIRST: usize = 2;
/// Settings are looked for again when there are so many times as many trials.
const FIT_AGAIN: f64 = 1.3;
/// More points are not guessed at together: each further one would cost more than a trial.
const MOST_MEASURED: usize = 400;

impl Search {
    pub fn new(settings: SearchSettings) -> Search {
        let first = spread(&settings.points);
        let values = vec![Vec::new(); settings.points.len()];
        let failures = vec![0; settings.points.len()];
        Search { settings, first, values, failures, trials: 0, guess: None, next_fit: 0 }
    }

    /// Takes what a trial of one of the points showed; a failed one with `None`.
    pub fn took(&mut self, point: usize, value: Option<f64>) {
        self.trials += 1;
        match value.filter(|value| value.is_finite()) {
            Some(value) => {
                self.values[point].push(value);
                self.failures[point] = 0;
            }
            None => self.failures[point] += 1,
        }
        self.first.retain(|waiting| *waiting != point);
    }

    /// What to do next.
    pub fn next(&mut self) -> SearchStep {
        if self.trials >= self.settings.most_trials || self.settings.points.is_empty() {
            return SearchStep::End(SearchEnd::Spent);
        }
        if let Some(&point) = self.first.first() {
            return SearchStep::Try(point);
        }
        let Some(guesses) = self.guesses() else {
            // Too few values to guess from: whatever has none.
            let without =
                (0..self.values.len()).find(|&point| self.values[point].is_empty() && self.may_run(point));
            return without.map_or(SearchStep::End(SearchEnd::Spent), SearchStep::Try);
        };
        let Some(best) = self.best_of(&guesses) else { return SearchStep::End(SearchEnd::Spent) };
        if best.doubt <= self.settings.doubt && self.measured() >= self.first_round() {
            return SearchStep::End(SearchEnd::Sure);
        }
        let least = guesses[best.point];
        let may_be_new = self.measured() < MOST_MEASURED;
        let candidates = (0..guesses.len())
            .filter(|&point| self.may_run(point) && (may_be_new || !self.values[point].is_empty()));
        // What knowing the best point itself better is worth is as if it were a point alike.
        let promise = |point: usize| guesses[point].expected_below(least.mean);
        let next = candidates.max_by(|one, other| promise(*one).total_cmp(&promise(*other)));
        next.map_or(SearchStep::End(SearchEnd::Spent), SearchStep::Try)
    }

    /// The best point so far; `None` while none has a value.
    pub fn best(&mut self) -> Option<BestPoint> {
        match self.guesses() {
            Some(guesses) => self.best_of(&guesses),
            None => {
                let point = self.values.iter().position(|values| !values.is_empty())?;
                let doubt = if self.settings.points.len() == 1 { 0.0 } else { 1.0 };
                Some(BestPoint { point, doubt })
            }
        }
    }

    /// Fewer points than these say too little of the others: where some failed, others stand in.
    fn first_round(&self) -> usize {
        let may_run = (0..self.values.len()).filter(|point| self.may_run(*point)).count();
        first_count(&self.settings.points).min(may_run)
    }

    /// It was not given up.
    fn may_run(&self, point: usize) -> bool {
        self.failures[point] < self.settings.failures
    }

    fn measured(&self) -> usize {
        self.values.iter().filter(|values| !values.is_empty()).count()
    }

    /// What is known of all points; `None` while fewer than two have a value.
    fn guesses(&mut self) -> Option<Vec<Guess>> {
        let with_values =
            self.settings.points.iter().zip(&self.values).filter(|(_, values)| !values.is_empty());
        let observed: Vec<Observed> =
            with_values.map(|(at, values)| Observed { at: at.clone(), values: values.clone() }).collect();
        let fit = match &self.guess {
            Some(guess) if self.trials < self.next_fit => guess.fit_again(&observed),
            _ => {
                self.next_fit = (self.trials as f64 * FIT_AGAIN).ceil() as usize;
                Surrogate::fit(&observed)
            }
        };
        let fit = fit.ok()?;
        let guesses = self.settings.points.iter().map(|at| fit.guess(at)).collect();
        self.guess = Some(fit);
        Some(guesses)
    }

    /// The point of those with values that is best by the guess, and how likely another is better by more than what counts.
    fn best_of(&self, guesses: &[Guess]) -> Option<BestPoint> {
        let with_values =
            (0..guesses.len()).filter(|&point| !self.values[point].is_empty() && self.may_run(point));
        let point = with_values.min_by(|one, other| guesses[*one].mean.total_cmp(&guesses[*other].mean))?;
        let (least, close) = (guesses[point], (1.0 + self.settings.close).ln());
        let others = guesses.iter().enumerate().filter(|(other, _)| *other != point && self.may_run(*other));
        let better = others.map(|(_, guess)| guess.likely_below(&least, close));
        // One of them is enough; that they are not independent makes it less.
        let doubt = 1.0 - better.map(|likely| 1.0 - likely).product::<f64>();
        Some(BestPoint { point, doubt })
    }
}

fn first_count(points: &[Vec<Coordinate>]) -> usize {
    (FIRST * points.first().map_or(0, Vec::len) + FIRST).min(points.len())
}

/// Points spread over the grid: the first point, then each as far as can be from all before.
fn spread(points: &[Vec<Coordinate>]) -> Vec<usize> {
    let factors = points.first().map_or(0, Vec::len);
    let count = first_count(points);
    let ranges: Vec<f64> = (0..factors).map(|factor| range(points, factor)).collect();
    let mut chosen: Vec<usize> = Vec::new();
    let mut distance = vec![f64::INFINITY; points.len()];
    while chosen.len() < count {
        let farthest = (0..points.len()).max_by(|one, other| {
            // Among equals the earlier.
            distance[*one].total_cmp(&distance[*other]).then(other.cmp(one))
        });
        let Some(next) = farthest else { break };
        for (point, least) in distance.iter_mut().enumerate() {
            *least = least.min(apart(&points[point], &points[next], &ranges));
        }
        distance[next] = f64::NEG_INFINITY;
        chosen.push(next);
    }
    chosen
}

fn range(points: &[Vec<Coordinate>], factor: usize) -> f64 {
    let numbers = points.iter().filter_map(|point| match point.get(factor) {
        Some(Coordinate::Number(number)) => Some(*number),
        _ => None,
    });
    let (low, high) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
    if high > low { high - low } else { 1.0 }
}

/// In factors: a whole one where categories differ, or the ends of a range do.
fn apart(one: &[Coordinate], other: &[Coordinate], ranges: &[f64]) -> f64 {
    let each = one.iter().zip(other).zip(ranges).map(|((one, other), range)| match (one, other) {
        (Coordinate::Number(one), Coordinate::Number(other)) => (one - other).abs() / range,
        (one, other) => f64::from(u8::from(one != other)),
    });
    each.sum()
}
