//! The search of a grid for its best point, trial by trial.

use std::collections::BTreeSet;

use numawise_facts::{FactorLevels, GridRun, Machine, PointId, Study, StudyHeader};
use numawise_stats::{Coordinate, Search, SearchEnd, SearchSettings, SearchStep};

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

/// What a search asks for next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchChoice {
    Run(PointId),
    /// No other point is likely to be better by more than 2 %.
    Sure,
    /// A quarter of the trials of the whole grid is spent.
    Spent,
}

/// A search under way. It takes what it knows from the study, so that it goes on where another process ended.
#[derive(Debug, Clone)]
pub struct GridSearch {
    search: Search,
    points: Vec<PointId>,
    /// Trials of the study that were taken in.
    taken: usize,
}

impl GridSearch {
    /// `None` where the study is no grid.
    pub fn of(header: &StudyHeader) -> Option<GridSearch> {
        let grid = header.grid.as_ref()?;
        let scales: Vec<Option<Vec<f64>>> = grid.factors.iter().map(numbers).collect();
        let coordinate = |(level, scale): (&u32, &Option<Vec<f64>>)| match scale {
            Some(numbers) => Coordinate::Number(numbers.get(*level as usize).copied().unwrap_or_default()),
            None => Coordinate::Category(*level as usize),
        };
        let points: Vec<Vec<Coordinate>> =
            grid.runs.iter().map(|run| run.levels.iter().zip(&scales).map(coordinate).collect()).collect();
        let all = points.len() as f64 * f64::from(header.min_repeats);
        let most_trials = (SHARE * all).floor().max(1.0) as usize;
        let full = full_nodes(&header.machine);
        let is_edge = |run: &&GridRun| run.workers.is_some_and(|workers| full.contains(&workers));
        let edges = grid.runs.iter().enumerate().filter(|(_, run)| is_edge(run)).map(|(k, _)| k).collect();
        let failures = Study::FAILURES;
        let settings = SearchSettings { points, edges, most_trials, close: CLOSE, doubt: DOUBT, failures };
        let points = grid.runs.iter().map(|run| run.point.clone()).collect();
        Some(GridSearch { search: Search::new(settings), points, taken: 0 })
    }

    /// What to run next, by all trials of the study so far.
    pub fn choose(&mut self, study: &Study) -> SearchChoice {
        for trial in study.trials.iter().skip(self.taken) {
            self.taken += 1;
            if trial.is_warm_up() || trial.is_interrupted() {
                continue;
            }
            let Some(point) = self.points.iter().position(|point| *point == trial.point) else { continue };
            let value = study.header.value(trial).map(f64::ln);
            let value =
                if study.header.metric.higher_is_better() { value.map(|value| -value) } else { value };
            // What is chosen is another matter here; but when the guess is made anew must be as it was.
            self.search.step();
            self.search.took(point, value);
        }
        match self.search.step() {
            SearchStep::Try(point) => SearchChoice::Run(self.points[point].clone()),
            SearchStep::End(SearchEnd::Sure) => SearchChoice::Sure,
            SearchStep::End(SearchEnd::Spent) => SearchChoice::Spent,
        }
    }
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
