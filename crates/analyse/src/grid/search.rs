//! The search of a grid for its best point, trial by trial.

use std::collections::{BTreeSet, HashMap};

use numawise_facts::{
    FactorLevels, GridRun, GridStudy, Machine, Point, PointId, Study, StudyHeader, ThreadBinding,
};
use numawise_stats::{Coordinate, Guess, PriorSettings, Search, SearchEnd, SearchSettings, SearchStep};

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

/// A point that is better by no more than this share is as good.
const CLOSE: f64 = 0.02;
/// How unlikely it is to be that another point is better by more, before the search ends. It is asked after each trial, and some
/// answer would be wrong by chance: so it is not 5 %.
const DOUBT: f64 = 0.01;
/// Of all trials of the grid, so many are spent at most.
const SHARE: f64 = 0.25;
/// So many are enough where the times are as expected, and no fewer than [`LEAST_EXPECTED`].
const SHARE_EXPECTED: f64 = 0.1;
/// The first points, two repeats of the best three, and the two that are expected to be better.
const LEAST_EXPECTED: usize = 16;

/// What somebody expects of each point of a study, by its trials: the logarithm of a time, or of one over a rate.
pub type Expectations<'a> = &'a dyn Fn(&Study) -> Vec<Option<Guess>>;

/// What a search asks for next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchChoice {
    Run(PointId),
    /// No other point is likely to be better by more than 2 %.
    Sure,
    /// A quarter of the trials of the whole grid is spent, or a tenth where what was expected is so.
    Spent,
}

/// A search under way. It takes what it knows from the study, so that it goes on where another process ended.
#[derive(Debug, Clone)]
pub struct GridSearch {
    search: Search,
    points: Vec<PointId>,
    /// Their places in the study.
    places: Vec<usize>,
    /// The place in `points` of each point of the study: of one that is run as an earlier one is, that of the earlier one.
    searched: HashMap<PointId, usize>,
    /// Trials of the study that were taken in.
    taken: usize,
}

impl GridSearch {
    /// Where something will be expected of the points, `first` says which are tried before. `None` where the study is no grid.
    pub fn of(header: &StudyHeader, first: &[PointId]) -> Option<GridSearch> {
        let grid = header.grid.as_ref()?;
        let (places, searched) = different(header, grid);
        let runs: Vec<&GridRun> = places.iter().map(|place| &grid.runs[*place]).collect();
        let scales: Vec<Option<Vec<f64>>> = grid.factors.iter().map(numbers).collect();
        let coordinate = |(level, scale): (&u32, &Option<Vec<f64>>)| match scale {
            Some(numbers) => Coordinate::Number(numbers.get(*level as usize).copied().unwrap_or_default()),
            None => Coordinate::Category(*level as usize),
        };
        let points: Vec<Vec<Coordinate>> =
            runs.iter().map(|run| run.levels.iter().zip(&scales).map(coordinate).collect()).collect();
        let all = grid.runs.len() as f64 * f64::from(header.min_repeats);
        let most_trials = (SHARE * all).floor().max(1.0) as usize;
        let full = full_nodes(&header.machine);
        let is_edge = |run: &&&GridRun| run.workers.is_some_and(|workers| full.contains(&workers));
        let edges = runs.iter().enumerate().filter(|(_, run)| is_edge(run)).map(|(k, _)| k).collect();
        let expected = ((SHARE_EXPECTED * all).floor() as usize).max(LEAST_EXPECTED);
        // Where both come to the same, nothing is saved.
        let prior = (!first.is_empty() && expected < most_trials).then(|| PriorSettings {
            first: first.iter().filter_map(|point| searched.get(point).copied()).collect(),
            most_trials: expected,
        });
        let settings = SearchSettings {
            points,
            edges,
            most_trials,
            close: CLOSE,
            doubt: DOUBT,
            failures: Study::FAILURES,
            prior,
        };
        let points = runs.iter().map(|run| run.point.clone()).collect();
        Some(GridSearch { search: Search::new(settings), points, places, searched, taken: 0 })
    }

    /// What to run next, by all trials of the study so far.
    pub fn choose(&mut self, study: &Study, expectations: Expectations<'_>) -> SearchChoice {
        while let Some(trial) = study.trials.get(self.taken) {
            let before = self.taken;
            self.taken += 1;
            if trial.is_warm_up() || trial.is_interrupted() {
                continue;
            }
            let Some(&point) = self.searched.get(&trial.point) else { continue };
            let value = study.header.value(trial).map(f64::ln);
            let value =
                if study.header.metric.higher_is_better() { value.map(|value| -value) } else { value };
            // What is chosen is another matter here; but when the guess is made anew must be as it was.
            self.step(study, before, expectations);
            self.search.took(point, value);
        }
        match self.step(study, self.taken, expectations) {
            SearchStep::Try(point) => SearchChoice::Run(self.points[point].clone()),
            SearchStep::End(SearchEnd::Sure) => SearchChoice::Sure,
            SearchStep::End(SearchEnd::Spent) => SearchChoice::Spent,
        }
    }

    /// What comes after so many trials of the study.
    fn step(&mut self, study: &Study, trials: usize, expectations: Expectations<'_>) -> SearchStep {
        if self.search.wants_expectations() {
            let of_all = if trials == study.trials.len() {
                expectations(study)
            } else {
                let trials = study.trials[..trials].to_vec();
                expectations(&Study { trials, ..study.clone() })
            };
            let of_searched: Vec<Option<Guess>> =
                self.places.iter().map(|place| of_all.get(*place).copied().flatten()).collect();
            self.search.expects(&of_searched);
        }
        self.search.step()
    }
}

/// The places of the points that are run unlike all before them, and for each point which of these that is.
fn different(header: &StudyHeader, grid: &GridStudy) -> (Vec<usize>, HashMap<PointId, usize>) {
    let (mut places, mut searched) = (Vec::<usize>::new(), HashMap::new());
    for (place, run) in grid.runs.iter().enumerate() {
        let alike = |other: &usize| {
            // Input files may hold the name of a placement.
            grid.templates.is_empty()
                && grid.runs[*other].command == run.command
                && grid.runs[*other].environment == run.environment
                && header.points.get(place).zip(header.points.get(*other)).is_some_and(are_alike)
        };
        let known = places.iter().position(alike).unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        });
        searched.insert(run.point.clone(), known);
    }
    (places, searched)
}

/// The same CPUs and the same memory by two names.
fn are_alike((one, other): (&Point, &Point)) -> bool {
    let plans = (one.plan(), other.plan());
    one.placement.binding == ThreadBinding::Pinned
        && (plans.0.binding, &plans.0.tasks) == (plans.1.binding, &plans.1.tasks)
        && (one.placement.binding, &one.placement.tasks) == (other.placement.binding, &other.placement.tasks)
        && (one.levels.balancing, one.levels.pages) == (other.levels.balancing, other.levels.pages)
}

/// Numbers of workers at which one more node has a worker on each core, or on each CPU, as far as we may use them.
fn full_nodes(machine: &Machine) -> BTreeSet<u32> {
    let mut edges = BTreeSet::new();
    let (mut cores, mut cpus) = (0, 0);
    for node in machine.nodes_with_allowed_cpus() {
        let ours = node.cpus.intersection(&machine.allowed_cpus);
        cores += machine.cores(&ours) as u32;
        cpus += ours.len() as u32;
        edges.extend([cores, cpus]);
    }
    edges
}

/// The levels of a factor on a scale: logarithms, where all are numbers above 0; numbers, where all are; none, where some are words.
fn numbers(factor: &FactorLevels) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = factor.levels.iter().map(|level| level.parse().ok()).collect();
    let numbers = numbers.filter(|all| all.iter().all(|number: &f64| number.is_finite()))?;
    let is_above = numbers.iter().all(|number| *number > 0.0);
    Some(if is_above { numbers.into_iter().map(f64::log2).collect() } else { numbers })
}
