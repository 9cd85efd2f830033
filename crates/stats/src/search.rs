//! The search for the best point of a grid without running all of it.
//!
//! Where trials suffice for it, each point is tried once, so that no cliff between two points and no effect of two levels together is missed;
//! else a few points spread over the grid come first, and then a guess at all points ([`Surrogate`]) says where the next trial promises most
//! (expected improvement: Jones, Schonlau, Welch 1998). What is left goes to the best point and to the one that is likeliest better than it, whichever
//! of both tells more (as in the top-two rules of ranking and selection: Qin, Klabjan, Russo 2017). The search ends when no other point is likely
//! to be better by more than what counts.
//!
//! A model of the program may say what is expected of each point ([`Search::expects`]). Then the guess is at how far the values are off that, for as
//! long as this makes the values likelier than a guess without it; where it does not, the search is as if nobody had said anything.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::describe::{mean, median};
use crate::surrogate::{Coordinate, Guess, MOST_FITTED, Observed, Posterior, Range, Surrogate};

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

/// What is searched, and what is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// The levels of each point, for distances.
    pub points: Vec<Vec<Coordinate>>,
    /// Points at which something ends, such as a node that is full: one of these may be the best where none beside it is.
    pub edges: Vec<usize>,
    /// Trials that may be run.
    pub most_trials: usize,
    /// A point that is better by no more than this share is as good.
    pub close: f64,
    /// How unlikely it is to be that some point is better by more.
    pub doubt: f64,
    /// A point is given up when so many of its trials in a row failed.
    pub failures: usize,
    /// Where somebody will say what is expected of the points.
    pub prior: Option<PriorSettings>,
}

/// How a search begins, and when it ends, that has expectations.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorSettings {
    /// Points that are tried once before anything is expected.
    pub first: Vec<usize>,
    /// Trials that may be run where the expectations hold and are accurate.
    pub most_trials: usize,
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
    /// Points, each as far as can be from those before it: all, or as many as are looked at together.
    order: Vec<usize>,
    /// Of these so many come before anything is guessed at.
    first: usize,
    values: Vec<Vec<f64>>,
    /// Failures one after the other.
    failures: Vec<usize>,
    trials: usize,
    known: Option<Known>,
    /// Of each point.
    expected: Option<Vec<Guess>>,
    /// Points with a value when that was said.
    expected_from: usize,
    /// Trials from which on the guess's own settings are looked for again.
    next_fit: usize,
}

/// What is known of the points, or of as many as can be looked at together.
#[derive(Debug, Clone)]
struct Known {
    /// Of the values, or where they are likelier so, of how far they are off what was expected.
    fit: Surrogate,
    is_of_expected: bool,
    points: Vec<usize>,
    /// Of `points`, in their order.
    posterior: Posterior,
}

/// Points of the first round: so many for each factor, and as many besides.
const FIRST: usize = 2;
/// All points are the first round where so many times as many trials may be run.
const EACH_ONCE: f64 = 1.2;
/// Of the points of the first round the best are repeated: one in so many, and at least so many of them, up to so many values.
const REPEATED: usize = 4;
const REPEATED_LEAST: usize = 3;
const REPEATS: usize = 3;
/// Settings are looked for again when there are so many times as many trials.
const FIT_AGAIN: f64 = 1.3;
/// Expectations that are further off in the middle help a search, and do not end it: in simulations those of a right model were 1 to 4 % off, of a
/// wrong model of the machine 4 to 9 %.
const ACCURATE: f64 = 0.05;
/// Where expectations hold, one trial in so many is for edges.
const OF_EDGES: usize = 8;
/// Evidence for expectations, as a difference of logarithms: 20 to 1, which Kass and Raftery (1995) call strong.
const STRONG: f64 = 3.0;
/// Expectations are asked for again when so many times as many points have a value.
const EXPECT_AGAIN: f64 = 1.15;
/// Points that are looked at together: those that were measured, and the nearest to the best of them.
const MOST_TOGETHER: usize = 1000;

impl Search {
    pub fn new(settings: SearchSettings) -> Search {
        let count = settings.points.len();
        let each_once = EACH_ONCE * count as f64 <= settings.most_trials as f64;
        let order = spread(&settings.points, count.min(MOST_TOGETHER));
        let first = if each_once { order.len() } else { first_count(&settings.points) };
        let (values, failures) = (vec![Vec::new(); count], vec![0; count]);
        Search {
            settings,
            order,
            first,
            values,
            failures,
            trials: 0,
            known: None,
            expected: None,
            expected_from: 0,
            next_fit: 0,
        }
    }

    /// Takes what is expected of each point, by somebody who knows all values so far: of a point that has some, by those of the others.
    /// What is expected of a point without a guess is what is expected of the nearest one that has one.
    pub fn expects(&mut self, guesses: &[Option<Guess>]) {
        self.expected = expected(&self.settings.points, guesses);
        self.expected_from = self.measured();
        self.next_fit = self.trials;
    }

    /// The first points were tried, and so many others since [`Search::expects`] that something else may be expected of the rest.
    pub fn wants_expectations(&self) -> bool {
        let Some(prior) = &self.settings.prior else { return false };
        let again = (EXPECT_AGAIN * self.expected_from as f64).ceil() as usize;
        prior.first.iter().all(|point| self.was_tried(*point)) && self.measured() >= again.max(1)
    }

    /// The values so far are likelier with what was expected.
    pub fn expectations_hold(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.is_of_expected)
    }

    /// By how much the values so far are off what was expected of them, in the middle.
    fn off_expected(&self) -> Option<f64> {
        let expected = self.expected.as_ref()?;
        let measured = self.values.iter().zip(expected).filter(|(values, _)| !values.is_empty());
        let off: Vec<f64> = measured.map(|(values, of)| (mean(values) - of.mean).abs()).collect();
        median(&off).ok()
    }

    /// Points with a value.
    pub fn measured(&self) -> usize {
        self.values.iter().filter(|values| !values.is_empty()).count()
    }

    /// Takes what a trial of one of the points showed; a failed one with `None`.
    pub fn took(&mut self, point: usize, value: Option<f64>) {
        self.trials += 1;
        match value.filter(|value| value.is_finite()) {
            Some(value) => {
                self.values[point].push(value);
                self.failures[point] = 0;
                let place = |known: &Known| known.points.iter().position(|other| *other == point);
                match self.known.as_mut().map(|known| (place(known), known)) {
                    Some((Some(place), known)) => known.posterior.took(place, value),
                    _ => self.next_fit = self.trials,
                }
            }
            None => self.failures[point] += 1,
        }
    }

    /// What to do next.
    pub fn step(&mut self) -> SearchStep {
        if self.trials >= self.settings.most_trials || self.settings.points.is_empty() {
            return SearchStep::End(SearchEnd::Spent);
        }
        if let Some(prior) = &self.settings.prior {
            if let Some(&point) = prior.first.iter().find(|point| !self.was_tried(**point)) {
                return SearchStep::Try(point);
            }
            self.learn();
        }
        let holds = self.expectations_hold();
        let is_enough = self.settings.prior.as_ref().is_some_and(|prior| self.trials >= prior.most_trials);
        if holds && is_enough && self.off_expected().is_some_and(|off| off <= ACCURATE) {
            return SearchStep::End(SearchEnd::Spent);
        }
        let mut first = self.order.iter().take(if holds { 0 } else { self.first });
        if let Some(&point) = first.find(|point| !self.was_tried(**point)) {
            return SearchStep::Try(point);
        }
        if let Some(point) = self.edge_to_try().or_else(|| self.to_repeat()) {
            return SearchStep::Try(point);
        }
        self.learn();
        let Some(known) = &self.known else {
            // Too few values to guess from: whatever has none.
            let without =
                (0..self.values.len()).find(|&point| self.values[point].is_empty() && self.may_run(point));
            return without.map_or(SearchStep::End(SearchEnd::Spent), SearchStep::Try);
        };
        let Some((best, doubt)) = self.best_of(known) else { return SearchStep::End(SearchEnd::Spent) };
        if doubt <= self.settings.doubt && self.measured() >= self.first_round() {
            return SearchStep::End(SearchEnd::Sure);
        }
        let least = known.posterior.guess(best).mean;
        let promise = |place: usize| known.posterior.guess(place).expected_below(least);
        let unmeasured = (0..known.points.len()).filter(|&place| {
            self.values[known.points[place]].is_empty() && self.may_run(known.points[place])
        });
        let unknown = unmeasured.max_by(|one, other| promise(*one).total_cmp(&promise(*other)));
        let place = match unknown {
            // What knowing the best point itself better is worth is as if it were a point alike.
            Some(place) if promise(place) >= promise(best) => place,
            _ => self.tells_more(known, best),
        };
        SearchStep::Try(known.points[place])
    }

    /// An edge, the best as expected first: that something ends there is what a model may not know. Of the trials one in [`OF_EDGES`] is for these.
    fn edge_to_try(&self) -> Option<usize> {
        let (prior, expected) = (self.settings.prior.as_ref()?, self.expected.as_ref()?);
        let (tried, untried): (Vec<usize>, Vec<usize>) =
            self.settings.edges.iter().partition(|edge| self.was_tried(**edge));
        let best =
            untried.into_iter().min_by(|one, other| expected[*one].mean.total_cmp(&expected[*other].mean));
        best.filter(|_| self.expectations_hold() && tried.len() < prior.most_trials / OF_EDGES)
    }

    /// One of the best points so far that has not been run as often as the noise takes to be known; what differs between points and what
    /// between runs of one point cannot be told apart otherwise.
    fn to_repeat(&self) -> Option<usize> {
        let mean = |point: usize| mean(&self.values[point]);
        let measured = (0..self.values.len()).filter(|point| !self.values[*point].is_empty());
        let mut best: Vec<usize> = measured.filter(|point| self.may_run(*point)).collect();
        best.sort_by(|one, other| mean(*one).total_cmp(&mean(*other)));
        let (better_half, _) = best.split_at(best.len().div_ceil(2));
        let edges: Vec<usize> =
            self.settings.edges.iter().copied().filter(|edge| better_half.contains(edge)).collect();
        best.truncate(REPEATED_LEAST.max(best.len() / REPEATED));
        best.into_iter().chain(edges).find(|point| self.values[*point].len() < REPEATS)
    }

    /// Of the best point and the one that is likeliest better by more than what counts, the one whose measurement tells more of
    /// their difference.
    fn tells_more(&self, known: &Known, best: usize) -> usize {
        let others =
            (0..known.points.len()).filter(|&place| place != best && self.may_run(known.points[place]));
        let below = |place: usize| self.below(known, place, best);
        let other = others.max_by(|one, other| below(*one).total_cmp(&below(*other))).unwrap_or(best);
        if known.posterior.tells_of_difference(other, best) > known.posterior.tells_of_difference(best, other)
        {
            other
        } else {
            best
        }
    }

    /// The best point so far; `None` while none has a value.
    pub fn best(&mut self) -> Option<BestPoint> {
        self.learn();
        match &self.known {
            Some(known) => {
                self.best_of(known).map(|(place, doubt)| BestPoint { point: known.points[place], doubt })
            }
            None => {
                let point = self.values.iter().position(|values| !values.is_empty())?;
                let doubt = if self.settings.points.len() == 1 { 0.0 } else { 1.0 };
                Some(BestPoint { point, doubt })
            }
        }
    }

    /// By how many standard deviations a point is better than another by more than what counts: by all that is known, or by the runs of these two
    /// alone, where that says more. What lies beside a point speaks against it, wrongly so where it is the last one before a cliff.
    fn below(&self, known: &Known, place: usize, best: usize) -> f64 {
        let by_all = known.posterior.below(place, best, self.close());
        let (one, other) = (&self.values[known.points[place]], &self.values[known.points[best]]);
        if one.len() < REPEATS || other.len() < REPEATS {
            return by_all;
        }
        let sd = known.posterior.noise_sd() * (1.0 / one.len() as f64 + 1.0 / other.len() as f64).sqrt();
        by_all.max((mean(other) - self.close() - mean(one)) / sd.max(f64::MIN_POSITIVE))
    }

    fn close(&self) -> f64 {
        (1.0 + self.settings.close).ln()
    }

    /// Fewer points than these say too little of the others: where some failed, others stand in.
    fn first_round(&self) -> usize {
        let may_run = (0..self.values.len()).filter(|point| self.may_run(*point)).count();
        let of_prior = self.settings.prior.as_ref().filter(|_| self.expectations_hold());
        of_prior.map_or(self.first, |prior| prior.first.len()).min(may_run)
    }

    /// It has a value, or failed since.
    fn was_tried(&self, point: usize) -> bool {
        !self.values[point].is_empty() || self.failures[point] > 0
    }

    /// It was not given up.
    fn may_run(&self, point: usize) -> bool {
        self.failures[point] < self.settings.failures
    }

    /// Looks for the guess's settings again when there is much more to go by, or a point was measured that it does not know.
    fn learn(&mut self) {
        if self.known.is_some() && self.trials < self.next_fit {
            return;
        }
        self.next_fit = (self.trials as f64 * FIT_AGAIN).ceil() as usize;
        let rest = (0..self.values.len()).filter(|point| !self.order.contains(point));
        let measured = self.order.iter().copied().chain(rest).filter(|&point| !self.values[point].is_empty());
        let measured: Vec<usize> = measured.collect();
        let one = |&point: &usize| Observed {
            at: self.settings.points[point].clone(),
            values: self.values[point].clone(),
        };
        // Those that were repeated tell of the noise, and must be among those that are fitted to.
        let (repeated, once): (Vec<usize>, Vec<usize>) =
            measured.iter().partition(|point| self.values[**point].len() > 1);
        let (first, rest) = repeated.split_at(repeated.len().min(MOST_FITTED / 2));
        let observed: Vec<Observed> = first.iter().chain(&once).chain(rest).map(one).collect();
        let whole = measured.len() == self.settings.points.len();
        let like = |is_of_expected: bool| {
            self.known.as_ref().filter(|known| known.is_of_expected == is_of_expected).map(|known| &known.fit)
        };
        let alone = Surrogate::fit(&observed, whole, like(false)).ok();
        let beside = self.expected.as_ref().and_then(|expected| {
            let off = |point: &usize| {
                let values = self.values[*point].iter().map(|value| value - expected[*point].mean).collect();
                Observed { at: self.settings.points[*point].clone(), values }
            };
            let observed: Vec<Observed> = first.iter().chain(&once).chain(rest).map(off).collect();
            Surrogate::fit(&observed, whole, like(true)).ok()
        });
        let likelier = |one: &Surrogate| {
            alone.as_ref().is_none_or(|other| one.likelihood() > other.likelihood() + STRONG)
        };
        let (is_of_expected, fit) = match beside.filter(likelier) {
            Some(beside) => (true, Some(beside)),
            None => (false, alone),
        };
        self.known = fit.map(|fit| {
            let points = self.together(&measured);
            let at: Vec<&[Coordinate]> =
                points.iter().map(|point| self.settings.points[*point].as_slice()).collect();
            let values: Vec<&[f64]> = points.iter().map(|point| self.values[*point].as_slice()).collect();
            let expected = self.expected.as_ref().filter(|_| is_of_expected);
            let expected: Option<Vec<Guess>> =
                expected.map(|expected| points.iter().map(|point| expected[*point]).collect());
            let posterior = fit.posterior(&at, &values, expected.as_deref());
            Known { fit, is_of_expected, points, posterior }
        });
    }

    /// The points that are looked at together.
    fn together(&self, measured: &[usize]) -> Vec<usize> {
        let all = &self.settings.points;
        if all.len() <= MOST_TOGETHER {
            return (0..all.len()).collect();
        }
        let middle = |point: usize| median(&self.values[point]).unwrap_or(f64::INFINITY);
        let mut nearest: Vec<usize> = (0..all.len()).collect();
        if let Some(&best) = measured.iter().min_by(|one, other| middle(**one).total_cmp(&middle(**other))) {
            let ranges = ranges(all);
            nearest.sort_by(|one, other| {
                apart(&all[*one], &all[best], &ranges).total_cmp(&apart(&all[*other], &all[best], &ranges))
            });
        }
        let mut points = measured.to_vec();
        points.extend(nearest.into_iter().filter(|point| self.values[*point].is_empty()));
        points.truncate(MOST_TOGETHER.max(measured.len()));
        points
    }

    /// The point of those with values that is best by the guess, and how likely another is better by more than what counts.
    fn best_of(&self, known: &Known) -> Option<(usize, f64)> {
        let may_run = |place: &usize| self.may_run(known.points[*place]);
        let places = || (0..known.points.len()).filter(may_run);
        let mean = |place: usize| known.posterior.guess(place).mean;
        let with_values = places().filter(|&place| !self.values[known.points[place]].is_empty());
        let best = with_values.min_by(|one, other| mean(*one).total_cmp(&mean(*other)))?;
        let better = places().filter(|&place| place != best);
        let better = better.map(|place| Normal::standard().cdf(self.below(known, place, best)));
        // One of them is enough; that they are not independent makes it less.
        let doubt = 1.0 - better.map(|likely| 1.0 - likely).product::<f64>();
        Some((best, doubt))
    }
}

/// Standard deviation of how far off it is what is expected of a point's neighbour.
const BORROWED: f64 = 0.3;

/// A guess for each point, borrowed where it has none; `None` where no point has one.
fn expected(points: &[Vec<Coordinate>], guesses: &[Option<Guess>]) -> Option<Vec<Guess>> {
    let is_guess = |guess: &Guess| guess.mean.is_finite() && guess.sd.is_finite();
    let guesses: Vec<Option<Guess>> = guesses.iter().map(|guess| guess.filter(is_guess)).collect();
    let there: Vec<usize> =
        (0..points.len()).filter(|point| guesses.get(*point).copied().flatten().is_some()).collect();
    if there.is_empty() {
        return None;
    }
    let ranges = ranges(points);
    let of = |point: usize| {
        let own = guesses.get(point).copied().flatten();
        own.or_else(|| {
            let far = |other: &usize| apart(&points[point], &points[*other], &ranges);
            let nearest = there.iter().min_by(|one, other| far(one).total_cmp(&far(other)))?;
            guesses[*nearest].map(|guess| Guess { sd: guess.sd.hypot(BORROWED), ..guess })
        })
    };
    (0..points.len()).map(of).collect()
}

fn first_count(points: &[Vec<Coordinate>]) -> usize {
    (FIRST * points.first().map_or(0, Vec::len) + FIRST).min(points.len())
}

/// So many points spread over the grid: the first point, then each as far as can be from all before.
fn spread(points: &[Vec<Coordinate>], count: usize) -> Vec<usize> {
    let ranges = ranges(points);
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

fn ranges(points: &[Vec<Coordinate>]) -> Vec<Range> {
    Range::all(&points.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// In factors: a whole one where categories differ, or the ends of a range do.
fn apart(one: &[Coordinate], other: &[Coordinate], ranges: &[Range]) -> f64 {
    let each = one.iter().zip(other).zip(ranges).map(|((one, other), range)| match (one, other) {
        (Coordinate::Number(one), Coordinate::Number(other)) => range.apart(*one, *other),
        (one, other) => f64::from(u8::from(one != other)),
    });
    each.sum()
}
